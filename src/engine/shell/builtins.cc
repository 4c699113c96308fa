// The builtins of bash.

#include <algorithm>
#include <utility>

#include "base/path.h"
#include "base/text.h"
#include "engine/shell/runner.h"
#include "engine/shell/words.h"

namespace belay {
namespace {

// A text that any of these lines can be.
std::string AnyLineOf(const std::vector<std::string_view>& lines) {
  std::string_view common = lines.front();
  for (const std::string_view line : lines) {
    std::size_t same = 0;
    while (same < std::min(common.size(), line.size()) && common[same] == line[same]) ++same;
    common = common.substr(0, same);
  }
  return std::string(common) + kAnyText;
}

}  // namespace

struct ShellRunner::BuiltinRow {
  std::string_view name;
  Builtin run = nullptr;  // null: it changes nothing that matters here
};

const ShellRunner::BuiltinRow* ShellRunner::FindBuiltin(std::string_view name) {
  static constexpr BuiltinRow kRows[] = {
      {".", &ShellRunner::RunSource},
      {":"},
      {"["},
      {"alias", &ShellRunner::RunAliasBuiltin},
      {"bg"},
      {"bind", &ShellRunner::RunUnknownBuiltin},
      {"break", &ShellRunner::RunJump},
      {"builtin", &ShellRunner::RunCommandBuiltin},
      {"caller"},
      {"cd", &ShellRunner::RunCd},
      {"command", &ShellRunner::RunCommandBuiltin},
      {"compgen", &ShellRunner::RunComplete},
      {"complete", &ShellRunner::RunComplete},
      {"compopt"},
      {"continue", &ShellRunner::RunJump},
      {"declare", &ShellRunner::RunDeclare},
      {"dirs"},
      {"disown"},
      {"echo"},
      {"enable", &ShellRunner::RunUnknownBuiltin},
      {"eval", &ShellRunner::RunEval},
      {"exec", &ShellRunner::RunExec},
      {"exit", &ShellRunner::RunExit},
      {"export", &ShellRunner::RunDeclare},
      {"false"},
      {"fc", &ShellRunner::RunUnknownBuiltin},
      {"fg"},
      {"getopts", &ShellRunner::RunRead},
      {"hash", &ShellRunner::RunUnknownBuiltin},
      {"help"},
      {"history"},
      {"jobs"},
      {"kill"},
      {"let", &ShellRunner::RunLet},
      {"local", &ShellRunner::RunDeclare},
      {"logout", &ShellRunner::RunExit},
      {"mapfile", &ShellRunner::RunRead},
      {"popd", &ShellRunner::RunPopd},
      {"printf", &ShellRunner::RunPrintf},
      {"pushd", &ShellRunner::RunCd},
      {"pwd"},
      {"read", &ShellRunner::RunRead},
      {"readarray", &ShellRunner::RunRead},
      {"readonly", &ShellRunner::RunDeclare},
      {"return", &ShellRunner::RunReturn},
      {"set", &ShellRunner::RunSet},
      {"shift", &ShellRunner::RunShift},
      {"shopt", &ShellRunner::RunShopt},
      {"source", &ShellRunner::RunSource},
      {"suspend"},
      {"test"},
      {"times"},
      {"trap", &ShellRunner::RunTrap},
      {"true"},
      {"type"},
      {"typeset", &ShellRunner::RunDeclare},
      {"ulimit"},
      {"umask"},
      {"unalias"},
      {"unset", &ShellRunner::RunUnset},
      {"wait"},
  };
  const auto* found = std::ranges::lower_bound(kRows, name, {}, &BuiltinRow::name);
  return found != std::end(kRows) && found->name == name ? found : nullptr;
}

void ShellRunner::RunBuiltin(const BuiltinRow& row, Span words, const Context& context) {
  Add({.certainty = context.certainty,
       .what = words.front(),
       .words = Words(words.begin(), words.end()),
       .builtin = true,
       .listed = true,
       .starts = row.name == "command" || row.name == "builtin" || row.name == "exec",
       .looks = true,
       .success_tells = context.success_tells,
       .failure_tells = context.failure_tells});
  // Many take the name of a variable, and evaluate its subscript: test -v 'a[$(curl h)]'.
  const bool subscript = std::ranges::any_of(words.subspan(1), [](const std::string& word) {
    const std::size_t open = word.find('[');
    return open != std::string::npos && word.find_first_of("$`", open) != std::string::npos;
  });
  if (subscript && row.name != "echo") AddUnknown("a command in a subscript");
  std::optional<std::string> output = OutputOf(words, context);
  if (row.run != nullptr) (this->*row.run)(words, context);
  constexpr std::string_view kPassing[] = {".", "builtin", "command", "eval", "exec", "source"};
  if (output || !IsIn(kPassing, row.name)) output_ = std::move(output);
}

void ShellRunner::RunCd(Span words, const Context& context) {
  std::size_t at = 1;
  while (at < words.size() && words[at].size() > 1 && words[at].starts_with('-')) ++at;
  std::string target(1, kAnyText);
  if (at < words.size()) {
    target = words[at] == "-" ? target : words[at];
  } else if (const std::optional<Words> home = Lookup("HOME"); home && !home->empty()) {
    target = home->front();
  }
  Words next;
  for (const std::string& folder : state_.folders) {
    next.push_back(AbsoluteShellPath(folder, target));
  }
  const bool there = next.size() == 1 && IsExact(next[0]) && WillBeThere(next[0]);
  // CDPATH may lead elsewhere.
  const bool plain = target.starts_with('/') || target.starts_with('.') || target == "..";
  if (!plain && state_.variables.contains("CDPATH")) next.push_back(std::string(1, kAnyText));
  if (context.certainty != Certainty::kSure || !there) state_.cd_failed = state_.folders;
  state_.folders = std::move(next);
}

// Whether the folder is there when the line gets to it.
bool ShellRunner::WillBeThere(const std::string& folder) const {
  bool there = world_.files != nullptr && world_.files->Inspect(folder + "/.").ok();
  for (const ShellEffect& effect : effects_) {
    if (effect.kind != EffectKind::kWrite) continue;
    const bool made = effect.by == "mkdir" && effect.certainty == Certainty::kSure;
    if (made && effect.what == folder) there = true;
    if (effect.removes && (!IsExact(effect.what) || IsAtOrBelow(folder, effect.what))) {
      there = false;
    }
  }
  return there;
}

void ShellRunner::RunPopd(Span, const Context&) { state_.folders = {std::string(1, kAnyText)}; }

std::string ShellRunner::FlagsOfDeclaration(std::string_view name) const {
  if (name == "export") return "gx";
  if (name == "readonly") return "gr";
  return name == "local" && functions_ == 0 ? "i" : "";  // it fails there
}

void ShellRunner::RunDeclare(Span words, const Context& context) {
  const bool exports = words.front() == "export";
  std::string flags = FlagsOfDeclaration(words.front());
  for (const std::string& word : words.subspan(1)) {
    const bool other = word.starts_with('-') && word.find('n') != std::string::npos;
    if (word.starts_with('-') || word.starts_with('+')) {
      if (word.starts_with('-')) flags += word.substr(1);
      if ((other && exports) || word.starts_with("+x")) flags += 'N';
      // A reference to another variable.
      if (other && !exports) AddUnknown("a variable that stands for another");
    } else {
      DeclareOne(word, flags, context);
    }
  }
}

// NAME or NAME=value, with the letters of the options; N: not exported any more.
void ShellRunner::DeclareOne(const std::string& word, std::string_view flags,
                             const Context& context) {
  const std::size_t equals = word.find('=');
  const std::string variable = word.substr(0, std::min(word.find_first_of("+[="), word.size()));
  const auto has = [&](std::string_view letters) {
    return flags.find_first_of(letters) != std::string_view::npos;
  };
  if (!IsExact(variable)) return AddUnknown("a variable that isn't known");
  if (has("x")) state_.exported.insert(variable);
  if (has("N")) state_.exported.erase(variable);
  if (functions_ > 0 && !has("g")) locals_.push_back(variable);
  if (has("iluc")) state_.special.insert(variable);
  if (equals != std::string::npos) {
    std::optional<Words> value = Words{word.substr(equals + 1)};
    if (equals != variable.size()) value.reset();
    SetVariable(variable, std::move(value), context);
  } else if (functions_ > 0 && !has("g")) {
    state_.variables[variable].reset();
  }
  if (has("r")) state_.special.insert(variable);
}

void ShellRunner::RunUnset(Span words, const Context&) {
  const bool functions = words.size() > 1 && words[1] == "-f";
  for (const std::string& word : words.subspan(1)) {
    if (word.starts_with('-')) continue;
    if (!IsExact(word)) AddUnknown("a variable that isn't known");
    if (functions || !state_.variables.contains(word)) state_.functions.erase(word);
    if (functions) continue;
    const std::size_t subscript = word.find_first_of(std::string("[") + kAnyText + kAnyName);
    const std::string name = word.substr(0, subscript);
    const bool kept = subscript != std::string::npos || state_.special.contains(name);
    state_.variables[name] = kept ? std::nullopt : std::optional(Words{});
  }
}

// read x: a line of an input that is known. False: what it reads isn't known.
bool ShellRunner::ReadKnownInput(Span words, const Context& context) {
  Span names = words.subspan(1);
  const bool raw = !names.empty() && names[0] == "-r";
  if (raw) names = names.subspan(1);
  const std::optional<std::string> input = InputText(context);
  if (words.front() != "read" || names.size() != 1 || !input || !IsExact(names[0])) return false;
  std::string_view text = *input;
  if (text.ends_with('\n')) text.remove_suffix(1);
  const bool plain = raw || text.find('\\') == std::string_view::npos;
  const bool name = names[0].find_first_of("-[") == std::string::npos;
  const auto ifs = state_.variables.find("IFS");
  if (ifs != state_.variables.end() && !ifs->second) return false;
  if (!plain || !name || FieldSeparators().find_first_not_of(" \t\n") != std::string::npos) {
    return false;
  }
  const std::vector<std::string_view> lines = Split(text, '\n');
  if (lines.size() > 1) {  // any of them, also in later rounds of a loop
    SetVariable(names[0], Words{AnyLineOf(lines)}, context);
    return true;
  }
  // There is only one to read.
  if (IsExact(text) && !consumed_.insert(*input).second) return reads_each_;
  const bool trims = !FieldSeparators().empty();
  const std::size_t first = trims ? text.find_first_not_of(" \t") : 0;
  const std::size_t last = trims ? text.find_last_not_of(" \t") : text.size() - 1;
  const bool empty = text.empty() || first == std::string_view::npos;
  SetVariable(names[0], Words{std::string(empty ? "" : text.substr(first, last + 1 - first))},
              context);
  return true;
}

// mapfile -t x: all lines. False: they aren't known.
bool ShellRunner::MapKnownInput(Span words, const Context& context) {
  const bool plain = words.size() == 3 && words[1] == "-t" && IsExact(words[2]);
  if ((words.front() != "mapfile" && words.front() != "readarray") || !plain) return false;
  const std::optional<std::string> input = InputText(context);
  if (!input || !IsExact(*input)) return false;
  Words lines;
  for (const std::string_view line : Split(*input, '\n')) lines.emplace_back(line);
  if (lines.back().empty()) lines.pop_back();
  SetVariable(words[2], std::move(lines), context);
  return true;
}

// read, mapfile and getopts fill variables.
void ShellRunner::RunRead(Span words, const Context& context) {
  if (ReadKnownInput(words, context) || MapKnownInput(words, context)) return;
  for (std::size_t i = 1; i < words.size(); ++i) {
    // A command that mapfile calls.
    const bool calls = words[i].starts_with("-C") && words.front() != "read";
    const std::string line =
        words[i].size() > 2 ? words[i].substr(2) : (i + 1 < words.size() ? words[i + 1] : "");
    if (calls) RunText(line, Possible(context));
    // Also -aNAME.
    const std::string name = words[i].starts_with("-a") ? words[i].substr(2) : words[i];
    if (!name.starts_with('-')) state_.variables[name.substr(0, name.find('['))].reset();
    if (!IsExact(words[i])) AddUnknown("a variable that isn't known");
  }
  for (const char* name : {"REPLY", "MAPFILE", "OPTARG"}) state_.variables[name].reset();
}

void ShellRunner::RunSet(Span words, const Context&) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "--" || (!words[i].starts_with('-') && !words[i].starts_with('+'))) {
      const std::size_t first = words[i] == "--" ? i + 1 : i;
      state_.arguments = Words(words.begin() + static_cast<std::ptrdiff_t>(first), words.end());
      return;
    }
    // With -e anything may be the end; with -n nothing runs.
    if (words[i].find_first_of("en") != std::string::npos) state_.ended = true;
    const bool exits = words[i].find('e') != std::string::npos;
    if (exits) state_.errexit = words[i].starts_with('-');
    if (words[i].find('o') != std::string::npos) ++i;  // -euo pipefail
  }
}

