#include "ledger/hook_ledger.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "ledger/state_file.h"

namespace belay {
namespace {

Error Late(const IdentityName& name, std::uint32_t incarnation, std::uint32_t present) {
  return {ErrorCode::kRefused,
          fmt::format("hook of {}: incarnation {} has written it, {} comes too late", name.text(),
                      present, incarnation),
          "what an earlier incarnation says no longer counts"};
}

}  // namespace

HookLedger::HookLedger(FileSystem& files, const Clock& clock, const Layout& project)
    : files_(files), clock_(clock), project_(project), journal_(files, project, kHookJournal) {}

Result<StateLock> HookLedger::Lock(FileSystem& files, const Layout& project, Duration limit) {
  return LockJournal(files, project, kHookJournal, limit);
}

JournalFollower HookLedger::Follower() {
  return {.forget = [this] { book_.Forget(); },
          .record = [this](std::uint64_t, const Json& record) { book_.Apply(record); },
          .line = [this](std::string_view line) { return offers_ && book_.Offer(line); }};
}

Result<void> HookLedger::CatchUp() {
  Result<void> outcome = journal_.CatchUp(Follower());
  if (book_.Settle()) return outcome;
  offers_ = false;
  journal_.StartOver(Follower());
  return journal_.CatchUp(Follower());
}

Result<void> HookLedger::Record(const StateLock& lock, std::string_view kind, std::string_view why,
                                const Hook& hook) {
  BELAY_TRY(CatchUp());
  const Hook* known = book_.Find(hook.identity);
  if (known != nullptr && hook.incarnation < known->incarnation) {
    return Late(hook.identity, hook.incarnation, known->incarnation);
  }
  const Json record = HookRecord(clock_.Wall(), kind, why, hook);
  return journal_.Append(lock, {&record, 1}, Follower());
}

Result<Hook> HookLedger::Change(const StateLock& lock, const IdentityName& name,
                                std::optional<std::uint32_t> incarnation, std::string_view kind,
                                std::string_view why, const std::function<void(Hook&)>& edit) {
  BELAY_TRY(CatchUp());
  const Hook* known = book_.Find(name);
  if (known == nullptr)
    return Error{ErrorCode::kNotFound, fmt::format("no hook of {}", name.text())};
  if (incarnation && *incarnation < known->incarnation) {
    return Late(name, *incarnation, known->incarnation);
  }
  const Hook before = *known;
  Hook hook = before;
  hook.incarnation = std::max(before.incarnation, incarnation.value_or(0));
  edit(hook);
  // As it would be read back: a time may differ by less than can be written.
  if (ToJson(hook) == ToJson(before)) return before;
  BELAY_TRY(Record(lock, kind, why, hook));
  return *book_.Find(name);
}

Result<void> HookLedger::Render(const StateLock& lock, const IdentityName& name) {
  BELAY_TRY(CatchUp());
  const Hook* hook = book_.Find(name);
  if (hook == nullptr)
    return Error{ErrorCode::kNotFound, fmt::format("no hook of {}", name.text())};
  return UpdateStateFile(files_, lock, project_, project_.HookRendering(name), ToJson(*hook),
                         {.previous = Previous::kKept});
}

Result<void> HookLedger::RenderAll(const StateLock& lock) {
  BELAY_TRY(CatchUp());
  Result<void> first = RemoveStateLeftovers(files_, lock, project_.HooksFolder());
  for (const auto& [name, hook] : book_.hooks()) {
    Result<void> rendered = UpdateStateFile(files_, lock, project_, project_.HookRendering(name),
                                            ToJson(hook), {.previous = Previous::kKept});
    if (!rendered && first) first = std::move(rendered);
  }
  return first;
}

Result<bool> HookLedger::CompactIfLarge(const StateLock& lock) {
  BELAY_TRY(CatchUp());
  if (book_.unreadable() > 0) return false;
  return journal_.CompactIfLarge(lock, Follower(), [&] { return book_.Snapshot(clock_.Wall()); });
}

}  // namespace belay
