#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>

#include "snapshot/saved_snapshot.h"
#include "testing/git_repository.h"

namespace belay {
namespace {

std::string NameOf(const std::string& worktree) {
  const std::string common = "/app/.git";
  return KeepName::OfWorktree({.worktree = "/elsewhere",
                               .main_worktree = "/app",
                               .common_folder = common,
                               .git_folder = common + "/worktrees/" + worktree})
      .text();
}

std::string MainName() {
  return KeepName::OfWorktree({.worktree = "/app",
                               .main_worktree = "/app",
                               .common_folder = "/app/.git",
                               .git_folder = "/app/.git"})
      .text();
}

const std::vector<std::string> kOddNames = {
    "main",     "wt-main",     "wt-wt-main", "wt-x",    "wt-",
    "x",        "a b",         ".hidden",    "a.lock",  "a.b",
    "a..b",     "ends.",       "ü",          "\xff",    "%",
    "%C3%BC",   "a%2Elock",    "@",          "@{",      "a~1",
    "^",        ":",           "?",          "*",       "[",
    "\\",       "line\nbreak", "\"q\"",      "-rf",     "Main",
    ".",        "..",          ".lock",      "x.lock.", "a%2E%2Eb",
    "\x7f",     "\t",          "HEAD",       "a%b.c",   "wt%2D",
    "ends.%2E", "agent-o-x",   "agent-",     "agent",   "wt-agent-o-x",
    "1",        "refs",        "日本",       "😀",       "a b.c",
    "",         "ü.x"};

TEST(KeepName, OfTheMainWorktreeIsMain) { EXPECT_EQ(MainName(), "main"); }

TEST(KeepName, OfALinkedWorktreeIsGitsName) {
  EXPECT_EQ(NameOf("login-fix"), "login-fix");
  EXPECT_EQ(NameOf("v1.2"), "v1.2");
  EXPECT_EQ(NameOf("main"), "wt-main");
  EXPECT_EQ(NameOf("wt-x"), "wt-wt-x");
  EXPECT_EQ(NameOf("agent-x"), "wt-agent-x");
  EXPECT_EQ(NameOf("agents"), "agents");
  EXPECT_EQ(NameOf("a b"), "a%20b");
  EXPECT_EQ(NameOf("a.lock"), "a%2Elock");
  EXPECT_EQ(NameOf("ü"), "%C3%BC");
}

TEST(KeepName, OfAnAgentIsThatOfNoWorktree) {
  const IdentityName agent = *IdentityName::Parse("o-x");
  EXPECT_EQ(KeepName::OfAgent(agent).text(), "agent-o-x");
  for (const std::string& odd : kOddNames) {
    if (odd.empty()) continue;
    EXPECT_NE(NameOf(odd), "agent-o-x") << odd;
  }
}

TEST(KeepName, OfTheLongestAgentIsOneThatParseAccepts) {
  const std::string part(64, 'x');
  const KeepName keep = KeepName::OfAgent(*IdentityName::Make(part, part));
  EXPECT_LE(keep.text().size(), 200U);
  EXPECT_EQ(KeepName::Parse(keep.text())->text(), keep.text());
}

TEST(KeepName, IsNeverThatOfAnother) {
  std::set<std::string> names = {MainName()};
  for (const std::string& odd : kOddNames) {
    if (odd.empty()) continue;
    EXPECT_TRUE(names.insert(NameOf(odd)).second) << odd;
  }
  EXPECT_TRUE(rc::check([](const std::string& a, const std::string& b) {
    const bool usable = !a.empty() && !b.empty() && (a + b).find('/') == std::string::npos;
    RC_PRE(usable);
    RC_ASSERT((a == b) == (NameOf(a) == NameOf(b)));
    RC_ASSERT(NameOf(a) != MainName());
  }));
}

TEST(KeepName, IsOneThatParseAndGitAccept) {
  const GitRepository repository;
  for (const std::string& odd : kOddNames) {
    if (odd.empty()) continue;
    const Result<KeepName> name = KeepName::Parse(NameOf(odd));
    ASSERT_TRUE(name.ok()) << odd;
    EXPECT_EQ(name->text(), NameOf(odd));
    EXPECT_EQ(repository.TryGit({"check-ref-format", name->Refs() + "1"}), 0) << name->Refs();
  }
}

TEST(KeepName, ThatParseAcceptsIsOneThatGitAccepts) {
  const GitRepository repository;
  for (const std::string& odd : kOddNames) {
    const Result<KeepName> name = KeepName::Parse(odd);
    if (!name) {
      EXPECT_EQ(name.error().code, ErrorCode::kUsage);
      continue;
    }
    EXPECT_EQ(repository.TryGit({"check-ref-format", name->Refs() + "1"}), 0) << odd;
  }
  for (const std::string_view wrong : {"", "a/b", "..", ".a", "a b", "*", "a\n", "ü"}) {
    EXPECT_FALSE(KeepName::Parse(wrong)) << wrong;
  }
}

// The longest possible folder name, with the bytes that need the most space.
TEST(KeepName, OfALongWorktreeNameFitsIntoAFileName) {
  for (const std::string& piece : {std::string("x"), std::string("\xfc"), std::string(".")}) {
    std::string name = "wt-";
    while (name.size() + piece.size() <= 255) name += piece;
    EXPECT_LE(NameOf(name).size(), 255U);
    EXPECT_TRUE(KeepName::Parse(NameOf(name)).ok());
    std::string other = name;
    other.back() = 'y';
    EXPECT_NE(NameOf(name), NameOf(other));
  }
}

TEST(SnapshotId, IsReadAsItIsWritten) {
  for (const char* text : {"main/7", "refs/belay/keep/main/7"}) {
    const Result<SnapshotId> id = SnapshotId::Parse(text);
    ASSERT_TRUE(id.ok()) << text;
    EXPECT_EQ(id->text(), "main/7");
    EXPECT_EQ(id->Ref(), "refs/belay/keep/main/7");
    EXPECT_EQ(id->number, 7U);
  }
  EXPECT_EQ(SnapshotId::Parse("a%20b/999999999999999")->number, 999999999999999U);
}

TEST(SnapshotId, IsNothingElse) {
  for (const std::string_view wrong : {"",
                                       "7",
                                       "main",
                                       "main/",
                                       "/7",
                                       "main/0",
                                       "main/07",
                                       "main/-1",
                                       "main/+1",
                                       "main/ 1",
                                       "main/1 ",
                                       "main/1x",
                                       "main/x",
                                       "main/1/2",
                                       "a/b/1",
                                       "../1",
                                       "main/18446744073709551616",
                                       "refs/belay/keep/main",
                                       "refs/heads/main",
                                       "refs/belay/keep//1",
                                       "main/1\n",
                                       "ü/1"}) {
    const Result<SnapshotId> id = SnapshotId::Parse(wrong);
    ASSERT_FALSE(id.ok()) << wrong;
    EXPECT_EQ(id.error().code, ErrorCode::kUsage);
    EXPECT_NE(id.error().hint, "");
  }
}

}  // namespace
}  // namespace belay
