// The real git in a test repository, called as belay calls it.

#ifndef BELAY_ADAPTERS_GIT_TEST_GIT_H_
#define BELAY_ADAPTERS_GIT_TEST_GIT_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "adapters/git/git.h"
#include "adapters/git/merge_room.h"
#include "adapters/git/replay.h"
#include "os/environment.h"
#include "os/file_calls.h"
#include "os/file_system.h"
#include "os/program.h"
#include "testing/git_repository.h"

namespace belay {

// The environment of a user without any git configuration.
inline Environment::Variables TestVariables() {
  Environment::Variables variables;
  for (const auto& [name, value] : GitRepository::Environment()) variables.emplace(name, value);
  const char* path = std::getenv("PATH");
  variables.emplace("PATH", path != nullptr ? path : "/usr/bin:/bin");
  variables.emplace("HOME", "/nonexistent");
  return variables;
}

class GitTest : public ::testing::Test {
 protected:
  // With additional or changed variables.
  Git GitWith(const Environment::Variables& more) {
    Environment::Variables variables = TestVariables();
    for (const auto& [name, value] : more) variables.insert_or_assign(name, value);
    return {programs_, Environment(std::move(variables)), repo_.path()};
  }

  ObjectId Resolve(const std::string& name) const {
    std::string text = repo_.Git({"rev-parse", name});
    text.pop_back();
    return *ObjectId::Parse(text);
  }

  GitRepository repo_;
  PosixPrograms programs_;
  Git git_ = GitWith({});
};

// Two branches of a real repository, and a room to merge them in.

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

// The branch "work" is put on main, in a real repository.

class ReplayTest : public MergeTest {
 protected:
  Result<Replay> TryReplay(const ReplayRequest& request) {
    MergeRoom room = OpenRoom(Resolve("main"));
    return ReplayBranch(room, request);
  }
  // Puts the branch "work" on main.
  Replay Land(LandingStrategy strategy = LandingStrategy::kRebase, const ObjectId& start = {}) {
    auto replay = TryReplay(
        {.head = Resolve("work"), .branch = "work", .strategy = strategy, .start = start});
    EXPECT_TRUE(replay.ok()) << (replay ? "" : replay.error().message);
    return replay ? *std::move(replay) : Replay{Replay::End::kConflict, strategy};
  }
  std::string Log(const ObjectId& commit, const std::string& format) const {
    return repo_.Git({"log", "--format=" + format, "main.." + commit.text()});
  }
  // Two commits on "work", and one on main since.
  void Diverge() const {
    OnBranch("work");
    CommitFile("a", "1\n");
    CommitFile("b", "2\n");
    OnBranch("main");
    CommitFile("c", "3\n");
  }
  // A commit on top of the branch "work", with `edit` applied to the bytes of an ordinary one.
  ObjectId PutOnWork(const std::string& from, const std::string& to) const {
    std::string bytes = Show(Resolve("work"));
    bytes.replace(bytes.find(from), from.size(), to);
    const ObjectId id = WriteCommit(bytes);
    repo_.Git({"update-ref", "refs/heads/work", id.text()});
    return id;
  }
  static std::string HeadersAndMessage(const std::string& commit) {
    return commit.substr(commit.find("author "));
  }
};

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_TEST_GIT_H_
