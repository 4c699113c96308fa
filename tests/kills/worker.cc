#include "kills/worker.h"

#include "base/path.h"
#include "store/durable_file.h"

namespace belay {
namespace {

// Long enough that only a lock that is never released reaches it.
constexpr std::chrono::seconds kPatience{30};

constexpr std::size_t kPiece = 8;

}  // namespace

const std::array<Worker::Choice, 10> Worker::kChoices = {{
    {4, &Worker::ReplaceOwn},
    {4, &Worker::ReplaceOwnKeeping},
    {4, &Worker::ReplaceShared},
    {4, &Worker::ReplaceSharedKeeping},
    {12, &Worker::Append},
    {2, &Worker::Compact},
    {8, &Worker::Deliver},
    {8, &Worker::Handle},
    {2, &Worker::TakeSnapshot},
    {1, &Worker::Prune},
}};

Worker::Worker(std::string folder, std::uint32_t writer, std::uint32_t slot, std::uint64_t seed,
               int fd)
    : folder_(std::move(folder)),
      writer_(writer),
      own_("own-" + std::to_string(slot)),
      chance_(seed),
      reporter_(fd, writer),
      journal_(files_, JoinPath(folder_, "journal"), std::string(kJournalName)),
      inbox_(files_, clock_, random_, JoinPath(folder_, "inbox"), kPatience) {
  if (writer % 2 == 0) {
    calls_.Plan({.kind = CallKind::kWrite, .lasting = true, .bytes = kPiece});
  }
}

void Worker::Run() {
  Result<void> acted;
  while (acted) acted = ActOnce();
  reporter_.Fail(acted.error().message);
}

Result<void> Worker::ActOnce() {
  unsigned all = 0;
  for (const Choice& choice : kChoices) all += choice.weight;
  std::uint64_t left = Below(all);
  for (const Choice& choice : kChoices) {
    if (left < choice.weight) return (this->*choice.act)();
    left -= choice.weight;
  }
  return {};
}

Result<StateLock> Worker::Lock(std::string_view name) {
  return StateLock::Acquire(files_, JoinPath(folder_, name), kPatience);
}

Result<void> Worker::Replace(const std::string& name, bool keep) {
  const std::string path = JoinPath(folder_, name);
  BELAY_TRY_ASSIGN(Version version, ReadVersion(files_, path));
  version = {version.number + 1, writer_};
  const Report report = reporter_.Begin(0, Deed::kReplace, name, version.number);
  BELAY_TRY(keep ? ReplaceFileKeepingPrevious(files_, path, Seal(version))
                 : ReplaceFile(files_, path, Seal(version)));
  reporter_.Finish(report);
  return {};
}

Result<void> Worker::ReplaceShared() {
  BELAY_TRY_ASSIGN(const StateLock lock, Lock("shared.lock"));
  return Replace("shared", false);
}

Result<void> Worker::ReplaceSharedKeeping() {
  BELAY_TRY_ASSIGN(const StateLock lock, Lock("shared.lock"));
  return Replace("shared-kept", true);
}

Result<void> Worker::Append() {
  const std::string stream = StreamName(writer_, 0);
  const std::uint64_t count = 1 + Below(4);
  const std::uint64_t first = appended_ + 1;
  std::vector<Json> records;
  for (std::uint64_t i = 0; i < count; ++i) records.push_back(StreamRecord(stream, first + i));
  Report report = reporter_.Begin(0, Deed::kAppend, stream, first, count);
  {
    BELAY_TRY_ASSIGN(const StateLock lock, Lock("journal.lock"));
    BELAY_TRY_ASSIGN(report.seq, journal_.Append(lock, records, tally_.Follower()));
  }
  reporter_.Finish(report);
  appended_ += count;
  for (std::uint64_t i = 0; i < count; ++i) tally_.Add(report.seq - count + 1 + i, records[i]);
  if (tally_.problem().empty()) return {};
  return Error{ErrorCode::kDamaged, tally_.problem()};
}

Result<void> Worker::Compact() {
  BELAY_TRY_ASSIGN(const StateLock lock, Lock("journal.lock"));
  return journal_.Compact(lock, tally_.Follower(),
                          [&] { return std::vector<Json>{tally_.Snapshot()}; });
}

Result<void> Worker::Deliver() {
  const std::string sender = SenderName(writer_);
  const std::string key = MessageKey(sender, ++delivered_);
  const Report report = reporter_.Begin(0, Deed::kDeliver, key);
  BELAY_TRY(inbox_.Deliver(sender, MessageBody(key)));
  reporter_.Finish(report);
  return {};
}

// Some of what is taken is never acknowledged by this worker, as if it had died over it.
Result<void> Worker::Handle() {
  Report report = reporter_.Begin(0, Deed::kTake, "");
  BELAY_TRY_ASSIGN(const std::optional<InboxMessage> message, inbox_.Take(kLease));
  if (message) SetObject(report, KeyOf(message->body));
  reporter_.Finish(report);
  if (!message || Below(8) == 0) return {};
  return Acknowledge(*message);
}

Result<void> Worker::Acknowledge(const InboxMessage& message) {
  const Report report = reporter_.Begin(0, Deed::kAcknowledge, KeyOf(message.body));
  Result<void> acknowledged = inbox_.Acknowledge(message.id);
  const bool late = !acknowledged && acknowledged.error().code == ErrorCode::kNotFound;
  if (!acknowledged && !late) return acknowledged;
  reporter_.Finish(report, late ? Step::kRefused : Step::kDone);
  return {};
}

// As a reader does it, without a lock: whatever the others are at, nothing half done is seen.
Result<void> Worker::TakeSnapshot() {
  BELAY_TRY(journal_.CatchUp(tally_.Follower()));
  if (!tally_.problem().empty()) return Error{ErrorCode::kDamaged, tally_.problem()};
  BELAY_TRY(ReadVersion(files_, JoinPath(folder_, "shared")));
  BELAY_TRY(ReadVersion(files_, JoinPath(folder_, "shared-kept.prev")));
  BELAY_TRY_ASSIGN(const std::vector<InboxMessage> messages, inbox_.Peek());
  for (const InboxMessage& message : messages) {
    if (KeyOf(message.body).empty()) return Error{ErrorCode::kDamaged, "a torn message"};
  }
  return {};
}

Result<void> Worker::Prune() { return inbox_.Prune(clock_.Wall() - 2 * kLease); }

}  // namespace belay
