// What commands print, if that is plain to see.

#include <algorithm>

#include "base/path.h"
#include "engine/shell/runner.h"
#include "engine/shell/words.h"

namespace belay {
namespace {

// Texts that stand for what isn't known can't be made by an escape.
bool IsPlainByte(unsigned char byte) { return byte == 0 || byte > 4; }

struct Escape {
  std::size_t length = 0;  // 0: none that is known
  char byte = 0;
};

// The escape behind a backslash: n, t, \, 056, x2e.
Escape EscapeIn(std::string_view text) {
  constexpr std::string_view kLetters = "nt\\'\"";
  constexpr std::string_view kBytes = "\n\t\\'\"";
  if (text.empty()) return {};
  const std::size_t letter = kLetters.find(text[0]);
  if (letter != std::string_view::npos) return {1, kBytes[letter]};
  const bool hex = text[0] == 'x';
  const std::string_view digits = hex ? "0123456789abcdefABCDEF" : "01234567";
  constexpr std::size_t kMost = 3;
  const std::size_t begin = hex ? 1 : 0;
  const std::size_t end = std::min({text.find_first_not_of(digits, begin), text.size(), kMost});
  const auto byte = ParseNumber<unsigned char>(text.substr(begin, end - begin), hex ? 16 : 8);
  if (!byte || !IsPlainByte(*byte)) return {};
  return {end, static_cast<char>(*byte)};
}

// A format of printf with a text for each %s and %c; nullopt: it has something else.
class Format {
 public:
  explicit Format(std::string_view text) : text_(text) {}

  std::optional<std::string> Fill(std::span<const std::string> texts) {
    std::string all;
    do {
      const std::size_t used = used_;
      if (!FillOnce(texts, all) || all.size() > kLongest) return std::nullopt;
      if (used_ == used) break;
    } while (used_ < texts.size());
    return all;
  }

 private:
  static constexpr std::size_t kLongest = std::size_t{64} << 10U;

  bool FillOnce(std::span<const std::string> texts, std::string& all) {
    for (std::size_t at = 0; at < text_.size(); ++at) {
      if (text_[at] == '\\') {
        const Escape escape = EscapeIn(text_.substr(at + 1));
        if (escape.length == 0) return false;
        all += escape.byte;
        at += escape.length;
      } else if (text_[at] != '%') {
        all += text_[at];
      } else if (++at >= text_.size() || !FillOne(text_[at], texts, all)) {
        return false;
      }
    }
    return true;
  }
  bool FillOne(char letter, std::span<const std::string> texts, std::string& all) {
    if (letter == '%') {
      all += '%';
      return true;
    }
    const std::string text = used_ < texts.size() ? texts[used_] : std::string();
    const bool plain = letter == 's' || (letter == 'b' && text.find('\\') == std::string::npos);
    if (!plain && letter != 'c') return false;
    if (letter == 'c' && !IsExact(text)) return false;
    all += plain ? text : text.substr(0, 1);
    ++used_;
    return true;
  }

