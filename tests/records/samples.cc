#include "records/samples.h"

#include <fmt/core.h>

#include "adapters/claude/settings.h"
#include "codec/json_lines.h"
#include "host/launch.h"
#include "host/run_record.h"
#include "merge/move_note.h"
#include "model/agent_event.h"
#include "model/delivery.h"
#include "model/identity_book.h"
#include "model/merge_entry.h"
#include "model/project.h"
#include "model/snapshot_log.h"
#include "model/taint.h"
#include "model/task.h"
#include "model/test_records.h"
#include "os/file_calls.h"
#include "snapshot/snapshot_record.h"
#include "store/rendering.h"
#include "testing/temp_folder.h"

namespace belay {
using namespace std::string_literals;
namespace {

const std::string kCommit = "0123456789abcdef0123456789abcdef01234567";
const std::string kOther = "89abcdef0123456789abcdef0123456789abcdef";
const std::string kState = "5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c";

// Read as a value and written again.
template <class Read, class Write>
std::function<std::string(const std::string&)> ThereAndBack(Read read, Write write) {
  return [=](const std::string& bytes) {
    const auto value = read(bytes);
    return value ? write(*value) : value.error().message;
  };
}

// Of a journal whose line holds the record below `key`; "" for the line itself.
template <class Read>
GoldenRecord InJournal(StoredRecord record, std::string_view key, const std::vector<Json>& records,
                       Read read) {
  GoldenRecord row{record, ".jsonl", {}, {}, {}};
  for (const Json& one : records) {
    row.written.push_back(JournalLine(one));
    row.expected.push_back(WriteJson(key.empty() ? one : *one.Find(key)));
  }
  row.read = [=](const std::string& line) {
    const Json whole = ParsedLine(line);
    const Json* inner = key.empty() ? &whole : whole.Find(key);
    if (inner == nullptr) return std::string("it isn't there");
    const auto value = read(*inner);
    return value ? WriteJson(Json(*value)) : value.error().message;
  };
  return row;
}

// What a record changes, as text.
template <class State>
std::function<std::string(const std::string&)> Effect(State state) {
  return [=](const std::string& line) { return state(ParsedLine(line)); };
}

GoldenRecord ProjectRow() {
  const auto read = [](const Json& record) {
    ProjectState state;
    state.Apply(record);
    std::string kept;
    for (const std::string& one : state.kept) kept += one;
    return fmt::format("root {} since {} by {}; {} repairs, {} edits, kept {}, {} unknown",
                       state.root, state.initialised_at, state.belay, state.repairs, state.edits,
                       kept, state.unknown);
  };
  return {StoredRecord::kProject,
          ".jsonl",
          {JournalLine(InitialisedRecord(Second(0), "/home/me/app", "0.6.0")),
           JournalLine(MovedRecord(Second(1), "/home/me/moved")),
           JournalLine(RepairedRecord(Second(2), "journals/hooks.jsonl", 3)),
           JournalLine(DroppedRefRecord(Second(3), "refs/belay/keep/main/1", kCommit)),
           JournalLine(EditedRecord(Second(4), "state/taint.json", "edited/taint.json-1"))},
          Effect(read),
          {"root /home/me/app since 2026-03-01T10:00:00.000000Z by 0.6.0; "s +
               "0 repairs, 0 edits, kept , 0 unknown",
           "root /home/me/moved since  by ; 0 repairs, 0 edits, kept , 0 unknown",
           "root  since  by ; 1 repairs, 0 edits, kept , 0 unknown",
           "root  since  by ; 1 repairs, 0 edits, kept , 0 unknown",
           "root  since  by ; 0 repairs, 1 edits, kept taint.json-1, 0 unknown"}};
}

// Nothing is decided by them: they are shown as they are.
GoldenRecord SnapshotEventRow() {
  const TakenEvent taken{"main/7", kCommit, "/home/me/app", "before a merge", 15, 12345};
  const RestoredEvent restored{"main/7", kCommit, "/home/me/app", "", 15, "main/8"};
  const RestoredEvent least{"main/7", kCommit, "", "/tmp/there", 0, ""};
  return InJournal(StoredRecord::kSnapshotEvent, "",
                   {TakenRecord(Second(0), taken), RestoredRecord(Second(1), restored),
                    RestoredRecord(Second(2), least),
                    PrunedRecord(Second(3), {"main/1", kCommit, "older than 30 days"})},
                   [](const Json& record) -> Result<Json> {
                     Json shown = record;
                     shown.Remove("seq");
                     return Migrate(FormatOf(StoredRecord::kSnapshotEvent), shown);
                   });
}

GoldenRecord IdentityRow() {
  const auto short_record = [](const Identity& identity) {
    return IdentityRecord(Second(9), "alive", "it runs", identity);
  };
  GoldenRecord row =
      InJournal(StoredRecord::kIdentity, "identity",
                {short_record(FullIdentity()), short_record(NewIdentity("worker-a#1"))},
                [&](const Json& record) -> Result<Json> {
                  BELAY_TRY_ASSIGN(const Identity identity, IdentityFromJson(record));
                  return ToJson(identity);
                });
  row.expected = {WriteJson(ToJson(FullIdentity())), WriteJson(ToJson(NewIdentity("worker-a#1")))};
  return row;
}

GoldenRecord IdentityNoteRow() {
  const AgentId agent = *AgentId::Parse("worker-a#1");
  const auto read = [](const Json& record) {
    IdentityBook book;
    book.Apply(IdentityRecord(Second(0), "alive", "it runs", NewIdentity("worker-a#1")));
    book.Apply(record);
    const Identity& identity = *book.Find(*IdentityName::Parse("worker-a"));
    return fmt::format("seen {}, active {}, {} unreadable", FormatUtc(identity.last_seen),
                       identity.last_activity ? FormatUtc(*identity.last_activity) : "never",
                       book.unreadable());
  };
  return {StoredRecord::kIdentityNote,
          ".jsonl",
          {JournalLine(SeenRecord(Second(9), agent, Second(8))),
           JournalLine(SeenRecord(Second(9), agent, std::nullopt)),
           JournalLine(NotedRecord(Second(9), agent, "it is told to stop"))},
          Effect(read),
          {"seen 2026-03-01T10:00:09Z, active 2026-03-01T10:00:08Z, 0 unreadable",
           "seen 2026-03-01T10:00:09Z, active never, 0 unreadable",
           "seen 1970-01-01T00:00:00Z, active never, 0 unreadable"}};
}

Hook HookWithProblem() {
  Hook hook = FullHook();
  hook.landing_problem = MakeObject({{"entry_id", "m7"}, {"status", "conflict"}});
  return hook;
}

GoldenRecord HookRow() {
  return InJournal(StoredRecord::kHook, "hook",
                   {HookRecord(Second(9), "note", "it noted something", HookWithProblem()),
                    HookRecord(Second(9), "spawned", "", NewHook("worker-a"))},
                   [](const Json& record) -> Result<Json> {
                     BELAY_TRY_ASSIGN(const Hook hook, HookFromJson(record));
                     return ToJson(hook);
                   });
}

TaintSource SampleSource() { return {".env", "Read", Second(1), "worker-a#1"}; }

GoldenRecord TaintRow() {
  const Taint taint{TaintState::kTainted, {SampleSource()}, "worker-a#1", "its records are lost"};
  const auto read = [](const Json& record) {
    TaintBook book;
    book.Apply(record);
    return WriteJson(TaintRendering(book));
  };
  const std::string source =
      R"([{"path":".env","tool":"Read","at":"2026-03-01T10:00:01.000000Z","session":"worker-a#1"}])";
  const auto one = [](const std::string& session, const std::string& state) {
    return R"({"schema_version":1,"sessions":{")" + session + "\":" + state +
           R"(},"unreadable":0})";
  };
  return {
      StoredRecord::kTaint,
      ".jsonl",
      {JournalLine(InheritedRecord(Second(2), "worker-a#2", "worker-a#1", taint)),
       JournalLine(MarkedRecord(Second(1), "worker-a#1", SampleSource())),
       JournalLine(BeganRecord(Second(0), "worker-a#1"))},
      Effect(read),
      {one("worker-a#2", R"({"state":"tainted","sources":)" + source +
                             R"(,"inherited_from":"worker-a#1","because":"its records are lost"})"),
       one("worker-a#1", R"({"state":"tainted","sources":)" + source + "}"),
       one("worker-a#1", R"({"state":"clean","sources":[]})")}};
}

MergeEntry FullEntry() {
  MergeEntry entry{.number = 7,
                   .identity_name = "orchestrator-login",
                   .branch = "login",
                   .target = "main",
                   .worktree_path = "/home/me/app.worktrees/login",
                   .pr_number = "12",
                   .bead_id = "bd-7",
                   .node_id = "login",
                   .requested_at = Second(0),
                   .status = MergeStatus::kConflict,
                   .head = kCommit,
                   .base = kOther,
                   .candidate = kCommit,
                   .built_at = Second(1),
                   .attempts = 2,
                   .priority = -3,
                   .depends_on = {3, 5},
                   .no_gates = true,
                   .settings_allowed = kCommit,
                   .last_error = "it doesn't fit"};
  entry.conflict = {
      kCommit, {kOther}, {{"src/login.cc", "content", {{.target = {3, 4}, .branch = {5, 0}}}}}};
  entry.gate_results = {{"test", GateOutcome::kFailed, 2, 3, std::chrono::seconds(4), kCommit,
                         "/home/me/app/.git/belay/merge/logs/m7.log", "exit code 2", "c0ffee"}};
  entry.merged_as = kOther;
  entry.proof = "landed";
  entry.changed_at = Second(5);
  entry.delete_pending = entry.follow_pending = entry.reported = true;
  entry.unknown.Set("mood", "fine");
  return entry;
}

MergeEntry LeastEntry() { return {.number = 1, .identity_name = "", .branch = "a", .target = "b"}; }

MergeTarget FullTarget() {
  MergeTarget target{.branch = "main", .commit = kCommit, .green = false, .red_gate = "test"};
  target.untested = target.paused = target.guarded = target.named = true;
  target.news = "it moved";
  target.answers = {{"test", {kCommit, "c0ffee", false}}};
  target.paused_why = "a release";
  target.move = TargetMove{kCommit, kOther};
  target.unknown.Set("mood", "fine");
  return target;
}

GoldenRecord EntryRow() {
  return InJournal(StoredRecord::kMergeEntry, "entry",
                   {EntryRecord(Second(9), "it doesn't fit", FullEntry()),
                    EntryRecord(Second(9), "", LeastEntry())},
                   [](const Json& record) -> Result<Json> {
                     BELAY_TRY_ASSIGN(const MergeEntry entry, MergeEntryFromJson(record));
                     return ToJson(entry);
                   });
}

GoldenRecord TargetRow() {
  return InJournal(StoredRecord::kMergeTarget, "target",
                   {TargetRecord(Second(9), "paused", FullTarget()),
                    TargetRecord(Second(9), "", {.branch = "main"})},
                   [](const Json& record) -> Result<Json> {
                     BELAY_TRY_ASSIGN(const MergeTarget target, MergeTargetFromJson(record));
                     return ToJson(target);
                   });
}

GoldenRecord GateRow() {
  const auto read = [](const Json& record) {
    MergeBook book;
    book.Apply(record);
    const GateHistory gate = book.Gate("test");
    return fmt::format("{} runs, {} flakes, {} unreadable", gate.runs, gate.flakes,
                       book.unreadable());
  };
  return {StoredRecord::kMergeGate,
          ".jsonl",
          {JournalLine(GateRecord(Second(9), "test", {12, 1}))},
          Effect(read),
          {"12 runs, 1 flakes, 0 unreadable"}};
}

Task FullTask() {
  Task task{.id = *TaskId::Parse("bd-3.1"), .title = "fix the login"};
  task.description = "File Ownership:\n- src/login.cc\n";
  task.status = TaskStatus::kInProgress;
  task.owner = "worker-a";
  task.worktree = "/w";
  task.files = {"src/login.cc"};
  task.depends_on = {"t1"};
  task.arc = *ArcId::Parse("arc-7");
  task.wave = "w1";
  task.deadline = Second(90);
  task.run = "20260301-100000";
  task.created_at = Second(1);
  task.changed_at = Second(2);
  task.suspended = task.resuming = task.permanently_failed = true;
  task.resume_count = 2;
  task.context_path = "tmp/work/20260301-100000/context/arc-7/bd-3.1.md";
  task.failure = "suspended too often";
  task.work = {.reason = SuspendReason::kWaveTimeout,
               .worker = "worker-a#2",
               .worktree = "/w",
               .base_commit = kCommit,
               .snapshot = kOther,
               .snapshot_id = "agent-worker-a/3",
               .message = "rune-suspend-task-bd-3.1-1772359202",
               .cleaning = true,
               .tainted = true,
               .restored = true};
  task.kept = {kCommit};
  task.reopened_at = Second(3);
  task.missed_deadline = Second(80);
  task.unknown.Set("later", 1);
  task.unknown_metadata.Set("later", 2);
  return task;
}

GoldenRecord TaskRow() {
  return InJournal(StoredRecord::kTask, "task",
                   {TaskRecord(Second(9), "suspended", FullTask()),
                    TaskRecord(Second(9), "", Task{.id = *TaskId::Parse("t1")})},
                   [](const Json& record) -> Result<Json> {
                     BELAY_TRY_ASSIGN(const Task task, TaskFromJson(record));
                     return ToJson(task);
                   });
}

GoldenRecord WaveRow() {
  const auto read = [](const Json& record) {
    TaskBook book;
    book.Apply(record);
    const bool there = book.waves().contains("w1");
    return fmt::format("{}, {} unreadable", there ? FormatUtc(book.waves().at("w1")) : "none",
                       book.unreadable());
  };
  return {StoredRecord::kWave,
          ".jsonl",
          {JournalLine(WaveRecord(Second(9), "set", "w1", Second(90))),
           JournalLine(WaveRecord(Second(9), "", "w1", std::nullopt))},
          Effect(read),
          {FormatUtc(Second(90)) + ", 0 unreadable", "none, 0 unreadable"}};
}

Signal Guidance() {
  return {.id = "20260301T100000.000001Z.person.4669011c",
          .type = SignalType::kGuidance,
          .from = "person",
          .to = "orchestrator-login",
          .at = Second(0),
          .payload = MakeObject({{"text", "use the new API"}, {"mood", Json()}})};
}

GoldenRecord DeliveryRow() {
  Delivery full = DeliveryOf(Guidance(), *AgentId::Parse("orchestrator-login#2"));
  full.state = DeliveryState::kDropped;
  full.delivered_at = Second(2);
  full.session = "5b0e";
  full.transcript = "/home/me/.claude/projects/p/5b0e.jsonl";
  full.lost_at = Second(3);
  full.by = "PostToolUse";
  full.why = "it ended";
  const Delivery least{.id = "1", .agent = full.agent, .type = SignalType::kGuidance, .from = ""};
  return InJournal(StoredRecord::kDelivery, "",
                   {DeliveryRecord(Second(9), full, "compacted"), DeliveryRecord(Second(9), least)},
                   [](const Json& record) -> Result<Json> {
                     BELAY_TRY_ASSIGN(const Delivery delivery, DeliveryFromRecord(record));
                     return DeliveryRecord(Second(9), delivery,
                                           delivery.id == "1" ? "" : "compacted");
                   });
}

template <class Value, class Read>
GoldenRecord InLines(StoredRecord record, const std::vector<Value>& values, Read read) {
  GoldenRecord row{record, ".jsonl", {}, {}, {}};
  for (const Value& value : values) row.written.push_back(Line(ToJson(value)));
  row.read = ThereAndBack([=](const std::string& line) { return read(ParsedLine(line)); },
                          [](const Value& value) { return Line(ToJson(value)); });
  return row;
}

// In an inbox, whose names carry the id, and in an outbox, where it is a member.
GoldenRecord SignalRow() {
  Signal least{.type = SignalType::kEscalate, .from = "guardian", .to = "person", .at = Second(0)};
  return InLines<Signal>(StoredRecord::kSignal, {Guidance(), least}, SignalFromJson);
}

GoldenRecord OutboxRow() {
  OutboxBatch full{.agent = *AgentId::Parse("orchestrator-login#2"),
                   .process = ProcessMark{812, 55120},
                   .parent = ProcessMark{811, 55118},
                   .external = true,
                   .messages = {Guidance(), Guidance()},
                   .part = 3};
  return InLines<OutboxBatch>(StoredRecord::kOutboxBatch, {full, {.agent = full.agent}},
                              OutboxBatchFromJson);
}

GoldenRecord ReceiptRow() {
  const OutboxReceipt full{2, "5b0e", "/home/me/.claude/projects/p/5b0e.jsonl"};
  return InLines<OutboxReceipt>(StoredRecord::kOutboxReceipt, {full, {}}, OutboxReceiptFromJson);
}

GoldenRecord EventRow() {
  AgentEvent full{.kind = EventKind::kToolFinished,
                  .at = Second(0),
                  .agent = "orchestrator-login#2",
                  .session = "5b0e",
                  .transcript = "/home/me/.claude/projects/p/5b0e.jsonl",
                  .folder = "/home/me/app",
                  .pid = 812,
                  .pid_start = 55120,
                  .above = {{813, 55121}, {812, 55120}},
                  .nested = true,
                  .sub_agent = "a1",
                  .tool = "Bash",
                  .call = "toolu_1",
                  .action = ActionKind::kTest,
                  .subject = "npm test",
                  .detail = "exit code 7",
                  .passed = false,
                  .fill = 41.5,
                  .window = 200'000,
                  .agent_kind = AgentKind::kClaude};
  const AgentEvent little{
      .kind = EventKind::kTurnEnded, .at = Second(1), .agent_kind = AgentKind::kClaude};
  return InLines<AgentEvent>(StoredRecord::kAgentEvent, {full, little}, AgentEventFromJson);
}

GoldenRecord RunRow() {
  const auto write = [](const RunRecord& run) {
    return WriteJson(ToJson(run), JsonStyle::kIndented);
  };
  RunRecord full{.agent = *AgentId::Parse("worker-a#3"),
                 .state = RunState::kEnded,
                 .parent = {4710, 123455, "7b1d"}};
  full.process = ProcessIdentity{4711, 123456, "7b1d"};
  full.started_at = Second(0);
  full.exit = ExitStatus::Killed(9, true);
  full.ended_at = Second(9);
  full.oom = true;
  full.survivors = {"4712 sh -c sleep"};
  full.error = "nothing";
  RunRecord exited = full;
  exited.exit = ExitStatus::Exited(3);
  const RunRecord least{.agent = full.agent, .parent = full.parent};
  return {StoredRecord::kRun,
          ".json",
          {write(full), write(exited), write(least)},
          ThereAndBack(
              [](const std::string& bytes) -> Result<RunRecord> {
                BELAY_TRY_ASSIGN(const Json record, ParseJson(bytes));
                return RunRecordFromJson(record);
              },
              write)};
}

// Written and read in a folder of its own, as there is no other way.
class LaunchFolder {
 public:
  LaunchFolder() { folder_.Write("repo/.git/belay/run/there", ""); }

