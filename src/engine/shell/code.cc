// Program texts on a command line: one-liners of interpreters, and scripts of sed. They aren't
// parsed; their string literals and a few words show what they may do.

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "engine/shell/runner.h"
#include "engine/shell/words.h"

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
                                         "vars(",
                                         "__dict__",
                                         "globals(",
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
constexpr std::string_view kWriting[] = {"write",
                                         "unlink",
                                         "os.remove",
                                         "rename",
                                         "copyfile",
                                         "copy2",
                                         "copytree",
                                         "copyFile",
                                         "copySync",
                                         "File::Copy",
                                         "cp_r",
                                         "shutil",
                                         "rmtree",
                                         "truncate",
                                         "link(",
                                         "os.replace",
                                         "rmSync",
                                         "rmdir",
                                         "rm_",
                                         "File.del",
                                         "spew",
                                         "dump(",
                                         "file_put",
                                         "chmod",
                                         "touch",
                                         "mkdir",
                                         "FileUtils",
                                         "appendFile",
                                         "createWriteStream",
                                         "'>",
                                         "\">",
                                         "copy '",
                                         "copy \"",
                                         "move '",
                                         "move \"",
                                         "copy('",
                                         "copy(\"",
                                         "remove_tree",
                                         "make_path",
                                         "sysopen",
                                         "symlink",
                                         "inplace",
                                         "extractall",
                                         "unpack_archive",
                                         "basicConfig(filename",
                                         "FileHandler(",
                                         "O_WRONLY",
                                         "O_RDWR",
                                         "O_TRUNC",
                                         "O_CREAT",
                                         "OUTFILE",
                                         "outfile",
                                         ">\"",
                                         "> \"",
                                         ">$",
                                         "fs.rm(",
                                         " move("};
constexpr std::string_view kRemovingAll[] = {
    "rmtree", "rmSync", "fs.rm", "rm_", "remove_tree", "removeSync", "rename", "move", "rimraf"};
// What lists the files of a folder, or fills one.
constexpr std::string_view kWholeFolders[] = {"glob",       "iterdir",        "walk",
                                              "listdir",    "scandir",        "readdir",
                                              "extractall", "unpack_archive", "copytree"};
constexpr std::string_view kUnpacking[] = {"extractall", "unpack_archive"};
// Names that contain one of these and write no file.
constexpr std::string_view kPrinting[] = {"stdout.write", "stderr.write", "STDOUT.write"};
// What a call does with the path that it is given.
constexpr std::string_view kReadCalls[] = {
    "readFileSync", "readFile",        "exists",  "existsSync",        "isfile",    "isdir",
    "stat",         "statSync",        "listdir", "readdirSync",       "glob",      "getsize",
    "getmtime",     "realpath",        "abspath", "file_get_contents", "readlines", "readlink",
    "load_file",    "createReadStream"};
constexpr std::string_view kPrintCalls[] = {"print", "println", "log",  "puts",
                                            "echo",  "printf",  "exit", "error"};

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

struct CodeLiteral {
  std::string text;
  std::size_t begin = 0;  // at its quote
  std::size_t end = 0;    // behind its quote
};

// 'text', "text" and `text`, without escapes.
std::vector<CodeLiteral> LiteralsIn(std::string_view text) {
  std::vector<CodeLiteral> all;
  for (std::size_t at = 0; at < text.size() && all.size() < kMostLiterals; ++at) {
    const char quote = text[at];
    if (quote != '\'' && quote != '"' && quote != '`') continue;
    CodeLiteral literal{.text = {}, .begin = at};
    std::size_t end = at + 1;
    for (; end < text.size() && text[end] != quote; ++end) {
      if (text[end] == '\\' && end + 1 < text.size()) ++end;
      literal.text += text[end];
    }
    if (end >= text.size()) continue;  // an apostrophe
    at = end;
    literal.end = end + 1;
    const bool useful = !literal.text.empty() && literal.text.size() <= kLongestLiteral;
    if (useful) all.push_back(std::move(literal));
  }
  return all;
}

bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The name of the call whose first argument begins at `at`: "open" in io.open('x').
std::string_view CallBefore(std::string_view text, std::size_t at) {
  if (at > 0 && IsNameByte(text[at - 1])) --at;  // a prefix: r'x'
  while (at > 0 && text[at - 1] == ' ') --at;
  if (at == 0 || text[at - 1] != '(') return {};
  const std::size_t end = at - 1;
  std::size_t begin = end;
  while (begin > 0 && IsNameByte(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

// Path(x).open('w'): the object is a path, and no module.
bool OpensItself(std::string_view text, std::size_t at) {
  constexpr std::string_view kModules[] = {"io",   "os",  "codecs", "gzip",    "bz2",
                                           "lzma", "dbm", "shelve", "tarfile", "webbrowser"};
  const std::string_view call = CallBefore(text, at);
  if (call != "open") return false;
  const std::string_view before =
      text.substr(0, static_cast<std::size_t>(call.data() - text.data()));
  if (!before.ends_with('.')) return false;
  const std::size_t end = before.size() - 1;
  std::size_t begin = end;
  while (begin > 0 && IsNameByte(before[begin - 1])) --begin;
  return !IsIn(kModules, before.substr(begin, end - begin));
}

// A mode of open() that lets it write, behind a path: , 'wb'.
bool IsWritingMode(std::string_view text, const CodeLiteral& literal) {
  constexpr std::string_view kPerlModes[] = {">", ">>", "+<", "+>", "+>>"};
  const bool letters =
      literal.text.size() <= 3 && literal.text.find_first_not_of("rwaxbt+") == std::string::npos;
  const bool perl =
      IsIn(kPerlModes, std::string_view(literal.text).substr(0, literal.text.find(':')));
  if (!perl && (!letters || literal.text.find_first_of("wax+") == std::string::npos)) return false;
  if (OpensItself(text, literal.begin)) return true;
  std::size_t at = literal.begin;
  while (at > 0 && text[at - 1] == ' ') --at;
  return at > 0 && (text[at - 1] == ',' || text[at - 1] == '=');
}

enum class PathUse { kUnclear, kNone, kRead, kWrite, kBoth };

// open('x'), open('x', 'w'), open('x', mode='rb').
PathUse UseByOpen(std::string_view rest) {
  const std::size_t end = rest.find(')');
  if (end == std::string_view::npos) return PathUse::kUnclear;
  const std::string_view arguments = rest.substr(0, end);
  const std::size_t next = arguments.find_first_not_of(" ,");
  if (next == std::string_view::npos) return PathUse::kRead;
  std::size_t mode = arguments.find("mode");
  if (mode != std::string_view::npos) {
    mode = arguments.find_first_of("'\"", mode);
  } else if (arguments[next] == '\'' || arguments[next] == '"') {
    mode = next;
  } else {
    const bool named = arguments.find('=') != std::string_view::npos;  // encoding='utf-8'
    if (named) return PathUse::kRead;
    // os.open(x, flags), open(x, mode)
    const bool second = arguments[arguments.find_first_not_of(' ')] == ',';
    const bool reads = arguments.find("O_RDONLY") != std::string_view::npos;
    return reads ? PathUse::kRead : second ? PathUse::kBoth : PathUse::kUnclear;
  }
  if (mode == std::string_view::npos) return PathUse::kUnclear;
  const std::string_view letters =
      arguments.substr(mode + 1, arguments.find_first_of("'\"", mode + 1) - mode - 1);
  if (letters.find_first_of("r+") == std::string_view::npos) return PathUse::kWrite;
  return letters.find('+') == std::string_view::npos ? PathUse::kRead : PathUse::kBoth;
}

// What the code does with a path that stands in it.
PathUse UseOf(std::string_view text, const CodeLiteral& literal) {
  const std::string_view call = CallBefore(text, literal.begin);
  const std::string_view rest = text.substr(literal.end);
  if (call == "open" || call == "fopen") return UseByOpen(rest);
  if (IsIn(kPrintCalls, call)) return PathUse::kNone;
  if (IsIn(kReadCalls, call)) return PathUse::kRead;
  if (call != "Path") return PathUse::kUnclear;
  constexpr std::string_view kReads[] = {").read_", ").exists(", ").is_", ").stat("};
  const bool reads =
      std::ranges::any_of(kReads, [&](std::string_view one) { return rest.starts_with(one); });
  return reads ? PathUse::kRead : PathUse::kUnclear;
}

// Not the mode of open(): 'w', 'rb'.
bool LooksLikePath(std::string_view text) {
  constexpr std::size_t kLongestMode = 2;
  if (text.find_first_of("\n\t (){};=<>%") != std::string_view::npos) return false;
  // A pattern of files, and not a regular expression.
  const bool pattern = text.find_first_of("*?") != std::string_view::npos;
  if (pattern && text.find_first_of("^$|+\\[") != std::string_view::npos) return false;
  return text.size() > kLongestMode || text.find('.') != std::string_view::npos;
}

// The folders into which the code goes: os.chdir('x').
std::vector<std::string> FoldersOf(std::string_view text,
                                   const std::vector<CodeLiteral>& literals) {
  std::vector<std::string> folders = {""};
  for (const CodeLiteral& literal : literals) {
    const std::size_t from = literal.begin < 8 ? 0 : literal.begin - 8;
    const bool enters = text.substr(from, literal.begin - from).find("chdir") != text.npos;
    if (enters) folders.push_back(literal.text + "/");
  }
  return folders;
}

// The end of a part of s/a/b/, at its separator.
std::size_t EndOfSedPart(std::string_view text, std::size_t at, char separator) {
  for (; at < text.size() && text[at] != separator; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at, text.size());
}

// ['rm', '-rf', 'x'] as lines.
std::vector<std::string> ListsIn(std::string_view text, const std::vector<CodeLiteral>& literals) {
  std::vector<std::string> lines;
  bool begun = false;
  for (std::size_t i = 1; i < literals.size(); ++i) {
    const std::size_t end = literals[i - 1].end;
    const std::string_view between = text.substr(end, literals[i].begin - end);
    const bool next = between.find(',') != std::string_view::npos &&
                      between.find_first_not_of(", \n[") == std::string_view::npos;
    if (next && !begun) lines.push_back(ShellQuoted(literals[i - 1].text));
    if (next) lines.back() += " " + ShellQuoted(literals[i].text);
    begun = next;
  }
  return lines;
}

// All that may be a line of a shell: each literal, and lists of them.
std::vector<std::string> LinesIn(std::string_view text, const std::vector<CodeLiteral>& literals) {
  std::vector<std::string> lines = ListsIn(text, literals);
  for (const CodeLiteral& literal : literals) {
    const bool known = literal.text.find_first_of("\n\x01") == std::string::npos;
    if (known) lines.push_back(literal.text);
  }
  return lines;
}

// awk: print ... > FILE, outside of strings and parentheses.
bool AwkWrites(std::string_view text) {
  bool printing = false;
  bool quoted = false;
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (text.substr(at).starts_with("print")) printing = true;
    if (c == ';' || c == '}' || c == '\n') printing = false;
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == '>' && printing && depth == 0) return true;
  }
  return false;
}

// Whether the code may write anything but the paths that stand in its calls of open().
bool WritesElsewhere(const std::string& text, const std::vector<CodeLiteral>& literals) {
  std::string rest = text;
  for (const std::string_view one : kPrinting) rest = Replaced(std::move(rest), one, "print");
  bool opens = false;
  bool mode = false;
  for (std::size_t i = 0; i < literals.size(); ++i) {
    const bool known = i > 0 && UseOf(text, literals[i - 1]) != PathUse::kUnclear;
    mode = mode || (!known && IsWritingMode(text, literals[i]));
    opens = opens || UseOf(text, literals[i]) == PathUse::kWrite;
  }
  // f.write() writes what was opened.
  for (const char* one : {".write(", ".writelines(", "dump("}) {
    if (opens) rest = Replaced(std::move(rest), one, "(");
  }
  return mode || HasAny(rest, kWriting);
}

// What a text as a whole may do.
struct CodeActs {
  bool runs = false;
  bool opens = false;
  bool writes = false;   // anything but what its calls of open() name
  bool removes = false;  // whole folders
  bool fills = false;    // writes files of a folder that it doesn't name
};

CodeActs ActsOf(const std::string& text, std::string_view by,
                const std::vector<CodeLiteral>& literals) {
  const bool awk = by.ends_with("awk");
  CodeActs acts;
  // In awk, print | "line" runs a line.
  acts.runs = (awk && HasPipe(text)) || HasAny(text, kRunning);
  acts.opens = HasAny(text, kOpening);
  acts.writes = WritesElsewhere(text, literals) || (awk && AwkWrites(text));
  acts.removes = acts.writes && HasAny(text, kRemovingAll);
  acts.fills = acts.writes && HasAny(text, kWholeFolders);
  return acts;
}

struct PathAccess {
  bool reads = false;
  bool writes = false;
};

// What the code may do to the file that a literal names, if it names one.
PathAccess AccessTo(std::string_view text, const CodeLiteral& literal, const CodeActs& acts) {
  switch (UseOf(text, literal)) {
    case PathUse::kNone:
      return {};
    case PathUse::kRead:  // the files in a folder may be written
      return {.reads = true,
              .writes = acts.fills && IsIn(kWholeFolders, CallBefore(text, literal.begin))};
    case PathUse::kWrite:
      return {.writes = true};
    case PathUse::kBoth:
      return {.reads = true, .writes = true};
    case PathUse::kUnclear:
      break;
  }
  if (!LooksLikePath(literal.text)) return {};
  return {.reads = acts.opens, .writes = acts.writes};
}

}  // namespace

