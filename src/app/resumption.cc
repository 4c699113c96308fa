#include "app/resumption.h"

#include <fmt/core.h>

#include <algorithm>

#include "app/settings.h"
#include "base/path.h"
#include "base/utf8.h"
#include "codec/hash.h"
#include "codec/json_lines.h"
#include "ledger/identity_ledger.h"
#include "store/document.h"
#include "store/durable_file.h"
#include "store/repository.h"

namespace belay {
namespace {

constexpr int kMostTries = 5;
constexpr std::size_t kMostNote = 4096;

Document DocumentAt(const std::string& path) {
  return {.root = std::string(ParentPath(path)), .name = std::string(FileName(path))};
}

StoredEvent Stored(const ResumptionEvent& event) {
  return {event.id, std::string(RowOf(event.trigger).name), event.at, event.set, event.data};
}

// It happened at stored.at; `now` is when the section is updated.
Result<ResumptionEvent> Unstored(const StoredEvent& stored, WallTime now) {
  const std::optional<Trigger> trigger = ParseTrigger(stored.trigger);
  if (!trigger) return Error{ErrorCode::kDamaged, "an event has an unknown trigger"};
  ResumptionEvent event{stored.id, *trigger, now, stored.set, stored.data};
  if (event.data.Find("timestamp") == nullptr) event.data.Set("timestamp", FormatUtc(stored.at));
  return event;
}

// "ORCHESTRATION.yaml" has its archive in "ORCHESTRATION.archive.jsonl".
std::string ArchiveName(std::string_view document) {
  const std::size_t dot = document.rfind('.');
  return std::string(document.substr(0, dot)) + ".archive.jsonl";
}

// Of belay's values. Comments and keys of others may change without belay.
std::string SectionDigest(const Resumption& section) {
  const ResumptionArchive& archive = section.archive;
  Json values = MakeArray(section.parts);
  values.Append(MakeObject({{"version", section.version},
                            {"v1_keys", section.keeps_v1_keys},
                            {"archive", archive.file},
                            {"decisions", archive.decisions},
                            {"agents", archive.agents},
                            {"compactions", archive.compactions},
                            {"scores", archive.scores}}));
  return Sha256Hex(WriteJson(values));
}

struct ReadResult {
  ResumptionDocument document;
  std::string stamp;
  std::string digest;
};

Error LinkRefused(const std::string& path) {
  return {ErrorCode::kRefused,
          fmt::format("{} is a link, and belay writes through no link", ReplaceInvalidUtf8(path)),
          "name the file itself with --file, or with resumption.file in .claude/belay.yml"};
}

Result<ReadResult> ReadIt(const DocumentEnv& env) {
  const Result<FileInfo> info = env.files.Inspect(env.path);
  if (info && info->kind == FileKind::kLink) return LinkRefused(env.path);
  BELAY_TRY_ASSIGN(DocumentText text, ReadDocument(env.files, DocumentAt(env.path)));
  if (!text.bytes) {
    return Error{ErrorCode::kNotFound, fmt::format("{} doesn't exist", env.path),
                 "create it, or name another file with --file"};
  }
  Result<ResumptionDocument> document =
      ReadResumptionDocument(*std::move(text.bytes), FileName(env.path));
  if (!document) {
    Error error = std::move(document).error().In(env.path);
    if (error.hint.empty()) error.hint = "fix the file; nothing was changed";
    return error;
  }
  std::string digest = SectionDigest(document->section);
  return ReadResult{*std::move(document), std::move(text.stamp), std::move(digest)};
}

// Added before they leave the section; the same entry twice does no harm.
Result<void> AppendToArchive(const DocumentEnv& env, const ResumptionLock& lock,
                             const std::vector<ArchivedEntry>& entries) {
  if (entries.empty()) return {};
  const Document archive =
      DocumentAt(JoinPath(ParentPath(env.path), ArchiveName(FileName(env.path))));
  for (int tries = 0; tries < kMostTries; ++tries) {
    BELAY_TRY_ASSIGN(DocumentText text, ReadDocument(env.files, archive));
    std::string bytes = text.bytes.value_or("");
    for (const ArchivedEntry& entry : entries) {
      BELAY_TRY(AppendJsonLine(MakeObject({{"at", FormatUtc(env.clock.Wall())},
                                           {"kind", entry.kind},
                                           {"id", entry.id},
                                           {"value", entry.value}}),
                               bytes));
    }
    BELAY_TRY_ASSIGN(const DocumentChange change,
                     ReplaceDocument(env.files, lock, archive, text.stamp, bytes));
    if (change == DocumentChange::kReplaced) return {};
  }
  return Error{ErrorCode::kBusy, fmt::format("{} keeps changing", archive.path())};
}

bool IsHandEdited(const DocumentLog* log, const std::string& digest) {
  return log != nullptr && log->last && digest != log->last->after && digest != log->last->before;
}

void AddWarnings(const DocumentLog* log, const ReadResult& read,
                 std::vector<std::string>& warnings) {
  if (IsHandEdited(log, read.digest)) {
    warnings.push_back(
        fmt::format("the section was changed without belay since {}; what is valid is kept",
                    FormatUtc(log->last->at)));
  }
  for (const std::string& problem : read.document.problems) warnings.push_back(problem);
}

// One event: applied, recorded, written.
class Updater {
 public:
  Updater(const DocumentEnv& env, const ResumptionLock& lock, ResumptionLedger& ledger,
          bool keep_v1_keys)
      : env_(env), lock_(lock), ledger_(ledger), keep_v1_keys_(keep_v1_keys) {}

