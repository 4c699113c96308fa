#include "app/resumption_hook.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "adapters/agents.h"
#include "app/resumption.h"
#include "app/settings.h"
#include "base/path.h"
#include "base/utf8.h"
#include "engine/context_window/context_tier.h"
#include "ledger/event_log.h"
#include "ledger/hook_ledger.h"
#include "store/document.h"
#include "store/durable_file.h"

namespace belay {
namespace {

constexpr std::size_t kMostNoteBytes = 4096;
constexpr Duration kPatienceInBackground = std::chrono::seconds(20);

constexpr char kNotKnown[] = {kAnyText, kAnyName, '\0'};

constexpr std::string_view kUseUpdate =
    "belay keeps the resumption section of this document. Leave it as it is in your edit, and run "
    "`belay resumption update` (T1 phase start, T2 phase complete, T3 gate, T4 agent done, T6 "
    "decision) with --set and --data to change it.";

std::string NameOfDocument(const FileSystem& files, const Layout& project) {
  const Result<std::string> note = files.Read(project.ResumptionNote(), kMostNoteBytes);
  return note ? std::string(FileName(*note)) : std::string(kDocumentName);
}

// The start of this session, as its own events say it.
std::optional<WallTime> StartOf(const Env& env, const RecordedEvent& recorded) {
  std::optional<WallTime> start;
  for (const AgentEvent& event : LastEvents(env.files, recorded.project, recorded.agent)) {
    const bool begins = event.kind == EventKind::kSessionStarted &&
                        event.session == recorded.event.session &&
                        event.detail != EventDetail::kCompacted;
    if (begins) start = event.at;
  }
  return start;
}

DocumentEnv EnvFor(Env& env, const RecordedEvent& recorded, std::string path) {
  DocumentEnv document{env.files, env.clock, recorded.project, std::move(path)};
  document.session = {recorded.event.agent, recorded.event.session, StartOf(env, recorded)};
  document.holds = true;
  return document;
}

std::optional<std::string> DocumentOf(const Env& env, const RecordedEvent& recorded) {
  if (recorded.event.folder.empty() || !recorded.event.folder.starts_with('/')) return std::nullopt;
  return FindDocumentQuickly(env.files, recorded.project, recorded.event.folder);
}

// The defaults, if the settings can't be read.
struct HookSettings {
  Duration stale_after = std::chrono::minutes(30);
  ContextLimits limits = {};
};

HookSettings SettingsHere(const Env& env, const Layout& project) {
  HookSettings settings;
  const auto sources = ConfigSources(env, project);
  if (!sources) return settings;
  const Result<Config> config = Accept(ReadConfig(*sources));
  if (!config) return settings;
  settings.stale_after = config->Length("resumption.stale_after");
  settings.limits = ReadContextSettings(*config).limits;
  return settings;
}

std::optional<double> FillOf(Env& env, const RecordedEvent& recorded) {
  if (recorded.event.fill) return recorded.event.fill;
  HookLedger hooks(env.files, env.clock, recorded.project);
  const auto hook = hooks.Skim() ? hooks.book().Summary(recorded.agent) : std::nullopt;
  return hook ? hook->context_fill : std::nullopt;
}

std::string OnPrompt(Env& env, const RecordedEvent& recorded) {
  const std::optional<std::string> path = DocumentOf(env, recorded);
  if (!path) return {};
  const HookSettings settings = SettingsHere(env, recorded.project);
  const Result<DocumentState> state =
      ReadDocumentState(EnvFor(env, recorded, *path), settings.stale_after);
  const std::optional<double> fill = FillOf(env, recorded);
  const auto tier =
      fill ? std::optional(TierOf(static_cast<int>(std::lround(*fill)), settings.limits))
           : std::nullopt;
  if (state) return ContextMonitor(state->staleness, tier);
  return ContextMonitor({.level = Staleness::kCritical}, tier);
}

ResumptionEvent EventAt(Env& env, const RecordedEvent& recorded, Trigger trigger,
                        std::string_view what) {
  return {.id = fmt::format("{} {} {}", recorded.event.session, what,
                            FormatUtcMicros(recorded.event.at)),
          .trigger = trigger,
          .at = env.clock.Wall()};
}

// T8 where the section is from another session, after what waits.
std::string OnStart(Env& env, const RecordedEvent& recorded) {
  const std::optional<std::string> path = DocumentOf(env, recorded);
  if (!path) return {};
  const DocumentEnv document = EnvFor(env, recorded, *path);
  const bool compacted = recorded.event.detail == EventDetail::kCompacted;
  if (compacted) {
    (void)MergeWaitingEvents(document);
  } else {
    const Result<DocumentState> state = ReadDocumentState(document);
    if (state && state->staleness.level == Staleness::kCritical) {
      (void)UpdateDocument(document, EventAt(env, recorded, Trigger::kAcknowledge, "starts"));
    }
  }
  // A spawned agent has the brief in its resume text.
  if (!compacted && !recorded.event.agent.empty()) return {};
  return BriefFor(env.files, env.clock, env.random, recorded.project, recorded.event.folder);
}

// Tools show and take a file with LF, whatever line ends it has.
std::string WithLineFeeds(std::string text) {
  std::erase(text, '\r');
  return text;
}

// The content that an edit leads to, as far as values go; nothing if it can't be known, or the tool
// itself will refuse.
std::optional<std::string> Proposed(const FileEdit& edit, std::string text) {
  if (edit.content) return edit.content;
  text = WithLineFeeds(std::move(text));
  for (const FileEdit::Replacement& one : edit.replacements) {
    const std::string old_text = WithLineFeeds(one.old_text);
    std::size_t at = old_text.empty() ? std::string::npos : text.find(old_text);
    if (at == std::string::npos) return std::nullopt;
    while (at != std::string::npos) {
      text.replace(at, old_text.size(), one.new_text);
      if (!one.all) break;
      at = text.find(old_text, at + one.new_text.size());
    }
  }
  if (edit.replacements.empty()) return std::nullopt;
  return text;
}

std::string WhyNotWrite(const FileEdit& edit, const ResumptionDocument& now) {
  const std::optional<std::string> proposed = Proposed(edit, now.outline.bytes);
  if (!proposed && edit.replacements.empty()) return std::string(kUseUpdate);
  if (!proposed) return {};
  const Result<ResumptionDocument> next = ReadResumptionDocument(*proposed, FileName(edit.path));
  if (!next) {
    return fmt::format("After this edit belay could no longer keep the document: {}.",
                       next.error().message);
  }
  const bool same = next->HasSection() == now.HasSection() && next->section == now.section;
  return same ? std::string() : std::string(kUseUpdate);
}

// A document that a tool writes.
struct Written {
  std::string path;
  bool own = false;       // the document of this agent
  bool replaced = false;  // by a command: what will be in it isn't known
};

Written WrittenAt(const Env& env, const RecordedEvent& recorded, std::string path) {
  path = PathOfDocument(env.files, std::move(path));
  const bool own = DocumentOf(env, recorded) == path;
  return {std::move(path), own};
}

std::optional<Written> WrittenByShell(const Env& env, const RecordedEvent& recorded,
                                      const std::string& command, const std::string& name) {
  const ShellWorld world{.folder = recorded.event.folder,
                         .home = env.environment.Get("HOME").value_or(""),
                         .files = &env.files,
                         .environment = &env.environment};
  for (const std::string& path : WritesTo(command, name, world)) {
    // One whose folder isn't known may be the agent's own.
    if (path.find_first_of(kNotKnown) != std::string::npos) {
      std::optional<std::string> own = DocumentOf(env, recorded);
      if (own) return Written{*std::move(own), true, true};
    } else if (env.files.Inspect(path)) {
      Written written = WrittenAt(env, recorded, path);
      written.replaced = true;
      return written;
    }
  }
  return std::nullopt;
}

// Whether the tool writes to a document, and which.
std::optional<Written> WrittenDocument(const Env& env, const RecordedEvent& recorded,
                                       const std::optional<FileEdit>& edit,
                                       const std::string& name) {
  if (!edit) return std::nullopt;
  if (edit->command.empty()) {
    if (FileName(edit->path) != name) return std::nullopt;
    return WrittenAt(env, recorded, JoinPath(recorded.event.folder, edit->path));
  }
  std::optional<Written> written = WrittenByShell(env, recorded, edit->command, name);
  if (written || recorded.event.action != ActionKind::kEdit ||
      edit->command.find(name) == std::string::npos) {
    return written;
  }
  std::optional<std::string> own = DocumentOf(env, recorded);
  return own ? std::optional(Written{*std::move(own), true}) : std::nullopt;
}

DocumentAnswer BeforeTool(Env& env, const RecordedEvent& recorded, const std::string& input) {
  const std::string name = NameOfDocument(env.files, recorded.project);
  if (input.find(name) == std::string::npos) return {};
  const auto edit = HooksFor(recorded.event.agent_kind)->ReadEdit(input);
  const std::optional<Written> written = WrittenDocument(env, recorded, edit, name);
  if (!written) return {};
  const DocumentEnv document = EnvFor(env, recorded, written->path);
  // A file that is missing or can't be read may be written: that may repair it.
  const Result<DocumentState> state = ReadDocumentState(document);
  if (!state) return {};
  const bool has_section = state->document.HasSection();
  // Other documents, such as those of tests, are never brought up to date.
  if (written->own && has_section && state->staleness.level == Staleness::kCritical) {
    return {.refusal = fmt::format(
                "The resumption section of this document is from another session. Bring it up to "
                "date first: belay resumption update T8 --file {}",
                ReplaceInvalidUtf8(written->path))};
  }
  if (!edit->command.empty()) {
    return {.refusal = written->replaced && has_section ? std::string(kUseUpdate) : std::string()};
  }
  return {.refusal = WhyNotWrite(*edit, state->document)};
}

bool PhaseChanged(const ResumptionDocument& document) {
  return document.facts.phase &&
         !(Json(*document.facts.phase) == document.section.State("current_phase"));
}

DocumentAnswer AfterTool(Env& env, const RecordedEvent& recorded, const std::string& input) {
  const std::string name = NameOfDocument(env.files, recorded.project);
  if (input.find(name) == std::string::npos) return {};
  const auto edit = HooksFor(recorded.event.agent_kind)->ReadEdit(input);
  const std::optional<Written> written = WrittenDocument(env, recorded, edit, name);
  // A command that names it may have written it in a way that belay can't see.
  const bool command = edit && !edit->command.empty();
  std::optional<std::string> path;
  if (written) {
    path = written->path;
  } else if (command) {
    path = DocumentOf(env, recorded);
  }
  if (!path) return {};
  const Result<DocumentState> state = ReadDocumentState(
      EnvFor(env, recorded, *path), SettingsHere(env, recorded.project).stale_after);
  if (!written && (!state || !state->edited_by_hand)) return {};
  DocumentAnswer answer;
  if (!state) {
    answer.text =
        fmt::format("belay can't keep this document any more: {}. Fix it.", state.error().message);
    return answer;
  }
  if (state->edited_by_hand) {
    answer.text = "The resumption section was changed by hand. " + std::string(kUseUpdate);
  } else if (written->own && state->staleness.level != Staleness::kFresh) {
    answer.text = fmt::format(
        "The resumption section of this document is {}: {}. Run `belay resumption "
        "update` with what has changed.",
        StalenessName(state->staleness.level), state->staleness.reasons.front());
  }
  answer.later = PhaseChanged(state->document) || state->document.facts.phase_status == "COMPLETE";
  return answer;
}

// T1 when the file names another phase, T2 when its phase is complete.
void UpdatePhase(Env& env, const RecordedEvent& recorded, const DocumentEnv& document) {
  const Result<DocumentState> state = ReadDocumentState(document);
  if (!state) return;
  const WorkflowFacts& facts = state->document.facts;
  if (PhaseChanged(state->document)) {
    (void)UpdateDocument(document, EventAt(env, recorded, Trigger::kPhaseStart, "phase"));
  }
  if (facts.phase && facts.phase_status == "COMPLETE") {
    ResumptionEvent event = EventAt(env, recorded, Trigger::kPhaseComplete, "phase");
    // Once for each time that the phase was started.
    event.id = fmt::format("phase {} complete {}", *facts.phase,
                           state->phase_began ? FormatUtcMicros(*state->phase_began) : "");
    (void)UpdateDocument(document, event);
  }
}

void RecordAgentEnd(Env& env, const RecordedEvent& recorded, const DocumentEnv& document) {
  const AgentEvent& event = recorded.event;
  const bool task = event.kind == EventKind::kTaskCompleted;
  const std::string what = task ? event.subject : event.sub_agent;
  if (what.empty()) return;
  const std::string kind = event.detail.empty() ? std::string("agent") : event.detail;
  ResumptionEvent done{.id = fmt::format("{} {} {}", event.session, task ? "task" : "agent", what),
                       .trigger = Trigger::kAgentCompletion,
                       .at = env.clock.Wall()};
  done.data = MakeObject(
      {{"agent_id", task ? fmt::format("task {}", what) : fmt::format("{}-{}", kind, what)},
       {"status", "DONE"},
       {"finding",
        fmt::format("by {}", event.agent.empty() ? recorded.agent.text() : event.agent)}});
  const Result<UpdateOutcome> updated = UpdateDocument(document, done);
  // A task of that name was done before, and a summary never changes.
  if (updated || updated.error().code != ErrorCode::kRefused) return;
  done.data.Set("agent_id",
                fmt::format("{} at {}", TextIn(done.data, "agent_id"), FormatUtc(event.at)));
  (void)UpdateDocument(document, done);
}

// Never touches the document: the next update merges the event.
void RecordCompaction(Env& env, const RecordedEvent& recorded, const DocumentEnv& document) {
  const AgentEvent& event = recorded.event;
  const std::optional<double> percent = FillOf(env, recorded);
  const Json fill = percent ? Json::FromDouble(std::clamp(*percent / 100, 0.0, 1.0)) : Json();
  const std::string folder = recorded.project.CheckpointFolder();
  std::string file = JoinPath(
      folder,
      fmt::format("{}-{}.json", recorded.agent.text(),
                  std::chrono::duration_cast<std::chrono::microseconds>(event.at.time_since_epoch())
                      .count()));
  const Json checkpoint = MakeObject({{"schema_version", 1},
                                      {"agent_id", event.agent},
                                      {"session_id", event.session},
                                      {"transcript", ReplaceInvalidUtf8(event.transcript)},
                                      {"at", FormatUtc(event.at)},
                                      {"trigger", event.detail},
                                      {"fill", fill}});
  const bool written =
      EnsureFolder(env.files, folder) &&
      ReplaceFile(env.files, file, WriteJson(checkpoint, JsonStyle::kIndented)).ok();
  ResumptionEvent waits = EventAt(env, recorded, Trigger::kCompaction, "compaction");
  waits.data = MakeObject({{"trigger", event.detail == "manual" ? "manual" : "auto"},
                           {"fill", fill},
                           {"timestamp", FormatUtc(event.at)},
                           {"checkpoint_file", written ? Json(ReplaceInvalidUtf8(file)) : Json()}});
  (void)RecordWaitingEvent(document, waits);
}

// Whether the compaction was of that agent. Its checkpoint has its name (RecordCompaction).
bool IsOf(const Json& compaction, const IdentityName& agent) {
  const std::string file(FileName(TextIn(compaction, "checkpoint_file")));
  return file.empty() || file.starts_with(agent.text() + "-");
}

// The model has answered since it was given the brief. Another agent may work with the document
// too.
void AcknowledgeCompactions(Env& env, const RecordedEvent& recorded, const DocumentEnv& document) {
  const Result<DocumentState> state = ReadDocumentState(document);
  if (!state) return;
  const Json& part = state->document.section[ResumptionPart::kCompactionEvents];
  for (const Json& one : ItemsOf(MemberOf(part, "events"))) {
    if (MemberOf(one, "acknowledged") == Json(true) || !IsOf(one, recorded.agent)) continue;
    const std::string id = TextIn(one, "id");
    ResumptionEvent event = EventAt(env, recorded, Trigger::kAcknowledge, "turn " + id);
    event.data = MakeObject({{"id", id}});
    (void)UpdateDocument(document, event);
  }
}

// Cheap, and wrong only towards looking closer.
bool MayHoldUnacknowledged(const Env& env, const std::string& path) {
  const Result<std::string> text = env.files.Read(path, kLargestDocument);
  return text && text->find("acknowledged: false") != std::string::npos;
}

}  // namespace

std::vector<std::string> WritesTo(std::string_view command, std::string_view name,
                                  const ShellWorld& world) {
  std::vector<std::string> paths;
  for (const ShellEffect& effect : EffectsOf(command, world)) {
    const bool writes = effect.kind == EffectKind::kWrite && FileName(effect.what) == name;
    if (writes) paths.push_back(effect.what);
  }
  return paths;
}

DocumentAnswer AnswerForDocument(Env& env, const RecordedEvent& recorded,
                                 const std::string& input) {
  switch (recorded.event.kind) {
    case EventKind::kToolStarting:
      return BeforeTool(env, recorded, input);
    case EventKind::kToolFinished:
      return AfterTool(env, recorded, input);
    case EventKind::kPromptSubmitted:
      if (IsNested(recorded.event)) return {};
      return {.text = OnPrompt(env, recorded)};
    case EventKind::kSessionStarted:
      if (IsNested(recorded.event)) return {};
      return {.text = OnStart(env, recorded)};
    case EventKind::kCompactionStarting:
    case EventKind::kSubAgentEnded:
    case EventKind::kTaskCompleted:
      return {.later = DocumentOf(env, recorded).has_value()};
    case EventKind::kTurnEnded: {
      const std::optional<std::string> path = DocumentOf(env, recorded);
      return {.later = path && MayHoldUnacknowledged(env, *path)};
    }
    case EventKind::kToolFailed:
    case EventKind::kCompactionFinished:
    case EventKind::kTurnGoesOn:
    case EventKind::kTurnFailed:
    case EventKind::kSessionEnded:
    case EventKind::kNotified:
    case EventKind::kTaskCreated:
    case EventKind::kStatusShown:
      return {};
  }
  __builtin_unreachable();
}

void UpdateAfterEvent(Env& env, const RecordedEvent& recorded) {
  const std::optional<std::string> path = DocumentOf(env, recorded);
  if (!path) return;
  DocumentEnv document = EnvFor(env, recorded, *path);
  document.patience = kPatienceInBackground;
  const EventKind kind = recorded.event.kind;
  if (kind == EventKind::kToolFinished) UpdatePhase(env, recorded, document);
  if (kind == EventKind::kCompactionStarting) RecordCompaction(env, recorded, document);
  if (kind == EventKind::kTurnEnded) AcknowledgeCompactions(env, recorded, document);
  if (kind == EventKind::kSubAgentEnded || kind == EventKind::kTaskCompleted) {
    RecordAgentEnd(env, recorded, document);
  }
}

}  // namespace belay
