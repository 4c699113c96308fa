// What the records of the journal "hooks" add up to.

#include <utility>

#include "base/utf8.h"
#include "model/hook.h"

namespace belay {

Json HookRecord(WallTime at, std::string_view kind, std::string_view why, const Hook& hook) {
  return MakeObject({{"at", FormatUtcMicros(at)},
                     {"kind", ReplaceInvalidUtf8(kind)},
                     {"why", ReplaceInvalidUtf8(why)},
                     {"hook", ToJson(hook)}});
}

void HookBook::Apply(const Json& record) {
  const Json* whole = record.Find("hook");
  Result<Hook> hook =
      whole == nullptr ? Result<Hook>(Error{ErrorCode::kDamaged, "no hook"}) : HookFromJson(*whole);
  if (!hook) {
    ++unreadable_;
    return;
  }
  const IdentityName name = hook->identity;
  const auto [at, is_new] = hooks_.try_emplace(name, *hook);
  if (!is_new) {
    if (hook->incarnation < at->second.incarnation) return;  // the fence
    at->second = *std::move(hook);
  }
  changed_.insert(name);
}

const Hook* HookBook::Find(const IdentityName& name) const {
  const auto at = hooks_.find(name);
  return at == hooks_.end() ? nullptr : &at->second;
}

std::set<IdentityName> HookBook::TakeChanged() { return std::exchange(changed_, {}); }

std::vector<Json> HookBook::Snapshot(WallTime now) const {
  std::vector<Json> records;
  for (const auto& [name, hook] : hooks_) {
    records.push_back(HookRecord(now, "compacted", "the journal was made short", hook));
  }
  return records;
}

}  // namespace belay
