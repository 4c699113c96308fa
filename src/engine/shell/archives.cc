// tar's letters, and patches.

#include <algorithm>
#include <optional>

#include "base/path.h"
#include "base/text.h"
#include "engine/shell/runner.h"
#include "engine/shell/words.h"

namespace belay {
namespace {

constexpr std::size_t kMostPatched = 200;

// -p1 in the options of patch and git apply; nullopt: it isn't there.
std::optional<int> StripOf(std::span<const std::string> words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    std::string_view digits;
    if (word.starts_with("--strip=")) {
      digits = word.substr(8);
    } else if (word.starts_with("-p")) {
      digits = word.substr(2);
      if (digits.empty() && i + 1 < words.size()) digits = words[i + 1];
    }
    if (const auto count = ParseNumber<int>(digits)) return count;
  }
  return std::nullopt;
}

std::string_view Stripped(std::string_view path, int parts) {
  for (; parts > 0; --parts) {
    const std::size_t slash = path.find('/');
    if (slash == std::string_view::npos) return path;
    path.remove_prefix(slash + 1);
  }
  return path;
}

// "--- a/x.cc<tab>date" names x.cc.
std::string_view PathInPatch(std::string_view line) {
  constexpr std::string_view kMarks[] = {"--- ", "+++ ", "*** ", "rename to ", "copy to "};
  for (const std::string_view mark : kMarks) {
    if (line.starts_with(mark)) return line.substr(mark.size(), line.find('\t') - mark.size());
  }
  return {};
}

// git apply --directory=X: all paths are in that folder.
std::string FolderOf(std::span<const std::string> words) {
  constexpr std::string_view kOption = "--directory=";
  for (const std::string& word : words) {
    if (word.starts_with(kOption)) return word.substr(kOption.size()) + "/";
  }
  return {};
}

struct TarModeOption {
  std::string_view word;
  std::string_view letter;
};

constexpr TarModeOption kTarModeOptions[] = {
    {"--create", "c"}, {"--extract", "x"},  {"--get", "x"},  {"--list", "t"},    {"--append", "r"},
    {"--update", "r"}, {"--catenate", "r"}, {"--diff", "d"}, {"--compare", "d"}, {"--delete", "d"}};

// The letter that one word gives; empty if it gives none.
std::string TarModeIn(std::string_view word) {
  const auto* const option = std::ranges::find(kTarModeOptions, word, &TarModeOption::word);
  if (option != std::end(kTarModeOptions)) return std::string(option->letter);
  if (!IsOptionWord(word) || word[1] == '-') return {};
  const std::size_t letter = word.find_first_of("cxtrudA", 1);
  const std::size_t value = word.find_first_of("fCTXIFbgKNVHL", 1);
  if (letter >= value) return {};
  return word[letter] == 'A' ? "r" : std::string(1, word[letter]);
}

}  // namespace

// "tar xzf a -C b" as "tar -x -z -f a -C b"; empty if its letters have a dash already.
ShellRunner::Words ShellRunner::SplitTarLetters(Span words) {
  if (words.size() < 2 || IsOptionWord(words[1]) || words[1].empty()) return {};
  Words all = {words[0]};
  std::size_t next = 2;
  for (const char letter : words[1]) {
    all.push_back(std::string("-") + letter);
    const bool value = std::string_view("fCTXIFbgKNVHL").find(letter) != std::string_view::npos;
    if (value && next < words.size()) all.push_back(words[next++]);
  }
  all.insert(all.end(), words.begin() + static_cast<std::ptrdiff_t>(next), words.end());
  return all;
}

// The letter of what it does: c, x, t, r, u or d.
std::string ShellRunner::TarMode(Span words) {
  for (const std::string& word : words.subspan(1)) {
    std::string mode = TarModeIn(word);
    if (!mode.empty()) return mode;
  }
  return "x";
}

// patch and git apply change what the patch names.
void ShellRunner::UsePatches(const Operands& operands, const Context& context) {
  Words texts;
  Words files = operands.patches;
  if (files.empty() && !context.input_file.empty()) files = {context.input_file};
  for (const std::string& file : files) {
    const std::optional<std::string> text = FileText(file);
    AddPath(EffectKind::kRead, file, operands.by, context);
    if (text) texts.push_back(*text);
    if (!text) AddUnreadFile("what is in the patch " + file, file);
  }
  const bool input = files.empty() && context.piped;
  if (input && context.input) texts.push_back(*context.input);
  if (input && !context.input) {
    AddUnreadFile("the patch that " + operands.by + " reads", operands.by);
  }
  const std::optional<int> strip = StripOf(operands.words);
  const std::string folder = FolderOf(operands.words);
  for (const std::string& text : texts) UsePatch(text, folder, strip, operands.by, context);
}

void ShellRunner::UsePatch(std::string_view text, const std::string& folder,
                           std::optional<int> strip, const std::string& by,
                           const Context& context) {
  std::size_t left = kMostPatched;
  for (const std::string_view line : Split(text, '\n')) {
    const std::string_view path = PathInPatch(line);
    if (path.empty() || path == "/dev/null") continue;
    if (left-- == 0) return AddUnknown("the rest of a patch");
    const int usual = by == "patch" ? 0 : 1;
    AddPath(EffectKind::kWrite, folder + std::string(Stripped(path, strip.value_or(usual))), by,
            Possible(context));
    // Without -p, patch takes the name alone.
    if (by != "patch" || strip) continue;
    AddPath(EffectKind::kWrite, std::string(FileName(path)), by, Possible(context));
    AddPath(EffectKind::kWrite, std::string(Stripped(path, 1)), by, Possible(context));
  }
}

}  // namespace belay
