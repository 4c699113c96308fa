#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/path.h"
#include "kills/judge.h"
#include "kills/worker.h"

namespace belay {
namespace {

// How far a stream was announced, and how far acknowledged.
struct Extent {
  std::uint64_t announced = 0;
  std::uint64_t acknowledged = 0;
};

std::map<std::string, Extent> ExtentsOf(const std::vector<Operation>& appends) {
  std::map<std::string, Extent> extents;
  for (const Operation& append : appends) {
    Extent& extent = extents[append.object];
    const std::uint64_t last = append.number + append.count - 1;
    extent.announced = std::max(extent.announced, last);
    if (append.acknowledged()) extent.acknowledged = std::max(extent.acknowledged, last);
  }
  return extents;
}

Problems JudgeExtents(const Tally& tally, const std::vector<Operation>& appends) {
  Problems problems;
  std::map<std::string, Extent> extents = ExtentsOf(appends);
  for (const auto& [stream, count] : tally.counts()) extents.try_emplace(stream);
  for (const auto& [stream, extent] : extents) {
    const std::uint64_t found = tally.CountOf(stream);
    const std::string what =
        fmt::format("journal: stream {}: {} records announced, {} acknowledged, {} found", stream,
                    extent.announced, extent.acknowledged, found);
    if (found < extent.acknowledged) problems.push_back({Problem::Kind::kLost, what});
    if (found > extent.announced) problems.push_back({Problem::Kind::kWrong, what});
  }
  return problems;
}

// Each record stands where its writer reported, or is part of a snapshot that stands behind that.
Problems JudgePlaces(const Tally& tally, const std::vector<Operation>& appends) {
  Problems problems;
  for (const Operation& append : appends) {
    for (std::uint64_t i = 0; append.acknowledged() && i < append.count; ++i) {
      const std::uint64_t told = append.seq - append.count + 1 + i;
      const std::uint64_t found = tally.SeqOf(append.object, append.number + i);
      if (found == told || (found == 0 && told < tally.snapshot_seq())) continue;
      problems.push_back(
          {Problem::Kind::kLost,
           fmt::format("journal: number {} of stream {} was acknowledged as record {}, is {}",
                       append.number + i, append.object, told, found)});
    }
  }
  return problems;
}

}  // namespace

Problems JudgeJournal(FileSystem& files, const std::string& folder, const Ledger& ledger) {
  Tally tally;
  Journal journal(files, JoinPath(folder, "journal"), std::string(kJournalName));
  if (const Result<void> read = journal.CatchUp(tally.Follower()); !read) {
    return {{Problem::Kind::kTorn, read.error().message}};
  }
  if (!tally.problem().empty()) return {{Problem::Kind::kWrong, tally.problem()}};
  const std::vector<Operation> appends = ledger.Of(Deed::kAppend);
  Problems problems = JudgeExtents(tally, appends);
  if (problems.empty()) problems = JudgePlaces(tally, appends);
  return problems;
}

}  // namespace belay
