#include "app/launch_files.h"

#include <fmt/core.h>

#include "adapters/agent/agent_program.h"
#include "adapters/agents.h"
#include "app/messages.h"
#include "app/resumption.h"
#include "engine/supervise/resume_text.h"

namespace belay {
namespace {

constexpr const char* kContextVariable = "BELAY_RESUME_CONTEXT";

Result<Taint> BeginTaint(const TaintLock& lock, TaintLedger& ledger, const Identity& next,
                         const Origin& origin) {
  std::optional<std::string> before;
  if (origin.predecessor != nullptr) before = origin.predecessor->id.text();
  BELAY_TRY_ASSIGN(Taint taint, ledger.Begin(lock, next.id.text(), before));
  if (origin.spawned_by) {
    BELAY_TRY_ASSIGN(taint, ledger.Begin(lock, next.id.text(), origin.spawned_by->text()));
  }
  return taint;
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

Hook FirstHook(const Identity& next, const Origin& origin, WallTime now) {
  Hook hook{.identity = next.id.identity(), .incarnation = next.id.incarnation()};
  hook.current_bead = next.bead_id;
  hook.current_node = next.node_id;
  hook.work_summary = FirstLine(origin.task);
  hook.phase_history = {{WorkPhase::kInvestigation, now, next.id.incarnation(), "spawn"}};
  return hook;
}

void InheritTaint(Hook& hook, const Taint& taint) {
  hook.tainted = taint.state == TaintState::kTainted;
  hook.taint_sources.clear();
  for (const TaintSource& source : taint.sources) hook.taint_sources.push_back(source.path);
}

Result<Hook> InheritHook(const SessionEnv& env, HookLedger& ledger, const Identity& next,
                         const Origin& origin, const Taint& taint) {
  BELAY_TRY_ASSIGN(const HookLock lock, HookLedger::Lock(env.files, env.project, env.lock_limit));
  BELAY_TRY(ledger.CatchUp());
  const Hook* known = ledger.book().Find(next.id.identity());
  const bool inherits = known != nullptr && origin.goes_on;
  Hook hook = inherits ? *known : FirstHook(next, origin, env.clock.Wall());
  if (known != nullptr) hook.events_read = known->events_read;  // the event log continues
  hook.incarnation = next.id.incarnation();
  if (!next.node_id.empty()) hook.current_node = next.node_id;
  if (!next.bead_id.empty()) hook.current_bead = next.bead_id;
  SetScope(hook, origin.task);
  InheritTaint(hook, taint);
  hook.context_fill.reset();  // the predecessor's
  const std::string why = origin.predecessor == nullptr ? "a new agent"
                          : inherits                    ? "from " + origin.predecessor->id.text()
                                                        : "a new task";
  BELAY_TRY(ledger.Record(lock, inherits ? "inherited" : "created", why, hook));
  return hook;
}

bool Continues(const Origin& origin) { return origin.predecessor != nullptr && origin.goes_on; }

std::string TextFor(const SessionEnv& env, const Identity& next, const Hook& hook,
                    const Origin& origin, std::vector<std::string>& included) {
  if (!Continues(origin)) return SpawnText(next, origin.task, env.random);
  const bool reduced = WantsReducedText(next.restart);
  std::vector<Signal> messages = MessagesForResume(env, *origin.predecessor);
  if (reduced) messages.clear();  // its first hook delivers them
  for (const Signal& signal : messages) included.push_back(signal.id);
  std::erase_if(messages, [&](const Signal& signal) { return IsInResumeText(signal, hook); });
  return ResumeText(
      {.successor = next,
       .hook = hook,
       .end = origin.predecessor->exit,
       .task = origin.task,
       .reduced = reduced,
       .messages = std::move(messages),
       .brief = BriefFor(env.files, env.clock, env.random, env.project, next.worktree_path)},
      env.random);
}

// The kernel limits the length, and most programs take an argument that begins with a dash for an
// option.
bool FitsAsArgument(const std::string& text, AgentKind kind) {
  constexpr std::size_t kMostBytes = 100'000;
  return text.size() <= kMostBytes && (AdapterFor(kind).TakesAnyText() || !text.starts_with('-'));
}

std::string PointTo(const SessionEnv& env, const Identity& next) {
  return fmt::format("Read {} and do what it says.", env.project.ResumeFile(next.id.identity()));
}

ResumeVia ViaFor(const SessionEnv& env, const Identity& next) {
  const bool given = next.kind_source == KindSource::kGiven;
  const bool argument = AdapterFor(next.agent_kind).TextIsArgument(given);
  return env.settings.resume_via.value_or(argument ? ResumeVia::kArgument : ResumeVia::kFile);
}

// A wrapper around an agent program gets arguments only where the settings say `resume_via:
// argument`.
const AgentAdapter& AdapterOf(const SessionEnv& env, const Identity& next) {
  const AgentAdapter& adapter = AdapterFor(next.agent_kind);
  const bool plain =
      env.settings.resume_via == ResumeVia::kArgument && !adapter.TakesArguments(next.command);
  return plain ? AdapterFor(AgentKind::kGeneric) : adapter;
}

// Without a task, a new agent gets its text only through the file.
bool SaysSomething(const Origin& origin) { return Continues(origin) || !origin.task.empty(); }

// The text for the command; nothing for an agent that gets it in another way.
std::string ArgumentFor(const SessionEnv& env, const Identity& next, const Origin& origin,
                        const std::string& text) {
  const bool wanted = ViaFor(env, next) == ResumeVia::kArgument;
  if (!SaysSomething(origin) || !wanted) return {};
  return FitsAsArgument(text, next.agent_kind) ? text : PointTo(env, next);
}

// A text that is neither in the command nor typed is given by the hook that reports the start of a
// session, if one starts below the command (app/hook_event.h).
std::string ContextFor(const SessionEnv& env, const Identity& next, const Origin& origin,
                       const LaunchSpec& spec, const std::string& argument) {
  const bool in_command = !argument.empty() && AdapterOf(env, next).TakesText(next.command);
  const bool only_file = env.settings.resume_via == ResumeVia::kFile;
  if (!SaysSomething(origin) || in_command || !spec.typed.empty() || only_file) return {};
  return Continues(origin) ? "continuation" : "task";
}

// Whether the agent gets its text only if its command reads the file. An agent with hooks gets it
// from the hook that reports the start of its session.
bool IsOnlyInFile(const SessionEnv& env, const Identity& next, const LaunchSpec& spec) {
  if (spec.environment.contains(kContextVariable)) return HooksFor(next.agent_kind) == nullptr;
  return env.settings.resume_via == ResumeVia::kFile;
}

// After failed resumes, the conversation may be the cause.
ContinueRequest LastConversation(const Identity& next, const Hook& hook, const Origin& origin) {
  ContinueRequest request;
  if (WantsReducedText(next.restart)) return request;
  const Identity& before = *origin.predecessor;
  request.last = {before.session_id, hook.transcript_path};
  if (before.process) request.process = {before.process->pid, before.process->start};
  return request;
}

// Sets the command in `files`.
void ChooseCommand(const SessionEnv& env, const Identity& next, const Hook& hook,
                   const Origin& origin, const std::string& argument, const std::string& settings,
                   LaunchFiles& files) {
  const AgentAdapter& adapter = AdapterOf(env, next);
  LaunchSpec& spec = files.spec;
  if (!Continues(origin)) {
    spec.command = adapter.StartCommand({next.command, argument, settings});
    return;
  }
  ContinueRequest request = LastConversation(next, hook, origin);
  request.command = next.command;
  request.command_before = origin.predecessor->command;
  request.text = argument;
  request.folder = spec.folder;
  request.environment = spec.environment;
  request.settings = settings;
  Continuation next_words = adapter.Continue(env.files, request);
  spec.command = std::move(next_words.command);
  files.session_id = std::move(next_words.session);
  const bool given_up = WantsReducedText(next.restart) && !next_words.why.empty();
  if (given_up) next_words.why = "it crashed soon after its restart, twice in a row";
  files.conversation = next_words.same_conversation ? "in the same conversation"
                       : next_words.why.empty()
                           ? ""
                           : fmt::format("in a new conversation: {}", next_words.why);
  if (adapter.TakesArguments(next.command) && !adapter.TakesText(next.command)) {
    files.conversation +=
        "; its command has an option unknown to belay, so its first hook delivers the resume text";
  }
}

LaunchFiles LaunchFilesFor(const SessionEnv& env, const Identity& next, const Hook& hook,
                           const Origin& origin, const std::string& text,
                           const std::string& settings) {
  LaunchFiles files{LaunchSpec{.agent = next.id,
                               .command = {},
                               .folder = next.worktree_path,
                               .environment = origin.environment,
                               .task = origin.task}};
  LaunchSpec& spec = files.spec;
  spec.environment["BELAY_AGENT_ID"] = next.id.text();
  spec.environment["BELAY_STATE"] = env.project.StateRoot();
  spec.environment["BELAY_RESUME_FILE"] = env.project.ResumeFile(next.id.identity());
  const std::string argument = ArgumentFor(env, next, origin, text);
  const bool typed = ViaFor(env, next) == ResumeVia::kTyped;
  if (typed && SaysSomething(origin)) spec.typed = text;
  ChooseCommand(env, next, hook, origin, argument, settings, files);
  spec.environment.erase(kContextVariable);
  const std::string context = ContextFor(env, next, origin, spec, argument);
  if (!context.empty()) spec.environment[kContextVariable] = context;
  return files;
}

}  // namespace

Result<Hook> RecordInheritance(const SessionEnv& env, const SessionLedgers& ledgers,
                               const Identity& next, const Origin& origin) {
  BELAY_TRY_ASSIGN(const Taint taint, [&]() -> Result<Taint> {
    BELAY_TRY_ASSIGN(const TaintLock lock,
                     TaintLedger::Lock(env.files, env.project, env.lock_limit));
    return BeginTaint(lock, ledgers.taints, next, origin);
  }());
  return InheritHook(env, ledgers.hooks, next, origin, taint);
}

Result<std::optional<TaintLock>> LockTaint(const SessionEnv& env, const SessionLedgers& ledgers,
                                           const Identity& next, const Origin& origin,
                                           const Hook& hook) {
  BELAY_TRY_ASSIGN(TaintLock lock, TaintLedger::Lock(env.files, env.project, env.lock_limit));
  BELAY_TRY_ASSIGN(const Taint taint, BeginTaint(lock, ledgers.taints, next, origin));
  Hook now = hook;
  InheritTaint(now, taint);
  const bool same = now.tainted == hook.tainted && now.taint_sources == hook.taint_sources;
  return same ? std::optional(std::move(lock)) : std::nullopt;
}

Result<LaunchFiles> WriteLaunchFiles(const SessionEnv& env, const Identity& next, const Hook& hook,
                                     const Origin& origin) {
  std::vector<std::string> included;
  const std::string text = TextFor(env, next, hook, origin, included);
  const bool takes = AdapterFor(next.agent_kind).TakesSettings(next.command);
  const AgentHooks* its = HooksFor(next.agent_kind);
  const std::string hooks =
      takes && its != nullptr
          ? its->ForWorktree(env.files, env.project, WorkFolderOf(next.command, next.worktree_path))
          : std::string();
  const std::string settings =
      hooks.empty() ? std::string() : env.project.AgentSettings(next.id.identity());
  LaunchFiles files = LaunchFilesFor(env, next, hook, origin, text, settings);
  BELAY_TRY(WriteLaunch(env.files, env.project, files.spec, text, hooks));
  files.messages = {std::move(included), IsOnlyInFile(env, next, files.spec)};
  return files;
}

bool WouldContinueConversation(const SessionEnv& env, const Identity& ended, const Hook& hook) {
  const Result<LaunchSpec> last = ReadLaunchSpec(env.files, env.project, ended.id.identity());
  if (!last) return false;
  const Origin origin{
      .task = last->task, .environment = last->environment, .predecessor = &ended, .goes_on = true};
  ContinueRequest request = LastConversation(ended, hook, origin);
  request.command = ended.command;
  request.folder = ended.worktree_path;
  request.environment = last->environment;
  return AdapterOf(env, ended).Continue(env.files, request).same_conversation;
}

}  // namespace belay