  Result<bool> Apply(const ResumptionEvent& event) {
    for (int tries = 0; tries < kMostTries; ++tries) {
      BELAY_TRY_ASSIGN(const ReadResult read, ReadIt(env_));
      const DocumentLog* log = ledger_.book().Find(env_.path);
      // On a later try the record is our own, and the file was not replaced.
      if (tries == 0 && log != nullptr && log->WasApplied(event.id, read.digest)) {
        section_ = read.document.section;
        return false;
      }
      BELAY_TRY_ASSIGN(const DocumentChange change, Write(event, read, log));
      if (change == DocumentChange::kReplaced) return true;
    }
    return Error{ErrorCode::kBusy, fmt::format("{} keeps changing", env_.path), "try again"};
  }

  const Resumption& section() const { return section_; }
  std::vector<std::string> TakeWarnings() { return std::move(warnings_); }

 private:
  Result<DocumentChange> Write(const ResumptionEvent& event, const ReadResult& read,
                               const DocumentLog* log) {
    std::vector<std::string> warnings;
    AddWarnings(log, read, warnings);
    BELAY_TRY_ASSIGN(Resumption section,
                     ApplyEvent(read.document.section, event, read.document.facts));
    section.keeps_v1_keys = section.keeps_v1_keys || keep_v1_keys_;
    section.version = 2;
    const auto archived = MoveToArchive(section, ArchiveName(FileName(env_.path)));
    BELAY_TRY_ASSIGN(const RenderedDocument rendered, RenderDocument(read.document, section));
    for (const std::string& part : rendered.lost_comments) {
      warnings.push_back(fmt::format("comments on lines of {} that changed were lost", part));
    }
    BELAY_TRY(AppendToArchive(env_, lock_, archived));
    BELAY_TRY(ledger_.RecordApplied(lock_, env_.path,
                                    {.id = event.id,
                                     .trigger = std::string(RowOf(event.trigger).name),
                                     .at = event.at,
                                     .agent = env_.session.agent,
                                     .session = env_.session.session,
                                     .before = read.digest,
                                     .after = SectionDigest(section)}));
    BELAY_TRY_ASSIGN(
        const DocumentChange change,
        ReplaceDocument(env_.files, lock_, DocumentAt(env_.path), read.stamp, rendered.bytes));
    section_ = std::move(section);
    for (std::string& warning : warnings) warnings_.push_back(std::move(warning));
    return change;
  }

