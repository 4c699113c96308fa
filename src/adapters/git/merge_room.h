// belay's own folder, in which git merges commits in the object store: as if the target were
// checked out there, but holding only its attributes files.
//
// Otherwise git would use the attributes in whatever worktree it is called from, and the same merge
// could have different results. The room is also a repository of its own that only borrows the
// objects of the real one: neither its configuration, with drivers and settings that affect merges,
// nor its info/attributes count.
//
// Objects are written into the room, not into the repository: no `git prune` or `git gc` there can
// delete one while others are still built on it. They aren't synced, and disappear with the room;
// objects.h copies the needed ones into the repository.

#ifndef BELAY_ADAPTERS_GIT_MERGE_ROOM_H_
#define BELAY_ADAPTERS_GIT_MERGE_ROOM_H_

#include <set>
#include <span>
#include <string>
#include <string_view>

#include "adapters/git/git.h"
#include "base/result.h"
#include "os/environment.h"
#include "os/file_system.h"

namespace belay {

class MergeRoom {
 public:
  struct Place {
    std::string common_folder;  // of the repository
    std::string folder;         // emptied or created; no other process may use it at the same time
  };
  // Everything is borrowed.
  static Result<MergeRoom> Open(const Git& git, FileSystem& files, const Place& place,
                                const ObjectId& target);

  const ObjectId& target() const { return target_; }
  const std::string& common_folder() const { return place_.common_folder; }
  FileSystem& files() const { return *files_; }

  // The room's own git folder.
  std::string git_folder() const;

  // In the room, with its objects and the repository's; it has no refs.
  Result<GitAnswer> Run(GitCall call) const;
  // The same, but writes into the repository, synced, and doesn't see the room's objects.
  Result<GitAnswer> RunInRepository(GitCall call) const;
  // Fetches the target's attributes for these paths. False when that added nothing: merges done so
  // far are valid.
  Result<bool> FetchAttributes(const std::set<std::string>& paths);
  // Stores commits, given as raw bytes, and returns their ids.
  Result<std::vector<ObjectId>> WriteCommits(std::span<const std::string> commits) const;

 private:
  MergeRoom(const Git& git, FileSystem& files, Place place, ObjectId target)
      : git_(git.In(place.folder)),
        files_(&files),
        place_(std::move(place)),
        target_(std::move(target)) {}
  void AddTo(GitCall& call) const;
  Result<bool> WriteAttributes(std::span<const std::string> folders, std::string_view answers);

  Git git_;
  FileSystem* files_;
  Place place_;
  ObjectId target_;
  Environment::Variables environment_;
  std::string shared_;                                // a setting, or empty
  std::set<std::string, std::less<>> known_folders_;  // with attributes in the room
};

// Makes a repository in an existing folder. It borrows the objects of the folder `objects`, and
// what is added to it stays in it. `settings`: more lines of its section [core].
Result<void> MakeBorrowingRepository(FileSystem& files, const std::string& folder,
                                     const std::string& objects, ObjectFormat format,
                                     std::string_view settings = {});

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_MERGE_ROOM_H_
