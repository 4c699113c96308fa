#include "merge/replay_report.h"

namespace belay {
namespace {

ConflictLines LinesOf(const LineRange& range) { return {range.first, range.lines}; }

}  // namespace

ConflictReport ReportOf(const ReplayConflict& conflict) {
  ConflictReport report{.commit = conflict.commit.text(), .target = {}};
  for (const ObjectId& commit : conflict.in_target) report.target.push_back(commit.text());
  for (const ConflictedFile& file : conflict.files) {
    ConflictFile& kept = report.files.emplace_back(ConflictFile{file.path, file.kind});
    for (const ConflictRange& range : file.ranges) {
      kept.hunks.push_back({LinesOf(range.ours), LinesOf(range.theirs)});
    }
  }
  return report;
}

}  // namespace belay
