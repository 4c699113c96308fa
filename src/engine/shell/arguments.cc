// What programs do with their arguments, as the table says (programs.h), and those for which a row
// isn't enough: shells, git and find.

#include <algorithm>
#include <utility>

#include "base/path.h"
#include "base/text.h"
#include "engine/shell/runner.h"

namespace belay {
namespace {

constexpr std::size_t kMostEffects = 2000;
constexpr std::size_t kRecent = 32;  // effects that aren't repeated
constexpr std::size_t kLongestScript = std::size_t{64} << 10U;

bool IsOptionWord(std::string_view word) { return word.size() > 1 && word.starts_with('-'); }

bool IsAssignmentWord(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == 0 || equals == std::string_view::npos) return false;
  return std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), [](char c) {
    return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  });
}

// "r>w" is r for all but the last.
char RoleAt(std::string_view operands, std::size_t at) {
  if (operands.starts_with('=')) operands.remove_prefix(1);
  operands = operands.substr(0, operands.find('>'));
  return operands[std::min(at, operands.size() - 1)];
}

// Takes the place of the first operand.
bool TakesFirst(char role) {
  return role == 'f' || role == 'F' || role == 'E' || role == 'C' || role == 'M';
}

bool IsIgnoredDevice(std::string_view path) {
  constexpr std::string_view kDevices[] = {"/dev/null",   "/dev/stdin",  "/dev/stdout",
                                           "/dev/stderr", "/dev/tty",    "/dev/zero",
                                           "/dev/full",   "/dev/random", "/dev/urandom"};
  return path.empty() || path == "-" || path.starts_with("/dev/fd/") || IsIn(kDevices, path);
}

std::string Joined(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string Replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
  return text;
}

}  // namespace

struct ShellRunner::Operands {
  std::string by = {};
  Words list = {};
  std::size_t shift = 0;                              // the first one was given by an option
  bool written = false;                               // an option says so: sed -i
  bool target = false;                                // an option named the last one: cp -t
  std::size_t dashes = static_cast<std::size_t>(-1);  // how many come before --
};

void ShellRunner::Add(ShellEffect effect) {
  const std::size_t recent = std::min(kRecent, effects_.size());
  if (std::find(effects_.end() - static_cast<std::ptrdiff_t>(recent), effects_.end(), effect) !=
      effects_.end()) {
    return;
  }
  if (effects_.size() < kMostEffects) return effects_.push_back(std::move(effect));
  if (effects_.size() == kMostEffects) {
    effects_.push_back({.certainty = Certainty::kUnknown, .what = "more than can be listed"});
  }
}

void ShellRunner::AddUnknown(std::string what, const Context&) {
  Add({.certainty = Certainty::kUnknown, .what = std::move(what)});
}

void ShellRunner::AddConnection(const std::string& address, const std::string& by,
                                const Context& context) {
  Add({.kind = EffectKind::kConnect, .certainty = context.certainty, .what = address, .by = by});
}

void ShellRunner::AddPath(EffectKind kind, const std::string& path, const std::string& by,
                          const Context& context) {
  if (IsIgnoredDevice(path)) return;
  if (path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/")) {
    return AddConnection(path.substr(9), by, context);
  }
  const bool relative = !path.starts_with('/');
  const std::size_t count = relative ? state_.folders.size() : 1;
  for (std::size_t i = 0; i < count; ++i) {
    Add({.kind = kind,
         .certainty = count > 1 ? Certainty::kPossible : context.certainty,
         .what = AbsoluteShellPath(state_.folders[i], path),
         .by = by});
  }
}

void ShellRunner::AddRun(Span words, const FoundRow& found, const Context& context) {
  const ProgramRow* row = found.row;
  const bool starts = row != nullptr && row->operands.find_first_of("xX") != std::string_view::npos;
  Add({.certainty = context.certainty,
       .what = words.front(),
       .words = Words(words.begin(), words.end()),
       .listed = row != nullptr,
       .starts = starts,
       .looks = row != nullptr && row->looks,
       .success_tells = context.success_tells,
       .failure_tells = context.failure_tells});
}