void ShellRunner::RunLiterals(const Words& lines, const Context& context) {
  for (const std::string& line : lines) RunApart(line, context, {});
}

void ShellRunner::UseCode(const std::string& text, const std::string& by, const Context& context) {
  const Context possible = Possible(context);
  if (!IsExact(text)) AddUnknown("a program for " + by);
  const std::vector<CodeLiteral> literals = LiteralsIn(text);
  const CodeActs acts = ActsOf(text, by, literals);
  if (acts.runs) AddUnknown("what a program for " + by + " starts");
  if (HasAny(text, kConnecting)) AddConnection("", by, possible);
  if (acts.runs) RunLiterals(LinesIn(text, literals), possible);
  const std::vector<std::string> folders = FoldersOf(text, literals);
  for (const CodeLiteral& literal : literals) {
    const PathAccess access = AccessTo(text, literal, acts);
    const std::string path = Pathspec(literal.text);
    const WriteNotes notes = {.removes = acts.removes, .fills = acts.fills};
    for (const std::string& folder : folders) {
      if (access.reads) AddPath(EffectKind::kRead, folder + path, by, possible);
      if (access.writes) AddPath(EffectKind::kWrite, folder + path, by, possible, notes);
    }
  }
  if (HasAny(text, kUnpacking)) AddPath(EffectKind::kWrite, ".", by, possible, {.fills = true});
  // Paths that the code makes itself.
  Context unknown = possible;
  unknown.certainty = Certainty::kUnknown;
  if (acts.writes) AddPath(EffectKind::kWrite, std::string(1, kAnyText), by, unknown);
  code_writes_ = acts.writes || acts.runs;
  if (text.starts_with('.') || text.starts_with('\\') || text.find("\n.") != std::string::npos) {
    UseDatabaseCommands(text, by, possible);
  }
}