  std::string_view text_;
  std::size_t used_ = 0;
};

}  // namespace

std::optional<std::string> ShellRunner::OutputOfEcho(Span words) {
  std::string text;
  bool line = true;
  for (const std::string& word : words.subspan(1)) {
    const bool option =
        text.empty() && word.size() > 1 && word.find_first_not_of("neE", 1) == std::string::npos;
    if (option && word.starts_with('-')) {
      if (word.find('e') != std::string::npos) return std::nullopt;
      line = line && word.find('n') == std::string::npos;
      continue;
    }
    // Some shells decode it.
    if (word.find('\\') != std::string::npos) return std::nullopt;
    text += (text.empty() ? "" : " ") + word;
  }
  return line ? text + "\n" : text;
}

// With unknown parts.
std::optional<std::string> ShellRunner::OutputOfFind(Span words) {
  const FoundFiles found = FilesOfFind(words);
  const bool acts = std::ranges::any_of(words, [](const auto& word) {
    return word.starts_with("-exec") || word == "-delete" || word.starts_with("-printf");
  });
  if (acts) return std::nullopt;
  const char end = HasWord(words, "-print0") ? '\0' : '\n';
  std::string text;
  for (const std::string& path : found.paths) {
    text += path + (found.all ? std::string("/") + kAnyPath : std::string()) + end;
  }
  return text;
}

// With the disk, or of the names themselves.
std::optional<std::string> ShellRunner::OutputOfList(Span words) const {
  Words operands;
  std::string letters;
  for (const std::string& word : words.subspan(1)) {
    if (IsOptionWord(word)) {
      letters += word.substr(1);
    } else {
      operands.push_back(word);
    }
  }
  if (letters.find_first_not_of("1adAftrSU") != std::string::npos) return std::nullopt;
  const bool itself = letters.find('d') != std::string::npos;
  const bool hidden = letters.find_first_of("aAf") != std::string::npos;
  if (operands.empty()) operands.emplace_back(".");
  std::string text;
  for (const std::string& one : operands) {
    if (itself) {
      text += one + "\n";
    } else if (world_.files == nullptr || !IsExact(one) || !ListFolder(one, hidden, text)) {
      return std::nullopt;
    }
  }
  return text;
}

// The names in a folder, or the path of a file. False: they can't be known.
bool ShellRunner::ListFolder(const std::string& path, bool hidden, std::string& text) const {
  constexpr std::size_t kMostNames = 1000;
  const std::string folder = AbsoluteShellPath(Folder(), path);
  if (!IsExact(folder)) return false;
  const auto names = world_.files->List(folder);
  if (!names) {
    text += path + "\n";
    return true;
  }
  if (names->size() > kMostNames) return false;
  for (const std::string& name : *names) {
    if (hidden || !name.starts_with('.')) text += name + "\n";
  }
  return true;
}

// git ls-files, and grep -l in folders: paths that begin with the operands.
std::optional<std::string> ShellRunner::OutputOfPaths(Span words, std::size_t from) {
  const bool zero = HasWord(words, "-z") || HasWord(words, "-lZ") || HasWord(words, "-rlZ");
  std::string text;
  for (const std::string& word : words.subspan(std::min(from, words.size()))) {
    if (IsOptionWord(word)) continue;
    const bool pattern = word.find_first_of("*?[") != std::string::npos;
    text += Pathspec(word) + (pattern ? "" : std::string(1, kAnyText)) + (zero ? '\0' : '\n');
  }
  return text.empty() ? std::nullopt : std::optional(text);
}

std::optional<std::string> ShellRunner::OutputOfPrintf(Span words) {
  Span rest = words.subspan(1);
  if (!rest.empty() && rest[0] == "--") rest = rest.subspan(1);
  if (rest.empty() || rest[0].find(kAnyText) != std::string::npos) return std::nullopt;
  return Format(rest[0]).Fill(rest.subspan(1));
}

// The texts of all files, if these are known.
std::optional<std::string> ShellRunner::OutputOfCat(Span words, const Context& context) const {
  std::string text;
  bool named = false;
  for (const std::string& word : words.subspan(1)) {
    if (IsOptionWord(word)) return std::nullopt;
    named = true;
    const std::optional<std::string> one = KnownText(word);
    if (!one) return std::nullopt;
    text += *one;
  }
  return named ? std::optional(text) : InputText(context);
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
  const std::string& source = words[words.size() - 2];
  const Written* written = FindWritten(source);
  const auto text = written != nullptr ? std::optional(written->text) : FileText(source);
  if (text) NoteWritten(words.back(), *text, false, false);
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

// Of git: rev-parse and ls-files.
std::optional<std::string> ShellRunner::OutputOfGit(Span words) {
  if (words.size() < 2) return std::nullopt;
  if (words[1] == "ls-files") return OutputOfPaths(words, 2);
  if (words.size() < 3 || words[1] != "rev-parse") return std::nullopt;
  const std::string vault = std::string(1, kAnyText) + "/.git" + kAnyText;
  if (words.size() == 4 && words[2] == "--git-path") return vault + "/" + words[3];
  return words.size() == 3 && words[2].ends_with("-dir") ? std::optional(vault) : std::nullopt;
}

// The operands of grep -l that are searched.
std::optional<std::string> ShellRunner::OutputOfGrep(Span words) {
  const bool lists = std::ranges::any_of(words, [](const std::string& word) {
    return word == "--files-with-matches" ||
           (IsOptionWord(word) && word[1] != '-' && word.find('l') != std::string::npos);
  });
  const auto pattern = std::ranges::find_if_not(words.subspan(1), IsOptionWord);
  if (!lists || pattern == words.end() || HasWord(words, "-e")) return std::nullopt;
  return OutputOfPaths(words, static_cast<std::size_t>(pattern - words.begin()) + 1);
}

// What a command prints, if that is plain to see.
std::optional<std::string> ShellRunner::OutputOf(Span words, const Context& context) const {
  const std::string_view name = FileName(words.front());
  if (name == "cat") return OutputOfCat(words, context);
  if (name == "tee") return context.input;
  if (name == "mktemp") return OutputOfTemporary(words) + "\n";
  if (name == "find") return OutputOfFind(words);
  if (name == "pwd" && words.size() == 1) return Folder() + "\n";
  if (name == "git") return OutputOfGit(words);
  if (name == "grep") return OutputOfGrep(words);
  if ((name == "which" || name == "type") && words.size() == 2) return words[1] + "\n";
  if (name == "ls") return OutputOfList(words);
  if (name == "printf") return OutputOfPrintf(words);
  return name == "echo" ? OutputOfEcho(words) : std::nullopt;
}

}  // namespace belay
