#include "merge/failure_cause.h"

#include <fmt/core.h>

#include "adapters/git/objects.h"
#include "base/text.h"

namespace belay {
namespace {

constexpr std::uint64_t kLittleRoom = std::uint64_t{16} << 20U;

}  // namespace

bool IsTemporary(const MergeEnv& env, const Error& error) {
  for (const char* const sign :
       {"Read-only file system", "time limit", "Permission denied", "insufficient permission"}) {
    if (error.message.find(sign) != std::string::npos) return true;
  }
  return AffectsEveryEntry(env, error);
}

bool AffectsEveryEntry(const MergeEnv& env, const Error& error) {
  if (error.code == ErrorCode::kBusy) return true;
  for (const char* const sign : {"No space left", "Disk quota", "Input/output error",
                                 "Cannot allocate memory", "out of memory", "Out of memory",
                                 "Too many open files", "Resource temporarily unavailable"}) {
    if (error.message.find(sign) != std::string::npos) return true;
  }
  // Git doesn't always report why it couldn't write a file.
  const Result<MountInfo> mount = env.files.InspectMount(env.common_folder);
  return mount && mount->free_bytes < kLittleRoom;
}

// Git's own errors have exit code 128 or 129, and a message.
bool WasKilled(const Error& error) {
  for (const char* const end : {"exit code 129", "exit code 130", "exit code 137",
                                "exit code 143"}) {  // SIGHUP, SIGINT, SIGKILL, SIGTERM
    if (error.message.ends_with(end)) return true;
  }
  return false;
}

Result<std::string> MissingOf(const MergeEnv& env, const std::string& commit,
                              const std::string& known) {
  const Result<std::string> whole = env.git.Ask(WholeCommitQuestion(commit, known));
  if (whole) return std::string();
  if (IsTemporary(env, whole.error())) return whole.error();
  return OneLine(whole.error().message);
}

bool IsTargetReadable(const MergeEnv& env, const std::string& target) {
  const std::string ref = BranchRef(target);
  return env.git.Ask({"for-each-ref", ref}).ok() &&
         env.git.Ask({"rev-list", "--quiet", ref, "--"}).ok() &&
         env.git.Ask({"ls-tree", "-r", "-z", "--name-only", ref}).ok();
}

Result<std::string> EntryProblem(const MergeEnv& env, const MergeEntry& entry, const Error& error) {
  if (IsTemporary(env, error) || !IsTargetReadable(env, entry.target)) return error;
  BELAY_TRY_ASSIGN(const std::string missing, MissingOf(env, entry.head, BranchRef(entry.target)));
  if (!missing.empty()) {
    return fmt::format(
        "objects of {} at {} are lost ({}): commit the work again, then run belay merge-queue add "
        "{}",
        entry.branch, entry.head.substr(0, 10), missing, ShellQuoted(entry.branch));
  }
  const bool about_it = IsCausedByWork(error) || error.message.starts_with("git ");
  if (!about_it) return error;
  return fmt::format("{}; once that is repaired, run belay merge-queue retry {}",
                     OneLine(error.message), entry.id());
}

std::string OneLine(std::string_view text) {
  std::string line;
  for (const std::string_view part : Split(text, '\n')) {
    if (part.empty()) continue;
    if (!line.empty()) line += ", ";
    line += part;
  }
  return line;
}

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

bool IsCausedByWork(const Error& error) {
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