  const DocumentEnv& env_;
  const ResumptionLock& lock_;
  ResumptionLedger& ledger_;
  bool keep_v1_keys_;
  Resumption section_;
  std::vector<std::string> warnings_;
};

// What waits goes first. An event that can't be applied goes on waiting.
Result<std::size_t> ApplyPending(const DocumentEnv& env, ResumptionLedger& ledger, Updater& updater,
                                 std::string_view except, std::vector<std::string>& warnings) {
  const DocumentLog* log = ledger.book().Find(env.path);
  if (log == nullptr || (log->waiting.empty() && !log->unsure)) return std::size_t{0};
  BELAY_TRY_ASSIGN(const ReadResult read, ReadIt(env));
  std::size_t count = 0;
  for (const StoredEvent& stored : log->Pending(read.digest)) {
    if (stored.id == except) continue;
    BELAY_TRY_ASSIGN(const ResumptionEvent event, Unstored(stored, env.clock.Wall()));
    const Result<bool> applied = updater.Apply(event);
    if (applied) {
      count += *applied ? 1 : 0;
    } else if (applied.error().code == ErrorCode::kRefused ||
               applied.error().code == ErrorCode::kUsage) {
      warnings.push_back(fmt::format("{} of {} still waits: {}", stored.trigger,
                                     FormatUtc(stored.at), applied.error().message));
    } else {
      return applied.error();
    }
  }
  return count;
}

// What isn't known doesn't differ.
bool IsOtherSession(const AppliedEvent& last, const DocumentSession& session) {
  const bool named = !last.session.empty() && !session.session.empty();
  if (named) return last.session != session.session;
  return !last.agent.empty() && !session.agent.empty() && last.agent != session.agent;
}

std::string NotePath(const Layout& project) { return project.ResumptionNote(); }

std::string WorktreeRoot(const FileSystem& files, const std::string& folder) {
  for (std::string at = folder; at.size() > 1; at = ParentPath(at)) {
    if (files.Inspect(JoinPath(at, ".git"))) return at;
  }
  return folder;
}

const Identity* NewestSession(const IdentityBook& book) {
  const Identity* newest = nullptr;
  for (const auto& [name, entry] : book.entries()) {
    const Identity* identity = book.Find(name);
    if (identity == nullptr || name.role() == "guardian" || name.role() == "runner") continue;
    if (newest == nullptr || identity->created_at > newest->created_at) newest = identity;
  }
  return newest;
}

}  // namespace

std::optional<std::string> FindDocument(const FileSystem& files, const Layout& project,
                                        const std::string& configured, const std::string& folder) {
  if (configured.find('/') != std::string::npos) {
    std::string path = JoinPath(project.Root(), configured);
    if (!files.Inspect(path)) return std::nullopt;
    return path;
  }
  const std::string_view name = configured.empty() ? kDocumentName : std::string_view(configured);
  for (std::string at = WorktreeRoot(files, folder); at.size() > 1; at = ParentPath(at)) {
    std::string path = JoinPath(at, name);
    const Result<FileInfo> info = files.Inspect(path);
    // Reading a link is refused, with that reason.
    if (info && (info->kind == FileKind::kFile || info->kind == FileKind::kLink)) return path;
  }
  return std::nullopt;
}

std::optional<std::string> FindDocumentQuickly(const FileSystem& files, const Layout& project,
                                               const std::string& folder) {
  const Result<std::string> note = files.Read(NotePath(project), kMostNote);
  return FindDocument(files, project, note ? *note : std::string(), folder);
}

Result<void> RememberDocument(FileSystem& files, const Layout& project, const Config& config) {
  const std::string& configured = config.Text("resumption.file");
  const Result<std::string> note = files.Read(NotePath(project), kMostNote);
  const bool usual = configured == kDocumentName;
  if (note ? *note == configured : usual) return {};
  if (usual) return files.RemoveFile(NotePath(project));
  return ReplaceFile(files, NotePath(project), configured);
}

Result<UpdateOutcome> UpdateDocument(const DocumentEnv& env, const ResumptionEvent& event,
                                     bool keep_v1_keys) {
  BELAY_TRY_ASSIGN(const ResumptionLock lock,
                   ResumptionLedger::Lock(env.files, env.project, env.patience));
  return UpdateLocked(lock, env, event, keep_v1_keys);
}

Result<UpdateOutcome> UpdateLocked(const ResumptionLock& lock, const DocumentEnv& env,
                                   const ResumptionEvent& event, bool keep_v1_keys) {
  ResumptionLedger ledger(env.files, env.clock, env.project);
  BELAY_TRY(ledger.CatchUp());
  Updater updater(env, lock, ledger, keep_v1_keys);
  UpdateOutcome outcome{.event = event.id};
  BELAY_TRY(ApplyPending(env, ledger, updater, event.id, outcome.warnings));
  BELAY_TRY_ASSIGN(outcome.applied, updater.Apply(event));
  outcome.section = updater.section();
  for (std::string& warning : updater.TakeWarnings())
    outcome.warnings.push_back(std::move(warning));
  (void)ledger.CompactIfLarge(lock);
  return outcome;
}

Result<std::size_t> MergeWaitingEvents(const DocumentEnv& env) {
  BELAY_TRY_ASSIGN(const ResumptionLock lock,
                   ResumptionLedger::Lock(env.files, env.project, env.patience));
  return MergeLocked(lock, env);
}

Result<std::size_t> MergeLocked(const ResumptionLock& lock, const DocumentEnv& env) {
  ResumptionLedger ledger(env.files, env.clock, env.project);
  BELAY_TRY(ledger.CatchUp());
  Updater updater(env, lock, ledger, false);
  std::vector<std::string> warnings;
  return ApplyPending(env, ledger, updater, {}, warnings);
}

Result<void> RecordWaitingEvent(const DocumentEnv& env, const ResumptionEvent& event) {
  BELAY_TRY_ASSIGN(const ResumptionLock lock,
                   ResumptionLedger::Lock(env.files, env.project, env.patience));
  ResumptionLedger ledger(env.files, env.clock, env.project);
  BELAY_TRY(ledger.CatchUp());
  return ledger.RecordWaiting(lock, env.path, Stored(event));
}

Result<DocumentState> ReadDocumentState(const DocumentEnv& env, Duration stale_after) {
  BELAY_TRY_ASSIGN(ReadResult read, ReadIt(env));
  ResumptionLedger ledger(env.files, env.clock, env.project);
  (void)ledger.CatchUp();  // without a journal, the file alone counts
  const DocumentLog* log = ledger.book().Find(env.path);
  StalenessFacts facts{
      .now = env.clock.Wall(), .stale_after = stale_after, .session_start = env.session.started};
  if (log != nullptr && log->last) {
    const AppliedEvent& last = *log->last;
    facts.phase_began = log->phase_began;
    facts.other_session = IsOtherSession(last, env.session);
  }
  DocumentState state{.document = std::move(read.document), .staleness = {}};
  state.staleness = JudgeStaleness(state.document.section, facts);
  state.phase_began = facts.phase_began;
  state.edited_by_hand = IsHandEdited(log, read.digest);
  state.waiting = log == nullptr ? 0 : log->Pending(read.digest).size();
  return state;
}

Result<DocumentSession> FindSession(const Env& env, const Layout& project) {
  IdentityLedger identities(env.files, env.clock, project);
  BELAY_TRY(identities.CatchUp());
  const IdentityBook& book = identities.book();
  const Result<AgentId> claim = AgentId::Parse(env.environment.Get("BELAY_AGENT_ID").value_or(""));
  const Identity* identity = claim ? book.Find(claim->identity()) : nullptr;
  if (identity != nullptr && identity->id != *claim) identity = nullptr;
  if (identity == nullptr) identity = NewestSession(book);
  if (identity == nullptr) return DocumentSession{};
  return DocumentSession{identity->id.text(), identity->session_id, identity->created_at};
}

Result<ResumptionPlace> FindResumptionPlace(Env& env, const std::optional<std::string>& file,
                                            VaultUse use) {
  BELAY_TRY_ASSIGN(Layout project, OpenProject(env, use));
  BELAY_TRY_ASSIGN(const auto sources, ConfigSources(env, project));
  BELAY_TRY_ASSIGN(const Config config, Accept(ReadConfig(sources)));
  if (use == VaultUse::kWrite) (void)RememberDocument(env.files, project, config);
  const Duration stale_after = config.Length("resumption.stale_after");
  if (file) {
    return ResumptionPlace{std::move(project), JoinPath(env.current_folder, *file), stale_after};
  }
  const std::string& configured = config.Text("resumption.file");
  const std::string folder = env.root ? project.Root() : env.current_folder;
  std::optional<std::string> path = FindDocument(env.files, project, configured, folder);
  if (!path) {
    return Error{ErrorCode::kNotFound, fmt::format("there is no {} here", configured),
                 "name it with --file, or set resumption.file in .claude/belay.yml"};
  }
  return ResumptionPlace{std::move(project), *std::move(path), stale_after};
}

std::string BriefFor(FileSystem& files, const Clock& clock, Random& random, const Layout& project,
                     const std::string& folder) {
  const std::optional<std::string> path = FindDocumentQuickly(files, project, folder);
  if (!path) return {};
  const Result<DocumentState> state = ReadDocumentState({files, clock, project, *path});
  if (!state || !state->document.HasSection()) return {};
  return ResumptionBrief(state->document.section, state->staleness.level, random);
}

}  // namespace belay
