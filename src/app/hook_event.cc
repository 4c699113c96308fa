#include "app/hook_event.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "adapters/agent/agent_program.h"
#include "app/guarded_write.h"
#include "app/register_session.h"
#include "app/resumption_hook.h"
#include "app/settings.h"
#include "app/task_claim.h"
#include "base/path.h"
#include "base/utf8.h"
#include "engine/events/event_owner.h"
#include "engine/events/judge_report.h"
#include "engine/messages/message_text.h"
#include "engine/task/deadline.h"
#include "host/launch.h"
#include "ledger/event_log.h"
#include "ledger/hook_ledger.h"
#include "ledger/identity_ledger.h"
#include "ledger/outbox.h"
#include "ledger/task_ledger.h"
#include "os/process_identity.h"
#include "os/this_process.h"

namespace belay {
namespace {

constexpr std::size_t kMostAbove = 16;  // its shell, the program, its scripts, the exec: only a few

void AddProcesses(const Env& env, const AgentHooks& hooks, AgentEvent& event) {
  const std::vector<AncestorId> above = AncestorIds(static_cast<pid_t>(ThisProcess()), kMostAbove);
  for (const AncestorId& one : above) event.above.push_back({one.pid, one.start_time});
  const auto program = hooks.ProgramAbove(above, env.environment);
  if (!program) return;
  event.pid = program->pid;
  event.pid_start = program->start_time;
}

std::optional<std::string> AgentAbove(const AgentEvent& event, const Layout& project) {
  for (const ProcessMark& one : event.above) {
    std::optional<std::string> agent = AgentOfExec(static_cast<pid_t>(one.pid), project);
    if (agent) return agent;
  }
  return std::nullopt;
}

// An agent that belay started, or one that was started without belay and is named after its
// conversation. An agent whose command cleared its environment (env -i) is recognised by the `belay
// exec` above it.
std::optional<IdentityName> NameOf(const Env& env, const Layout& project, AgentEvent& event) {
  std::optional<std::string> claim = env.environment.Get("BELAY_AGENT_ID");
  if (!claim) claim = AgentAbove(event, project);
  if (!claim) return NameOfSession(event.session);
  const Result<AgentId> id = AgentId::Parse(*claim);
  const bool ours = id && id->identity().role() != "guardian" &&
                    id->identity().role() != "runner" && id->identity().role() != kExternalRole;
  if (!ours) return std::nullopt;
  event.agent = id->text();
  return id->identity();
}

// The hook's agent program names its project; the current folder may be in another one.
Result<std::optional<Layout>> ProjectOf(const Env& env, const AgentHooks& hooks) {
  const std::optional<std::string> named = hooks.ProjectFolder(env.environment);
  if (!named || !named->starts_with('/')) return ProjectIfAny(env);
  Env there = env;
  there.current_folder = *named;
  return ProjectIfAny(there);
}

Result<ProcessMark> OurMark() {
  BELAY_TRY_ASSIGN(const ProcessIdentity us, IdentityOf(static_cast<pid_t>(ThisProcess())));
  return ProcessMark{us.pid, us.start_time};
}

// The receipt first: output without a receipt would count as the whole batch.
Result<void> Print(Env& env, const HookEventRequest& request, const RecordedEvent& recorded,
                   const TakenBatch& taken, const MessageAnswer& answer) {
  const AgentEvent& event = recorded.event;
  BELAY_TRY(WriteReceipt(env.files, taken, {answer.given, event.session, event.transcript}));
  return request.answer(HooksFor(event.agent_kind)->GiveText(event.kind, answer.text));
}

// The event log says that the agent's turn has ended.
Result<void> RecordThatTurnGoesOn(Env& env, const RecordedEvent& recorded) {
  AgentEvent event = recorded.event;
  event.kind = EventKind::kTurnGoesOn;
  event.at = env.clock.Wall();
  return AppendEvent(env.files, recorded.project, recorded.agent, event);
}

OutboxBatch RestOf(const OutboxBatch& batch, const MessageAnswer& answer) {
  OutboxBatch rest = batch;
  rest.messages.erase(rest.messages.begin(),
                      rest.messages.begin() + static_cast<std::ptrdiff_t>(answer.given));
  rest.part = answer.part;
  return rest;
}

// Takes the messages that wait for the agent, prints an answer with as many of them as fit, leaves
// the rest to the next hook, and records that the answer was printed.
// `before`: a text that goes before them; printed only with them. Gives whether it was printed.
Result<bool> DeliverMessages(Env& env, const HookEventRequest& request,
                             const RecordedEvent& recorded, const std::string& before) {
  if (!env.files.Inspect(recorded.project.OutboxFile(recorded.agent))) return false;
  const auto may_take = [&](const OutboxBatch& batch) {
    return !batch.messages.empty() && MayDeliver(batch, recorded.event) &&
           !IsNested(recorded.event);
  };
  BELAY_TRY_ASSIGN(const ProcessMark us, OurMark());
  BELAY_TRY_ASSIGN(const std::optional<TakenBatch> taken,
                   TakeOutbox(env.files, recorded.project, recorded.agent, us, may_take));
  if (!taken) return false;
  const OutboxBatch& batch = taken->batch;
  MessageAnswer answer = AnswerWithMessages(batch.messages, batch.part, env.random);
  if (!before.empty()) answer.text = before + "\n\n" + answer.text;
  const Result<void> printed = Print(env, request, recorded, *taken, answer);
  if (!printed) {
    PutBack(env.files, recorded.project, *taken);
    return printed.error();
  }
  if (recorded.event.kind == EventKind::kTurnEnded) {
    BELAY_TRY(RecordThatTurnGoesOn(env, recorded));
  }
  const OutboxBatch rest = RestOf(batch, answer);
  // If that fails, the dispatcher offers it.
  if (!rest.messages.empty()) (void)OfferRest(env.files, recorded.project, rest, us);
  BELAY_TRY(MarkGiven(env.files, recorded.project, *taken, env.clock.Wall(), recorded.name));
  return true;
}

std::string JoinTexts(std::string one, const std::string& other) {
  if (!one.empty() && !other.empty()) one += "\n\n";
  return one + other;
}

// An agent program may move hook output of more than 10,000 characters into a file.
constexpr std::size_t kMostText = 9'000;

constexpr std::string_view kContinuation =
    "You were started with the same command as your predecessors, so your prompt may be the first "
    "one's prompt. It is not a new task: continue the work. Do not repeat finished steps.";

constexpr std::string_view kNotTheFirst =
    " Another session of the same command got this text before you and may have done part of the "
    "work: check what is there.";

bool IsSameProcess(const AgentEvent& one, const AgentEvent& other) {
  return one.pid == other.pid && one.pid_start == other.pid_start;
}

bool IsSameEvent(const AgentEvent& one, const AgentEvent& other) {
  return one.kind == other.kind && IsSameProcess(one, other) &&
         FormatUtcMicros(one.at) == FormatUtcMicros(other.at);
}

// The environment that belay started it with: its command may have cleared its own.
Environment EnvironmentOf(const Env& env, const RecordedEvent& recorded) {
  if (env.environment.Get("BELAY_AGENT_ID")) return env.environment;
  Result<LaunchSpec> spec = ReadLaunchSpec(env.files, recorded.project, recorded.agent);
  const bool its = spec && spec->agent.text() == recorded.event.agent;
  return its ? Environment(std::move(spec->environment)) : env.environment;
}

// The task that a starting session was made for. A program that the agent starts has no task.
std::optional<TaskId> TaskOfSession(const Env& env, const RecordedEvent& recorded) {
  const AgentEvent& event = recorded.event;
  const bool begins = event.kind == EventKind::kSessionStarted && !event.agent.empty();
  if (!begins || IsNested(event)) return std::nullopt;
  const auto id = EnvironmentOf(env, recorded).Get("BELAY_TASK_ID");
  const Result<TaskId> task = TaskId::Parse(id.value_or(""));
  return task ? std::optional(*task) : std::nullopt;
}

// The text itself, or its path if the text is too long.
std::string TextOf(const Env& env, const RecordedEvent& recorded) {
  const std::string path = recorded.project.ResumeFile(recorded.agent);
  const Result<std::string> text = env.files.Read(path, kMostText);
  if (text) return "\n\n" + ReplaceInvalidUtf8(*text);
  return fmt::format(
      " Read the file {} before you do anything else: it describes the state of the work.",
      ReplaceInvalidUtf8(path));
}

}  // namespace

Result<std::optional<RecordedEvent>> RecordHookEvent(Env& env, std::string_view name,
                                                     const NamedEvent& what,
                                                     const std::string& input) {
  const AgentHooks& hooks = *HooksFor(what.agent);
  BELAY_TRY_ASSIGN(const std::optional<Layout> project, ProjectOf(env, hooks));
  if (!project) return std::nullopt;
  EventReport report = hooks.Digest(what.kind, input);
  const std::string problem = std::move(report.problem);
  const std::vector<ShellEffect> effects = EffectsOfCall(report);
  const GuardedCall call = CallOf(report);
  AgentEvent event = JudgeReport(std::move(report), effects);
  event.at = env.clock.Wall();
  AddProcesses(env, hooks, event);
  const std::optional<IdentityName> agent = NameOf(env, *project, event);
  if (!problem.empty()) {
    event.detail = "can't parse its input";
    env.say(fmt::format("{}: {}: {}", name, event.detail, problem));
  }
  if (!agent) return std::nullopt;
  const Result<void> added = AppendEvent(env.files, *project, *agent, event);
  // Without a vault, belay isn't used here.
  const bool unused = !added && added.error().code == ErrorCode::kNotFound;
  if (unused) return std::nullopt;
  if (!added) return added.error();
  std::string guarded;  // only of agents that belay has started
  if (!event.agent.empty()) guarded = FindGuardedWrite(env, *project, hooks, call, effects);
  return RecordedEvent{*project, *agent, std::move(event), name, std::move(guarded)};
}

Result<std::optional<StatusLine>> RecordStatusLine(Env& env, const std::string& input) {
  BELAY_TRY_ASSIGN(const std::optional<RecordedEvent> recorded,
                   RecordHookEvent(env, "statusline", StatusLineEvent(), input));
  if (!recorded) return std::optional<StatusLine>();
  StatusLine line{.agent = recorded->agent, .fill = recorded->event.fill};
  HookLedger hooks(env.files, env.clock, recorded->project);
  const auto hook = hooks.Skim() ? hooks.book().Summary(recorded->agent) : std::nullopt;
  if (hook) line.phase = hook->work_phase;
  if (hook && !line.fill) line.fill = hook->context_fill;
  IdentityLedger identities(env.files, env.clock, recorded->project);
  TaskLedger tasks(env.files, env.clock, recorded->project);
  if (identities.CatchUp() && tasks.CatchUp()) {
    const auto deadline = DeadlineFor(tasks.book(), tasks.book().OfOwner(recorded->agent.text()),
                                      identities.book().Find(recorded->agent));
    if (deadline) line.timeout_at = deadline->at;
  }
  return std::optional(std::move(line));
}

Result<void> HandleHookEvent(Env& env, const HookEventRequest& request) {
  BELAY_TRY_ASSIGN(const std::optional<RecordedEvent> recorded,
                   RecordHookEvent(env, request.name, request.what, request.input));
  if (!recorded) return {};
  const AgentEvent& event = recorded->event;
  const AgentHooks& hooks = *HooksFor(request.what.agent);
  if (!recorded->guarded.empty()) {
    return request.answer(hooks.Refuse(WhyNoWrite(recorded->guarded)));
  }
  const DocumentAnswer document = AnswerForDocument(env, *recorded, request.input);
  if (!document.refusal.empty()) return request.answer(hooks.Refuse(document.refusal));
  const bool begins = event.kind == EventKind::kSessionStarted;
  const std::string context =
      JoinTexts(begins ? SessionContext(env, *recorded) : std::string(), document.text);
  bool printed = false;
  if (hooks.CarriesMessages(event.kind, env.environment)) {
    BELAY_TRY_ASSIGN(printed, DeliverMessages(env, request, *recorded, context));
  }
  if (!context.empty() && !printed) {
    BELAY_TRY(request.answer(hooks.GiveText(event.kind, context)));
  }
  const bool registers = begins && event.agent.empty();
  const std::optional<TaskId> task = TaskOfSession(env, *recorded);
  if ((!registers && !document.later && !task) || !request.go_on_in_background()) return {};
  if (document.later) UpdateAfterEvent(env, *recorded);
  // If that fails, the worker's next command about its task does it.
  if (task) (void)AcknowledgeTask(env, recorded->project, *task, recorded->agent);
  if (!registers) return {};
  // So that it also shows without a guardian, which would do it otherwise.
  const SuperviseSettings settings;
  (void)RegisterSession(
      {env.files, env.clock, env.random, env.programs, recorded->project, settings},
      recorded->agent);
  return {};
}

bool IsNested(const AgentEvent& event) {
  std::vector<AncestorId> above;
  for (const ProcessMark& one : event.above) {
    above.push_back({static_cast<pid_t>(one.pid), one.start});
  }
  return event.pid != 0 &&
         RunsInsideAnother(above, {static_cast<pid_t>(event.pid), event.pid_start});
}

bool IsFirstOfIncarnation(const AgentEvent& event, std::span<const AgentEvent> log) {
  const auto first = std::ranges::find_if(log, [&](const AgentEvent& one) {
    return one.agent == event.agent && one.kind != EventKind::kStatusShown;
  });
  return first == log.end() || IsSameEvent(*first, event);
}

bool IsFirstOfProcess(const AgentEvent& event, std::span<const AgentEvent> log) {
  if (event.pid == 0) return IsFirstOfIncarnation(event, log);
  const auto first = std::ranges::find_if(log, [&](const AgentEvent& one) {
    return one.agent == event.agent && one.kind != EventKind::kStatusShown &&
           IsSameProcess(one, event);
  });
  return first == log.end() || IsSameEvent(*first, event);
}

std::string SessionContext(const Env& env, const RecordedEvent& recorded) {
  const AgentEvent& event = recorded.event;
  if (event.agent.empty()) return {};
  const Environment environment = EnvironmentOf(env, recorded);
  const std::optional<std::string> file = environment.Get("BELAY_RESUME_FILE");
  if (!file || IsNested(event)) return {};
  const std::string who = fmt::format("belay supervises you as {}.", event.agent);
  const std::string carries = environment.Get("BELAY_RESUME_CONTEXT").value_or("");
  std::vector<AgentEvent> log;
  if (!carries.empty()) log = LastEvents(env.files, recorded.project, recorded.agent);
  const bool first = IsFirstOfIncarnation(event, log);
  if (carries == "continuation" && IsFirstOfProcess(event, log)) {
    return fmt::format("{} {}{}{}", who, kContinuation, first ? "" : kNotTheFirst,
                       TextOf(env, recorded));
  }
  if (!carries.empty() && first) return who + TextOf(env, recorded);
  return fmt::format("{} The text you got at the start is in the file {}.", who,
                     ReplaceInvalidUtf8(*file));
}

}  // namespace belay
