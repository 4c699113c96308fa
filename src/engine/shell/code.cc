// Program texts on a command line: one-liners of interpreters, and scripts of sed. They aren't
// parsed; their string literals and a few words show what they may do.

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "engine/shell/runner.h"

namespace belay {
namespace {

constexpr std::size_t kLongestLiteral = 4096;
constexpr std::size_t kMostLiterals = 100;

constexpr std::string_view kRunning[] = {"system",
                                         "popen",
                                         "Popen",
                                         "subprocess",
                                         "exec",
                                         "spawn",
                                         "child_process",
                                         "shell_exec",
                                         "passthru",
                                         "fork",
                                         "check_output",
                                         "eval",
                                         "import_module",
                                         "__import__",
                                         "getattr",
                                         "ctypes",
                                         "dlopen",
                                         "`",
                                         "qx",
                                         "getline",
                                         "Open3",
                                         "shell",
                                         "\\!",
                                         "| \"",
                                         "|\""};
constexpr std::string_view kConnecting[] = {
    "socket",  "http",      "urllib",   "requests",  "fetch(",   "ftplib",
    "smtplib", "Net::",     "LWP",      "urlopen",   "paramiko", "require('net')",
    "dns",     "telnetlib", "open-uri", "WebSocket", "/inet/"};
constexpr std::string_view kOpening[] = {"open", "read", "load",  "File",     "fs.",
                                         "Path", "<",    "slurp", "file_get", "stat"};
constexpr std::string_view kWriting[] = {
    "write",  "'w",   "\"w",      "'a",     "\"a",      "'r+",     "\"r+",  "unlink", "remove",
    "rename", "copy", "move",     "rmtree", "truncate", "replace", "link",  ">",      "rm",
    "spew",   "dump", "file_put", "chmod",  "touch",    "mkdir",   "shutil"};

bool HasAny(std::string_view text, std::span<const std::string_view> words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// A | of awk: not in a string or a regular expression, and not part of ||.
bool HasPipe(std::string_view text) {
  char quote = 0;
  char before = 0;  // the last character that isn't a blank
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\') {
      ++at;
    } else if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' ||
               (c == '/' &&
                std::string_view("(,~!&|{};\n").find(before) != std::string_view::npos) ||
               (c == '/' && before == 0)) {
      quote = c;
    } else if (c == '|') {
      if (at + 1 >= text.size() || text[at + 1] != '|') return true;
      ++at;
    }
    if (c != ' ' && c != '\t') before = c;
  }
  return false;
}

// 'text', "text" and `text`, without escapes.
std::vector<std::string> LiteralsIn(std::string_view text) {
  std::vector<std::string> all;
  for (std::size_t at = 0; at < text.size() && all.size() < kMostLiterals; ++at) {
    const char quote = text[at];
    if (quote != '\'' && quote != '"' && quote != '`') continue;
    std::string literal;
    std::size_t end = at + 1;
    for (; end < text.size() && text[end] != quote; ++end) {
      if (text[end] == '\\' && end + 1 < text.size()) ++end;
      literal += text[end];
    }
    if (end >= text.size()) continue;  // an apostrophe
    if (!literal.empty() && literal.size() <= kLongestLiteral) all.push_back(std::move(literal));
    at = end;
  }
  return all;
}

// Not the mode of open(): 'w', 'rb'.
bool LooksLikePath(std::string_view text) {
  constexpr std::size_t kLongestMode = 2;
  return (text.size() > kLongestMode || text.find('.') != std::string_view::npos) &&
         text.find_first_of("\n\t (){};=<>*?%") == std::string_view::npos;
}

// The end of a part of s/a/b/, at its separator.
std::size_t EndOfSedPart(std::string_view text, std::size_t at, char separator) {
  for (; at < text.size() && text[at] != separator; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at, text.size());
}

}  // namespace

