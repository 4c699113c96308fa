// A small repository beside the real one's objects, in which a snapshot is built: what isn't
// finished never shows up in the real one.
//
//   OBJECTS/belay-<16 hex digits>/          a bare repository that borrows the real objects
//   OBJECTS/belay-<16 hex digits>/lock      locked as long as somebody works here
//   OBJECTS/belay-<16 hex digits>/keep      the pack that is moving out, by its hash
//
// A pack moves out in this order: its name is noted in `keep`; a file pack-HASH.keep tells git's gc
// to leave it alone; the pack; its index; the folder is synced. Once a ref names what is in it, the
// .keep goes, and then the scratch repository. What a kill leaves of all this, Sweep removes.

#ifndef BELAY_SNAPSHOT_SCRATCH_H_
#define BELAY_SNAPSHOT_SCRATCH_H_

#include <string>

#include "adapters/git/git.h"
#include "adapters/git/object_id.h"
#include "base/result.h"
#include "codec/hash.h"
#include "os/file_system.h"
#include "snapshot/work_folder.h"

namespace belay {

class Scratch {
 public:
  // Removes what others left when they were killed, as far as it can: a git process that outlived
  // its belay may still be writing there. `common_folder` is that of the repository.
  static void Sweep(FileSystem& files, const std::string& common_folder);

  static Result<Scratch> Create(FileSystem& files, const std::string& common_folder,
                                ObjectFormat format);
  Scratch(Scratch&& other) noexcept = default;
  Scratch& operator=(Scratch&&) = delete;
  ~Scratch();  // removes it, and the .keep: by now a ref protects the pack

  // Runs a call of git's on this repository.
  Result<GitAnswer> Run(const Git& git, GitCall call) const;

  // Everything that `commit` holds and `base` (which may be none) doesn't becomes one pack of the
  // real repository, synced, that gc leaves alone as long as this object is there.
  Result<void> MoveOut(const Git& git, const ObjectId& commit, const ObjectId& base);

 private:
  Scratch(FileSystem& files, std::string common_folder, WorkFolder folder)
      : files_(&files), common_folder_(std::move(common_folder)), folder_(std::move(folder)) {}

  Result<void> Furnish(ObjectFormat format);
  Result<std::string> Pack(const Git& git, const ObjectId& commit, const ObjectId& base) const;

  FileSystem* files_;
  std::string common_folder_;
  WorkFolder folder_;
};

}  // namespace belay

#endif  // BELAY_SNAPSHOT_SCRATCH_H_
