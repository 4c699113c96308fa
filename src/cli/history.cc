#include "cli/history.h"

namespace belay {

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
  for (const Error& error : timeline.Errors()) history.warnings.push_back(error.message);
  if (!read && history.warnings.empty()) history.warnings.push_back(read.error().message);
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

}  // namespace belay
