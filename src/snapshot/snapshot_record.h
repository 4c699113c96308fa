// The metadata of a snapshot. It is in its commit message, after the first line, so that the ref is
// enough to read it:
//
//   before restoring main/4
//
//   {"schema_version":1,"at":"2026-11-15T06:36:00.123456Z","worktree":"/home/me/app","branch":"main",
//    "base":true,"files":15,"bytes":12345,"state":"<sha256>","skipped":[["big.bin","too_large"]],
//    "modes":[["run.sh","700"]],"unsteady":["server.log"],"converts":true,"raw":["a.bat"]}
//
// Paths are quoted like git does where necessary (adapters/git/fields.h). A missing member has
// its default; an unknown one is ignored.

#ifndef BELAY_SNAPSHOT_SNAPSHOT_RECORD_H_
#define BELAY_SNAPSHOT_SNAPSHOT_RECORD_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace belay {

enum class SkipReason {
  kSecret,      // it matches a pattern of sensitive files
  kTooLarge,    // over the limit
  kRepository,  // a nested repository
  kSubmodule,   // changed content of a submodule; its commit is captured
  kUnreadable,  // no permission, or the disk failed
  kSpecial,     // a socket, a pipe, a device
  kBehindLink,  // a folder on its path is a link
  kGitName,     // a part of its path is ".git", in any case
};

std::string_view SkipReasonName(SkipReason reason);     // "too_large", for records
std::string_view SkipReasonMeaning(SkipReason reason);  // "over the size limit", for people

struct SkippedPath {
  std::string path;
  SkipReason reason;

  bool operator==(const SkippedPath&) const = default;
};

struct SnapshotRecord {
  std::string message = {};  // the first line
  WallTime at = {};
  std::string agent_id = {};  // empty: taken by hand
  std::string worktree = {};
  std::string branch = {};  // empty: detached
  bool has_base = true;     // false: no commit yet, and an empty one is used
  std::uint64_t files = 0;  // changed, deleted and untracked ones
  std::uint64_t bytes = 0;  // captured
  std::string state = {};   // a digest of everything captured: equal for equal states
  std::vector<SkippedPath> skipped = {};
  std::map<std::string, std::uint32_t> modes = {};  // permissions that git doesn't keep
  std::vector<std::string> unsteady = {};           // captured during writes by another process
  // Tracked files with the exact bytes of the base, which git would check out with others.
  std::vector<std::string> raw = {};
  bool converts = false;  // git may convert files here, e.g. line endings

  bool operator==(const SnapshotRecord&) const = default;
};

std::string WriteSnapshotMessage(const SnapshotRecord& record);
// A newer version, or no record at all: kDamaged.
Result<SnapshotRecord> ParseSnapshotMessage(std::string_view message);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_SNAPSHOT_RECORD_H_
