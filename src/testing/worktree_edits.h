// Edits of a worktree, as values: what a user may do to it.

#ifndef BELAY_TESTING_WORKTREE_EDITS_H_
#define BELAY_TESTING_WORKTREE_EDITS_H_

#include <string>
#include <vector>

#include "testing/git_repository.h"

namespace belay {

struct Edit {
  enum class What {
    kWrite,
    kProgram,  // written, executable
    kPrivate,  // written, readable only by the owner
    kLink,
    kRemove,
    kRename,
    kSwitchMode,
    kAdd,
    kAddAll,
    kIntend,   // git add -N
    kUntrack,  // git rm --cached
    kDelete,   // git rm
  };
  What what = What::kWrite;
  std::string path = {};
  std::string other = {};  // content, target, or where to
};

// Every edit can be made in every state: obstacles are removed, and an impossible edit does
// nothing.
class Editor {
 public:
  explicit Editor(const GitRepository& repository) : repository_(repository) {}

  void Apply(const std::vector<Edit>& edits) const;
  // Git's usual modes, whatever they were.
  void UsualModes() const;
  // An entry of `git add -N` whose file is gone can't be made again: git has no command for it.
  void DropLostIntents() const;

 private:
  void ApplyOne(const Edit& edit) const;
  void Git(std::vector<std::string> words) const;
  void MakeRoom(const std::string& path) const;
  void Remove(const std::string& path) const;
  void Write(const Edit& edit, unsigned mode) const;
  void Rename(const Edit& edit) const;
  void SwitchMode(const std::string& path) const;

  const GitRepository& repository_;
};

}  // namespace belay

#endif  // BELAY_TESTING_WORKTREE_EDITS_H_