ShellRunner::FoundRow ShellRunner::FindRow(Span words, const Context& context) {
  FoundRow found{.name = std::string(FileName(words.front()))};
  if (found.name == "git") {
    const std::size_t verb = FindGitVerb(words, context);
    if (verb >= words.size()) return found;
    found.row = FindVerb("git", words[verb]);
    found.from = verb + 1;
    found.name += " " + words[verb];
    return found;
  }
  const auto verb = std::ranges::find_if_not(words.subspan(1), IsOptionWord);
  if (verb != words.end()) found.row = FindVerb(found.name, *verb);
  if (found.row != nullptr) {
    found.from = static_cast<std::size_t>(verb - words.begin()) + 1;
    found.name += " " + *verb;
    return found;
  }
  found.row = FindProgram(found.name);
  return found;
}

void ShellRunner::RunProgram(Span words, const Context& context) {
  const std::string_view name = FileName(words.front());
  const Words folders = state_.folders;
  if (IsShellProgram(name)) {
    static constexpr ProgramRow kShell = {.names = "sh", .operands = "x"};
    AddRun(words, {.row = &kShell}, context);
    RunShellProgram(words, context);
  } else if (name == "busybox" || name == "toybox") {
    static constexpr ProgramRow kBusy = {.names = "busybox", .operands = "x"};
    AddRun(words, {.row = &kBusy}, context);
    if (words.size() > 1) RunProgram(words.subspan(1), context);
  } else {
    const FoundRow found = FindRow(words, context);
    AddRun(words, found, context);
    RunProgramOf(found, words, context);
  }
  state_.folders = folders;
}

void ShellRunner::RunProgramOf(const FoundRow& found, Span words, const Context& context) {
  if (found.name.starts_with("git ")) RunGitHelpers(words, found.from - 1, context);
  if (found.name == "find") return RunFind(words, context);
  if (found.row == nullptr) return;
  if (!found.row->operands.starts_with('=')) return RunRow(found, words, context);
  // The variables that env and sudo set.
  State saved = CopyState();
  RunRow(found, words, context);
  state_ = std::move(saved);
}

void ShellRunner::RunRow(const FoundRow& found, Span words, const Context& context) {
  const ProgramRow& row = *found.row;
  Operands operands{.by = found.name};
  bool options = true;
  for (std::size_t at = found.from; at < words.size();) {
    const std::string& word = words[at];
    const char role = RoleAt(row.operands, operands.list.size() + operands.shift);
    if (options && word == "--") {
      options = false;
      operands.dashes = operands.list.size();
      ++at;
    } else if (options && IsOptionWord(word)) {
      at = ReadOption(row, words, at, operands, context);
    } else if (row.operands.starts_with('=') && IsAssignmentWord(word)) {
      const std::string name = word.substr(0, word.find('='));
      SetVariable(name, Words{word.substr(name.size() + 1)}, context);
      state_.exported.insert(name);
      ++at;
    } else if (role == 'x' || role == 'X') {
      RunRest(role, words.subspan(at), context);
      break;
    } else {
      operands.list.push_back(word);
      ++at;
    }
  }
  UseOperands(row, operands, context);
  const bool no_program = operands.list.empty() && operands.shift == 0;
  if (row.interprets && no_program) UseStandardInput(found.name, context);
}

// A program and its arguments; X has more that aren't known.
void ShellRunner::RunRest(char role, Span words, const Context& context) {
  if (words.empty()) return;
  Words all(words.begin(), words.end());
  Context inner = context;
  if (role == 'X') {
    const std::string any(1, kAnyText);
    for (std::string& word : all) word = Replaced(std::move(word), "{}", any);
    all.push_back(any);
    inner.piped = false;  // it reads the arguments from there
  }
  // env and its like know no builtins and functions.
  if (IsExact(all.front())) return RunProgram(all, inner);
  RunWords(all, inner);
}

std::size_t ShellRunner::ReadOption(const ProgramRow& row, Span words, std::size_t at,
                                    Operands& operands, const Context& context) {
  const std::string& word = words[at];
  const std::size_t equals = word.find('=');
  const OptionUse whole = FindOption(row, word.substr(0, equals));
  if (whole.listed) {
    std::optional<std::string> value;
    if (equals != std::string::npos) value = word.substr(equals + 1);
    return UseOption(whole, std::move(value), words, at, operands, context);
  }
  if (word.starts_with("--")) return at + 1;
  for (std::size_t i = 1; i < word.size(); ++i) {
    const OptionUse use = FindOption(row, std::string("-") + word[i]);
    if (!use.listed || (!use.value && use.role == '-')) continue;
    std::optional<std::string> value;
    if (i + 1 < word.size()) value = word.substr(i + 1);
    return UseOption(use, std::move(value), words, at, operands, context);
  }
  return at + 1;
}