void ShellRunner::RunShift(Span words, const Context&) {
  if (words.size() == 1 && !state_.arguments.empty() && IsExact(state_.arguments.front())) {
    state_.arguments.erase(state_.arguments.begin());
  } else {
    state_.arguments = {std::string(1, kAnyText)};
  }
}

void ShellRunner::RunEval(Span words, const Context& context) {
  std::string text;
  for (const std::string& word : words.subspan(1)) {
    if (text.empty() && word == "--") continue;
    text += (text.empty() ? "" : " ") + word;
  }
  RunText(text, context);
}

void ShellRunner::RunSource(Span words, const Context& context) {
  std::size_t at = words.size() > 1 && words[1] == "--" ? 2 : 1;
  if (at >= words.size()) return;
  const std::string& path = words[at];
  AddPath(EffectKind::kRead, path, "the shell", context);
  // It is searched for in the PATH first.
  if (path.find('/') == std::string::npos) AddUnreadFile("the script " + path, path);
  const bool given = at + 1 < words.size();
  RunScriptFile(path, context,
                given ? Words(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end())
                      : state_.arguments);
}

// `command -v x` runs nothing.
void ShellRunner::RunCommandBuiltin(Span words, const Context& context) {
  std::size_t at = 1;
  for (; at < words.size() && words[at].size() > 1 && words[at].starts_with('-'); ++at) {
    if (words[at].find_first_of("vV") != std::string::npos) {
      if (at + 2 == words.size()) output_ = words[at + 1];
      return;
    }
    if (words[at] == "--") {
      ++at;
      break;
    }
  }
  if (at >= words.size() || words[at].empty()) return;
  // Functions don't count.
  if (IsExact(words[at])) return RunNamed(words.subspan(at), context);
  RunWords(words.subspan(at), context);
}

