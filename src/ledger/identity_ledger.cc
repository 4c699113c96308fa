#include "ledger/identity_ledger.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace belay {
namespace {

Error Late(const AgentId& agent, std::uint32_t present) {
  return {ErrorCode::kRefused,
          fmt::format("{}: incarnation {} has taken its place", agent.text(), present),
          "what an earlier incarnation says no longer counts"};
}

}  // namespace

IdentityLedger::IdentityLedger(FileSystem& files, const Clock& clock, const Layout& project)
    : files_(files), clock_(clock), project_(project), journal_(files, project, kIdentityJournal) {}

Result<StateLock> IdentityLedger::Lock(FileSystem& files, const Layout& project, Duration limit) {
  return LockJournal(files, project, kIdentityJournal, limit);
}

JournalFollower IdentityLedger::Follower() {
  return {.forget = [this] { book_.Forget(); },
          .record = [this](std::uint64_t, const Json& record) { book_.Apply(record); },
          .line = [this](std::string_view line) { return offers_ && book_.Offer(line); }};
}

Result<void> IdentityLedger::CatchUp() {
  Result<void> outcome = journal_.CatchUp(Follower());
  if (book_.Settle()) return outcome;
  offers_ = false;
  journal_.StartOver(Follower());
  return journal_.CatchUp(Follower());
}

// Each against what is recorded, and against those before it.
Result<void> IdentityLedger::CheckFence(std::span<const IdentityChange> changes) const {
  std::map<IdentityName, std::uint32_t> latest;
  for (const IdentityChange& change : changes) {
    const AgentId& agent = change.identity.id;
    const Identity* recorded = book_.Find(agent.identity());
    const std::uint32_t known = recorded == nullptr ? 0 : recorded->id.incarnation();
    std::uint32_t& present = latest[agent.identity()];
    present = std::max(present, known);
    if (agent.incarnation() < present) return Late(agent, present);
    present = agent.incarnation();
  }
  return {};
}

Result<void> IdentityLedger::Record(const StateLock& lock,
                                    std::span<const IdentityChange> changes) {
  BELAY_TRY(CatchUp());
  BELAY_TRY(CheckFence(changes));
  std::vector<Json> records;
  const WallTime now = clock_.Wall();
  for (const IdentityChange& change : changes) {
    records.push_back(IdentityRecord(now, change.kind, change.why, change.identity));
  }
  return journal_.Append(lock, records, Follower());
}

Result<void> IdentityLedger::RecordSeen(const StateLock& lock, const AgentId& agent,
                                        std::optional<WallTime> active_at) {
  BELAY_TRY(CatchUp());
  const Identity* present = book_.Find(agent.identity());
  if (present == nullptr || agent.incarnation() > present->id.incarnation()) {
    return Error{ErrorCode::kNotFound, fmt::format("no agent {}", agent.text())};
  }
  if (agent != present->id) return Late(agent, present->id.incarnation());
  const Json record = SeenRecord(clock_.Wall(), agent, active_at);
  return journal_.Append(lock, {&record, 1}, Follower());
}

Result<void> IdentityLedger::Note(const StateLock& lock, const AgentId& agent,
                                  std::string_view why) {
  const Json record = NotedRecord(clock_.Wall(), agent, why);
  return journal_.Append(lock, {&record, 1}, Follower());
}

Result<bool> IdentityLedger::CompactIfLarge(const StateLock& lock) {
  BELAY_TRY(CatchUp());
  if (book_.unreadable() > 0) return false;
  const WallTime now = clock_.Wall();
  const WallTime oldest = now - kOldestHistory;
  BELAY_TRY_ASSIGN(const bool done, journal_.CompactIfLarge(lock, Follower(), [&] {
    return book_.Snapshot(now, oldest);
  }));
  // As whoever reads the short one knows it.
  if (done) book_.DropHistory(oldest);
  return done;
}

}  // namespace belay
