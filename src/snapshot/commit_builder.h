// Builds the commits of a snapshot at the end of a fast-import stream, and reads their ids from
// fast-import's answers.

#ifndef BELAY_SNAPSHOT_COMMIT_BUILDER_H_
#define BELAY_SNAPSHOT_COMMIT_BUILDER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/git/import_stream.h"
#include "adapters/git/object_id.h"
#include "base/result.h"
#include "snapshot/capture_stream.h"
#include "snapshot/scene.h"
#include "snapshot/snapshot_record.h"

namespace belay {

// The commits of a snapshot, as fast-import made them.
struct SnapshotCommits {
  ObjectId commit, base, index, untracked, rest;
};

class CommitBuilder {
 public:
  // `marks` are in use already. Everything is borrowed.
  CommitBuilder(std::uint64_t marks, const SnapshotRecord& record, const Scene& scene);

  std::string Build(const CaptureStream& stream);
  Result<SnapshotCommits> Read(std::string_view answers) const;

 private:
  ImportRef Add(ImportCommit commit);

  std::uint64_t marks_;
  const SnapshotRecord& record_;
  const Scene& scene_;
  ImportRef base_;
  std::string text_;
  std::string questions_;
};

}  // namespace belay

#endif  // BELAY_SNAPSHOT_COMMIT_BUILDER_H_
