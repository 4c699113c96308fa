// What programs do with their arguments, as the table says (programs.h). Shells, git, find and
// archives have rules of their own, in files of these names.

#include <algorithm>
#include <utility>

#include "base/path.h"
#include "base/text.h"
#include "engine/shell/runner.h"
#include "engine/shell/words.h"

namespace belay {
namespace {

constexpr std::size_t kMostEffects = 2000;
constexpr std::size_t kLongestInput = 200;
constexpr std::size_t kLongestPassed = 2000;  // of the input of xargs
constexpr std::size_t kMostPassed = 20;
constexpr std::size_t kRecent = 32;  // effects that aren't repeated
constexpr std::size_t kMostLinks = 20;

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
  return role == 'f' || role == 'F' || role == 'P' || role == 'E' || role == 'C' || role == 'M';
}

bool IsIgnoredDevice(std::string_view path) {
  constexpr std::string_view kDevices[] = {"/dev/null",   "/dev/stdin",  "/dev/stdout",
                                           "/dev/stderr", "/dev/tty",    "/dev/zero",
                                           "/dev/full",   "/dev/random", "/dev/urandom"};
  return path.empty() || path == "-" || path.starts_with("/dev/fd/") || IsIn(kDevices, path);
}

}  // namespace

void ShellRunner::Add(ShellEffect effect) {
  if (!written_.empty()) DoubtWritten(effect);
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

void ShellRunner::AddUnknown(std::string what, Span arguments) {
  Add({.certainty = Certainty::kUnknown,
       .what = std::move(what),
       .words = Words(arguments.begin(), arguments.end()),
       .folder = arguments.empty() ? std::string() : Folder()});
}

void ShellRunner::AddUnreadFile(std::string what, const std::string& path, Span arguments) {
  const bool readable = world_.files == nullptr && IsExact(path);
  Add({.certainty = Certainty::kUnknown,
       .what = std::move(what),
       .words = Words(arguments.begin(), arguments.end()),
       .folder = arguments.empty() ? std::string() : Folder(),
       .on_disk = readable});
}

void ShellRunner::AddConnection(const std::string& address, const std::string& by,
                                const Context& context) {
  Add({.kind = EffectKind::kConnect, .certainty = context.certainty, .what = address, .by = by});
}

std::string ShellRunner::Folder() const {
  return state_.folders.size() == 1 ? state_.folders[0] : std::string(1, kAnyText);
}

void ShellRunner::AddPath(EffectKind kind, const std::string& path, const std::string& by,
                          const Context& context, const WriteNotes& notes) {
  if (IsIgnoredDevice(path)) return;
  if (path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/")) {
    return AddConnection(path.substr(9), by, context);
  }
  const bool relative = !path.starts_with('/');
  const std::size_t count = relative ? state_.folders.size() : 1;
  for (std::size_t i = 0; i < count; ++i) {
    ShellEffect effect{.kind = kind,
                       .certainty = count > 1 ? Certainty::kPossible : context.certainty,
                       .what = AbsoluteShellPath(state_.folders[i], path),
                       .by = by,
                       .into = notes.into,
                       .removes = notes.removes,
                       .fills = notes.fills,
                       .from = notes.from};
    if (kind == EffectKind::kWrite && effect.what == std::string_view(&kAnyText, 1)) {
      effect.certainty = Certainty::kUnknown;
      effect.on_disk = world_.files == nullptr;
    }
    for (const MadeLink& link : links_) {
      if (!IsAtOrBelow(effect.what, link.path)) continue;
      ShellEffect behind = effect;
      behind.what = link.target + effect.what.substr(link.path.size());
      Add(std::move(behind));
    }
    Add(std::move(effect));
  }
}

void ShellRunner::AddRun(Span words, const FoundRow& found, const Context& context) {
  const ProgramRow* row = found.row;
  const bool starts = row != nullptr && row->operands.find_first_of("xX") != std::string_view::npos;
  const bool short_input = context.input && context.input->size() <= kLongestInput;
  const bool path = words.front().find('/') != std::string::npos;
  Add({.certainty = context.certainty,
       .what = words.front(),
       .words = Words(words.begin(), words.end()),
       .input = short_input ? *context.input : "",
       .listed = row != nullptr,
       .starts = starts,
       .looks = row != nullptr && row->Has(kLooks),
       .folder = row == nullptr ? Folder() : std::string(),
       .on_disk = row == nullptr && path && world_.files == nullptr,
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
  if (found.name == "tar" || found.name == "bsdtar" || found.name == "gtar") {
    found.row = FindVerb("tar", TarMode(words));
    return found;
  }
  const auto verb = std::ranges::find_if_not(words.subspan(1), IsOptionWord);
  if (verb != words.end()) found.row = FindVerb(found.name, *verb);
  if (found.row != nullptr) {
    found.from = static_cast<std::size_t>(verb - words.begin()) + 1;
    found.name += " " + *verb;
    return found;
  }
  if (found.name.starts_with("python") && FindModule(words, found)) return found;
  found.row = FindProgram(found.name);
  return found;
}

// python -m MODULE, with a row of its own.
bool ShellRunner::FindModule(Span words, FoundRow& found) {
  std::size_t at = 1;
  while (at < words.size() && IsOptionWord(words[at]) && words[at] != "-m") ++at;
  if (at + 1 >= words.size() || words[at] != "-m") return false;
  found.row = FindVerb("-m", words[at + 1]);
  if (found.row == nullptr) return false;
  found.from = at + 2;
  found.name += " -m " + words[at + 1];
  return true;
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
  } else if (words.front().find('/') == std::string::npos || !RunOwnScript(words, context)) {
    const Words split = name.ends_with("tar") ? SplitTarLetters(words) : Words();
    const Span all = split.empty() ? words : Span(split);
    const FoundRow found = FindRow(all, context);
    AddRun(words, found, context);
    RunProgramOf(found, all, context);
  }
  state_.folders = folders;
}

void ShellRunner::RunProgramOf(const FoundRow& found, Span words, const Context& context) {
  if (found.name.starts_with("git ")) RunGitHelpers(words, found.from - 1, context);
  if (found.name == "find") return RunFind(words, context);
  if (found.row == nullptr) {
    if (found.name.starts_with("git ")) AddUnknown(found.name + ", which may be an alias");
    return;
  }
  if (found.row->Has(kBuilds)) AddUnknown("what " + found.name + " runs");
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
  Operands operands{.by = found.name, .words = words.subspan(std::min(found.from, words.size()))};
  code_writes_ = false;
  bool options = true;
  for (std::size_t at = found.from; at < words.size();) {
    const std::string& word = words[at];
    const char role = RoleAt(row.operands, operands.list.size() + operands.shift);
    if (options && word == "--") {
      options = false;
      operands.dashes = operands.list.size();
      ++at;
    } else if (options && IsOptionWord(word)) {
      operands.options.push_back(word);
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
      RunRest(role, words.subspan(at), context, operands);
      break;
    } else if (role == 'j') {
      RunApart(JoinWords(words.subspan(at)), context, {});
      break;
    } else {
      operands.list.push_back(word);
      ++at;
    }
  }
  UseOperands(row, operands, context);
  if (row.Has(kPatches)) UsePatches(operands, context);
  if (row.Has(kInterprets)) UseProgramText(row, operands, context);
}

// The program that an interpreter runs, if no option gave it.
void ShellRunner::UseProgramText(const ProgramRow& row, const Operands& operands,
                                 const Context& context) {
  const char role = RoleAt(row.operands, 0);
  if (role == 'Q' || role == 'W') {  // at, editors: their input may run anything
    if (context.piped) AddUnknown("what " + operands.by + " reads");
    if (context.input && role == 'W') UseEditorCommand(*context.input, operands.by, context);
    return;
  }
  if (role != 'r') return UseStandardInput(operands.by, context);
  const bool given = operands.shift != 0;
  const Span arguments = given ? Span(operands.list) : UseProgramFile(operands, context);
  if (!code_writes_) return;
  for (const std::string& one : arguments) {
    AddPath(EffectKind::kWrite, one, operands.by, Possible(context));
  }
}

// The program that the first operand names, or the standard input. Returns its arguments.
ShellRunner::Span ShellRunner::UseProgramFile(const Operands& operands, const Context& context) {
  constexpr std::string_view kInputs[] = {"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"};
  const Span list = operands.list;
  if (list.empty() || IsIn(kInputs, list[0])) {
    UseStandardInput(operands.by, context);
    return list.empty() ? list : list.subspan(1);
  }
  const std::string& path = list[0];
  // What comes after the script is for it, options too.
  const auto script = std::ranges::find(operands.words, path);
  const Span arguments(script + 1, operands.words.end());
  const Written* written = FindWritten(path);
  if (written != nullptr) UseCode(written->text, operands.by, context);
  if (written == nullptr || !written->whole) {
    AddUnknown("the program " + path + " for " + operands.by, arguments);
  }
  return arguments;
}

// What xargs passes on, if it is known: the words of its input, those of one command each.
std::vector<ShellRunner::Words> ShellRunner::PassedWords(const Operands& operands,
                                                         const Context& context) const {
  std::vector<Words> any = {{std::string(1, kAnyText)}};
  const auto has = [&](std::string_view letters, std::string_view name) {
    return std::ranges::any_of(operands.options, [&](std::string_view word) {
      const bool letter = word[1] != '-' && word.find_first_of(letters) != std::string_view::npos;
      return letter || word.starts_with(name);
    });
  };
  const std::optional<std::string> text = InputText(context);
  if (!text || text->size() > kLongestPassed || has("ad", "--arg") || has("d", "--delim"))
    return any;
  const bool zero = has("0", "--null");
  const bool lines = operands.replaces;
  if (!zero && text->find_first_of("'\"\\") != std::string::npos) return any;
  const std::string_view separators = zero ? std::string_view("\0", 1) : lines ? "\n" : " \t\n";
  Words words;
  for (std::size_t at = text->find_first_not_of(separators); at != std::string::npos;) {
    const std::size_t end = std::min(text->find_first_of(separators, at), text->size());
    words.push_back(text->substr(at, end - at));
    at = text->find_first_not_of(separators, end);
  }
  if (words.empty()) return any;
  if (!lines && !has("nL", "--max-")) return {std::move(words)};
  if (words.size() > kMostPassed) return any;
  std::vector<Words> each;
  for (std::string& word : words) each.push_back({std::move(word)});
  return each;
}

// A program and its arguments; X has more of them.
void ShellRunner::RunRest(char role, Span words, const Context& context, const Operands& operands) {
  if (words.empty()) return;
  if (role != 'X') return RunFollowing(Words(words.begin(), words.end()), context);
  Context inner = WithoutInput(context);
  inner.piped = false;  // it reads the arguments from there
  for (const Words& passed : PassedWords(operands, context)) {
    Words all(words.begin(), words.end());
    const std::string any = passed.size() == 1 ? passed[0] : std::string(1, kAnyText);
    for (std::string& word : all) {
      for (const std::string_view one :
           {std::string_view(operands.placeholder), std::string_view("{}"), std::string_view("{/}"),
            std::string_view("{.}"), std::string_view("{//}")}) {
        word = Replaced(std::move(word), one, any);
      }
    }
    if (!operands.replaces) all.insert(all.end(), passed.begin(), passed.end());
    RunFollowing(all, inner);
  }
}

// env and its like know no builtins and functions.
void ShellRunner::RunFollowing(const Words& words, const Context& context) {
  if (!Spend(words.size())) return;
  if (IsExact(words.front())) return RunProgram(words, context);
  RunWords(words, context);
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
  if (word.starts_with("--")) {
    UseOutputOption(words, at, operands.by, context);
    return at + 1;
  }
  for (std::size_t i = 1; i < word.size(); ++i) {
    const OptionUse use = FindOption(row, std::string("-") + word[i]);
    if (!use.listed || (!use.value && use.role == '-')) continue;
    if (!use.value && std::string_view("zTyYvUo").find(use.role) != std::string_view::npos) {
      (void)UseOption(use, std::nullopt, words, at, operands, context);
      continue;
    }
    std::optional<std::string> value;
    if (i + 1 < word.size()) value = word.substr(i + 1);
    return UseOption(use, std::move(value), words, at, operands, context);
  }
  return at + 1;
}

// --output=FILE and the like, which most programs have.
void ShellRunner::UseOutputOption(Span words, std::size_t at, const std::string& by,
                                  const Context& context) {
  constexpr std::string_view kNames[] = {"--output",      "--out",     "--outfile", "--out-file",
                                         "--output-file", "--outdir",  "--out-dir", "--output-dir",
                                         "--log-file",    "--logfile", "--dest",    "--destination",
                                         "--report-file", "--save",    "--save-to"};
  const std::size_t equals = words[at].find('=');
  if (!IsIn(kNames, std::string_view(words[at]).substr(0, equals))) return;
  const bool next = equals == std::string::npos && at + 1 < words.size();
  const std::string value = next ? words[at + 1] : words[at].substr(equals + 1);
  const bool path = value.find_first_of("./") != std::string::npos;  // and not "json"
  if (path && !IsOptionWord(value)) AddPath(EffectKind::kWrite, value, by, Possible(context));
}

void ShellRunner::NoteOption(const OptionUse& use, const std::optional<std::string>& value,
                             Operands& operands) {
  if (use.role == '!' || (use.role == 'i' && value == "inplace")) operands.written = true;
  if (use.role == 't') operands.target = value.value_or("");
  if (use.role == 'T') operands.exactly = true;
  if (use.role == 'y') operands.symbolic = true;
  if (use.role == 'Y') operands.relative = true;
  if (use.role == 'v') operands.recursive = true;
  if (use.role == 'U') operands.removed = true;
  if (use.role == 'o') operands.named = true;
  if (use.role == 'w') operands.output = true;
  if (use.role == 'D') operands.patches.push_back(value.value_or(""));
  if (use.role == 'p') {
    operands.placeholder = value.value_or("").empty() ? "{}" : *value;
    operands.replaces = true;
  }
  if (TakesFirst(use.role)) operands.shift = 1;
}

// Returns where the next word is.
std::size_t ShellRunner::UseOption(const OptionUse& use, std::optional<std::string> value,
                                   Span words, std::size_t at, Operands& operands,
                                   const Context& context) {
  ++at;
  if (use.role == 'x' || use.role == 'X') {
    RunRest(use.role, words.subspan(at), context, operands);
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
  if (use.role == 'M' && value) {
    AddUnknown("the module " + *value + " for " + operands.by, words.subspan(at));
  } else if (value) {
    UseValue(use.role, *value, operands.by, context);
  }
  return at;
}

// `target`: it is the last one, for which the row has a role of its own.
char ShellRunner::RoleOfOperand(const ProgramRow& row, const Operands& operands, std::size_t at,
                                bool target) {
  if (operands.symbolic && !target) return '-';
  const char role =
      target ? row.operands[row.operands.find('>') + 1] : RoleAt(row.operands, at + operands.shift);
  if (role == 'h' && operands.named) return 'u';
  if (role != 'r') return role;
  return operands.removed ? 'R' : operands.written ? 'w' : role;
}

void ShellRunner::UseOperands(const ProgramRow& row, Operands& operands, const Context& context) {
  if (row.operands == "V") return UseGitVerb(operands, context);
  const bool has_last = row.operands.find('>') != std::string_view::npos && !operands.target &&
                        operands.list.size() > 1;
  bool addressed = false;
  for (std::size_t i = 0; i < operands.list.size(); ++i) {
    const std::string& value = operands.list[i];
    const bool target = has_last && i + 1 == operands.list.size();
    const char role = RoleOfOperand(row, operands, i, target);
    addressed = addressed || role == 'h' || role == 'm' || role == 'n' || role == 'u';
    if (role == 'D') operands.patches.push_back(value);
    if (target) {
      UseTarget(role, operands, value, Span(operands.list).first(i), context);
    } else if (operands.recursive && (role == 'w' || role == 'b')) {
      AddPath(EffectKind::kWrite, value, operands.by, context, {.fills = true});
    } else if (role == 'u') {
      UseDownload(value, operands, context);
    } else {
      UseValue(role, value, operands.by, context);
    }
  }
  if (operands.target) UseTarget('w', operands, *operands.target + "/", operands.list, context);
  if (operands.symbolic) UseSymbolicLinks(operands, context);
  if (row.operands[0] == 'Q') RunLikelyCommand(operands.list, context);
  if (row.Has(kFills))
    AddPath(EffectKind::kWrite, ".", operands.by, Possible(context), {.fills = true});
  if (row.Has(kConnects) && !addressed) AddConnection("", operands.by, context);
}

// An address, and the file of its name in the folder.
void ShellRunner::UseDownload(const std::string& address, const Operands& operands,
                              const Context& context) {
  AddConnection(address, operands.by, context);
  if (operands.output) return;
  const std::string_view path = std::string_view(address).substr(0, address.find_first_of("?#"));
  const bool named = !path.ends_with('/') && path.find('/') != std::string_view::npos;
  const std::string name(named ? FileName(path) : "index.html");
  AddPath(EffectKind::kWrite, name, operands.by, Possible(context));
}

// The last operand of cp and its like may be a folder, in which the others get their own names.
void ShellRunner::UseTarget(char role, const Operands& operands, const std::string& target,
                            Span sources, const Context& context) {
  const std::string& by = operands.by;
  if (role == 'n' && IsRemotePath(target)) return AddConnection(target, by, context);
  if (operands.exactly) return AddPath(EffectKind::kWrite, target, by, context, {.fills = true});
  const bool file = world_.files != nullptr && IsExact(target) && state_.folders.size() == 1 &&
                    !world_.files->Inspect(AbsoluteShellPath(state_.folders[0], target) + "/.");
  for (const std::string& source : sources) {
    if (file && role != 'n') break;
    std::string_view path = source;
    // rsync x/ y copies what is in x.
    const bool contents = path.ends_with('/') && role == 'n';
    while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    std::string name(FileName(path));
    if (role == 'n') name = name.substr(name.find(':') + 1);
    if (name == "." || name == ".." || contents) name = std::string(1, kAnyText);
    AddPath(EffectKind::kWrite, target + "/" + name, by, Possible(context), {.fills = true});
  }
  const bool slash = target.ends_with('/');
  if (!slash) AddPath(EffectKind::kWrite, target, by, context, {.into = true});
}

// ln -s: what is written through them later is written elsewhere.
void ShellRunner::UseSymbolicLinks(const Operands& operands, const Context& context) {
  if (operands.list.empty()) return;
  const bool alone = operands.list.size() == 1 && !operands.target;
  const std::string folder =
      alone ? "." : operands.target.value_or(operands.list[operands.list.size() - 1]);
  const std::size_t count = operands.list.size() - (alone || operands.target ? 0 : 1);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& source = operands.list[i];
    const std::string inside = folder + "/" + std::string(FileName(source));
    if (alone) AddPath(EffectKind::kWrite, inside, operands.by, context);
    for (const std::string& path : {folder, inside}) {
      if (path != folder || !operands.target) NoteLink(path, source, operands.relative);
    }
  }
}

// `relative`: to the current folder, and not to that of the link.
void ShellRunner::NoteLink(const std::string& path, const std::string& source, bool relative) {
  for (const std::string& folder : state_.folders) {
    const std::string link = AbsoluteShellPath(folder, path);
    if (!IsExact(link) || !IsExact(source) || links_.size() >= kMostLinks) continue;
    const std::string from = relative ? folder : std::string(ParentPath(link));
    links_.push_back({link, AbsoluteShellPath(from, source)});
  }
}

// Of programs with ways of their own to start others: the words from a known program on.
void ShellRunner::RunLikelyCommand(Span words, const Context& context) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view name = FileName(words[i]);
    if (!IsShellProgram(name) && FindProgram(name) == nullptr) continue;
    return RunProgram(words.subspan(i), Possible(context));
  }
}

}  // namespace belay
