#include "testing/git_repository.h"

#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/check.h"
#include "testing/real_process.h"

namespace belay {

namespace fs = std::filesystem;

namespace {

RunOutcome RunGit(const std::string& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "git");
  return RunReal(arguments, {.folder = folder, .environment = GitRepository::Environment()});
}

SeenFile Look(const fs::path& path) {
  struct stat info {};
  BELAY_CHECK(lstat(path.c_str(), &info) == 0);
  if (S_ISLNK(info.st_mode)) return {info.st_mode, fs::read_symlink(path).native()};
  std::ifstream file(path, std::ios::binary);
  return {info.st_mode, {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()}};
}

}  // namespace

std::map<std::string, std::string> GitRepository::Environment() {
  return {{"GIT_CONFIG_GLOBAL", "/dev/null"},
          {"GIT_CONFIG_NOSYSTEM", "1"},
          {"GIT_AUTHOR_NAME", "t"},
          {"GIT_AUTHOR_EMAIL", "t@example.org"},
          {"GIT_COMMITTER_NAME", "t"},
          {"GIT_COMMITTER_EMAIL", "t@example.org"},
          {"LC_ALL", "C"}};
}

GitRepository::GitRepository(Start start) : root_(folder_ / "repo") {
  GitIn(folder_.path(), {"init", "-q", "-b", "main", root_});
  if (start == Start::kNoCommit) return;
  Write("tracked.txt", "first\n");
  CommitAll("first");
}

std::string GitRepository::GitIn(const std::string& folder,
                                 std::vector<std::string> arguments) const {
  const std::string name = arguments.empty() ? "" : arguments[0];
  const RunOutcome outcome = RunGit(folder, std::move(arguments));
  if (outcome.exit_code != 0) {
    (void)std::fprintf(stderr, "git %s: exit %d: %s\n", name.c_str(), outcome.exit_code,
                       outcome.err.c_str());
  }
  BELAY_CHECK(outcome.exit_code == 0);
  return outcome.out;
}

std::string GitRepository::Git(std::vector<std::string> arguments) const {
  return GitIn(root_, std::move(arguments));
}

int GitRepository::TryGit(std::vector<std::string> arguments) const {
  return RunGit(root_, std::move(arguments)).exit_code;
}

void GitRepository::Write(std::string_view name, std::string_view bytes) const {
  folder_.Write("repo/" + std::string(name), bytes);
}

std::string GitRepository::Read(std::string_view name) const {
  return folder_.Read("repo/" + std::string(name));
}

void GitRepository::Remove(std::string_view name) const { fs::remove_all(*this / name); }

void GitRepository::MakeLink(std::string_view target, std::string_view name) const {
  const fs::path path(*this / name);
  fs::create_directories(path.parent_path());
  fs::create_symlink(fs::path(target), path);
}

void GitRepository::SetMode(std::string_view name, unsigned mode) const {
  BELAY_CHECK(chmod((*this / name).c_str(), mode) == 0);
}

void GitRepository::CommitAll(const std::string& message) const {
  Git({"add", "-A"});
  Git({"commit", "-q", "--allow-empty", "-m", message});
}

std::map<std::string, SeenFile> GitRepository::FilesOf(const std::string& folder) {
  std::map<std::string, SeenFile> files;
  for (fs::recursive_directory_iterator entry(folder), end; entry != end; ++entry) {
    if (entry->path().filename() == ".git") {
      entry.disable_recursion_pending();
    } else if (entry->is_symlink() || !entry->is_directory()) {
      files.emplace(entry->path().native().substr(folder.size() + 1), Look(entry->path()));
    }
  }
  return files;
}

// An entry of `git add -N` looks like a staged empty file; the difference to HEAD distinguishes the
// two. Status would too, but it reports a file as changed whose size differs from the recorded one,
// even if only converted line ends differ: then its output depends on when the file was last read.
std::string GitRepository::IndexOf(const std::string& folder) const {
  return GitIn(folder, {"ls-files", "-s", "-z"}) + "\n" +
         GitIn(folder, {"diff", "--cached", "--raw", "--no-renames", "--abbrev=40", "-z"});
}

}  // namespace belay
