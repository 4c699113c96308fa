// The updating half of app/resumption.h.

#include <fmt/core.h>

#include <algorithm>

#include "app/resumption.h"
#include "app/resumption_file.h"
#include "base/path.h"
#include "base/utf8.h"
#include "model/resumption_traces.h"
#include "os/clock.h"

namespace belay {
namespace {

constexpr int kLeastTries = 5;
constexpr Duration kBetweenTries = std::chrono::milliseconds(5);
constexpr Duration kMostBesideWriters = std::chrono::seconds(1);

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

bool IsRefusal(ErrorCode code) {
  return code == ErrorCode::kRefused || code == ErrorCode::kUsage || code == ErrorCode::kNotFound;
}

// Worth nothing later: it only says when the section was read, or how full a context was.
bool IsOfTheMoment(Trigger trigger) {
  return trigger == Trigger::kThreshold || trigger == Trigger::kAcknowledge;
}

// What the archive and the file itself must become.
struct NextSection {
  Resumption section;
  RenderedDocument rendered;
  std::vector<ArchivedEntry> archived;
};

// Applies events, one by one: each is recorded, written, and noted as applied.
class Updater {
 public:
  Updater(const ResumptionLock& lock, const DocumentEnv& env, bool keep_v1_keys)
      : lock_(lock),
        env_(env),
        ledger_(env.files, env.clock, env.project),
        keep_v1_keys_(keep_v1_keys) {}

  Result<void> CatchUp() { return ledger_.CatchUpWithNote(); }

  // What the process before left: the file is put right, and its event is in the file or waits.
  Result<void> Settle() {
    BELAY_TRY(FinishReplacing(env_.files, lock_, DocumentAt(env_.path)));
    const DocumentLog* log = Log();
    if (log == nullptr || !log->unsure) return {};
    BELAY_TRY_ASSIGN(const bool is_in, HoldsUnsure(*log->unsure));
    if (!is_in) return {};
    BELAY_TRY(env_.files.SyncFolder(std::string(ParentPath(env_.path))));
    return ledger_.RecordApplied(lock_, env_.path, AppliedEvent(log->unsure->Applied()));
  }

  // What waits goes first, except for one event. What can't be applied goes on waiting. Gives how
  // many were applied.
  Result<std::size_t> ApplyPending(std::string_view except) {
    const DocumentLog* log = Log();
    if (log == nullptr) return std::size_t{0};
    std::size_t count = 0;
    for (const StoredEvent& stored : log->Pending()) {
      if (stored.id == except) continue;
      BELAY_TRY_ASSIGN(const ResumptionEvent event, Unstored(stored, env_.clock.Wall()));
      const Result<bool> applied = Apply(event);
      if (applied) {
        count += *applied ? 1 : 0;
        continue;
      }
      if (!IsRefusal(applied.error().code)) return applied.error();
      warnings_.push_back(fmt::format("{} of {} still waits: {}", stored.trigger,
                                      FormatUtc(stored.at), applied.error().message));
      if (IsUnsure(stored.id)) BELAY_TRY(ledger_.RecordWaiting(lock_, env_.path, stored));
    }
    return count;
  }

  // False: it was applied before. kBusy when others keep changing the file.
  Result<bool> Apply(const ResumptionEvent& event) {
    const MonotonicTime end = env_.clock.Monotonic() + std::min(env_.patience, kMostBesideWriters);
    for (int tries = 1;; ++tries) {
      BELAY_TRY_ASSIGN(const DocumentFile file, ReadDocumentFile(env_));
      const DocumentLog* log = Log();
      if (log != nullptr && log->WasApplied(event.id, file.digest)) {
        section_ = file.document.section;
        return false;
      }
      Result<DocumentChange> change = Write(event, file);
      if (change && *change == DocumentChange::kReplaced) return true;
      if (!change && change.error().code != ErrorCode::kBusy) return std::move(change).error();
      if (tries >= kLeastTries && env_.clock.Monotonic() >= end) {
        if (!change) return std::move(change).error();
        return Error{ErrorCode::kBusy, fmt::format("{} keeps changing", env_.path), "try again"};
      }
      if (tries > 1) SleepFor(kBetweenTries);
    }
  }

  // After a failure of the update. What others are in the way of is kept for the next update, and
  // so is what infrastructure reports: it doesn't repeat it. Else nothing may happen later.
  Error GiveUp(const ResumptionEvent& event, Error error) {
    (void)ledger_.CatchUpWithNote();  // a record may be there although its sync failed
    const bool holds = env_.holds && !IsOfTheMoment(event.trigger) && !IsRefusal(error.code);
    const bool keeps = holds || error.code == ErrorCode::kBusy;
    if (keeps && (ledger_.RecordWaiting(lock_, env_.path, Stored(event)) || IsUnsure(event.id))) {
      error.message += ". The event is kept, and the next update applies it";
      error.hint = "don't repeat it; once the document is free, belay resumption update T7 will do";
    } else if (IsUnsure(event.id)) {
      const Result<bool> is_in = HoldsUnsure(*Log()->unsure);
      if (is_in && !*is_in) (void)ledger_.RecordWithdrawn(lock_, env_.path, event.id);
    }
    return error;
  }

  UpdateOutcome Outcome(const ResumptionEvent& event, bool applied) {
    (void)ledger_.CompactIfLarge(lock_);
    return {event.id, applied, std::move(section_), std::move(warnings_)};
  }

 private:
  const DocumentLog* Log() const { return ledger_.book().Find(env_.path); }

