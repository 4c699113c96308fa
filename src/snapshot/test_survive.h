// Takes snapshots of real worktrees and checks the invariants of each: nothing else is touched, it
// is complete, nothing is left over, and it holds the worktree's content.

#ifndef BELAY_SNAPSHOT_TEST_SURVIVE_H_
#define BELAY_SNAPSHOT_TEST_SURVIVE_H_

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "adapters/git/fields.h"
#include "adapters/git/status.h"
#include "base/text.h"
#include "snapshot/test_place.h"

namespace belay {

// Everything in a worktree and its repository that isn't belay's, including file times: any access
// that writes changes it.
inline std::string Surroundings(const GitRepository& git, TestPlace& place) {
  const Repository& repository = place.worktree().place;
  std::string all;
  const auto add = [&](const std::string& path) {
    const auto info = place.files().Inspect(path);
    all += path + (info ? " " + std::to_string(info->inode) + " " + std::to_string(info->modified) +
                              " " + std::to_string(info->changed)
                        : " missing");
    const auto bytes = place.files().Read(path, std::size_t{1} << 20U);
    all += "\n" + (bytes ? *bytes : std::string()) + "\n";
  };
  for (const char* name : {"HEAD", "index", "MERGE_HEAD", "ORIG_HEAD", "logs/HEAD"}) {
    add(repository.git_folder + "/" + name);
  }
  for (const char* name : {"config", "info/exclude"}) add(repository.common_folder + "/" + name);
  for (const auto& [path, file] : GitRepository::FilesOf(repository.worktree)) {
    if (file.content.size() < 100'000) add(repository.worktree + "/" + path);
  }
  const std::string refs = git.GitIn(repository.worktree, {"for-each-ref"});
  for (const std::string_view line : Split(refs, '\n')) {
    if (!line.empty() && line.find("refs/belay/") == line.npos) all += std::string(line) + "\n";
  }
  return all + git.GitIn(repository.worktree, {"stash", "list"});
}

// Every file of a commit, with git's modes; for a submodule, its commit.
inline std::map<std::string, SeenFile> FilesIn(const Git& git, const std::string& commit) {
  std::map<std::string, SeenFile> files;
  const auto listed = git.Ask({"ls-tree", "-r", "-z", "--full-tree", commit});
  EXPECT_TRUE(listed.ok()) << listed.error().message;
  std::string input;
  std::vector<std::string> paths;
  Fields fields(*listed, "ls-tree");
  while (!fields.AtEnd()) {
    const std::uint32_t mode = *fields.ModeUntil(' ');
    const bool blob = *fields.Until(' ') == "blob";
    const std::string id = fields.IdUntil('\t')->text();
    const std::string path(*fields.Until('\0'));
    files[path] = {mode, id};
    if (!blob) continue;
    input += id + "\n";
    paths.push_back(path);
  }
  const auto read =
      git.Run({.arguments = {"cat-file", "--batch=%(objectsize)"}, .input = InputOf(input)});
  EXPECT_TRUE(read.ok()) << read.error().message;
  Fields contents(read->out, "cat-file");
  for (const std::string& path : paths) {
    files[path].content = *contents.Bytes(*contents.Until('\n'));
    EXPECT_TRUE(contents.Until('\n').ok());
  }
  return files;
}

// As git sees them.
inline std::map<std::string, SeenFile> FilesThere(const std::string& folder) {
  std::map<std::string, SeenFile> files = GitRepository::FilesOf(folder);
  for (auto& [path, file] : files) {
    if (S_ISLNK(file.mode)) {
      file.mode = kLinkMode;
    } else {
      file.mode = (file.mode & 0100U) != 0 ? kProgramMode : kFileMode;
    }
  }
  return files;
}

class SurviveTest : public ::testing::Test {
 protected:
  // The content recorded in the snapshot: the tree with the untracked files.
  std::map<std::string, SeenFile> FilesOf(const SavedSnapshot& snapshot,
                                          const std::string& folder) {
    std::map<std::string, SeenFile> files = FilesIn(git().In(folder), snapshot.commit.text());
    files.merge(FilesIn(git().In(folder), snapshot.untracked.text()));
    return files;
  }
  std::map<std::string, SeenFile> FilesOf(const SavedSnapshot& snapshot) {
    return FilesOf(snapshot, repository_.path());
  }

  void ExpectWhole(const std::string& folder, const SavedSnapshot& snapshot) {
    const auto objects = git().In(folder).Run(
        {.arguments = {"rev-list", "--objects", "--quiet", snapshot.commit.text()}});
    EXPECT_TRUE(objects.ok()) << objects.error().message;
    // Without git's commit graph: one gc writes it, another may prune its commits a moment later,
    // and fsck reports that as damage. It is only a cache, about deleted snapshots.
    const auto checked =
        git().In(folder).Run({.arguments = {"-c", "core.commitGraph=false", "fsck",
                                            "--connectivity-only", "--no-dangling"}});
    EXPECT_TRUE(checked.ok()) << checked.error().message;
  }

  void ExpectNothingLeft(TestPlace& place) {
    const std::string objects = place.worktree().place.common_folder + "/objects";
    for (const std::string& folder : {objects, objects + "/pack"}) {
      const auto names = place.files().List(folder);
      ASSERT_TRUE(names.ok());
      for (const std::string& name : *names) {
        EXPECT_FALSE(name.starts_with("belay-")) << name;
        EXPECT_FALSE(name.ends_with(".keep")) << name;
        EXPECT_FALSE(name.starts_with("tmp_")) << name;
        if (!name.ends_with(".pack")) continue;
        const std::string index = folder + "/" + name.substr(0, name.size() - 4) + "idx";
        EXPECT_TRUE(place.files().Inspect(index).ok()) << name;
      }
    }
    const auto counted = place.git().Ask({"count-objects", "-v"});
    EXPECT_NE(counted->find("garbage: 0\n"), std::string::npos) << *counted;
  }

  // Takes one, and checks all but its content.
  SavedSnapshot Take(const std::string& folder, TakeRequest request) {
    TestPlace place(folder);
    const std::string before = Surroundings(repository_, place);
    Result<Taken> taken = place.Take(std::move(request));
    if (!taken) throw std::runtime_error(taken.error().message);  // fails and ends the test
    EXPECT_EQ(Surroundings(repository_, place), before);
    ExpectWhole(folder, taken->snapshot);
    ExpectNothingLeft(place);
    return taken->snapshot;
  }
  SavedSnapshot Take(const std::string& folder) {
    return Take(folder, {.keep = TestPlace(folder).keep()});
  }
  SavedSnapshot Take() { return Take(repository_.path()); }

  // Takes one, and checks that it holds exactly the existing files.
  SavedSnapshot TakeAll(const std::string& folder) {
    SavedSnapshot snapshot = Take(folder);
    std::map<std::string, SeenFile> held = FilesOf(snapshot, folder);
    const std::map<std::string, SeenFile> there = FilesThere(folder);
    for (const auto& [path, file] : there) {
      const auto found = held.find(path);
      if (found == held.end()) {
        ADD_FAILURE() << path << " is missing";
        continue;
      }
      EXPECT_EQ(found->second.mode, file.mode) << path;
      EXPECT_TRUE(found->second.content == file.content) << path;
    }
    for (const auto& [path, file] : held) {
      EXPECT_TRUE(there.count(path) > 0 || file.mode == kSubmoduleMode) << path << " was not there";
    }
    return snapshot;
  }
  SavedSnapshot TakeAll() { return TakeAll(repository_.path()); }

  // A changed, a new and a deleted file, and a staged one; in a repository that has `gone`.
  void ChangeSome(const std::string& folder) {
    const std::string name = folder.substr(repository_.outside().path().size() + 1);
    repository_.outside().Write(name + "/tracked.txt", "changed\n");
    repository_.outside().Write(name + "/new/file", std::string("\0\xff", 2));
    repository_.outside().Write(name + "/staged", "staged\n");
    repository_.GitIn(folder, {"add", "staged"});
  }

  const Git& git() { return place_.git(); }

  GitRepository repository_;
  TestPlace place_{repository_.path()};
};

}  // namespace belay

#endif  // BELAY_SNAPSHOT_TEST_SURVIVE_H_