// Lines of sqlite3 that begin with a dot.
void ShellRunner::UseDatabaseCommands(std::string_view text, const std::string& by,
                                      const Context& context) {
  constexpr std::string_view kShellCommands[] = {".shell", ".system"};
  constexpr std::string_view kFileCommands[] = {".output", ".once",  ".backup", ".save",
                                                ".clone",  ".trace", ".log",    ".excel"};
  for (const std::string_view line : Split(text, '\n')) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view name = line.substr(0, end);
    const std::string_view rest = line.substr(std::min(end + 1, line.size()));
    if (IsIn(kShellCommands, name)) RunApart(rest, context, {});
    if (!IsIn(kFileCommands, name)) continue;
    for (const std::string_view word : Split(rest, ' ')) {
      const std::size_t begin = word.find_first_not_of("'\"");
      if (begin == std::string_view::npos || word.starts_with('-')) continue;
      const std::size_t end_of_path = word.find_last_not_of("'\"") + 1;
      const std::string path(word.substr(begin, end_of_path - begin));
      AddPath(EffectKind::kWrite, path, by, context);
    }
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
  if (!IsExact(text)) AddUnknown("a script for " + by);
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
    if (rest[flags] == 'e') AddUnknown("what a script for " + by + " starts");
    if (rest[flags] != 'w') return;
    rest = rest.substr(flags);
  } else if (letter == 'e') {
    if (rest.find_first_not_of(" \t") == std::string_view::npos) {
      return AddUnknown("what a script for " + by + " starts");
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