  bool IsUnsure(std::string_view id) const {
    const DocumentLog* log = Log();
    return log != nullptr && log->unsure && log->unsure->event.id == id;
  }

  Result<bool> HoldsUnsure(const UnsureEvent& unsure) const {
    BELAY_TRY_ASSIGN(const DocumentFile file, ReadDocumentFile(env_));
    return unsure.IsIn(file.document.section, file.digest);
  }

  Result<NextSection> NextOf(const ResumptionEvent& event, const DocumentFile& file) const {
    NextSection next;
    BELAY_TRY_ASSIGN(next.section, ApplyEvent(file.document.section, event, file.document.facts));
    next.section.keeps_v1_keys = next.section.keeps_v1_keys || keep_v1_keys_;
    next.section.version = 2;
    next.archived = MoveToArchive(next.section, ArchiveName(FileName(env_.path)));
    BELAY_TRY_ASSIGN(next.rendered, RenderDocument(file.document, next.section));
    return next;
  }

  UnsureEvent UpdateOf(const ResumptionEvent& event, const DocumentFile& file,
                       const Resumption& next) const {
    const DocumentLog* log = Log();
    return {.number = (log == nullptr ? 0 : log->updates) + 1,
            .event = Stored(event),
            .agent = env_.session.agent,
            .session = env_.session.session,
            .before = file.digest,
            .after = SectionDigest(next),
            .traces = TracesOf(file.document.section, next)};
  }

  // By an earlier try: others only changed what is outside of the section.
  bool IsRecorded(const UnsureEvent& update) const {
    return IsUnsure(update.event.id) && Log()->unsure->before == update.before &&
           Log()->unsure->after == update.after;
  }

  Result<DocumentChange> Write(const ResumptionEvent& event, const DocumentFile& file) {
    BELAY_TRY_ASSIGN(NextSection next, NextOf(event, file));
    std::vector<std::string> warnings = WarningsOf(file, next.rendered);
    BELAY_TRY(AppendToArchive(env_, lock_, next.archived));
    UnsureEvent update = UpdateOf(event, file, next.section);
    if (IsRecorded(update)) {
      update = *Log()->unsure;
    } else {
      BELAY_TRY(ledger_.RecordUpdate(lock_, env_.path, update));
    }
    BELAY_TRY_ASSIGN(
        const DocumentChange change,
        ReplaceDocument(env_.files, lock_, DocumentAt(env_.path), file.stamp, next.rendered.bytes));
    if (change != DocumentChange::kReplaced) return change;
    ledger_.NoteApplied(lock_, env_.path, update.Applied());
    section_ = std::move(next.section);
    for (std::string& warning : warnings) warnings_.push_back(std::move(warning));
    return change;
  }

  std::vector<std::string> WarningsOf(const DocumentFile& file,
                                      const RenderedDocument& rendered) const {
    std::vector<std::string> warnings;
    const DocumentLog* log = Log();
    if (log != nullptr && log->last && IsHandEdited(*log, file.digest)) {
      warnings.push_back(
          fmt::format("the section was changed without belay since {}; what is valid is kept",
                      FormatUtc(log->last->at)));
    }
    for (const std::string& problem : file.document.problems) warnings.push_back(problem);
    for (const std::string& part : rendered.lost_comments) {
      warnings.push_back(fmt::format("comments on lines of {} that changed were lost", part));
    }
    return warnings;
  }

  const ResumptionLock& lock_;
  const DocumentEnv& env_;
  ResumptionLedger ledger_;
  bool keep_v1_keys_;
  Resumption section_;
  std::vector<std::string> warnings_;
};

Result<ResumptionLock> LockFor(const DocumentEnv& env) {
  return ResumptionLedger::Lock(env.files, env.project, env.patience);
}

}  // namespace

Result<UpdateOutcome> UpdateDocument(const DocumentEnv& env, const ResumptionEvent& event,
                                     bool keep_v1_keys) {
  BELAY_TRY_ASSIGN(const ResumptionLock lock, LockFor(env));
  return UpdateLocked(lock, env, event, keep_v1_keys);
}

Result<UpdateOutcome> UpdateLocked(const ResumptionLock& lock, const DocumentEnv& env,
                                   const ResumptionEvent& event, bool keep_v1_keys) {
  Updater updater(lock, env, keep_v1_keys);
  BELAY_TRY(updater.CatchUp());
  Result<bool> applied = [&]() -> Result<bool> {
    BELAY_TRY(updater.Settle());
    BELAY_TRY(updater.ApplyPending(event.id));
    return updater.Apply(event);
  }();
  if (!applied) return updater.GiveUp(event, std::move(applied).error());
  return updater.Outcome(event, *applied);
}

Result<std::size_t> MergeWaitingEvents(const DocumentEnv& env) {
  BELAY_TRY_ASSIGN(const ResumptionLock lock, LockFor(env));
  return MergeLocked(lock, env);
}

Result<std::size_t> MergeLocked(const ResumptionLock& lock, const DocumentEnv& env) {
  Updater updater(lock, env, false);
  BELAY_TRY(updater.CatchUp());
  BELAY_TRY(updater.Settle());
  return updater.ApplyPending({});
}

Result<void> RecordWaitingEvent(const DocumentEnv& env, const ResumptionEvent& event) {
  BELAY_TRY_ASSIGN(const ResumptionLock lock, LockFor(env));
  ResumptionLedger ledger(env.files, env.clock, env.project);
  BELAY_TRY(ledger.CatchUpWithNote());
  return ledger.RecordWaiting(lock, env.path, Stored(event));
}

}  // namespace belay
