// Scripts, commands, and the state that one command leaves for the next.

#include "engine/shell/runner.h"

#include <algorithm>
#include <utility>

#include "base/path.h"
#include "base/text.h"
#include "engine/shell/words.h"

namespace belay {
namespace {

using Link = ShellStep::Link;
using CommandKind = ShellCommand::Kind;
using RedirectKind = ShellRedirection::Kind;

constexpr std::size_t kMostWork = 50'000;  // commands, words, and copied variables
constexpr std::size_t kMostRounds = 8;     // of a loop over known words
constexpr std::size_t kLongestOutput = std::size_t{64} << 10U;
constexpr int kMostPasses = 3;  // until a loop changes nothing more

bool IsDescriptor(std::string_view target) {
  if (target.ends_with('-')) target.remove_suffix(1);
  return target.find_first_not_of("0123456789") == std::string_view::npos;
}

// Whether && or || comes after the pipeline of this step.
bool TestsNext(const ShellScript& script, std::size_t at) {
  for (++at; at < script.steps.size(); ++at) {
    const Link link = script.steps[at].link;
    if (link != Link::kPipe) return link == Link::kAnd || link == Link::kOr;
  }
  return false;
}

// Whether the next step of the pipeline reads what this one prints.
bool PipesToNext(const ShellScript& script, std::size_t at) {
  return at + 1 < script.steps.size() && script.steps[at + 1].link == Link::kPipe;
}

// while read x: the body runs only with what it has read.
bool IsOnlyRead(const ShellScript& condition) {
  if (condition.steps.size() != 1) return false;
  const ShellCommand& command = condition.steps[0].command;
  return command.kind == CommandKind::kSimple && !command.words.empty() &&
         command.words[0].Literal() == "read";
}

// Whether what the command prints goes elsewhere.
bool RedirectsOutput(const ShellCommand& command) {
  return std::ranges::any_of(command.redirections, [](const ShellRedirection& one) {
    const bool output = one.kind == RedirectKind::kWrite || one.kind == RedirectKind::kAppend ||
                        one.kind == RedirectKind::kBoth || one.kind == RedirectKind::kReadWrite ||
                        (one.kind == RedirectKind::kCopy && one.output);
    return output && one.descriptor <= 1;
  });
}

}  // namespace

ShellRunner::ShellRunner(const ShellWorld& world) : world_(world) {
  state_.folders = {world.folder.empty() ? std::string(1, kAnyText) : world.folder};
  if (!world.home.empty()) state_.variables["HOME"] = Words{world.home};
}

std::vector<ShellEffect> ShellRunner::Run(std::string_view text) {
  RunText(text, {.success_tells = true, .failure_tells = true});
  RunTraps();
  return std::move(effects_);
}

// They run later, with the functions of then, and with variables that aren't known.
void ShellRunner::RunTraps() {
  for (std::size_t i = 0; i < traps_.size() && Spend(1); ++i) {
    for (auto& [name, value] : state_.variables) value.reset();
    const Trap trap = traps_[i];
    const State before = CopyState();
    RunText(trap.text, {.certainty = Certainty::kPossible});
    const bool changes = state_.variables != before.variables;
    if (changes && !trap.at_exit) AddUnknown("a trap that changes variables", {});
  }
}

// False when the line has become too much work; then it ends with an unknown effect.
bool ShellRunner::Spend(std::size_t work) {
  if (work_ > kMostWork) return false;
  work_ += work;
  if (work_ <= kMostWork) return true;
  Add({.certainty = Certainty::kUnknown, .what = "the rest of a line that does too much"});
  return false;
}

ShellRunner::Context ShellRunner::Inner(const Context& context) {
  Context inner = context;
  inner.success_tells = inner.failure_tells = false;
  return inner;
}

ShellRunner::Context ShellRunner::Possible(const Context& context) {
  Context inner = Inner(context);
  inner.certainty = std::max(inner.certainty, Certainty::kPossible);
  return inner;
}

// Its standard input is one that isn't known.
ShellRunner::Context ShellRunner::WithoutInput(const Context& context) {
  Context inner = Inner(context);
  inner.piped = true;
  inner.input.reset();
  inner.input_file.clear();
  return inner;
}

// In the shell itself, as eval does.
void ShellRunner::RunText(std::string_view text, const Context& context) {
  const Level level(*this);
  if (level.TooDeep() || !Spend(1 + text.size() / 64)) {
    return AddUnknown("a line that is nested too deep");
  }
  const ShellLine& line = lines_.emplace_back(ParseShell(text));
  const ShellLine* outer = std::exchange(line_, &line);
  const bool whole = line.problem.empty();
  // bash may refuse to run what it doesn't understand.
  RunScript(line.script, whole ? context : Possible(context));
  if (!whole) AddUnknown("a line that isn't understood: " + line.problem);
  // Its syntax may come out of what isn't known.
  if (!IsExact(text)) AddUnreadFile("a line that isn't known", "");
  line_ = outer;
}

// A new process sees only what is exported.
void ShellRunner::EnterProcess(Words arguments) {
  for (auto& [name, value] : state_.variables) {
    if (!state_.exported.contains(name) && name != "HOME") value.reset();
  }
  std::erase_if(state_.functions,
                [&](const auto& one) { return !state_.exported.contains(one.first); });
  state_.aliases.clear();
  state_.arguments = std::move(arguments);
}

// sudo and env -i start programs without them.
void ShellRunner::ForgetExported() {
  for (const std::string& name : state_.exported) state_.variables[name].reset();
}

// In a process of its own: `bash -c`.
void ShellRunner::RunApart(std::string_view text, const Context& context, Words arguments) {
  State saved = CopyState();
  EnterProcess(std::move(arguments));
  RunText(text, context);
  state_ = std::move(saved);
}

ShellRunner::Context ShellRunner::ContextOfStep(const Context& outer, bool possible,
                                                const ShellVerdict& verdict) const {
  Context context = possible ? Possible(outer) : outer;
  context.success_tells = outer.success_tells && verdict.success;
  context.failure_tells = outer.failure_tells && verdict.failure;
  context.piped = context.piped || state_.own_input;
  return context;
}

void ShellRunner::RunScript(const ShellScript& script, const Context& outer) {
  const std::vector<ShellVerdict> verdicts = VerdictsOf(script);
  std::optional<Ends> list;
  ShellStep::Link last = ShellStep::Link::kNothing;  // the operator before the last command
  std::optional<std::string> piped;
  std::optional<std::string> all = std::string();  // what the commands print
  for (std::size_t i = 0; i < script.steps.size(); ++i) {
    const ShellStep& step = script.steps[i];
    if (!Spend(1)) return;
    BeginStep(step.link, last, list);
    if (step.link != Link::kPipe) last = step.link;
    const bool possible = list || state_.ended || state_.gone;
    Context context = ContextOfStep(outer, possible, verdicts[i]);
    if (step.link == Link::kPipe) {
      context.piped = true;
      context.input = std::exchange(piped, std::nullopt);
      context.input_file.clear();
    }
    const bool tested = step.negated || TestsNext(script, i);
    unchecked_ += tested ? 1 : 0;
    RunStep(step, context, RunsApart(script, i));
    unchecked_ -= tested ? 1 : 0;
    piped = PipesToNext(script, i) ? output_ : std::nullopt;
    if (!PipesToNext(script, i)) AddOutput(output_, possible || step.background, all);
  }
  if (list) EndList(last, list);
  if (script.steps.size() > 1) output_ = std::move(all);
}

// `all`: what a script has printed so far. Nullopt: it isn't known.
void ShellRunner::AddOutput(const std::optional<std::string>& text, bool possible,
                            std::optional<std::string>& all) {
  if (all && text && !possible && all->size() < kLongestOutput) {
    *all += *text;
  } else {
    all.reset();
  }
}

// In a process of its own, as the parts of a pipeline are.
bool ShellRunner::RunsApart(const ShellScript& script, std::size_t at) const {
  const bool reads = script.steps[at].link == Link::kPipe;
  const bool writes = PipesToNext(script, at);
  const bool in_shell = reads && !writes && state_.last_pipe;
  return ((reads || writes) && !in_shell) || script.steps[at].background;
}

// `apart`: in a process of its own.
void ShellRunner::RunStep(const ShellStep& step, const Context& context, bool apart) {
  output_.reset();
  if (!apart) return RunCommand(step.command, context);
  State saved = CopyState();
  RunCommand(step.command, context);
  state_ = std::move(saved);
}

void ShellRunner::RunCommand(const ShellCommand& command, Context context) {
  const Level level(*this);
  if (level.TooDeep()) return AddUnknown("a command that is nested too deep");
  if (command.kind == CommandKind::kSimple) return RunSimple(command, std::move(context));
  context = Inner(context);
  context.output_file.clear();
  Redirect(command.redirections, context);
  RunCompound(command, context);
  const bool script = command.kind == CommandKind::kGroup || command.kind == CommandKind::kSubshell;
  if (!script) output_.reset();
  if (RedirectsOutput(command)) KeepOutput(context);
}

void ShellRunner::RunCompound(const ShellCommand& command, const Context& context) {
  switch (command.kind) {
    case CommandKind::kSimple:
      return;
    case CommandKind::kTest:  // -eq and -v evaluate their operands
      for (const ShellWord& word : command.words) RunArithmetic(word, context);
      return;
    case CommandKind::kGroup:
      return RunScript(command.scripts[0], context);
    case CommandKind::kSubshell:
    case CommandKind::kCoprocess: {
      State saved = CopyState();
      const bool apart = command.kind == CommandKind::kCoprocess;
      RunScript(command.scripts[0], apart ? WithoutInput(context) : context);
      state_ = std::move(saved);
      return;
    }
    case CommandKind::kIf:
      ++unchecked_;
      RunScript(command.scripts[0], context);
      --unchecked_;
      return RunBranches(command, 1, context);
    case CommandKind::kCase:
      for (const ShellWord& word : command.words) (void)ExpandToOne(word, context);
      return RunBranches(command, 0, context);
    case CommandKind::kLoop: {
      const bool outer = std::exchange(reads_each_, IsOnlyRead(command.scripts[0]));
      ++unchecked_;
      RunScript(command.scripts[0], context);
      RunLoop(command.scripts[0], Possible(context));
      --unchecked_;
      reads_each_ = outer;
      return RunLoop(command.scripts[1], Possible(context));
    }
    case CommandKind::kFor:
      return RunFor(command, context);
    case CommandKind::kForArith:
    case CommandKind::kArithmetic:
      for (const ShellWord& word : command.words) RunArithmetic(word, context);
      if (!command.scripts.empty()) RunLoop(command.scripts[0], Possible(context));
      return;
    case CommandKind::kFunction:
      return Define(command, context);
  }
}

void ShellRunner::RunBranches(const ShellCommand& command, std::size_t from,
                              const Context& context) {
  for (std::size_t i = from; i < command.scripts.size(); ++i) {
    const State before = CopyState();
    RunScript(command.scripts[i], Possible(context));
    Merge(before);
  }
}

// Until another pass wouldn't know less.
void ShellRunner::RunLoop(const ShellScript& body, const Context& context) {
  const std::size_t jumps = jumps_.size();
  for (int pass = 0; pass < kMostPasses; ++pass) {
    const State before = CopyState();
    ++loops_;
    RunScript(body, context);
    --loops_;
    MergeFrom(jumps_, jumps);
    Merge(before);
    if (state_ == before || work_ > kMostWork) return;
  }
  AddUnknown("later rounds of a loop");
}

void ShellRunner::RunFor(const ShellCommand& command, const Context& context) {
  Words words;
  for (const ShellWord& word : command.words) Expand(word, context, words);
  const bool few = words.size() <= kMostRounds;
  const State before = CopyState();
  const std::size_t jumps = jumps_.size();
  for (const std::string& word : few ? words : Words{std::string(1, kAnyText)}) {
    SetVariable(command.name, Words{word}, context);
    const bool sure = IsExact(word) && few && !state_.ended;
    // What a round sets counts for the next ones, which are few.
    ++loops_;
    RunScript(command.scripts[0], sure ? Inner(context) : Possible(context));
    --loops_;
    MergeFrom(jumps_, jumps);
  }
  Merge(before);
}

void ShellRunner::Define(const ShellCommand& command, const Context& context) {
  std::vector<Function>& bodies = state_.functions[command.name];
  if (context.certainty == Certainty::kSure) {
    bodies.clear();
  } else if (bodies.empty()) {
    bodies.emplace_back();
  }
  bodies.push_back({&command, line_});
}

void ShellRunner::RunSimple(const ShellCommand& command, Context context) {
  Words words;
  for (const ShellWord& word : command.words) Expand(word, context, words);
  output_.reset();
  context.output_file.clear();
  Redirect(command.redirections, context);
  if (words.empty()) {
    for (const ShellAssignment& one : command.assignments) Assign(one, context);
    if (command.assignments.empty()) output_ = InputText(context);  // $(<file)
    return;
  }
  std::optional<State> saved;
  if (!command.assignments.empty()) saved = CopyState();
  for (const ShellAssignment& one : command.assignments) {
    Assign(one, context);
    state_.exported.insert(one.name);
  }
  RunWords(words, context);
  if (RedirectsOutput(command)) KeepOutput(context);
  if (saved) Restore(command, *saved);
}

// What is known of the output goes into a file.
void ShellRunner::KeepOutput(const Context& context) {
  const bool sure = context.certainty == Certainty::kSure;
  if (output_ && !context.output_file.empty()) {
    NoteWritten(context.output_file, *output_, context.appends, sure);
  }
  output_.reset();
}

// Assignments before a command count for it only; what it changed itself stays.
void ShellRunner::Restore(const ShellCommand& command, const State& saved) {
  for (const ShellAssignment& one : command.assignments) {
    if (one.array) {  // declare NAME=(...)
      if (functions_ > 0) locals_.push_back(one.name);
      continue;
    }
    const auto old = saved.variables.find(one.name);
    if (old != saved.variables.end()) {
      state_.variables[one.name] = old->second;
    } else {
      state_.variables.erase(one.name);
    }
    if (!saved.exported.contains(one.name)) state_.exported.erase(one.name);
  }
}

// A folder of the project in the PATH may hold another program of any name.
void ShellRunner::NoteSearchPath(const Words& value) {
  const std::string path = value.empty() ? std::string() : value.front();
  for (const std::string_view one : Split(path, ':')) {
    const std::string folder = AbsoluteShellPath(Folder(), one);
    const bool own = !one.starts_with(kAnyText) && IsExact(folder) &&
                     std::ranges::any_of(state_.folders, [&](const std::string& here) {
                       return IsAtOrBelow(folder, here);
                     });
    if (own) AddUnknown("the programs in " + folder);
  }
}

void ShellRunner::SetVariable(std::string_view name, std::optional<Words> value,
                              const Context& context) {
  if (ChangesPrograms(name)) AddUnknown("what " + std::string(name) + " makes it load");
  if (name == "GLOBIGNORE") state_.dot_globs = true;
  if (name == "PATH" && value) NoteSearchPath(*value);
  if (NamesCommand(name) && value && !value->empty() && !value->front().empty()) {
    RunApart(value->front(), Possible(context), {});
  }
  if (state_.special.contains(name) && value) {  // an integer is evaluated
    for (const std::string& one : *value) {
      const ShellWord text{.parts = {MakeShellPart(ShellPart::Kind::kText, one)}};
      RunArithmetic(text, context);
    }
    value.reset();
  }
  if (SetByShell(name)) value.reset();
  state_.variables.insert_or_assign(std::string(name), std::move(value));
}

void ShellRunner::Assign(const ShellAssignment& assignment, const Context& context) {
  for (const ShellWord& word : assignment.index) RunArithmetic(word, context);
  std::optional<Words> value = Words{};
  if (assignment.array) {
    for (const ShellWord& word : assignment.words) Expand(word, context, *value);
  } else {
    value->push_back(ExpandToOne(assignment.words[0], context));
  }
  if (!assignment.index.empty()) value.reset();
  if (assignment.append) {
    const std::optional<Words> old = Lookup(assignment.name);
    if (!old || !value) {
      value.reset();
    } else if (assignment.array) {
      value->insert(value->begin(), old->begin(), old->end());
    } else {
      value->front().insert(0, old->empty() ? "" : old->front());
    }
  }
  SetVariable(assignment.name, std::move(value), context);
}

void ShellRunner::Redirect(const std::vector<ShellRedirection>& redirections, Context& context) {
  for (const ShellRedirection& one : redirections) RedirectOne(one, context);
}

void ShellRunner::RedirectOne(const ShellRedirection& redirection, Context& context) {
  constexpr const char* kBy = "the shell";
  if (redirection.kind == RedirectKind::kDocument) {
    const ShellWord& text = line_->documents[redirection.document];
    context.piped = true;
    context.input = ExpandToOne(text, context);
    context.input_file.clear();
    return;
  }
  const std::string target = ExpandToOne(redirection.target, context);
  switch (redirection.kind) {
    case RedirectKind::kDocument:
      return;
    case RedirectKind::kHereString:
      context.piped = true;
      context.input = target + "\n";
      context.input_file.clear();
      return;
    case RedirectKind::kRead:
    case RedirectKind::kReadWrite:
      AddPath(EffectKind::kRead, target, kBy, context);
      if (redirection.kind == RedirectKind::kReadWrite) {
        AddPath(EffectKind::kWrite, target, kBy, context);
      }
      if (redirection.descriptor > 0) return;
      context.piped = true;
      context.input.reset();
      context.input_file = AbsoluteShellPath(Folder(), target);
      return;
    case RedirectKind::kCopy:
      if (!redirection.output && redirection.descriptor <= 0) {
        context.piped = true;
        context.input.reset();
        context.input_file.clear();
      }
      if (!redirection.output || IsDescriptor(target)) return;
      return AddPath(EffectKind::kWrite, target, kBy, context);
    case RedirectKind::kWrite:
    case RedirectKind::kAppend:
    case RedirectKind::kBoth:
      if (redirection.descriptor <= 1) {
        context.output_file = target;
        context.appends = redirection.kind == RedirectKind::kAppend;
      }
      return AddPath(EffectKind::kWrite, target, kBy, context);
  }
}

void ShellRunner::RunWords(Span words, const Context& context) {
  const Level level(*this);
  if (words.empty() || words.front().empty() || !Spend(words.size())) return;
  if (level.TooDeep()) return AddUnknown("a command that is nested too deep");
  if (!IsExact(words.front())) {
    AddUnreadFile(words.front(), "", words.subspan(1));
    // An empty variable leaves the next word as the program.
    if (words.front() == std::string(1, kAnyText)) RunWords(words.subspan(1), Possible(context));
    return;
  }
  RunAlias(words, context);
  const bool maybe = state_.functions.contains(words.front());
  if (!RunFunction(words, context)) RunNamed(words, maybe ? Possible(context) : context);
}

// A builtin or a program.
void ShellRunner::RunNamed(Span words, const Context& context) {
  if (const BuiltinRow* row = FindBuiltin(words.front())) return RunBuiltin(*row, words, context);
  std::optional<std::string> output = OutputOf(words, context);
  RunProgram(words, context);
  const std::string_view name = FileName(words.front());
  NoteCopies(words, context);
  if (!IsShellProgram(name)) output_ = std::move(output);
}

// Returns whether it is certain that a function was meant.
bool ShellRunner::RunFunction(Span words, const Context& context) {
  const auto found = state_.functions.find(words.front());
  if (found == state_.functions.end()) return false;
  const std::vector<Function> bodies = found->second;
  const Words arguments = std::exchange(state_.arguments, Words(words.begin() + 1, words.end()));
  const bool sure = bodies.size() == 1 && bodies[0].command != nullptr;
  const std::size_t locals = locals_.size();
  const std::size_t returns = returns_.size();
  ++functions_;
  for (const Function& body : bodies) {
    if (body.command == nullptr) continue;
    const State before = CopyState();
    const ShellLine* outer = std::exchange(line_, body.line);
    RunScript(body.command->scripts[0], sure ? Inner(context) : Possible(context));
    line_ = outer;
    MergeFrom(returns_, returns);
    if (!sure) Merge(before);
  }
  --functions_;
  for (; locals_.size() > locals; locals_.pop_back()) state_.variables[locals_.back()].reset();
  state_.arguments = arguments;
  if (!sure) output_.reset();
  return sure;
}

// An alias counts only in some shells, and never on the line that defines it.
void ShellRunner::RunAlias(Span words, const Context& context) {
  const auto found = state_.aliases.find(words.front());
  if (found == state_.aliases.end()) return;
  std::string text = found->second;
  // After a blank the next word may be an alias too.
  if (text.ends_with(' ')) AddUnknown("the alias " + words.front());
  for (const std::string& word : words.subspan(1)) text += " " + ShellQuoted(word);
  State saved = CopyState();
  state_.aliases.erase(words.front());
  RunText(text, Possible(context));
  state_ = std::move(saved);
}

}  // namespace belay
