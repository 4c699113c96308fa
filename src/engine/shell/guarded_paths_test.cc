#include "engine/shell/guarded_paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "engine/shell/ordinary_lines.h"

namespace belay {
namespace {

const GuardedPaths kGuarded = {.root = "/p",
                               .paths = {{"/p/.claude/belay.yml"},
                                         {"/p/.claude/settings.json", false, true},
                                         {"/p/.git/hooks/reference-transaction"},
                                         {"/p/.git/belay", true}}};

std::string Meant(const std::string& line) {
  return GuardedByLine(kGuarded, EffectsOf(line, {.folder = "/p"}), "/p\n" + line).value_or("");
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

TEST(GuardedPathsTest, OrdinaryLinesAreNotRefused) {
  EXPECT_GE(std::size(kOrdinaryLines), 150U);
  for (const std::string_view line : kOrdinaryLines) {
    EXPECT_EQ(Meant(std::string(line)), "") << line;
  }
}

// Lines that were written to get past it.
TEST(GuardedPathsTest, AWriteIsSeenThroughProgramsScriptsAndLinks) {
  for (const char* line :
       {"yq -i .a=1 .claude/belay.yml",
        "yq eval -i .a=1 .claude/belay.yml",
        "rimraf .claude",
        "npx rimraf .claude",
        "ed .claude/belay.yml <<E\nd\nw\nE",
        "ex -sc 'd|x' .claude/belay.yml",
        "ex -s .claude/belay.yml",
        "vim -es -c 'w! .claude/belay.yml' x",
        "vi -c wq .claude/belay.yml",
        "install -m 644 x .claude/belay.yml",
        "rsync x/ .claude/",
        "rsync -a y/.claude .",
        "rsync x .claude/belay.yml",
        "patch .claude/belay.yml x.diff",
        "patch -p1 <<E\n--- a/.claude/belay.yml\n+++ b/.claude/belay.yml\nE",
        "git apply <<E\n--- a/.claude/belay.yml\n+++ b/.claude/belay.yml\nE",
        "tar xf a.tar -C .claude",
        "tar -C .claude -xf a.tar",
        "cd .claude && tar xzf ../a.tgz",
        "tar xf a.tar .claude/belay.yml",
        "tar cf .claude/belay.yml x",
        "unzip x.zip -d .claude",
        "unzip x.zip .claude/belay.yml",
        "cd .claude; cpio -i < ../x",
        "7z x a.7z -o.claude",
        "jq .a x > .claude/belay.yml",
        "jq . x | sponge .claude/belay.yml",
        "find .claude -delete",
        "find .claude -type f -delete",
        "find . -delete",
        "find .claude -type f | xargs rm",
        "find . -path './.claude/*' -delete",
        "find . -name 'belay*' -delete",
        "find . -mindepth 1 -exec rm -rf {} +",
        "echo .claude | xargs rm -rf",
        "printf .claude/belay.yml | xargs rm",
        "python3 x.py .claude/belay.yml",
        "python3 x.py --out=.claude/belay.yml",
        "node x.js .claude/belay.yml",
        "ruby x.rb .claude/belay.yml",
        "sometool -o .claude/belay.yml",
        "sometool -o.claude/belay.yml",
        "./x .claude/belay.yml",
        "$X .claude/belay.yml",
        "git x .claude/belay.yml",
        "bash <(echo 'rm -rf .claude')",
        "cat > x.sh <<E\nrm -rf .claude\nE\nbash x.sh",
        "echo 'rm -rf .claude' > x.sh; sh x.sh",
        "echo 'rm -rf .claude' > x; chmod +x x; ./x",
        "echo 'rm -rf .claude' | tee x.sh; . ./x.sh",
        "{ echo 'rm -rf .claude'; } > x; sh x",
        "echo cd .claude > x; echo 'rm belay.yml' >> x; sh x",
        "cat > x.py <<E\nopen('.claude/belay.yml', 'w')\nE\npython3 x.py",
        "echo \"open('.claude/belay.yml', 'w')\" > x.py; python3 < x.py",
        "printf '#!/usr/bin/env python3\\n' > x; cat > x <<E\n#!/usr/bin/env python3\n"
        "open('.claude/belay.yml', 'w')\nE\nchmod +x x; ./x",
        "python3 -c \"p = '.claude/' + 'belay.yml'; open(p, 'w')\"",
        "python3 -c \"import sys; open(sys.argv[1], 'w')\" .claude/belay.yml",
        "python3 - .claude/belay.yml <<E\nimport sys\nopen(sys.argv[1], 'w')\nE",
        "python3 -c \"from pathlib import Path; Path('.claude/belay.yml').write_text('')\"",
        "python3 -c \"import os; os.remove('.claude/belay.yml')\"",
        "perl -e \"unlink '.claude/belay.yml'\"",
        "ruby -e \"File.write('.claude/belay.yml', '')\"",
        "perl -e 'unlink @ARGV' .claude/belay.yml",
        "ln -s . d; echo x > d/.claude/belay.yml",
        "ln -s .claude d; echo x > d/belay.yml",
        "ln -sf .claude/belay.yml y && echo x > y",
        "ln .claude/belay.yml y",
        "cp -l .claude/belay.yml y",
        "rm -rf \"$(git rev-parse --show-toplevel)/.claude\"",
        "cd nowhere; rm -rf .claude",
        "cd x || true; rm -rf .claude",
        "cd x || echo no; rm -rf .claude",
        "set -e; cd x || true; rm -rf .claude",
        "false && cd x; rm -rf .claude",
        "bwrap --bind / / rm -rf .claude",
        "tmux new-session -d 'rm -rf .claude'",
        "python3 -c \"import shutil; shutil.rmtree('.claude')\"",
        "python3 -c \"import subprocess; subprocess.run(['rm', '-rf', '.claude'])\"",
        "node -e \"require('fs').rmSync('.claude', {recursive: true})\"",
        "awk -v f=.claude/belay.yml 'BEGIN { print 1 > f }'",
        "find . -name .claude -exec rm -rf {} +",
        "find .claude -exec truncate -s 0 {} +",
        "find . -path '*claude/belay*' | xargs rm",
        "ls -d .claude/* | xargs rm",
        "printf 'rm -rf .claude\\n' > x; sh x",
        "rm -rf \"$(printf '\\056claude')\"",
        "echo 'rm -rf .claude' > x; mv x y; sh y",
        "base64 -d y > x; sh x .claude/belay.yml",
        "sqlite3 x '.shell rm -rf .claude'",
        "read x <<< .claude; rm -rf $x",
        "printf -v x %s .claude; rm -rf \"$x\"",
        "mv -t /tmp .claude",
        "git rm -r .claude",
        "git mv .claude x",
        "trash .claude",
        "shred .claude/belay.yml",
        "exec 3> .claude/belay.yml",
        "sed -n 'w .claude/belay.yml' x",
        "awk '{ print > \".claude/belay.yml\" }' x",
        "split x .claude/belay.yml",
        "xargs -a list rm .claude/belay.yml",
        "time rm -rf .claude",
        "curl -o .claude/belay.yml h",
        "wget -O .claude/belay.yml h",
        "sort -o .claude/belay.yml x",
        "tee < x .claude/belay.yml",
        "touch .claude/belay.yml",
        "chmod 0 .claude/belay.yml",
        "python3 -m json.tool x .claude/belay.yml",
        "prettier --write .claude/belay.yml",
        "rm -r .claude/",
        "rmdir .claude",
        "cd .claude/commands/..; rm belay.yml"}) {
    EXPECT_EQ(Meant(line), "/p/.claude/belay.yml") << line;
  }
  EXPECT_EQ(Meant("rm -rf \"$(git rev-parse --git-dir)/belay\""), "/p/.git/belay");
  EXPECT_EQ(Meant("rm -rf .git/belay"), "/p/.git/belay");
  EXPECT_EQ(Meant("chmod -x .git/hooks/reference-transaction"),
            "/p/.git/hooks/reference-transaction");
  EXPECT_EQ(Meant("rm -rf .git/hooks"), "/p/.git/hooks/reference-transaction");
}

// What is matched, listed, read or made is followed as well.
TEST(GuardedPathsTest, AWriteIsSeenBehindPatternsListsAndValues) {
  for (const char* line :
       {"shopt -s dotglob; rm -rf *",
        "GLOBIGNORE=x; rm -rf *",
        "shopt -s globstar; rm -f **/.claude/belay.yml",
        "bash -O dotglob -c 'rm -rf *'",
        "find . -mindepth 1 -maxdepth 1 -exec rm -rf {} +",
        "find . -type f -exec sed -i s/a/b/ {} +",
        "find . -type f | xargs sed -i s/a/b/",
        "find . -name '*.yml' -exec sed -i s/a/b/ {} +",
        "find . -name '.c*' -exec rm -r {} +",
        "find . -iname 'BELAY.YML' -delete",
        "find .claude -name '*.yml' | while read -r f; do echo x > \"$f\"; done",
        "find .claude -name '*.yml' -exec sh -c 'echo x > $1' _ {} \\;",
        "git ls-files .claude | xargs rm",
        "git ls-files -z .claude | xargs -0 rm",
        "git ls-files '*.yml' | xargs sed -i s/a/b/",
        "grep -rl e .claude | xargs sed -i s/e/x/",
        "printf '%s\\n' .claude/* | xargs rm",
        "printf 'a\\n.claude/belay.yml\\n' | xargs -n1 rm",
        "echo .claude/belay.yml | xargs -I{} cp x {}",
        "echo 'rm .claude/belay.yml' | xargs -0 bash -c",
        "rm \"$(printf '.cl%s/belay.yml' aude)\"",
        "f=$(printf '.claude/%s.%s' belay yml); echo x > $f",
        "f=.claude/belay.txt; echo x > \"${f%.*}.yml\"",
        "f=.claude/belay.txt; echo x > \"${f/txt/yml}\"",
        "f=x.claude/belay.yml; echo x > \"${f#x}\"",
        "f=.CLAUDE/BELAY.YML; echo x > \"${f,,}\"",
        "f=xx.claude/belay.ymlx; echo x > \"${f:2:17}\"",
        "IFS= read -r f <<< .claude; rm -r $f",
        "mapfile -t f <<< .claude; rm -r \"${f[@]}\"",
        "cd src; ln -s ../.claude q; echo x > q/belay.yml",
        "ln -rs .claude/belay.yml src/q; echo x > src/q",
        "echo 'rm -rf .claude' > x; ln -s x y; sh y",
        "d=$(mktemp -d); echo 'rm -rf .claude' > $d/q; bash $d/q",
        "{ echo 'cd .claude'; echo 'rm belay.yml'; } > q; sh q",
        "printf 'rm ' > q; printf '%s\\n' .claude/belay.yml >> q; sh q",
        "printf 'w .claude/belay.yml' > v; sed -n -f v x",
        "echo 'BEGIN { print > \".claude/belay.yml\" }' > v; awk -f v",
        "git config -f .claude/belay.yml a.b c",
        "git -C .claude config --file belay.yml a.b c",
        "git archive -o .claude/belay.yml HEAD",
        "git bundle create .claude/belay.yml HEAD",
        "git interpret-trailers --in-place --trailer a=b .claude/belay.yml",
        "git merge-file .claude/belay.yml x y",
        "git apply --directory=.claude <<E\n--- a/belay.yml\n+++ b/belay.yml\nE",
        "chmod -R 0 .claude",
        "gzip -r .claude",
        "zip -mr z.zip .claude",
        "tar cf z.tar --remove-files .claude",
        "sdiff -o .claude/belay.yml x y",
        "tree -o .claude/belay.yml",
        "pylint --output .claude/belay.yml x",
        "pytest --log-file=.claude/belay.yml",
        "cd .claude && curl -O https://h/belay.yml",
        "curl --output-dir .claude -O https://h/belay.yml",
        "wget -P .claude https://h/belay.yml",
        "python3 -c \"import os; os.open('.claude/belay.yml', os.O_TRUNC | os.O_WRONLY)\"",
        "python3 -c \"import os; os.open('.claude/belay.yml', 513)\"",
        "python3 -c \"m = 'w'; open('.claude/belay.yml', m)\"",
        "python3 -c \"import os; os.chdir('.claude'); open('belay.yml', 'w')\"",
        "python3 -c \"from pathlib import Path; Path('.claude/belay.yml').open('w')\"",
        "python3 -c \"import glob, os; [os.remove(f) for f in glob.glob('.claude/*.yml')]\"",
        "python3 -c \"from pathlib import Path; [p.unlink() for p in Path('.claude').iterdir()]\"",
        "python3 -c \"import os; vars(os)['rem' + 'ove']('.claude/belay.yml')\"",
        "python3 -m tarfile -c .claude/belay.yml x",
        "python3 -m timeit \"open('.claude/belay.yml', 'w')\"",
        "python3 -m cProfile -o .claude/belay.yml x.py",
        "perl -e 'open my $f, \"+<\", \".claude/belay.yml\"'",
        "perl -e 'sysopen F, \".claude/belay.yml\", 577'",
        "perl -MFile::Copy -e 'copy \"x\", \".claude/belay.yml\"'",
        "perl -MFile::Path=remove_tree -e 'remove_tree \".claude\"'",
        "perl -e 'unlink glob \".claude/*\"'",
        "sqlite3 x '.output .claude/belay.yml' 'select 1'",
        "sqlite3 x <<E\n.once .claude/belay.yml\nselect 1;\nE",
        "dc -e '!rm .claude/belay.yml'"}) {
    EXPECT_EQ(Meant(line), "/p/.claude/belay.yml") << line;
  }
  for (const char* line :
       {"rm -rf .git/bel*", "rm -rf .git/belay/*/*", "cd .git && rm -rf b*",
        "find .git/belay -name '*.jsonl' -exec truncate -s 0 {} +",
        "find . -name '*.jsonl' -delete", "rm -rf $(git rev-parse --git-path belay)"}) {
    EXPECT_EQ(Meant(line), "/p/.git/belay") << line;
  }
  EXPECT_EQ(Meant("chmod -R a-x .git/hooks"), "/p/.git/hooks/reference-transaction");
}

// Then the caller looks at the disk.
TEST(GuardedPathsTest, WhatTheDiskMayTellIsMarked) {
  const auto marked = [](const char* line) {
    return std::ranges::any_of(EffectsOf(line, {.folder = "/p"}),
                               [](const ShellEffect& effect) { return effect.on_disk; });
  };
  for (const char* line : {"rm $(cat list)", "xargs rm < list",
                           "while read f; do rm $f; done < list", "echo x > \"$F\"", "sh x", "./x",
                           "git apply x.diff", "cat x.diff | patch -p1", "sed -f x y"}) {
    EXPECT_TRUE(marked(line)) << line;
  }
  for (const char* line : {"make", "npm test", "cat $(ls)", "rm -rf build", "git status"}) {
    EXPECT_FALSE(marked(line)) << line;
  }
}

TEST(GuardedPathsTest, WhatGitRestoresOrCleansIsAskedOfGit) {
  const auto asked = [](const std::string& line) {
    std::size_t count = 0;
    for (const ShellEffect& effect : EffectsOf(line, {.folder = "/p"})) {
      if (effect.kind != EffectKind::kWrite) continue;
      count = std::max(count, GuardedFromGit(kGuarded, WriteOf(effect)).size());
    }
    return count;
  };
  for (const char* line : {"git checkout .",
                           "git checkout -- .claude",
                           "git restore .",
                           "git restore -SW .claude",
                           "git clean -fdx",
                           "git clean -fd .claude",
                           "git stash push -- .claude",
                           "cd .claude && git checkout .",
                           "git checkout HEAD~1 -- .claude",
                           "git checkout x .",
                           "git checkout -f",
                           "git restore -s x .claude",
                           "git checkout -f x",
                           "git switch -f x",
                           "git reset --hard",
                           "git reset --hard x",
                           "git reset --keep x",
                           "cd src && git reset --hard",
                           "git -C src reset --merge x",
                           "git stash",
                           "git stash -u",
                           "git stash save x",
                           "git stash pop",
                           "git stash apply 2",
                           "git checkout HEAD -- :/",
                           "git checkout-index -af",
                           "git --work-tree=/p --git-dir=/p/.git checkout x -- .",
                           "GIT_WORK_TREE=/p git checkout -f",
                           "git read-tree -u --reset x"}) {
    EXPECT_GE(asked(line), 2U) << line;
  }
  EXPECT_EQ(asked("git checkout x -- '*.yml'"), 1U);
  EXPECT_EQ(asked("git rm -f '*.yml'"), 1U);
  EXPECT_EQ(asked("git rm -f '*.c'"), 0U);
  for (const char* line :
       {"git checkout main", "git clean -n", "git clean -fd build", "git restore src", "git pull",
        "git checkout -b x", "git switch main", "git switch -c x", "git restore --staged .",
        "git reset HEAD .", "git reset --soft HEAD~1", "git stash list", "git stash show -p",
        "git stash drop", "rm -rf .claude", "cd /q && git checkout .", "cd /q && git reset --hard",
        "git -C $(mktemp -d) reset --hard"}) {
    EXPECT_EQ(asked(line), 0U) << line;
  }
}

}  // namespace
}  // namespace belay
