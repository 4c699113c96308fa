// The input of `git fast-import`: blobs first, then commits that refer to them by marks.

#ifndef BELAY_ADAPTERS_GIT_IMPORT_STREAM_H_
#define BELAY_ADAPTERS_GIT_IMPORT_STREAM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adapters/git/git.h"
#include "base/time.h"

namespace belay {

// An object by its id, or one of the same stream by its mark (the first is 1).
struct ImportRef {
  std::optional<ObjectId> id = {};
  std::uint64_t mark = 0;
};

struct ImportFile {
  std::string path;
  std::uint32_t mode = 0;  // kNoMode: it is removed
  ImportRef content = {};
};

struct ImportCommit {
  std::uint64_t mark = 0;
  std::string message = {};
  WallTime at = {};
  std::vector<ImportRef> parents = {};
  bool on_first_parent = false;  // start from the first parent's tree, not an empty one
  std::vector<ImportFile> files = {};
};

// The beginning of a blob; exactly `bytes` bytes follow, and then a newline.
std::string ImportBlobHead(std::uint64_t mark, std::uint64_t bytes);
// Removals are written before additions, so that a file can become a folder.
std::string ImportCommitText(const ImportCommit& commit);
// Makes fast-import print the id of a mark on its own line.
std::string ImportQuestion(std::uint64_t mark);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_IMPORT_STREAM_H_
