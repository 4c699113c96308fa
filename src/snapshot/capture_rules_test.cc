#include <gtest/gtest.h>

#include "snapshot/capture_list.h"

namespace belay {
namespace {

bool Secret(std::string_view path) { return CaptureRules().IsSecret(path); }
bool Matches(const std::string& pattern, std::string_view path) {
  CaptureRules rules;
  rules.secrets = {pattern};
  return rules.IsSecret(path);
}

TEST(CaptureRules, TakeEachDefaultPatternAsSecret) {
  for (const std::string_view path : {".env",
                                      ".env.local",
                                      ".envrc",
                                      "app/.env",
                                      "a.pem",
                                      "x/y/z.pem",
                                      ".pem",
                                      "server.key",
                                      "x.p12",
                                      "id_rsa",
                                      "id_rsa.pub",
                                      "home/id_rsa_old",
                                      "id_ed25519",
                                      "id_ed25519.bak",
                                      "credentials",
                                      "credentials.json",
                                      "a/credentials.d",
                                      ".netrc",
                                      "x/.npmrc",
                                      ".pypirc",
                                      ".aws/config",
                                      "home/.aws/a/b",
                                      ".ssh/known_hosts",
                                      ".gnupg/x",
                                      ".secrets/a",
                                      "secrets/token",
                                      "a/secrets/b/c",
                                      "new\nline.key",
                                      "\xff.pem",
                                      "secrets/\xff"}) {
    EXPECT_TRUE(Secret(path)) << path;
  }
}

TEST(CaptureRules, LeaveNearMissesAlone) {
  for (const std::string_view path : {"env",
                                      "a.env",
                                      "environment.cc",
                                      "pem",
                                      "a.pem.txt",
                                      "key",
                                      "monkey",
                                      "keys",
                                      "a.keys",
                                      "a.p12x",
                                      "my_id_rsa",
                                      "rsa",
                                      "mycredentials",
                                      "aws-credentials",
                                      "netrc",
                                      ".netrc2",
                                      ".npmrc.bak",
                                      "x.pypirc",
                                      ".aws",
                                      ".ssh",
                                      "secrets",
                                      "a/secrets",
                                      "mysecrets/a",
                                      "secrets2/a",
                                      ".secret/a",
                                      "secret/a",
                                      "ssh/config",
                                      ".awsome/x",
                                      "src/id.cc",
                                      "",
                                      "README",
                                      "tokens.cc"}) {
    EXPECT_FALSE(Secret(path)) << path;
  }
}

TEST(CaptureRules, MatchStarsAndQuestionMarks) {
  EXPECT_TRUE(Matches("a*c", "abbc"));
  EXPECT_TRUE(Matches("a*c", "ac"));
  EXPECT_TRUE(Matches("*a*b*", "xaxbx"));
  EXPECT_FALSE(Matches("*a*b*", "xbxax"));
  EXPECT_TRUE(Matches("a?c", "x/abc"));
  EXPECT_FALSE(Matches("a?c", "ac"));
  EXPECT_TRUE(Matches("**", "anything"));
  EXPECT_FALSE(Matches("", "a"));
  EXPECT_FALSE(Matches("[ab]", "a"));
}

TEST(CaptureRules, MatchAPatternWithASlashWhereverItsPartsStand) {
  EXPECT_TRUE(Matches("config/*.yml", "config/a.yml"));
  EXPECT_TRUE(Matches("config/*.yml", "x/config/a.yml"));
  EXPECT_FALSE(Matches("config/*.yml", "a.yml"));
}

TEST(CaptureRules, MatchNoSlashWithAStar) {
  EXPECT_FALSE(Matches("config/*.yml", "config/deep/a.yml"));
  EXPECT_FALSE(Matches("config?a", "config/a"));
}

TEST(CaptureRules, MatchEverythingBelowAFolder) {
  EXPECT_TRUE(Matches("a/b/**", "a/b/c"));
  EXPECT_TRUE(Matches("a/b/**", "x/a/b/c/d"));
  EXPECT_FALSE(Matches("a/b/**", "a/b"));
  EXPECT_FALSE(Matches("a/b/**", "a/x/b/c"));
  EXPECT_TRUE(Matches("priv*/**", "private/x"));
}

TEST(CaptureRules, TakeNoTimeForAHostilePattern) {
  EXPECT_FALSE(Matches("*a*a*a*a*a*a*a*a*a*a*a*a*b", std::string(5000, 'a')));
}

TEST(IsOwnPath, KnowsBelaysPlaces) {
  for (const std::string_view path :
       {".claude/state", ".claude/state/x", ".claude/arc/a/b", "tmp/work", "tmp/work/x",
        "tmp/.rune-1", "tmp/.rune-1/x", ".belay-restore-0123456789abcdef",
        ".belay-restore-0123456789abcdef/x"}) {
    EXPECT_TRUE(IsOwnPath(path)) << path;
  }
}

TEST(IsOwnPath, KnowsWhatIsNotBelays) {
  for (const std::string_view path :
       {"", ".claude", ".claude/settings.json", ".claude/states", ".claude/state.json",
        "a/.claude/state", "tmp", "tmp/workshop", "tmp/x", "x/tmp/work", "tmp/rune-1",
        ".claude/belay.yml", ".belay", "tmp/.rune"}) {
    EXPECT_FALSE(IsOwnPath(path)) << path;
  }
}

TEST(CaptureRules, MatchAnyNumberOfPartsWithTwoStars) {
  for (const char* path : {"x.token", "a/x.token", "a/b/x.token"}) {
    EXPECT_TRUE(Matches("**/*.token", path)) << path;
  }
  EXPECT_TRUE(Matches("a/**/b", "a/b"));
  EXPECT_TRUE(Matches("a/**/b", "x/a/y/z/b"));
  EXPECT_FALSE(Matches("a/**/b", "a/y"));
}

TEST(CaptureRules, KnowSecretFoldersAndCapitals) {
  const CaptureRules rules;
  for (const char* path : {".env/production", "credentials/aws", ".ENV", "a/ID_RSA", "key.PEM"}) {
    EXPECT_TRUE(rules.IsSecret(path)) << path;
  }
}

TEST(HasGitName, KnowsItInAnyCase) {
  EXPECT_TRUE(HasGitName("a/.Git/b"));
  EXPECT_TRUE(HasGitName(".GIT"));
  EXPECT_FALSE(HasGitName(".gitignore"));
  EXPECT_FALSE(HasGitName("git/agit"));
}

}  // namespace
}  // namespace belay
