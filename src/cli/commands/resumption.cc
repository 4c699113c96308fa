#include "app/resumption.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/commands/commands.h"
#include "cli/text.h"
#include "engine/resumption/section_text.h"
#include "ui/width.h"

namespace belay {
namespace {

constexpr int kStaleExit = 10;
constexpr int kCriticalExit = 11;

struct OpenedDocument {
  ResumptionPlace place;
  DocumentSession session;

  DocumentEnv MakeEnv(Services& services) const {
    return {services.files, services.clock, place.project, place.path, session};
  }
};

Result<OpenedDocument> OpenIt(const Invocation& invocation, Services& services, VaultUse use) {
  BELAY_TRY_ASSIGN(ResumptionPlace place,
                   FindResumptionPlace(services, invocation.Value("--file"), use));
  BELAY_TRY_ASSIGN(DocumentSession session, FindSession(services, place.project));
  return OpenedDocument{std::move(place), std::move(session)};
}

Json SectionJson(const Resumption& section) {
  Json record = Json::EmptyObject();
  for (const ResumptionPart part : AllResumptionParts()) {
    record.Set(ResumptionPartName(part), section[part]);
  }
  return record;
}

std::string RandomEventId(Random& random) {
  std::string id = "cli-";
  for (int i = 0; i < 2; ++i) id += fmt::format("{:016x}", random.Next64());
  return id;
}

Result<Json> ParseData(const Invocation& invocation) {
  const std::optional<std::string> text = invocation.Value("--data");
  if (!text) return Json::EmptyObject();
  Result<Json> data = ParseJson(*text);
  if (data && data->AsObject() != nullptr) return data;
  return Error{ErrorCode::kUsage,
               data ? std::string("--data is not a JSON object")
                    : fmt::format("--data isn't JSON: {}", data.error().message),
               R"(--data '{"agent_id":"auditor","status":"PASS"}')"};
}

int ShowUpdate(Services& services, const OpenedDocument& opened, const UpdateOutcome& outcome,
               std::string_view done) {
  for (const std::string& warning : outcome.warnings) services.io.Say(Printable(warning));
  Json record = MakeObject({{"document", ReplaceInvalidUtf8(opened.place.path)},
                            {"event", outcome.event},
                            {"applied", outcome.applied},
                            {"warnings", MakeArray(outcome.warnings)},
                            {"recovery_state", outcome.section[ResumptionPart::kRecoveryState]}});
  const std::string text = outcome.applied
                               ? fmt::format("{} {}\n", done, Printable(opened.place.path))
                               : fmt::format("{} is unchanged: the event was applied before\n",
                                             Printable(opened.place.path));
  services.io.Show(std::move(record), text);
  return 0;
}

Result<int> Update(Services& services, const OpenedDocument& opened, ResumptionEvent event,
                   bool keep_v1_keys, std::string_view done) {
  event.at = services.clock.Wall();
  if (event.id.empty()) event.id = RandomEventId(services.random);
  BELAY_TRY_ASSIGN(const UpdateOutcome outcome,
                   UpdateDocument(opened.MakeEnv(services), event, keep_v1_keys));
  return ShowUpdate(services, opened, outcome, done);
}

int ShowUnchanged(Services& services, const OpenedDocument& opened, std::string_view why) {
  services.io.Show(MakeObject({{"document", ReplaceInvalidUtf8(opened.place.path)},
                               {"applied", false},
                               {"warnings", Json::EmptyArray()}}),
                   fmt::format("{} is unchanged: {}\n", Printable(opened.place.path), why));
  return 0;
}

bool IsAcknowledged(const Resumption& section, const std::string& id) {
  const auto& events = ItemsOf(MemberOf(section[ResumptionPart::kCompactionEvents], "events"));
  return std::ranges::any_of(events, [&](const Json& one) {
    return TextIn(one, "id") == id && MemberOf(one, "acknowledged") == Json(true);
  });
}

std::string StateText(const DocumentState& state) {
  std::string text;
  for (const std::string& reason : state.staleness.reasons) {
    text += fmt::format("  {}\n", Printable(reason));
  }
  if (state.edited_by_hand) text += "  the section was changed without belay\n";
  if (state.waiting > 0)
    text += fmt::format("  {} to be merged\n", CountText(state.waiting, "event"));
  for (const std::string& problem : state.document.problems) {
    text += fmt::format("  {}\n", Printable(problem));
  }
  return text;
}

int ExitOf(Staleness level) {
  switch (level) {
    case Staleness::kFresh:
      return 0;
    case Staleness::kStale:
      return kStaleExit;
    case Staleness::kCritical:
      return kCriticalExit;
  }
  __builtin_unreachable();
}

Result<DocumentState> ReadIt(const OpenedDocument& opened, Services& services) {
  return ReadDocumentState(opened.MakeEnv(services), opened.place.stale_after);
}

}  // namespace

Result<int> RunResumptionShow(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const OpenedDocument opened, OpenIt(invocation, services, VaultUse::kRead));
  BELAY_TRY_ASSIGN(const DocumentState state, ReadIt(opened, services));
  const Resumption& section = state.document.section;
  Json record = MakeObject({{"document", ReplaceInvalidUtf8(opened.place.path)},
                            {"version", section.version},
                            {"level", StalenessName(state.staleness.level)},
                            {"problems", MakeArray(state.document.problems)}});
  const Json parts = SectionJson(section);
  for (const JsonMember& member : *parts.AsObject()) record.Set(member.key, member.value);
  std::string text =
      fmt::format("{}  {}\n", Printable(opened.place.path), StalenessName(state.staleness.level));
  text += StateText(state);
  for (const JsonMember& member : *parts.AsObject()) {
    text += RenderYamlEntry(member.key, member.value, 0, "\n");
  }
  services.io.Show(std::move(record), text);
  return 0;
}