  std::string Write(const LaunchSpec& spec) {
    const Result<void> written = WriteLaunch(files_, project_, spec, "go on");
    return written ? folder_.Read(kPath) : written.error().message;
  }
  std::string ReadAndWrite(const std::string& bytes) {
    folder_.Write(kPath, bytes);
    const Result<LaunchSpec> spec =
        ReadLaunchSpec(files_, project_, *IdentityName::Parse("worker-a"));
    return spec ? Write(*spec) : spec.error().message;
  }

 private:
  static constexpr const char* kPath = "repo/.git/belay/run/worker-a.launch.json";
  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
  Layout project_{folder_ / "repo", folder_ / "repo/.git"};
};

GoldenRecord LaunchRow() {
  const LaunchSpec full{.agent = *AgentId::Parse("worker-a#3"),
                        .command = {"claude", "--model", "x y", "\xff"},
                        .folder = "/home/me/app",
                        .environment = {{"BELAY_AGENT_ID", "worker-a#3"}, {"ODD\xfe", "\xff"}},
                        .task = "Repair the login page",
                        .typed = "go on\n"};
  const LaunchSpec least{.agent = full.agent, .command = {"sh"}, .folder = "/", .environment = {}};
  return {StoredRecord::kLaunch,
          ".json",
          {LaunchFolder().Write(full), LaunchFolder().Write(least)},
          [](const std::string& bytes) { return LaunchFolder().ReadAndWrite(bytes); }};
}

GoldenRecord SettingsBeforeRow() {
  const FoundBefore full{.no_file = true, .blank = " \n", .empty = {"hooks", "Stop"}};
  return {StoredRecord::kSettingsBefore,
          ".json",
          {full.Text(), FoundBefore().Text()},
          [](const std::string& bytes) { return FoundBefore::Parse(bytes).Text(); }};
}

GoldenRecord MoveNoteRow() {
  const FileMark mark{.inode = 17, .bytes = 4096, .mode = 0100644, .modified = 1234567890};
  CheckoutPlan plan{.folder = "/home/me/app",
                    .git_folder = "/home/me/app/.git",
                    .staging = "/home/me/app/.git/belay/merge/checkout-move.files",
                    .files_folder = "/home/me/app/.belay-checkout-move",
                    .lock_text = "belay 1",
                    .index = mark,
                    .old_index = mark,
                    .old_copy = mark,
                    .moves = {{"src/\xff.cc", mark, mark}, {"gone", {}, mark}}};
  MoveNote full{"refs/heads/main",
                *ObjectId::Parse(kCommit),
                *ObjectId::Parse(kOther),
                "belay: m7 lands",
                false,
                {plan}};
  MoveNote least = full;
  least.moves_ref = true;
  least.checkouts = {};
  return {StoredRecord::kMoveNote,
          ".bin",
          {WriteMoveNote(full), WriteMoveNote(least)},
          ThereAndBack(ParseMoveNote, WriteMoveNote)};
}

GoldenRecord SnapshotRow() {
  SnapshotRecord full{.message = "before restoring main/4",
                      .at = Second(0),
                      .agent_id = "worker-a#3",
                      .worktree = "/home/me/app",
                      .branch = "login",
                      .has_base = false,
                      .files = 15,
                      .bytes = 12345,
                      .state = kState};
  full.skipped = {{"big.bin", SkipReason::kTooLarge}, {"odd\tname", SkipReason::kSecret}};
  full.modes = {{"run.sh", 0700}};
  full.unsteady = {"server.log"};
  full.raw = {"a.bat"};
  full.converts = true;
  const SnapshotRecord least{.message = "snapshot", .at = Second(0)};
  return {StoredRecord::kSnapshot,
          ".txt",
          {WriteSnapshotMessage(full), WriteSnapshotMessage(least)},
          ThereAndBack(ParseSnapshotMessage, WriteSnapshotMessage)};
}

}  // namespace

std::vector<GoldenRecord> GoldenRecords() {
  std::vector<GoldenRecord> rows = {
      ProjectRow(), SnapshotEventRow(),  IdentityRow(), IdentityNoteRow(), HookRow(),
      TaintRow(),   EntryRow(),          TargetRow(),   GateRow(),         DeliveryRow(),
      SignalRow(),  OutboxRow(),         ReceiptRow(),  EventRow(),        RunRow(),
      LaunchRow(),  SettingsBeforeRow(), MoveNoteRow(), SnapshotRow(),     TaskRow(),
      WaveRow()};
  AddFamilyRecords(rows);
  return rows;
}

std::vector<GoldenRendering> GoldenRenderings() {
  ProjectState project;
  project.Apply(InitialisedRecord(Second(0), "/home/me/app", "0.6.0"));
  TaintBook taint;
  taint.Apply(MarkedRecord(Second(1), "worker-a#1", SampleSource()));
  MergeBook merges;
  merges.Apply(TargetRecord(Second(0), "", FullTarget()));
  merges.Apply(EntryRecord(Second(0), "", FullEntry()));
  TaskBook tasks;
  tasks.Apply(TaskRecord(Second(0), "", FullTask()));
  tasks.Apply(WaveRecord(Second(0), "", "w1", Second(90)));
  return {{"project", RenderingText(ProjectRendering(project, "/home/me/app/.git/belay"))},
          {"identity", RenderingText(ToJson(FullIdentity()))},
          {"hook", RenderingText(ToJson(HookWithProblem()))},
          {"taint", RenderingText(TaintRendering(taint))},
          {"merge-queue", RenderingText(MergeRendering(merges))},
          {"tasks", RenderingText(TaskRendering(tasks))}};
}

}  // namespace belay
