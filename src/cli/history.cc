#include "cli/history.h"

#include "codec/json_member.h"
#include "ledger/archive.h"
#include "store/journal.h"

namespace belay {
namespace {

// One journal: what was archived of it, oldest first, then itself. Numbers go on through all of
// them, so what was told once isn't told again.
class Reader {
 public:
  Reader(FileSystem& files, std::string_view journal, const HistoryJudge& judge, History& history)
      : files_(files), journal_(journal), judge_(judge), history_(history) {}

  void Read(const std::string& path) {
    Journal journal(files_, path, std::string(journal_));
    const Result<void> read = journal.CatchUp(
        {.record = [this](std::uint64_t seq, const Json& record) { Take(seq, record); }});
    if (!read) history_.warnings.push_back(read.error().message);
  }

 private:
  void Take(std::uint64_t seq, const Json& record) {
    if (seq <= told_) return;
    told_ = seq;
    if (const Result<WallTime> at = ParseUtc(TextIn(record, "at"))) last_ = *at;
    std::optional<HistoryRecord> read = judge_(record);
    if (!read) return;
    read->seq = seq;
    read->at = last_;
    history_.records.push_back(*std::move(read));
  }

  FileSystem& files_;
  std::string_view journal_;
  const HistoryJudge& judge_;
  History& history_;
  std::uint64_t told_ = 0;
  WallTime last_ = {};
};

}  // namespace

void ReadHistory(FileSystem& files, const Layout& project, std::string_view journal,
                 const HistoryJudge& judge, History& history) {
  Reader reader(files, journal, judge, history);
  if (const auto archived = ArchivedJournals(files, project, journal)) {
    for (const std::string& path : *archived) reader.Read(path);
  }
  reader.Read(project.JournalFile(journal));
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