Result<int> RunResumptionUpdate(const Invocation& invocation, Services& services) {
  const std::optional<Trigger> trigger = ParseTrigger(invocation.operands()[0]);
  if (!trigger) return Error{ErrorCode::kUsage, "the trigger is one of T1 to T8"};
  ResumptionEvent event{.id = invocation.Value("--event").value_or(""), .trigger = *trigger};
  for (const std::string& set : invocation.Values("--set")) BELAY_TRY(SetField(event.set, set));
  BELAY_TRY_ASSIGN(event.data, ParseData(invocation));
  BELAY_TRY_ASSIGN(const OpenedDocument opened, OpenIt(invocation, services, VaultUse::kWrite));
  return Update(services, opened, std::move(event), invocation.Has("--keep-v1-keys"), "updated");
}

Result<int> RunResumptionCheck(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const OpenedDocument opened, OpenIt(invocation, services, VaultUse::kRead));
  BELAY_TRY_ASSIGN(const DocumentState state, ReadIt(opened, services));
  const std::string_view level = StalenessName(state.staleness.level);
  Json record = MakeObject({{"document", ReplaceInvalidUtf8(opened.place.path)},
                            {"level", level},
                            {"reasons", MakeArray(state.staleness.reasons)},
                            {"edited_by_hand", state.edited_by_hand},
                            {"waiting", state.waiting},
                            {"problems", MakeArray(state.document.problems)}});
  services.io.Show(std::move(record), fmt::format("{}\n{}", level, StateText(state)));
  return ExitOf(state.staleness.level);
}

Result<int> RunResumptionBrief(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const OpenedDocument opened, OpenIt(invocation, services, VaultUse::kRead));
  BELAY_TRY_ASSIGN(const DocumentState state, ReadIt(opened, services));
  const std::string text =
      ResumptionBrief(state.document.section, state.staleness.level, services.random);
  services.io.Show(MakeObject({{"level", StalenessName(state.staleness.level)},
                               {"tokens", (text.size() + 3) / 4},
                               {"text", text}}),
                   text);
  return 0;
}

Result<int> RunResumptionMigrate(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const OpenedDocument opened, OpenIt(invocation, services, VaultUse::kWrite));
  BELAY_TRY_ASSIGN(const DocumentState state, ReadIt(opened, services));
  const bool keep = invocation.Has("--keep-v1-keys");
  const Resumption& section = state.document.section;
  if (section.version == 2 && (section.keeps_v1_keys || !keep)) {
    return ShowUnchanged(services, opened, "it has version 2 already");
  }
  return Update(services, opened, {.id = {}, .trigger = Trigger::kThreshold}, keep, "migrated");
}

Result<int> RunResumptionAck(const Invocation& invocation, Services& services) {
  const std::string& id = invocation.operands()[0];
  if (!NumberOfId(id, "CX-")) {
    return Error{ErrorCode::kUsage, fmt::format("{} isn't the id of a compaction", Quote(id)),
                 "ids look like CX-001; belay resumption show lists them"};
  }
  BELAY_TRY_ASSIGN(const OpenedDocument opened, OpenIt(invocation, services, VaultUse::kWrite));
  BELAY_TRY_ASSIGN(const DocumentState state, ReadIt(opened, services));
  if (IsAcknowledged(state.document.section, id)) {
    return ShowUnchanged(services, opened, "the compaction is acknowledged already");
  }
  ResumptionEvent event{
      .id = {}, .trigger = Trigger::kAcknowledge, .data = MakeObject({{"id", id}})};
  return Update(services, opened, std::move(event), false, "acknowledged in");
}

}  // namespace belay
