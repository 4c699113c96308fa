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
constexpr std::size_t kLongestInput = 200;
constexpr std::size_t kRecent = 32;  // effects that aren't repeated
constexpr std::size_t kLongestScript = std::size_t{64} << 10U;

bool IsOptionWord(std::string_view word) { return word.size() > 1 && word.starts_with('-'); }

bool IsAssignmentWord(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != 0 && equals != std::string_view::npos;
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

std::string Lowered(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
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
  std::optional<std::string> target = {};             // an option named the last one: cp -t
  bool exactly = false;                               // the last one is not a folder: cp -T
  std::string placeholder = "{}";                     // for what isn't known
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
                          const Context& context, bool into) {
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
         .by = by,
         .into = into});
  }
}

void ShellRunner::AddRun(Span words, const FoundRow& found, const Context& context) {
  const ProgramRow* row = found.row;
  const bool starts = row != nullptr && row->operands.find_first_of("xX") != std::string_view::npos;
  const bool short_input = context.input && context.input->size() <= kLongestInput;
  Add({.certainty = context.certainty,
       .what = words.front(),
       .words = Words(words.begin(), words.end()),
       .input = short_input ? *context.input : "",
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
  if (found.row == nullptr) {
    if (found.name.starts_with("git ")) AddUnknown(found.name + ", which may be an alias", context);
    return;
  }
  if (found.row->builds) AddUnknown("what " + found.name + " runs", context);
  // Letters without a dash take the following words.
  const bool bundle = found.name == "tar" && words.size() > 1 && !words[1].starts_with('-');
  if (bundle && words[1].find_first_of("IF") != std::string::npos) {
    AddUnknown("what tar runs", context);
  }
  constexpr std::string_view kClearing[] = {"sudo",   "doas",        "su",          "runuser",
                                            "pkexec", "systemd-run", "docker exec", "podman exec"};
  const bool clears = IsIn(kClearing, found.name);
  if (!clears && !found.row->operands.starts_with('=')) return RunRow(found, words, context);
  // The variables that env and sudo set.
  State saved = CopyState();
  if (clears) ForgetExported();
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
    } else if (row.operands.starts_with('=') && (word == "-" || IsAssignmentWord(word))) {
      const std::string name = word.substr(0, word.find('='));
      if (word == "-") {
        ForgetExported();
      } else {
        SetVariable(name, Words{word.substr(name.size() + 1)}, context);
        state_.exported.insert(name);
      }
      ++at;
    } else if (role == 'x' || role == 'X') {
      RunRest(role, words.subspan(at), context, operands.placeholder);
      break;
    } else if (role == 'j') {
      RunApart(Joined(words.subspan(at)), context, {});
      break;
    } else {
      operands.list.push_back(word);
      ++at;
    }
  }
  UseOperands(row, operands, context);
  if (row.interprets) UseProgramText(row, operands, context);
}

// The program that an interpreter runs, if no option gave it.
void ShellRunner::UseProgramText(const ProgramRow& row, const Operands& operands,
                                 const Context& context) {
  const char role = RoleAt(row.operands, 0);
  if (role == 'Q' || role == 'W') {  // at, editors: their input may run anything
    if (context.piped) AddUnknown("what " + operands.by + " reads", context);
    return;
  }
  if (role != 'r') return UseStandardInput(operands.by, context);
  if (operands.shift != 0) return;
  constexpr std::string_view kInputs[] = {"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"};
  if (operands.list.empty() || IsIn(kInputs, operands.list[0])) {
    return UseStandardInput(operands.by, context);
  }
  AddUnknown("the program " + operands.list[0] + " for " + operands.by, context);
}

// A program and its arguments; X has more that aren't known.
void ShellRunner::RunRest(char role, Span words, const Context& context,
                          std::string_view placeholder) {
  if (words.empty()) return;
  Words all(words.begin(), words.end());
  Context inner = context;
  if (role == 'X') {
    const std::string any(1, kAnyText);
    for (std::string& word : all) {
      for (const std::string_view one :
           {placeholder, std::string_view("{}"), std::string_view("{/}"), std::string_view("{.}"),
            std::string_view("{//}")}) {
        word = Replaced(std::move(word), one, any);
      }
    }
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
    if (!use.value && (use.role == 'z' || use.role == 'T')) {  // only a letter
      (void)UseOption(use, std::nullopt, words, at, operands, context);
      continue;
    }
    std::optional<std::string> value;
    if (i + 1 < word.size()) value = word.substr(i + 1);
    return UseOption(use, std::move(value), words, at, operands, context);
  }
  return at + 1;
}