void ShellRunner::RunExec(Span words, const Context& context) {
  std::size_t at = 1;
  for (; at < words.size() && words[at].size() > 1 && words[at].starts_with('-'); ++at) {
    if (words[at].ends_with('a')) ++at;
  }
  if (at >= words.size()) {  // only redirections
    state_.own_input = state_.own_input || context.piped;
    return;
  }
  // A builtin's name is a program here.
  if (IsExact(words[at])) {
    RunProgram(words.subspan(at), context);
  } else {
    RunWords(words.subspan(at), context);
  }
  state_.gone = state_.ended = true;
}

void ShellRunner::RunExit(Span, const Context&) { state_.gone = state_.ended = true; }

void ShellRunner::RunReturn(Span, const Context&) {
  if (functions_ == 0) {
    state_.ended = true;
    return;
  }
  returns_.push_back(CopyState());
  state_.gone = true;
}

void ShellRunner::RunJump(Span, const Context&) {
  jumps_.push_back(CopyState());
  state_.gone = loops_ > 0;
}

void ShellRunner::RunTrap(Span words, const Context& context) {
  std::size_t at = words.size() > 1 && words[1] == "--" ? 2 : 1;
  if (at + 1 >= words.size() || words[at].starts_with('-')) return;
  State saved = CopyState();
  for (auto& [name, value] : state_.variables) value.reset();
  RunText(words[at], Possible(context));
  state_ = std::move(saved);
  const bool at_exit = std::ranges::all_of(
      words.subspan(at + 1), [](const std::string& name) { return name == "EXIT" || name == "0"; });
  const Trap trap{words[at], at_exit};
  if (std::ranges::find(traps_, trap) == traps_.end()) traps_.push_back(trap);
}

