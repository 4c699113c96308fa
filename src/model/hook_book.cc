// What the records of the journal "hooks" add up to.

#include <utility>

#include "base/utf8.h"
#include "codec/json_lines.h"
#include "codec/json_skim.h"
#include "model/hook.h"

namespace belay {
namespace {

Result<Hook> HookIn(const Json& record) {
  const Json* whole = record.Find("hook");
  if (whole == nullptr) return Error{ErrorCode::kDamaged, "no hook"};
  return HookFromJson(*whole);
}

// Whose hook a line is about.
struct Subject {
  std::string_view name;
  std::uint32_t incarnation = 0;
};

// "schema_version", "identity_name", "incarnation", in that order.
std::optional<Subject> SubjectIn(JsonSkimmer hook) {
  if (!hook.Next() || hook.key() != "schema_version" ||
      hook.Number() != static_cast<std::uint64_t>(Hook::kSchemaVersion)) {
    return std::nullopt;
  }
  if (!hook.Next() || hook.key() != "identity_name") return std::nullopt;
  const std::optional<std::string_view> name = hook.Text();
  if (!hook.Next() || hook.key() != "incarnation") return std::nullopt;
  const std::optional<std::uint64_t> incarnation = hook.Number();
  if (!name || !incarnation || *incarnation == 0 || *incarnation > UINT32_MAX) return std::nullopt;
  return Subject{*name, static_cast<std::uint32_t>(*incarnation)};
}

std::optional<JsonSkimmer> HookIn(std::string_view line) {
  for (JsonSkimmer record(line); record.Next();) {
    if (record.key() == "hook") return record.Object();
  }
  return std::nullopt;
}

// Nothing when it takes parsing to tell.
std::optional<HookGlance> GlanceIn(JsonSkimmer hook) {
  std::optional<WorkPhase> phase;
  std::optional<HookStatus> status;
  while (hook.Next()) {
    if (hook.key() == "status") status = ParseHookStatus(hook.Text().value_or(""));
    if (hook.key() == "work_phase") phase = ParseWorkPhase(hook.Text().value_or(""));
    if (hook.key() != "context_fill") continue;
    const bool plain = phase && status && hook.IsNull();
    return plain ? std::optional(HookGlance{*phase, std::nullopt, *status}) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

Json HookRecord(WallTime at, std::string_view kind, std::string_view why, const Hook& hook) {
  return MakeObject({{"at", FormatUtcMicros(at)},
                     {"kind", ReplaceInvalidUtf8(kind)},
                     {"why", ReplaceInvalidUtf8(why)},
                     {"hook", ToJson(hook)}});
}

void HookBook::Put(Hook hook) {
  const IdentityName name = hook.identity;
  const auto at = hooks_.find(name);
  if (at == hooks_.end()) {
    hooks_.emplace(name, std::move(hook));
  } else {
    if (hook.incarnation < at->second.incarnation) return;  // the fence
    at->second = std::move(hook);
  }
  changed_.insert(name);
}

void HookBook::Apply(const Json& record) {
  (void)Settle();  // whether it could is asked when all is read
  Result<Hook> hook = HookIn(record);
  if (!hook) {
    ++unreadable_;
    return;
  }
  Put(*std::move(hook));
}

bool HookBook::Offer(std::string_view line) {
  const std::optional<JsonSkimmer> hook = HookIn(line);
  const std::optional<Subject> subject = hook ? SubjectIn(*hook) : std::nullopt;
  if (!subject) return false;
  auto offered = offered_.find(subject->name);
  if (offered == offered_.end()) {
    const Result<IdentityName> name = IdentityName::Parse(subject->name);
    if (!name) return false;
    const Hook* known = Find(*name);
    if (known != nullptr && subject->incarnation < known->incarnation) return true;  // the fence
    offered = offered_.emplace(name->text(), Offered{}).first;
  }
  if (subject->incarnation < offered->second.incarnation) return true;
  offered->second.incarnation = subject->incarnation;
  lines_.Put(line, offered->second.line);
  return true;
}

bool HookBook::Settle() {
  const KeptLines lines = std::exchange(lines_, {});
  for (const auto& [name, offered] : std::exchange(offered_, {})) {
    const Result<Json> record = ParseGoodJsonLine(lines.Get(offered.line));
    Result<Hook> hook = record ? HookIn(*record) : Result<Hook>(record.error());
    doubtful_ = doubtful_ || !hook;
    if (hook) Put(*std::move(hook));
  }
  return !doubtful_;
}

const Hook* HookBook::Find(const IdentityName& name) const {
  const auto at = hooks_.find(name);
  return at == hooks_.end() ? nullptr : &at->second;
}

HookGlance GlanceAt(const Hook& hook) { return {hook.work_phase, hook.context_fill, hook.status}; }

std::optional<HookGlance> HookBook::Glance(const IdentityName& name) const {
  const auto offered = offered_.find(name.text());
  const Hook* known = Find(name);
  if (offered == offered_.end()) return known ? std::optional(GlanceAt(*known)) : std::nullopt;
  const std::string_view line = lines_.Get(offered->second.line);
  const std::optional<JsonSkimmer> members = HookIn(line);
  if (const auto glance = members ? GlanceIn(*members) : std::nullopt) return glance;
  const Result<Json> record = ParseGoodJsonLine(line);
  const Result<Hook> hook = record ? HookIn(*record) : Result<Hook>(record.error());
  return hook ? std::optional(GlanceAt(*hook)) : std::nullopt;
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
