// Reads the files of a snapshot, each as it was at one moment, and turns them into the blobs of a
// fast-import stream.
//
// A file that changes while it is read is read again, a few times; then it is taken as it is and
// listed as unsteady. Of a growing file, a consistent beginning is taken. A file that disappears is
// omitted; an unreadable one is skipped.

#ifndef BELAY_SNAPSHOT_CAPTURE_STREAM_H_
#define BELAY_SNAPSHOT_CAPTURE_STREAM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/git.h"
#include "adapters/git/import_stream.h"
#include "adapters/git/status.h"
#include "base/result.h"
#include "codec/hash.h"
#include "os/clock.h"
#include "os/file_system.h"
#include "snapshot/capture_list.h"
#include "snapshot/snapshot_record.h"
#include "snapshot/worktree_scan.h"

namespace belay {

struct CapturedFile {
  CaptureItem item;
  std::uint64_t mark;  // in the stream
  GitEntry entry;
  std::uint32_t permissions;  // of a file
  std::uint64_t bytes;
};

class CaptureStream {
 public:
  // Everything is borrowed. The first mark is 1.
  CaptureStream(const FileSystem& files, const Clock& clock, const std::string& worktree,
                const std::vector<CaptureItem>& items, const CaptureRules& rules,
                ObjectFormat format)
      : files_(files),
        clock_(clock),
        worktree_(worktree),
        items_(items),
        rules_(rules),
        format_(format) {}

  // The next piece of the stream; false at its end.
  Result<bool> Next(std::string& piece);

  // Valid at the end.
  const std::vector<CapturedFile>& captured() const { return captured_; }
  const std::vector<CaptureItem>& gone() const { return gone_; }
  const std::vector<SkippedPath>& skipped() const { return skipped_; }
  const std::vector<std::string>& unsteady() const { return unsteady_; }
  std::uint64_t marks() const { return marks_; }

 private:
  // A file that is too large for memory.
  struct Large {
    File file;
    FileInfo info;
    BlobHasher hasher;
    std::uint64_t sent = 0;
    bool shrunk = false;
  };

  Result<void> Begin(const CaptureItem& item, std::string& piece);
  Result<void> BeginFile(const CaptureItem& item, const FileInfo& seen, std::string& piece);
  Result<bool> ReadSmall(const File& file, const FileInfo& info, std::string& content) const;
  Result<void> GoOn(const CaptureItem& item, std::string& piece);
  Result<void> Finish(const CaptureItem& item);
  void AddBlob(const CaptureItem& item, const FileInfo& info, const std::string& content,
               std::string& piece);
  void Fail(const CaptureItem& item, const Error& error);
  void Skip(const CaptureItem& item, SkipReason reason);
  void NextItem();
  bool IsFresh(const FileInfo& info) const;
  bool LiesBehindLink(const std::string& path);

  const FileSystem& files_;
  const Clock& clock_;
  const std::string& worktree_;
  const std::vector<CaptureItem>& items_;
  const CaptureRules& rules_;
  ObjectFormat format_;

  std::string known_folder_;  // no part of its path is a link
  std::size_t next_ = 0;
  int tries_ = 0;
  std::uint64_t marks_ = 0;
  std::optional<Large> large_;
  std::vector<CapturedFile> captured_;
  std::vector<CaptureItem> gone_;
  std::vector<SkippedPath> skipped_;
  std::vector<std::string> unsteady_;
};

// Builds the commits of a snapshot at the end of a fast-import stream, and reads their ids from
// fast-import's answers.

// The commits of a snapshot, as fast-import made them.
struct SnapshotCommits {
  ObjectId commit, base, index, untracked, rest;
};

class CommitBuilder {
 public:
  // `marks` are in use already. Everything is borrowed.
  CommitBuilder(std::uint64_t marks, const SnapshotRecord& record, const WorktreeScan& scan);

  std::string Build(const CaptureStream& stream);
  Result<SnapshotCommits> Read(std::string_view answers) const;

 private:
  ImportRef Add(ImportCommit commit);

  std::uint64_t marks_;
  const SnapshotRecord& record_;
  const WorktreeScan& scene_;
  ImportRef base_;
  std::string text_;
  std::string questions_;
};

}  // namespace belay

#endif  // BELAY_SNAPSHOT_CAPTURE_STREAM_H_