void ShellRunner::NoteOption(const OptionUse& use, const std::optional<std::string>& value,
                             Operands& operands) {
  if (use.role == '!' || (use.role == 'i' && value == "inplace")) operands.written = true;
  if (use.role == 't') operands.target = value.value_or("");
  if (use.role == 'T') operands.exactly = true;
  if (use.role == 'p') operands.placeholder = value.value_or("").empty() ? "{}" : *value;
  if (TakesFirst(use.role)) operands.shift = 1;
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
  NoteOption(use, value, operands);
  if (use.role == 'z') ForgetExported();
  if (use.role == 'S') {
    std::string line = value.value_or("");
    for (; at < words.size(); ++at) line += " " + ShellQuoted(words[at]);
    RunApart(line, context, {});
    return at;
  }
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
    const bool folder = has_last && i + 1 == operands.list.size() && !operands.exactly;
    if (folder) {
      UseTarget(operands.list[i], Span(operands.list).first(i), operands.by, context);
    } else {
      UseValue(path ? 'w' : role, operands.list[i], operands.by, context);
    }
  }
  if (operands.target) UseTarget(*operands.target + "/", operands.list, operands.by, context);
  if (row.connects && !addressed) AddConnection("", operands.by, context);
}

// The last operand of cp and its like may be a folder, in which the others get their own names.
void ShellRunner::UseTarget(const std::string& target, Span sources, const std::string& by,
                            const Context& context) {
  const bool file = world_.files != nullptr && IsExact(target) && state_.folders.size() == 1 &&
                    !world_.files->Inspect(AbsoluteShellPath(state_.folders[0], target) + "/.");
  for (const std::string& source : sources) {
    if (file) break;
    std::string_view path = source;
    while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    std::string name(FileName(path));
    if (name == "." || name == "..") name = std::string(1, kAnyText);
    AddPath(EffectKind::kWrite, target + "/" + name, by, Possible(context));
  }
  if (!target.ends_with('/')) AddPath(EffectKind::kWrite, target, by, context, true);
}

void ShellRunner::UseValue(char role, const std::string& value, const std::string& by,
                           const Context& context) {
  switch (role) {
    case 'r':
    case 'f':
    case 'w':
    case 'b':
    case '@':
    case 'k':
      return UsePlainPath(role, value, by, context);
    case 's':  // tar --checkpoint-action=exec=LINE
      return RunApart(value.starts_with("exec=") ? value.substr(5) : value, context, {});
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
    default:
      return UseSpecialValue(role, value, by, context);
  }
}

// A command line that stands behind something.
void ShellRunner::UseSpecialValue(char role, const std::string& value, const std::string& by,
                                  const Context& context) {
  const std::string lower = Lowered(value.substr(0, 8));
  switch (role) {
    case 'M':
      return AddUnknown("the module " + value + " for " + by, context);
    case 'Q':
      return AddUnknown("what " + by + " runs", context);
    case 'O':
      return UseSshOption(value, context);
    case 'G':
      return UseGitSetting(value, context);
    case 'W':
      if (!value.starts_with('+')) return UsePlainPath('w', value, by, context);
      if (value.find_first_not_of("+0123456789") == std::string::npos) return;
      return AddUnknown("what " + by + " runs", context);
    case 'A':
      AddConnection(value, by, context);
      if (lower.starts_with("exec:")) RunApart(value.substr(5), context, {});
      if (lower.starts_with("system:")) RunApart(value.substr(7), context, {});
      return;
    case 'l':
      if (lower.starts_with("ext::")) RunApart(value.substr(5), context, {});
      return;
    default:
      return;
  }
}

// NAME=VALUE, or with a blank.
void ShellRunner::UseSshOption(const std::string& value, const Context& context) {
  const std::size_t end = std::min(value.find_first_of("= \t"), value.size());
  if (Lowered(value.substr(0, end)).ends_with("command") && end < value.size()) {
    RunApart(value.substr(end + 1), context, {});
  }
}

