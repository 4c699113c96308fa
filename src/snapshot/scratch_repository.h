// A small repository beside the real one's objects, in which a snapshot is built: unfinished work
// never shows up in the real one.
//
//   OBJECTS/belay-<16 hex digits>/          a bare repository that borrows the real objects
//   OBJECTS/belay-<16 hex digits>/lock      locked while in use
//   OBJECTS/belay-<16 hex digits>/keep      the hash of the pack that is moving out
//
// A pack moves out in this order: its name is noted in `keep`; a file pack-HASH.keep makes git's gc
// leave it alone; the pack; its index; the folder is synced. Once a ref holds its content, the
// .keep is removed, and then the scratch repository. Sweep removes what a kill leaves of all this.

#ifndef BELAY_SNAPSHOT_SCRATCH_REPOSITORY_H_
#define BELAY_SNAPSHOT_SCRATCH_REPOSITORY_H_

#include <string>

#include "adapters/git/git.h"
#include "adapters/git/object_id.h"
#include "base/result.h"
#include "codec/hash.h"
#include "os/file_system.h"
#include "snapshot/work_folder.h"

namespace belay {

class ScratchRepository {
 public:
  // Removes what killed processes left, as far as possible: a git process that outlived its belay
  // may still be writing there. `common_folder` is the repository's.
  static void Sweep(FileSystem& files, const std::string& common_folder);

  static Result<ScratchRepository> Create(FileSystem& files, const std::string& common_folder,
                                          ObjectFormat format);
  ScratchRepository(ScratchRepository&& other) noexcept = default;
  ScratchRepository& operator=(ScratchRepository&&) = delete;
  ~ScratchRepository();  // removes it, and the .keep: a ref protects the pack by now

  // Runs git in this repository.
  Result<GitAnswer> Run(const Git& git, GitCall call) const;

  // Packs everything that `commit` holds and `base` (which may be none) doesn't, and moves the pack
  // to the real repository, synced; gc leaves it alone as long as this object exists.
  Result<void> MoveOut(const Git& git, const ObjectId& commit, const ObjectId& base);

 private:
  ScratchRepository(FileSystem& files, std::string common_folder, WorkFolder folder)
      : files_(&files), common_folder_(std::move(common_folder)), folder_(std::move(folder)) {}

  Result<void> FillFolder(ObjectFormat format);
  Result<std::string> Pack(const Git& git, const ObjectId& commit, const ObjectId& base) const;

  FileSystem* files_;
  std::string common_folder_;
  WorkFolder folder_;
};

}  // namespace belay

#endif  // BELAY_SNAPSHOT_SCRATCH_REPOSITORY_H_
