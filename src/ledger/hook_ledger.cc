#include "ledger/hook_ledger.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "codec/json.h"

namespace belay {
namespace {

Error LateHook(const IdentityName& name, std::uint32_t incarnation, std::uint32_t present) {
  return {ErrorCode::kRefused,
          fmt::format("hook of {}: incarnation {} has already written it, {} is too late",
                      name.text(), present, incarnation),
          "an earlier incarnation can't change anything"};
}

std::string LatestNote(const Json& hook) {
  const Json* notes = hook.Find("notes");
  const Json::Array* list = notes != nullptr ? notes->AsArray() : nullptr;
  return list == nullptr || list->empty() ? std::string() : TextIn(list->back(), "text");
}

}  // namespace

Result<void> HookFamily::EachRendering(const Book& book, const Layout& project,
                                       const RenderingSink& sink) {
  for (const auto& [name, hook] : book.hooks()) {
    const Hook& said = hook;
    BELAY_TRY(sink({project.HookRendering(name), [&] { return ToJson(said); }}));
  }
  return {};
}

RecordText HookFamily::LogText(const Json& record) {
  RecordText text = KindAndWhy(record);
  if (text.what == "heard") text.what = "events";  // the stored kind
  const Json* hook = record.Find("hook");
  if (hook == nullptr) return text;
  text.who = TextIn(*hook, "identity_name");
  const Json* incarnation = hook->Find("incarnation");
  if (incarnation != nullptr && incarnation->AsInteger() != nullptr) {
    text.who += fmt::format("#{}", *incarnation->AsInteger());
  }
  const std::string said = text.what == "phase"  ? TextIn(*hook, "work_phase")
                           : text.what == "note" ? LatestNote(*hook)
                                                 : std::string();
  if (!said.empty()) text.why = fmt::format("{} ({})", said, text.why);
  return text;
}

Result<void> HookLedger::Record(const HookLock& lock, std::string_view kind, std::string_view why,
                                const Hook& hook) {
  BELAY_TRY(CatchUp());
  const Hook* known = book_.Find(hook.identity);
  if (known != nullptr && hook.incarnation < known->incarnation) {
    return LateHook(hook.identity, hook.incarnation, known->incarnation);
  }
  return AppendOne(lock, HookRecord(clock_.Wall(), kind, why, hook));
}

Result<Hook> HookLedger::Change(const HookLock& lock, const IdentityName& name,
                                std::optional<std::uint32_t> incarnation, std::string_view kind,
                                std::string_view why, const std::function<void(Hook&)>& edit) {
  BELAY_TRY(CatchUp());
  const Hook* known = book_.Find(name);
  if (known == nullptr)
    return Error{ErrorCode::kNotFound, fmt::format("no hook for {}", name.text())};
  if (incarnation && *incarnation < known->incarnation) {
    return LateHook(name, *incarnation, known->incarnation);
  }
  const Hook before = *known;
  Hook hook = before;
  hook.incarnation = std::max(before.incarnation, incarnation.value_or(0));
  edit(hook);
  // Compared as stored: a time may differ by less than its stored precision.
  if (ToJson(hook) == ToJson(before)) return before;
  BELAY_TRY(Record(lock, kind, why, hook));
  return *book_.Find(name);
}

Result<void> HookLedger::Render(const HookLock& lock, const IdentityName& name) {
  BELAY_TRY(CatchUp());
  const Hook* hook = book_.Find(name);
  if (hook == nullptr)
    return Error{ErrorCode::kNotFound, fmt::format("no hook for {}", name.text())};
  const std::string path = project_.HookRendering(name);
  return UpdateStateFile(files_, lock, project_, path, ToJson(*hook), RulesOf(lock, path));
}

RenderJob HookLedger::RenderJobOf(const IdentityName& name) {
  return JobOf("hook", name.text(),
               [this, name](const HookLock& lock) { return Render(lock, name); });
}

std::vector<RenderJob> HookLedger::RenderJobs() {
  std::vector<RenderJob> jobs;
  for (const auto& [name, hook] : book_.hooks()) jobs.push_back(RenderJobOf(name));
  return jobs;
}

}  // namespace belay