void ShellRunner::UsePlainPath(char role, const std::string& value, const std::string& by,
                               const Context& context) {
  if (role == 'r' || role == 'f') return AddPath(EffectKind::kRead, value, by, context);
  if (role == 'w') return AddPath(EffectKind::kWrite, value, by, context);
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
    if (word.starts_with("--")) {
      const bool starts = word.starts_with("--rcfile") || word.starts_with("--init-file");
      file = file || starts;
      if (starts && word.find('=') == std::string::npos) ++at;
      continue;
    }
    line = line || word.find('c') != std::string::npos;
    if (word.find_first_of("oO") != std::string::npos) ++at;  // -euo pipefail
  }
  return words.size();
}

void ShellRunner::RunShellProgram(Span words, const Context& context) {
  bool line = false;
  bool file = false;
  const std::size_t at = SkipShellOptions(words, line, file);
  if (file) AddUnknown("a file that the shell starts with", context);
  const std::string_view name = FileName(words.front());
  constexpr std::string_view kLikeBash[] = {"sh", "bash", "dash", "ash", "rbash", "busybox-sh"};
  if (!IsIn(kLikeBash, name)) AddUnknown("a line of " + std::string(name), context);
  // To dash, [[ a || b ]] runs b, and ((a)) runs a.
  const bool odd = name != "bash" && name != "rbash" && line && at < words.size() &&
                   (words[at].find("[[") != std::string::npos ||
                    Replaced(words[at], "$((", "").find("((") != std::string::npos);
  if (odd) AddUnknown("a line that shells read differently", context);
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
    if (word.starts_with("--config-env")) AddUnknown("a setting of git", context);
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
  constexpr std::string_view kRunKeys[] = {"core.sshcommand", "core.editor",
                                           "core.pager",      "core.fsmonitor",
                                           "core.askpass",    "diff.external",
                                           "sequence.editor", "core.alternaterefscommand",
                                           "core.gitproxy",   "interactive.difffilter",
                                           "imap.tunnel",     "uploadpack.packobjectshook"};
  constexpr std::string_view kRunEnds[] = {
      ".textconv",   ".command",     ".cmd",   ".helper",      ".program",          ".driver",
      ".uploadpack", ".receivepack", ".httpd", ".sendmailcmd", ".defaultkeycommand"};
  const std::size_t equals = std::min(setting.find('='), setting.size());
  const std::string key = Lowered(setting.substr(0, equals));
  std::string_view value = setting.substr(std::min(equals + 1, setting.size()));
  const bool line = value.starts_with('!');
  if (line) value.remove_prefix(1);
  if (key == "core.hookspath") AddUnknown("the git hooks in " + std::string(value), context);
  const bool other = key.starts_with("include") || key == "init.templatedir" ||
                     (key.starts_with("url.") && key.find("ext::") != std::string::npos);
  if (other) AddUnknown("the settings of git in " + std::string(value), context);
  const bool alias = key.starts_with("alias.");
  const bool runs =
      line || alias || key.starts_with("filter.") || key.starts_with("pager.") ||
      IsIn(kRunKeys, key) ||
      std::ranges::any_of(kRunEnds, [&](std::string_view end) { return key.ends_with(end); });
  const std::string text = (alias && !line ? "git " : "") + std::string(value);
  if (runs) RunApart(text, Possible(context), {});
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
  if (words[verb] == "clean") UseGitClean(rest, context);
  if (words[verb] == "bisect" && !rest.empty() && rest.front() == "run") {
    RunRest('x', rest.subspan(1), Possible(context));
  }
  if (words[verb] == "config") {
    for (std::size_t i = 0; i + 1 < rest.size(); ++i) {
      if (rest[i].find('.') != std::string::npos)
        UseGitSetting(rest[i] + "=" + rest[i + 1], context);
    }
  }
}

// Without a path it cleans the whole folder; -x removes ignored files too.
void ShellRunner::UseGitClean(Span words, const Context& context) {
  std::string letters;
  Words paths;
  for (const std::string& word : words) {
    if (word.starts_with("--")) {
      letters += word.substr(2, 1);
    } else if (IsOptionWord(word)) {
      letters += word.substr(1);
    } else {
      paths.push_back(word);
    }
  }
  if (letters.find('f') == std::string::npos || letters.find('n') != std::string::npos) return;
  const bool ignored = letters.find_first_of("xX") != std::string::npos;
  if (paths.empty()) paths.emplace_back(".");
  for (const std::string& path : paths) {
    AddPath(EffectKind::kWrite, path, ignored ? "git clean -x" : "git clean", Possible(context));
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
