// Two branches of a real repository, and a room to merge them in.

#ifndef BELAY_ADAPTERS_GIT_TEST_MERGE_H_
#define BELAY_ADAPTERS_GIT_TEST_MERGE_H_

#include <string>
#include <utility>
#include <vector>

#include "adapters/git/merge_room.h"
#include "adapters/git/test_git.h"
#include "os/file_calls.h"
#include "os/file_system.h"

namespace belay {

class MergeTest : public GitTest {
 protected:
  static std::string Lines(int count, const std::string& word = "line") {
    std::string text;
    for (int i = 1; i <= count; ++i) text += word + " " + std::to_string(i) + "\n";
    return text;
  }
  // Creates a branch, or switches to it.
  void OnBranch(const std::string& name) const {
    if (repo_.TryGit({"checkout", "-q", name}) != 0) repo_.Git({"checkout", "-q", "-b", name});
  }
  ObjectId Commit(const std::string& message) const {
    repo_.CommitAll(message);
    return Resolve("HEAD");
  }
  ObjectId CommitFile(const std::string& path, const std::string& bytes) const {
    repo_.Write(path, bytes);
    return Commit("write " + path);
  }
  // A commit object, byte by byte.
  ObjectId WriteCommit(const std::string& bytes) const {
    const auto answer =
        git_.Run({.arguments = {"hash-object", "-t", "commit", "-w", "--literally", "--stdin"},
                  .input = InputOf(bytes)});
    return *ObjectId::Parse(answer->out.substr(0, answer->out.size() - 1));
  }
  std::string Show(const ObjectId& commit) const {
    return repo_.Git({"cat-file", "commit", commit.text()});
  }
  // From the repository or from the room.
  std::string FileIn(const ObjectId& treeish, const std::string& path) const {
    return Ask({"cat-file", "blob", treeish.text() + ":" + path});
  }
  std::string Ask(std::vector<std::string> arguments) const {
    const std::string objects = Place().folder + "/.git/objects";
    const auto answer = git_.Run({.arguments = std::move(arguments),
                                  .environment = {{"GIT_ALTERNATE_OBJECT_DIRECTORIES", objects}}});
    EXPECT_TRUE(answer.ok()) << (answer ? "" : answer.error().message);
    return answer ? answer->out : "";
  }
  std::string CommonFolder() const { return repo_.path() + "/.git"; }
  MergeRoom::Place Place() const { return {CommonFolder(), repo_.outside() / "room"}; }
  MergeRoom OpenRoom(const ObjectId& target) {
    auto room = MergeRoom::Open(git_, files_, Place(), target);
    EXPECT_TRUE(room.ok()) << (room ? "" : room.error().message);
    return *std::move(room);
  }

  RealFileCalls calls_;
  FileSystem files_{calls_};
};

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_TEST_MERGE_H_