void ShellRunner::RunAliasBuiltin(Span words, const Context&) {
  for (const std::string& word : words.subspan(1)) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos && equals > 0) {
      state_.aliases[word.substr(0, equals)] = word.substr(equals + 1);
    }
  }
}

void ShellRunner::RunShopt(Span words, const Context&) {
  if (!HasWord(words, "-s")) return;
  for (const std::string& word : words) {
    if (word == "dotglob" || word == "globstar") state_.dot_globs = true;
    if (word == "lastpipe") state_.last_pipe = true;
  }
}

void ShellRunner::RunPrintf(Span words, const Context& context) {
  if (words.size() < 2 || !words[1].starts_with("-v")) return;
  std::string name = words[1].substr(2);
  if (name.empty() && words.size() > 2) name = words[2];
  if (!IsExact(name)) AddUnknown("a variable that isn't known");
  state_.variables[name.substr(0, name.find('['))].reset();
  if (words[1] != "-v" || words.size() < 4 || name.find('[') != std::string::npos) return;
  Words rest = {words[0]};
  rest.insert(rest.end(), words.begin() + 3, words.end());
  if (std::optional<std::string> text = OutputOfPrintf(rest)) {
    SetVariable(name, Words{*std::move(text)}, context);
  }
}

void ShellRunner::RunComplete(Span words, const Context& context) {
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    const bool runs = words[i] == "-C" || words[i] == "-F" || words[i] == "-W";
    if (runs) RunText(words[i + 1], Possible(context));
    if (words[i] == "-W") AddUnknown("words that are expanded again");
  }
}

void ShellRunner::RunLet(Span words, const Context& context) {
  for (const std::string& word : words.subspan(1)) {
    const ShellWord text{.parts = {MakeShellPart(ShellPart::Kind::kText, word)}};
    RunArithmetic(text, context);
    const std::size_t name = word.find_first_of("=+-");
    if (name != std::string::npos) state_.variables[word.substr(0, name)].reset();
  }
}

// Those that change what a name means.
void ShellRunner::RunUnknownBuiltin(Span words, const Context&) {
  const bool changes = words.size() > 2 && words[1].starts_with('-');
  if (changes) AddUnknown("what " + words.front() + " changes");
}

}  // namespace belay
