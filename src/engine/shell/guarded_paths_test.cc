#include "engine/shell/guarded_paths.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

const GuardedPaths kGuarded = {.root = "/p",
                               .paths = {{"/p/.claude/belay.yml"},
                                         {"/p/.claude/settings.json"},
                                         {"/p/.git/hooks/reference-transaction"},
                                         {"/p/.git/belay", true}}};

std::string Meant(const std::string& line) {
  for (const ShellEffect& effect : EffectsOf(line, {.folder = "/p"})) {
    if (effect.kind != EffectKind::kWrite) continue;
    const auto meant = GuardedBy(kGuarded, {effect.what, effect.by, effect.into}, line);
    if (meant) return *meant;
  }
  return "";
}

TEST(GuardedPathsTest, AWriteIsSeenHoweverItIsWritten) {
  for (const char* line : {"echo x > .claude/belay.yml",
                           "echo x >> /p/.claude/belay.yml",
                           "cat <<E >| .claude/belay.yml\nx\nE",
                           "sed -i s/a/b/ .claude/belay.yml",
                           "echo x | tee -a .claude/belay.yml",
                           "cp x .claude/belay.yml",
                           "cp y/belay.yml .claude/",
                           "mv .claude/belay.yml y",
                           "ln -sf x .claude/belay.yml",
                           "rm -f .claude/belay.yml",
                           "rm -rf .claude",
                           "mv .claude y",
                           "git checkout HEAD~1 -- .claude/belay.yml",
                           "git restore .claude/belay.yml",
                           "git rm .claude/belay.yml",
                           "python3 -c \"open('.claude/belay.yml','w')\"",
                           "perl -pi -e s/a/b/ .claude/belay.yml",
                           "cd .claude && echo x > belay.yml",
                           "cd .claude; rm belay.yml",
                           "f=.claude/belay.yml; rm $f",
                           "rm .claude/*.yml",
                           "rm .claude/b?lay.yml",
                           "bash -c 'echo x > .claude/belay.yml'",
                           "eval 'rm .claude/belay.yml'",
                           "find .claude -name belay.yml -delete",
                           "find . -name belay.yml -exec rm {} +",
                           "ls .claude/belay.yml | xargs rm",
                           "truncate -s 0 .claude/belay.yml",
                           "dd of=.claude/belay.yml",
                           "chmod 777 .claude/belay.yml",
                           "vim .claude/belay.yml",
                           "f=$(echo .claude/belay.yml); echo x > $f",
                           "echo x > .cl''aude/belay.yml",
                           "> .claude/bel\\ay.yml",
                           "python3 <<E\nopen('.claude/belay.yml','w').write('x')\nE",
                           "node -e \"fs.writeFileSync('.claude/belay.yml','')\"",
                           "cp -r x/. .claude",
                           "sudo tee .claude/belay.yml",
                           "cp -r y/.claude .",
                           "cp -rT y .claude",
                           "cp -t .claude y/belay.yml",
                           "rm -rf .c*",
                           "rm -rf .[a-d]*",
                           "echo x > ~+/.claude/belay.yml",
                           "env -S 'rm .claude/belay.yml'",
                           "echo .claude/belay.yml | xargs -I% rm %",
                           "git stash push -- .claude/belay.yml",
                           "git clean -fx .claude/belay.yml",
                           "cd /; rm p/.claude/belay.yml",
                           "rm -rf /p"}) {
    EXPECT_EQ(Meant(line), "/p/.claude/belay.yml") << line;
  }
  EXPECT_EQ(Meant("echo x > .claude/settings.json"), "/p/.claude/settings.json");
  EXPECT_EQ(Meant("rm .git/hooks/reference-transaction"), "/p/.git/hooks/reference-transaction");
  EXPECT_EQ(Meant("rm -rf .git/belay/journals/merge-queue.jsonl"), "/p/.git/belay");
}

TEST(GuardedPathsTest, OtherWritesAreNotMeant) {
  for (const char* line : {"cat .claude/belay.yml",
                           "grep x .claude/belay.yml > out",
                           "cp .claude/belay.yml copy.yml",
                           "echo x > $OUT",
                           "echo x > belay.yml",
                           "cp a b .",
                           "rm -rf *",
                           "rm -rf build",
                           "git checkout main",
                           "git checkout .",
                           "sed -i s/a/b/ *.cc",
                           "find . -name '*.cc' -exec sed -i s/a/b/ {} +",
                           "find . -type f -exec sed -i s/a/b/ {} +",
                           "mkdir -p .claude/commands",
                           "echo x > .claude/commands/a.md",
                           "cp a.md .claude/commands/",
                           "make > log 2>&1",
                           "echo '> .claude/belay.yml'",
                           "git commit -m 'rm .claude/belay.yml'",
                           "cd sub && rm -rf .claude",
                           "python3 -c \"print(open('.claude/belay.yml').read())\"",
                           "git add -A",
                           "cp x .claude",
                           "cp -t .claude x",
                           "mv x .claude",
                           "ln -s x .claude",
                           "install x .claude",
                           "git stash",
                           "git reset --hard",
                           "git checkout -- .claude",
                           "git clean -fdx",
                           "rm -rf */",
                           "echo x > \"$TMPDIR/x\""}) {
    EXPECT_EQ(Meant(line), "") << line;
  }
}

TEST(GuardedPathsTest, WhatGitRestoresOrCleansIsAskedOfGit) {
  const auto asked = [](const std::string& line) {
    std::size_t count = 0;
    for (const ShellEffect& effect : EffectsOf(line, {.folder = "/p"})) {
      if (effect.kind != EffectKind::kWrite) continue;
      count = std::max(count, GuardedFromGit(kGuarded, {effect.what, effect.by}).size());
    }
    return count;
  };
  for (const char* line : {"git checkout .", "git checkout -- .claude", "git restore .",
                           "git restore -SW .claude", "git clean -fdx", "git clean -fd .claude",
                           "git stash push -- .claude", "cd .claude && git checkout ."}) {
    EXPECT_GE(asked(line), 2U) << line;
  }
  for (const char* line :
       {"git checkout main", "git stash", "git reset --hard", "git clean -n", "git clean -fd build",
        "git restore src", "git pull", "rm -rf .claude", "cd /q && git checkout ."}) {
    EXPECT_EQ(asked(line), 0U) << line;
  }
}

}  // namespace
}  // namespace belay