// Returns where the next word is.
std::size_t ShellRunner::UseOption(const OptionUse& use, std::optional<std::string> value,
                                   Span words, std::size_t at, Operands& operands,
                                   const Context& context) {
  ++at;
  if (use.role == 'x' || use.role == 'X') {
    RunRest(use.role, words.subspan(at), context);
    return words.size();
  }
  if (use.value && !value && at < words.size()) value = words[at++];
  if (use.role == '!' || (use.role == 'i' && value == "inplace")) operands.written = true;
  if (use.role == 't') operands.target = true;
  if (TakesFirst(use.role)) operands.shift = 1;
  if (use.role == 'd' && value) {
    for (std::string& folder : state_.folders) folder = AbsoluteShellPath(folder, *value);
  }
  if (value) UseValue(use.role, *value, operands.by, context);
  return at;
}

void ShellRunner::UseOperands(const ProgramRow& row, const Operands& operands,
                              const Context& context) {
  const std::size_t last = row.operands.find('>');
  const bool has_last =
      last != std::string_view::npos && !operands.target && operands.list.size() > 1;
  bool addressed = false;
  for (std::size_t i = 0; i < operands.list.size(); ++i) {
    char role = RoleAt(row.operands, i + operands.shift);
    if (has_last && i + 1 == operands.list.size()) role = row.operands[last + 1];
    if (operands.written && role == 'r') role = 'w';
    addressed = addressed || role == 'h' || role == 'm';
    const bool path = role == 'v' && i >= operands.dashes;
    const bool folder = has_last && i + 1 == operands.list.size();
    if (folder) UseTarget(operands, context);
    if (folder && operands.list[i].ends_with('/')) continue;
    UseValue(path ? 'w' : role, operands.list[i], operands.by, context);
  }
  if (row.connects && !addressed) AddConnection("", operands.by, context);
}

// The last operand of cp and its like may be a folder, in which the others get their own names.
void ShellRunner::UseTarget(const Operands& operands, const Context& context) {
  const std::string& target = operands.list.back();
  const bool file = world_.files != nullptr && IsExact(target) && state_.folders.size() == 1 &&
                    !world_.files->Inspect(AbsoluteShellPath(state_.folders[0], target) + "/.");
  if (file) return;
  for (std::size_t i = 0; i + 1 < operands.list.size(); ++i) {
    std::string name(FileName(operands.list[i]));
    if (name == "." || name == "..") name = std::string(1, kAnyText);
    AddPath(EffectKind::kWrite, target + "/" + name, operands.by, Possible(context));
  }
}

void ShellRunner::UseValue(char role, const std::string& value, const std::string& by,
                           const Context& context) {
  switch (role) {
    case 'r':
    case 'f':
    case 'w':
    case 't':
    case 'b':
    case '@':
    case 'k':
      return UsePlainPath(role, value, by, context);
    case 's':
      return RunApart(value, context, {});
    case 'c':
    case 'C':
      return UseCode(value, by, context);
    case 'e':
    case 'E':
      return UseSedScript(value, by, context);
    case 'h':
      return AddConnection(value, by, context);
    case 'm':
      return UseRemote(value, by, context);
    case 'g':
    case 'v':
      return UseGitPath(role, value, by, context);
    case 'O':
      for (const std::string_view start : {"ProxyCommand=", "LocalCommand="}) {
        if (value.starts_with(start)) RunApart(value.substr(start.size()), context, {});
      }
      return;
    default:
      return;
  }
}

void ShellRunner::UsePlainPath(char role, const std::string& value, const std::string& by,
                               const Context& context) {
  if (role == 'r' || role == 'f') return AddPath(EffectKind::kRead, value, by, context);
  if (role == 'w' || role == 't') return AddPath(EffectKind::kWrite, value, by, context);
  if (role == 'b') {
    AddPath(EffectKind::kRead, value, by, Possible(context));
    return AddPath(EffectKind::kWrite, value, by, Possible(context));
  }
  if (role == 'k') {
    if (value.starts_with("if=")) AddPath(EffectKind::kRead, value.substr(3), by, context);
    if (value.starts_with("of=")) AddPath(EffectKind::kWrite, value.substr(3), by, context);
    return;
  }
  const std::size_t sign = value.find('@');
  const bool file = sign == 0 || (sign != std::string::npos && sign > 0 && value[sign - 1] == '=');
  if (file) AddPath(EffectKind::kRead, value.substr(sign + 1), by, context);
}

