// A real repository in a temporary folder, made by the real git, for tests: with one commit that
// holds `tracked.txt`, on the branch main, and without the user's configuration.

#ifndef BELAY_TESTING_GIT_REPOSITORY_H_
#define BELAY_TESTING_GIT_REPOSITORY_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "testing/temp_folder.h"

namespace belay {

// A file or link of a worktree, as visible to every program.
struct SeenFile {
  unsigned mode;        // kind and permission bits, as st_mode
  std::string content;  // of a link: its target

  bool operator==(const SeenFile&) const = default;
};

class GitRepository {
 public:
  enum class Start { kOneCommit, kNoCommit };
  explicit GitRepository(Start start = Start::kOneCommit);

  const std::string& path() const { return root_; }
  std::string operator/(std::string_view name) const { return root_ + "/" + std::string(name); }
  const TempFolder& outside() const { return folder_; }  // holds the repository as `repo`

  // Runs git in the main worktree, or in another folder. Returns its output; a failure aborts the
  // test program, except with TryGit, which returns the exit code.
  std::string Git(std::vector<std::string> arguments) const;
  std::string GitIn(const std::string& folder, std::vector<std::string> arguments) const;
  int TryGit(std::vector<std::string> arguments) const;

  void Write(std::string_view name, std::string_view bytes) const;
  std::string Read(std::string_view name) const;  // "(missing)" if it doesn't exist
  void Remove(std::string_view name) const;       // files, links and folders
  void MakeLink(std::string_view target, std::string_view name) const;
  void SetMode(std::string_view name, unsigned mode) const;
  void CommitAll(const std::string& message) const;  // also untracked files

  // Every file and link of a worktree except git's, by path. Folders aren't listed.
  std::map<std::string, SeenFile> Files() const { return FilesOf(root_); }
  static std::map<std::string, SeenFile> FilesOf(const std::string& folder);
  // The index, with stages and intent-to-add, but without anything that depends on when files were
  // written.
  std::string Index() const { return IndexOf(root_); }
  std::string IndexOf(const std::string& folder) const;

  // The environment for git, and for a belay that calls git.
  static std::map<std::string, std::string> Environment();

 private:
  TempFolder folder_;
  std::string root_;
};

}  // namespace belay

#endif  // BELAY_TESTING_GIT_REPOSITORY_H_
