// Calls do and print the same whatever the user configured, and run none of the user's programs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/git/refs.h"
#include "adapters/git/status.h"
#include "adapters/git/test_git.h"

namespace belay {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kHostile = R"(
[status]
  showUntrackedFiles = no
  renames = copies
  relativePaths = true
  short = true
  branch = false
  showStash = true
  submoduleSummary = true
[color]
  ui = always
  status = always
  diff = always
[column]
  ui = always
[core]
  quotePath = true
  pager = touch MARKS/pager
  fsmonitor = MARKS/monitor
  untrackedCache = true
  hooksPath = MARKS/hooks
  editor = touch MARKS/editor
  askPass = touch MARKS/askpass
  fsync = none
  warnAmbiguousRefs = true
  logAllRefUpdates = always
  abbrev = 4
[pager]
  status = touch MARKS/pager
  diff-tree = touch MARKS/pager
[diff]
  noprefix = true
  mnemonicPrefix = true
  external = touch MARKS/external
  renames = copies
  ignoreSubmodules = all
  orderFile = MARKS/order
  submodule = log
  relative = true
  wsErrorHighlight = all
  context = 0
[log]
  showRoot = false
  date = relative
  showSignature = true
[gpg]
  program = MARKS/gpg
[alias]
  status = !touch MARKS/alias
  for-each-ref = !touch MARKS/alias
[gc]
  auto = 1
[fetch]
  recurseSubmodules = true
[submodule]
  recurse = true
[i18n]
  commitEncoding = utf-16
  logOutputEncoding = utf-16
[credential]
  helper = !touch MARKS/credential
[commit]
  gpgSign = true
[versionsort]
  suffix = 1
)";

class GitSettingsTest : public GitTest {
 protected:
  GitSettingsTest() {
    for (const std::string name : {"reference-transaction", "post-index-change", "pre-auto-gc"}) {
      Script("marks/hooks/" + name);
    }
    Script("marks/monitor");
    Script("marks/gpg");
    Folder().Write("marks/order", "z*\n");
    std::string text(kHostile);
    for (std::size_t at; (at = text.find("MARKS")) != std::string::npos;) {
      text.replace(at, 5, Folder() / "marks");
    }
    Folder().Write("config", text);
    for (const std::string name : {"tracked.txt", "a\nb", "z/z", "ü"}) repo_.Write(name, "change");
    for (const char* number : {"1", "2", "10"}) {
      repo_.Git({"update-ref", std::string("refs/belay/x/") + number, "HEAD"});
    }
  }

  const TempFolder& Folder() const { return repo_.outside(); }
  void Script(const std::string& name) const {
    Folder().Write(name, "#!/bin/sh\ntouch '" + (Folder() / "ran") + "'\n");
    repo_.SetMode("../" + name, 0755);
  }
  std::string Marks() const {
    std::string marks;
    for (const char* name : {"ran", "marks/pager", "marks/external", "marks/alias", "marks/askpass",
                             "marks/credential", "marks/editor"}) {
      if (Folder().Read(name) != "(missing)") marks += name;
    }
    return marks;
  }

  Git hostile_ = GitWith({{"GIT_CONFIG_GLOBAL", Folder() / "config"}});
};

TEST_F(GitSettingsTest, AreAsHostileAsTheyLook) {
  const auto outcome = programs_.Run({.command = {"git", "status"},
                                      .limit = std::chrono::seconds(60),
                                      .folder = repo_.path(),
                                      .environment = [&] {
                                        auto variables = TestVariables();
                                        variables["GIT_CONFIG_GLOBAL"] = Folder() / "config";
                                        return variables;
                                      }()});
  ASSERT_TRUE(outcome);
  EXPECT_THAT(outcome->out, ::testing::HasSubstr("\033["));
  EXPECT_THAT(outcome->out, ::testing::Not(::testing::HasSubstr("z/z")));
  EXPECT_EQ(Marks(), "ran");
}

TEST_F(GitSettingsTest, DontChangeTheStatus) {
  const GitCall call{.arguments = {"status", "--porcelain=v2", "-z", "--branch",
                                   "--untracked-files=all", "--no-renames"}};
  EXPECT_EQ(hostile_.Run(call)->out, git_.Run(call)->out);
  const auto status = ReadStatus(hostile_);
  ASSERT_TRUE(status) << status.error().message;
  std::vector<std::string> paths;
  for (const StatusEntry& entry : status->entries) paths.push_back(entry.path);
  EXPECT_THAT(paths, ElementsAre("tracked.txt", "a\nb", "z/z", "ü"));
  EXPECT_EQ(Marks(), "");
}

