// A folder of belay's own, in which git merges commits in the object store: as if the target were
// checked out there, but with nothing in it except what its attributes say about merging.
//
// Without such a folder git would go by the attributes that happen to lie in the worktree it is
// called in, and the same merge could come out differently the next time. The room is a repository
// of its own, too, that uses the objects of the other one and nothing else of it: neither its
// configuration, with drivers and settings that bend merges, nor its info/attributes count.
//
// Objects are written into the room, not into the repository: no `git prune` and no `git gc` there
// can take one away while others are still built on it. They aren't synced, and go with the room;
// objects.h puts what is needed into the repository.

#ifndef BELAY_ADAPTERS_GIT_MERGE_ROOM_H_
#define BELAY_ADAPTERS_GIT_MERGE_ROOM_H_

#include <set>
#include <span>
#include <string>
#include <string_view>

#include "adapters/git/git.h"
#include "adapters/git/object_id.h"
#include "base/result.h"
#include "os/environment.h"
#include "os/file_system.h"

namespace belay {

class MergeRoom {
 public:
  struct Place {
    std::string common_folder;  // of the repository
    std::string folder;         // emptied, or made; nobody else may use it meanwhile
  };
  // Everything is borrowed.
  static Result<MergeRoom> Open(const Git& git, FileSystem& files, const Place& place,
                                const ObjectId& target);

  const ObjectId& target() const { return target_; }
  const std::string& common_folder() const { return place_.common_folder; }
  FileSystem& files() const { return *files_; }

  // The room's own git folder.
  std::string git_folder() const;

  // In the room, on its objects and the repository's; it has no refs.
  Result<GitAnswer> Run(GitCall call) const;
  // The same, but what is written goes into the repository, synced. The room's objects aren't seen.
  Result<GitAnswer> RunInRepository(GitCall call) const;
  // Fetches the target's attributes for these paths. False when it has none that weren't there
  // already: what was merged so far stands.
  Result<bool> FetchAttributes(const std::set<std::string>& paths);
  // Stores commits, given as their raw bytes, and gives their ids.
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
  std::set<std::string, std::less<>> known_folders_;  // whose attributes are here
};

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_MERGE_ROOM_H_