// HOST:PATH, or a path on this machine.
void ShellRunner::UseRemote(const std::string& value, const std::string& by,
                            const Context& context) {
  const std::size_t colon = value.find(':');
  if (colon != std::string::npos && colon < value.find('/')) {
    return AddConnection(value, by, context);
  }
  UsePlainPath('b', value, by, context);
}

void ShellRunner::UseGitPath(char role, std::string value, const std::string& by,
                             const Context& context) {
  const std::size_t colon = value.find(':');
  if (role == 'g' && colon != std::string::npos) value = value.substr(colon + 1);
  const bool named = by == "git restore" || by == "git mv" || by == "git rm";
  AddPath(role == 'g' ? EffectKind::kRead : EffectKind::kWrite, value, by,
          named ? context : Possible(context));
}

// An interpreter without a script reads one from its standard input.
void ShellRunner::UseStandardInput(const std::string& by, const Context& context) {
  if (!context.piped) return;
  if (context.input) return UseCode(*context.input, by, context);
  AddUnknown("a program that " + by + " reads", context);
}

// The index of the first word that is no option of a shell. Sets `line` for -c, and `file` for a
// file that the shell starts with.
std::size_t ShellRunner::SkipShellOptions(Span words, bool& line, bool& file) {
  for (std::size_t at = 1; at < words.size(); ++at) {
    const std::string& word = words[at];
    const bool option = word.size() > 1 && (word[0] == '-' || word[0] == '+');
    if (!option) return at;
    if (word == "--") return at + 1;
    file = file || word.starts_with("--rcfile") || word.starts_with("--init-file");
    const bool value =
        word == "-o" || word == "+o" || word == "-O" || word == "--rcfile" || word == "--init-file";
    if (value) ++at;
    line = line || (!word.starts_with("--") && word.find('c') != std::string::npos && !value);
  }
  return words.size();
}

void ShellRunner::RunShellProgram(Span words, const Context& context) {
  bool line = false;
  bool file = false;
  const std::size_t at = SkipShellOptions(words, line, file);
  if (file) AddUnknown("a file that the shell starts with", context);
  Words rest;
  for (std::size_t i = at + (line ? 2 : 1); i < words.size(); ++i) rest.push_back(words[i]);
  if (line && at < words.size()) return RunApart(words[at], context, std::move(rest));
  State saved = CopyState();
  EnterProcess(rest);
  if (at < words.size()) {
    AddPath(EffectKind::kRead, words[at], std::string(FileName(words.front())), context);
    RunScriptFile(words[at], context, rest);
  } else if (context.input) {
    RunText(*context.input, Inner(context));
  } else if (!context.input_file.empty()) {
    RunScriptFile(context.input_file, Inner(context), {});
  } else if (context.piped) {
    AddUnknown("what the shell reads from its standard input", context);
  }
  state_ = std::move(saved);
}

void ShellRunner::RunScriptFile(const std::string& path, const Context& context, Words arguments) {
  const bool readable = world_.files != nullptr && IsExact(path) && state_.folders.size() == 1 &&
                        IsExact(state_.folders[0]);
  const Result<std::string> text =
      readable ? world_.files->Read(AbsoluteShellPath(state_.folders[0], path), kLongestScript)
               : Result<std::string>(Error{ErrorCode::kNotFound, ""});
  if (!text) return AddUnknown("the script " + path, context);
  const Words outer = std::exchange(state_.arguments, std::move(arguments));
  RunText(*text, context);
  state_.arguments = outer;
}

// The index of git's verb, after its own options.
std::size_t ShellRunner::FindGitVerb(Span words, const Context& context) {
  std::size_t at = 1;
  for (; at < words.size() && words[at].starts_with('-'); ++at) {
    const std::string& word = words[at];
    const bool value = word == "-C" || word == "-c" || word == "--git-dir" ||
                       word == "--work-tree" || word == "--exec-path" || word == "--namespace" ||
                       word == "--config-env";
    if (word.starts_with("--exec-path=")) AddUnknown("git's programs in " + word, context);
    if (!value || ++at >= words.size()) continue;
    if (word == "-c") UseGitSetting(words[at], context);
    if (word != "-C" && word != "--work-tree") continue;
    for (std::string& folder : state_.folders) folder = AbsoluteShellPath(folder, words[at]);
  }
  if (at < words.size() && !IsExact(words[at])) AddUnknown("git " + words[at], context);
  return at;
}