void ShellRunner::UseCode(const std::string& text, const std::string& by, const Context& context) {
  const Context possible = Possible(context);
  if (!IsExact(text)) AddUnknown("a program for " + by, context);
  // In awk, print | "line" runs a line.
  const bool pipes = by.ends_with("awk") && HasPipe(text);
  const bool runs = pipes || HasAny(text, kRunning);
  if (runs) AddUnknown("what a program for " + by + " starts", context);
  if (HasAny(text, kConnecting)) AddConnection("", by, possible);
  const bool opens = HasAny(text, kOpening);
  const bool writes = HasAny(text, kWriting);
  for (const std::string& literal : LiteralsIn(text)) {
    if (runs && literal.find_first_of("\n\x01") == std::string::npos) {
      RunApart(literal, possible, {});
    }
    if (!LooksLikePath(literal)) continue;
    if (opens) AddPath(EffectKind::kRead, literal, by, possible);
    if (writes) AddPath(EffectKind::kWrite, literal, by, possible);
  }
}

// The end of an address that begins at `at`.
std::size_t ShellRunner::EndOfSedAddress(std::string_view text, std::size_t at) {
  const bool other = text[at] == '\\';
  const char separator = other && at + 1 < text.size() ? text[at + 1] : '/';
  at = EndOfSedPart(text, at + (other ? 2 : 1), separator) + 1;
  while (at < text.size() && (text[at] == 'I' || text[at] == 'M')) ++at;
  return at;
}

// Its commands e, r, w and the flags e and w of s.
void ShellRunner::UseSedScript(std::string_view text, const std::string& by,
                               const Context& context) {
  if (!IsExact(text)) AddUnknown("a script for " + by, context);
  for (std::size_t at = 0; at < text.size();) {
    at = text.find_first_not_of(" \t;{}\n0123456789,$!~+", at);
    if (at == std::string_view::npos) return;
    if (text[at] == '/' || text[at] == '\\') {
      at = EndOfSedAddress(text, at);
      continue;
    }
    std::size_t end = at + 1;
    if ((text[at] == 's' || text[at] == 'y') && end < text.size()) {
      const char separator = text[end];
      end = EndOfSedPart(text, end + 1, separator);
      end = EndOfSedPart(text, std::min(end + 1, text.size()), separator);
      at = end < text.size() ? end : at;
    }
    end = std::min(text.find_first_of("\n;}", end), text.size());
    // The name of a file, a text and a command go on to the end of the line.
    const std::string_view rest = text.substr(at + 1, end - at - 1);
    const bool whole = rest.find_first_of("ew") != std::string_view::npos ||
                       std::string_view("aicrRwWe").find(text[at]) != std::string_view::npos;
    if (whole) end = std::min(text.find('\n', at), text.size());
    UseSedCommand(text.substr(at, end - at), by, context);
    at = end + 1;
  }
}

// "w file", "e command", or what follows s/a/b: "/gew file".
void ShellRunner::UseSedCommand(std::string_view command, const std::string& by,
                                const Context& context) {
  const char letter = command.front();
  std::string_view rest = command.substr(1);
  constexpr std::string_view kKnown = "aicrRwWeqQdDnNpPgGhHxlbtT=:#zFv";
  if (kKnown.find(letter) == std::string_view::npos) {  // the flags of s
    const std::size_t flags = rest.find_first_not_of("gpiImM0123456789");
    if (flags == std::string_view::npos) return;
    if (rest[flags] == 'e') AddUnknown("what a script for " + by + " starts", context);
    if (rest[flags] != 'w') return;
    rest = rest.substr(flags);
  } else if (letter == 'e') {
    if (rest.find_first_not_of(" \t") == std::string_view::npos) {
      return AddUnknown("what a script for " + by + " starts", context);
    }
    return RunApart(rest, Possible(context), {});
  }
  const std::size_t name = rest.find_first_not_of(letter == 'r' || letter == 'R' ? " \t" : "w \t");
  if (name == std::string_view::npos) return;
  const std::string path(rest.substr(name));
  const Context possible = Possible(context);
  const bool reads = letter == 'r' || letter == 'R';
  const bool writes =
      letter == 'w' || letter == 'W' || kKnown.find(letter) == std::string_view::npos;
  if (reads) AddPath(EffectKind::kRead, path, by, possible);
  if (writes) AddPath(EffectKind::kWrite, path, by, possible);
}

}  // namespace belay
