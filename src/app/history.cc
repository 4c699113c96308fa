#include "app/history.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <span>

#include "base/path.h"
#include "ledger/family_table.h"
#include "ledger/outbox.h"
#include "model/delivery.h"

namespace belay {
namespace {

// What hooks have reported and no guardian has recorded, because none runs.
void AddDelivered(const FileSystem& files, const Layout& project, const IdentityName& agent,
                  const std::set<std::string>& recorded, History& history) {
  const Result<std::vector<OutboxName>> names = ListOutbox(files, project);
  if (!names) return;
  for (const OutboxName& name : *names) {
    if (name.agent != agent || name.state != OutboxName::State::kDone) continue;
    const auto done = ReadGiven(files, JoinPath(project.OutboxFolder(), name.name));
    if (!done) continue;
    for (const Signal& signal : std::span(done->batch.messages).first(done->receipt.given)) {
      if (recorded.contains(signal.id)) continue;
      Delivery delivery = DeliveryOf(signal, done->batch.agent);
      delivery.by = name.event;
      history.records.push_back({.journal = std::string(DeliveryFamily::kJournal),
                                 .at = name.at,
                                 .kind = "message given",
                                 .agent_id = done->batch.agent.text(),
                                 .why = DeliveryText(delivery)});
    }
  }
}

}  // namespace

void History::Warn(const Error& error) {
  if (std::ranges::find(warnings, error.message) != warnings.end()) return;
  warnings.push_back(error.message);
  if (!failure) failure = error;
}

History ReadHistory(FileSystem& files, const Layout& project, const HistoryJudge& judge,
                    const TimelineChoice& choice) {
  History history;
  Timeline timeline(files, project, choice);
  const Result<void> read = timeline.CatchUp([&](const TimelineEntry& entry) -> Result<void> {
    std::optional<HistoryRecord> found =
        IsRepeated(entry.record) ? std::nullopt : judge(entry.journal, entry.record);
    if (!found) return {};
    found->journal = entry.journal;
    found->seq = entry.seq;
    found->at = entry.at;
    history.records.push_back(*std::move(found));
    return {};
  });
  for (const Error& error : timeline.Errors()) history.Warn(error);
  if (!read) history.Warn(read.error());
  for (const UnrecordedRenderings& lost : FindUnrecordedRenderings(files, project)) {
    const bool chosen = choice.journal.empty() || choice.journal == lost.journal;
    if (chosen) history.Warn(lost.error);
  }
  return history;
}

Json HistoryRecordJson(const HistoryRecord& record) {
  return MakeObject({{"journal", record.journal},
                     {"seq", record.seq},
                     {"at", FormatUtcMicros(record.at)},
                     {"kind", record.kind},
                     {"agent_id", record.agent_id.empty() ? Json() : Json(record.agent_id)},
                     {"why", record.why}});
}

History ReadAgentHistory(FileSystem& files, const Layout& project, const IdentityName& agent) {
  std::set<std::string> delivered;
  History history = ReadHistory(
      files, project,
      [&](std::string_view journal, const Json& record) -> std::optional<HistoryRecord> {
        const bool message = journal == DeliveryFamily::kJournal;
        if (message && !TextIn(record, "delivered_at").empty()) {
          delivered.insert(TextIn(record, "id"));
        }
        const Family* family = FindFamily(journal);
        std::optional<RecordText> text = family ? family->why_text(record) : std::nullopt;
        if (!text || text->identity != agent.text()) return std::nullopt;
        return HistoryRecord{.kind = std::move(text->what),
                             .agent_id = std::move(text->who),
                             .why = std::move(text->why)};
      });
  AddDelivered(files, project, agent, delivered, history);
  std::ranges::stable_sort(history.records, {}, &HistoryRecord::at);
  return history;
}

Result<void> ReadLog(Env& env, const Layout& project, const LogRequest& request) {
  Timeline timeline(env.files, project, {.since = request.since});
  const auto catch_up = [&] {
    return timeline.CatchUp([&](const TimelineEntry& entry) {
      return entry.at < request.since ? Result<void>() : request.take(entry);
    });
  };
  if (!request.follow) {
    BELAY_TRY(catch_up());
    const auto lost = FindUnrecordedRenderings(env.files, project);
    return lost.empty() ? Result<void>() : Result<void>(lost.front().error);
  }
  BELAY_TRY_ASSIGN(const std::unique_ptr<EventLoop> loop, env.make_loop());
  Result<void> outcome;
  const auto look = [&] {
    outcome = catch_up();
    if (outcome) outcome = request.caught_up();
    if (!outcome) loop->Stop();
  };
  const std::string folder = project.JournalFolder();
  BELAY_TRY(loop->WatchFolderContent(folder, [&](const FolderEvent& event) {
    if (event.change != FolderChange::kGone) return look();
    outcome =
        Error{ErrorCode::kNotFound, fmt::format("{} no longer exists", folder), "run belay init"};
    loop->Stop();
  }));
  BELAY_TRY(StopWhenReaderIsGone(*loop, request.out_pipe));
  look();
  if (outcome) loop->Run();
  return outcome;
}

}  // namespace belay