// KEY=VALUE, if git runs the value.
void ShellRunner::UseGitSetting(std::string_view setting, const Context& context) {
  constexpr std::string_view kRunKeys[] = {
      "core.sshcommand", "core.editor",           "core.pager",
      "core.fsmonitor",  "core.askpass",          "diff.external",
      "sequence.editor", "credential.helper",     "gpg.program",
      "core.gitproxy",   "interactive.difffilter"};
  const std::size_t equals = std::min(setting.find('='), setting.size());
  std::string key(setting.substr(0, equals));
  std::ranges::transform(key, key.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  std::string_view value = setting.substr(std::min(equals + 1, setting.size()));
  const bool alias = key.starts_with("alias.") && value.starts_with('!');
  if (value.starts_with('!')) value.remove_prefix(1);
  if (key == "core.hookspath") AddUnknown("the git hooks in " + std::string(value), context);
  const bool filter = key.starts_with("filter.") || key.ends_with(".textconv") ||
                      key.ends_with(".command") || key.ends_with(".cmd") ||
                      key.starts_with("pager.") || key.starts_with("alias.");
  if (alias || filter || IsIn(kRunKeys, key)) RunApart(value, Possible(context), {});
}

// Verbs that run a command of the user's.
void ShellRunner::RunGitHelpers(Span words, std::size_t verb, const Context& context) {
  const Span rest = words.subspan(verb + 1);
  if (words[verb] == "submodule") {
    const auto each = std::ranges::find(rest, "foreach");
    if (each == rest.end()) return;
    Span line(each + 1, rest.end());
    while (!line.empty() && IsOptionWord(line.front())) line = line.subspan(1);
    RunApart(Joined(line), Possible(context), {});
  }
  if (words[verb] == "bisect" && !rest.empty() && rest.front() == "run") {
    RunRest('x', rest.subspan(1), Possible(context));
  }
  if (words[verb] == "config") {
    const auto key = std::ranges::find_if_not(rest, IsOptionWord);
    if (key != rest.end() && key + 1 != rest.end()) UseGitSetting(*key + "=" + key[1], context);
  }
}

void ShellRunner::RunFind(Span words, const Context& context) {
  Words roots;
  std::string name(1, kAnyText);
  std::size_t first = 1;
  while (first < words.size() && !words[first].starts_with('-') && words[first] != "(" &&
         words[first] != "!") {
    roots.push_back(words[first++]);
  }
  if (roots.empty()) roots.emplace_back(".");
  for (std::size_t i = first; i + 1 < words.size(); ++i) {
    if (words[i] == "-name") {
      name += Replaced(words[i + 1], "*", std::string(1, kAnyText));
      name = Replaced(std::move(name), std::string(2, kAnyText), std::string(1, kAnyText));
      break;
    }
  }
  // Of several roots any may be meant.
  const std::string found = (roots.size() == 1 ? roots[0] : std::string(1, kAnyText)) + "/" + name;
  for (std::size_t i = first; i < words.size(); ++i) {
    if (words[i] == "-delete") AddPath(EffectKind::kWrite, found, "find", context);
    const bool prints = words[i].starts_with("-fprint") || words[i] == "-fls";
    if (prints && i + 1 < words.size()) {
      AddPath(EffectKind::kWrite, words[i + 1], "find", context);
    }
    i = RunFindAction(words, i, found, context);
  }
}

// -exec and its like. Returns the index of its last word.
std::size_t ShellRunner::RunFindAction(Span words, std::size_t at, const std::string& found,
                                       const Context& context) {
  constexpr std::string_view kActions[] = {"-exec", "-execdir", "-ok", "-okdir"};
  if (!IsIn(kActions, words[at])) return at;
  Words command;
  std::size_t end = at + 1;
  for (; end < words.size() && words[end] != ";"; ++end) {
    if (words[end] == "+" && words[end - 1] == "{}") break;
    command.push_back(Replaced(words[end], "{}", found));
  }
  if (command.empty()) AddUnknown("what find runs", context);
  RunRest('x', command, Possible(context));
  return end;
}

}  // namespace belay