TEST_F(GitSettingsTest, DontChangeComparisons) {
  const ObjectId before = Resolve("HEAD");
  repo_.CommitAll("second");
  const TreePair pair{before, Resolve("HEAD")};
  const auto changes = CompareCommits(hostile_, {&pair, 1});
  ASSERT_TRUE(changes) << changes.error().message;
  EXPECT_EQ((*changes)[0], (*CompareCommits(git_, {&pair, 1}))[0]);
  EXPECT_EQ((*changes)[0].size(), 4u);
  const TreePair root{{}, before};
  EXPECT_EQ((*CompareCommits(hostile_, {&root, 1}))[0].size(), 1u);
  EXPECT_EQ(Marks(), "");
}

TEST_F(GitSettingsTest, DontChangeRefs) {
  EXPECT_TRUE(*CreateRef(hostile_, "refs/belay/x/11", Resolve("HEAD")));
  EXPECT_EQ((*LastRef(hostile_, "refs/belay/x/"))->name, "refs/belay/x/11");
  EXPECT_EQ(ListRefs(hostile_, "refs/belay/x/")->size(), 4u);
  const RefAndValue ref{"refs/belay/x/11", Resolve("HEAD")};
  EXPECT_TRUE(DeleteRefs(hostile_, {&ref, 1}).ok());
  EXPECT_EQ(Marks(), "");
}

TEST_F(GitSettingsTest, OfSignaturesDontCount) {
  std::string commit = repo_.Git({"cat-file", "commit", "HEAD"});
  commit.insert(commit.find("\n\n"), "\ngpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END");
  const auto id = git_.Run(
      {.arguments = {"hash-object", "-t", "commit", "-w", "--stdin"}, .input = InputOf(commit)});
  ASSERT_TRUE(id);
  repo_.Git({"update-ref", "-m", "signed", "refs/heads/main", id->out.substr(0, 40)});
  const auto log = hostile_.Ask({"log", "-g", "-1", "--format=%H %gs", "refs/heads/main", "--"});
  ASSERT_TRUE(log);
  EXPECT_EQ(*log, id->out.substr(0, 40) + " signed\n");
  EXPECT_EQ(Marks(), "");
}

TEST_F(GitSettingsTest, OfAPartialCloneFetchNothing) {
  Script("marks/evil");
  repo_.Git({"config", "core.repositoryFormatVersion", "1"});
  repo_.Git({"config", "extensions.partialClone", "ev"});
  repo_.Git({"config", "remote.ev.url", repo_.path()});
  repo_.Git({"config", "remote.ev.promisor", "true"});
  repo_.Git({"config", "remote.ev.uploadpack", Folder() / "marks/evil"});
  const std::string missing(40, 'a');
  EXPECT_FALSE(git_.Ask({"merge-base", "--is-ancestor", missing, "HEAD"}).ok());
  EXPECT_EQ(Marks(), "");
  EXPECT_NE(repo_.TryGit({"merge-base", "--is-ancestor", missing, "HEAD"}), 0);
  EXPECT_EQ(Marks(), "ran") << "as hostile as it looks";
}

TEST_F(GitSettingsTest, OfFsyncDontCount) {
  const auto fsync = hostile_.Ask({"config", "--get-all", "core.fsync"});
  ASSERT_TRUE(fsync);
  EXPECT_EQ(*fsync, "none\nall\n");  // the last one counts
}

TEST_F(GitSettingsTest, OfTheRepositoryRunNothingEither) {
  Script("repo/.git/hooks/reference-transaction");
  Script("repo/.git/hooks/post-index-change");
  repo_.Git({"config", "core.fsmonitor", Folder() / "marks/monitor"});
  EXPECT_TRUE(ReadStatus(git_).ok());
  EXPECT_TRUE(*CreateRef(git_, "refs/belay/x/12", Resolve("HEAD")));
  EXPECT_TRUE(git_.Ask({"update-index", "--add", "ü"}).ok());
  EXPECT_EQ(Marks(), "");
}

// Files that the user ignores everywhere aren't work.
TEST_F(GitSettingsTest, OfIgnoredFilesDoCount) {
  Folder().Write("ignore", "z/\n");
  Folder().Write("config2", "[core]\nexcludesFile = " + (Folder() / "ignore") + "\n");
  const auto status = ReadStatus(GitWith({{"GIT_CONFIG_GLOBAL", Folder() / "config2"}}));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->entries.size(), 3u);
}

TEST_F(GitSettingsTest, InTheHomeFolderAreFound) {
  Folder().Write("home/.config/git/ignore", "z/\n");
  Environment::Variables variables = TestVariables();
  variables.erase("GIT_CONFIG_GLOBAL");
  variables["HOME"] = Folder() / "home";
  const auto status = ReadStatus({programs_, Environment(variables), repo_.path()});
  ASSERT_TRUE(status);
  EXPECT_EQ(status->entries.size(), 3u);
}

}  // namespace
}  // namespace belay
