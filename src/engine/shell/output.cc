// What commands print, if that is plain to see.

#include <algorithm>

#include "base/path.h"
#include "engine/shell/runner.h"
#include "engine/shell/words.h"

namespace belay {
namespace {

// A format of printf without %; nullopt: it has an escape other than \n and octal numbers.
std::optional<std::string> DecodedFormat(std::string_view format) {
  std::string text;
  for (std::size_t at = 0; at < format.size(); ++at) {
    if (format[at] != '\\') {
      text += format[at];
      continue;
    }
    const std::string_view digits = format.substr(at + 1, 3);
    const auto octal = digits.size() == 3 ? ParseNumber<unsigned char>(digits, 8) : std::nullopt;
    if (digits.starts_with('n')) {
      text += '\n';
      at += 1;
    } else if (octal && *octal >= ' ') {
      text += static_cast<char>(*octal);
      at += 3;
    } else {
      return std::nullopt;
    }
  }
  return text;
}

}  // namespace

std::optional<std::string> ShellRunner::OutputOfEcho(Span words) {
  std::string text;
  for (const std::string& word : words.subspan(1)) {
    const bool option =
        text.empty() && word.size() > 1 && word.find_first_not_of("neE", 1) == std::string::npos;
    if (option && word.starts_with('-')) {
      if (word.find('e') != std::string::npos) return std::nullopt;
      continue;
    }
    // Some shells decode it.
    if (word.find('\\') != std::string::npos) return std::nullopt;
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

// With unknown parts.
std::optional<std::string> ShellRunner::OutputOfFind(Span words) {
  const FoundFiles found = FilesOfFind(words);
  const bool acts = std::ranges::any_of(
      words, [](const auto& word) { return word.starts_with("-exec") || word == "-delete"; });
  if (acts || found.paths.size() != 1) return std::nullopt;
  return found.paths[0] + (found.all ? std::string("/") + kAnyText : std::string());
}

// Of each operand, what begins with it.
std::optional<std::string> ShellRunner::OutputOfList(Span words) {
  std::string text;
  for (const std::string& word : words.subspan(1)) {
    if (!IsOptionWord(word)) text += word + kAnyText + "\n";
  }
  return text.empty() ? std::nullopt : std::optional(text);
}

// A text without formats, or a format that takes one text.
std::optional<std::string> ShellRunner::OutputOfPrintf(Span words) {
  if (words.size() < 2) return std::nullopt;
  const std::string& format = words[1];
  if (words.size() == 3) {
    const bool decoded = format == "%b" && words[2].find('\\') != std::string::npos;
    if (format == "%s" || (format == "%b" && !decoded)) return words[2];
    if (format == "%s\\n") return words[2] + "\n";
  }
  if (words.size() != 2 || format.find('%') != std::string::npos) return std::nullopt;
  return DecodedFormat(format);
}

// Files that get a known text by tee, cp and mv.
void ShellRunner::NoteCopies(Span words, const Context& context) {
  const std::string_view name = FileName(words.front());
  const bool sure = context.certainty == Certainty::kSure;
  if (name == "tee" && context.input) {
    for (const std::string& file : words.subspan(1)) {
      if (!IsOptionWord(file)) NoteWritten(file, *context.input, HasWord(words, "-a"), sure);
    }
  }
  if ((name != "cp" && name != "mv") || words.size() < 3) return;
  const Written* written = FindWritten(words[words.size() - 2]);
  if (written != nullptr) NoteWritten(words.back(), std::string(written->text), false, false);
}

// The path that mktemp makes: a new one, so none that is there.
std::string ShellRunner::OutputOfTemporary(Span words) const {
  std::string folder = "/tmp";
  if (const auto set = Lookup("TMPDIR"); set && set->size() == 1 && !set->front().empty()) {
    folder = set->front();
  }
  std::string name = "tmp.XXXX";
  bool here = false;  // a template in the current folder
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if ((word == "-p" || word == "--tmpdir") && i + 1 < words.size()) {
      folder = words[++i];
    } else if (word.starts_with("--tmpdir=")) {
      folder = word.substr(9);
    } else if (!IsOptionWord(word)) {
      name = word;
      here = !HasWord(words, "-t") && !HasWord(words, "-p");
    }
  }
  const std::size_t first = name.find("XXX");
  if (first != std::string::npos) {
    const std::size_t end = std::min(name.find_first_not_of('X', first), name.size());
    name.replace(first, end - first, 1, kAnyName);
  }
  return here ? name : folder + "/" + name;
}

// What a command prints, if that is plain to see.
std::optional<std::string> ShellRunner::OutputOf(Span words, const Context& context) const {
  const std::string_view name = FileName(words.front());
  if (name == "cat" && words.size() == 1) return context.input;
  if (name == "tee") return context.input;
  if (name == "mktemp") return OutputOfTemporary(words);
  if (name == "find") return OutputOfFind(words);
  if (name == "pwd" && words.size() == 1) return Folder();
  if (name == "git" && words.size() == 3 && words[1] == "rev-parse" && words[2].ends_with("-dir")) {
    return std::string(1, kAnyText) + "/.git" + kAnyText;
  }
  if ((name == "which" || name == "type") && words.size() == 2) return words[1];
  if (name == "ls") return OutputOfList(words);
  if (name == "printf") return OutputOfPrintf(words);
  return name == "echo" ? OutputOfEcho(words) : std::nullopt;
}

}  // namespace belay
