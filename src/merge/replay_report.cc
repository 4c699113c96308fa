#include "merge/replay_report.h"

namespace belay {
namespace {

ConflictLines LinesOf(const LineRange& range) { return {range.first, range.lines}; }

}  // namespace

LandingStrategy StrategyOf(MergeStrategy strategy) {
  switch (strategy) {
    case MergeStrategy::kRebase:
      return LandingStrategy::kRebase;
    case MergeStrategy::kSquash:
      return LandingStrategy::kSquash;
    case MergeStrategy::kMerge:
      return LandingStrategy::kMerge;
  }
  __builtin_unreachable();
}

bool IsOfTheWork(const Error& error) {
  return error.code == ErrorCode::kRefused || error.code == ErrorCode::kNotFound ||
         error.code == ErrorCode::kDamaged || error.code == ErrorCode::kUsage;
}

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
