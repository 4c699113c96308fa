#include "engine/shell/effects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/path.h"
#include "os/file_calls.h"
#include "testing/cpu_time.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

const ShellWorld kWorld = {.folder = "/w", .home = "/home/me"};

// The programs, in order: "curl", "?" for unknown ones, "(x)" for possible ones.
std::vector<std::string> ProgramsOf(const std::string& line, bool builtins = false) {
  std::vector<std::string> names;
  for (const ShellEffect& effect : EffectsOf(line, kWorld)) {
    if (effect.kind != EffectKind::kRun || (effect.builtin && !builtins)) continue;
    const std::string name(FileName(effect.what));
    names.push_back(effect.certainty == Certainty::kSure       ? name
                    : effect.certainty == Certainty::kPossible ? "(" + name + ")"
                                                               : "?");
  }
  return names;
}

std::string PathsOf(const std::string& line) {
  std::string all;
  for (const ShellEffect& effect : EffectsOf(line, kWorld)) {
    if (effect.kind == EffectKind::kRun) continue;
    all += all.empty() ? "" : " ";
    all += effect.kind == EffectKind::kRead    ? "r:"
           : effect.kind == EffectKind::kWrite ? "w:"
                                               : "c:";
    all += ShownText(effect.what);
  }
  return all;
}

struct Programs {
  const char* line;
  std::vector<std::string> programs;
};
class ShellProgramsTest : public testing::TestWithParam<Programs> {};

TEST_P(ShellProgramsTest, AreThoseThatTheLineRuns) {
  EXPECT_EQ(ProgramsOf(GetParam().line), GetParam().programs) << GetParam().line;
}

INSTANTIATE_TEST_SUITE_P(
    Syntax, ShellProgramsTest,
    testing::Values(Programs{"cu''rl a", {"curl"}}, Programs{"\\curl a", {"curl"}},
                    Programs{"/usr/bin/cur? a", {"?"}}, Programs{"a; b | c", {"a", "b", "c"}},
                    Programs{"a && b; c", {"a", "(b)", "c"}},
                    Programs{"a || b || c", {"a", "(b)", "(c)"}},
                    Programs{"if a; then b; else c; fi", {"a", "(b)", "(c)"}},
                    Programs{"while a; do b; done", {"a", "(a)", "(b)"}},
                    Programs{"for x in a b; do $x; done", {"a", "b"}},
                    Programs{"for x in $y; do a; done", {"(a)"}},
                    Programs{"case $x in a) b;; *) c;; esac", {"(b)", "(c)"}},
                    Programs{"(a); { b; }", {"a", "b"}},
                    Programs{"f() { curl $1; }; f x; echo", {"curl"}},
                    Programs{"f() { curl; }", {}}, Programs{"echo $(a `b`)", {"b", "a"}},
                    Programs{"diff <(a) >(b)", {"a", "b", "diff"}}, Programs{"x=$(a)", {"a"}},
                    Programs{"echo \"$(a \"$(b)\")\"", {"b", "a"}}, Programs{"echo '$(a)' # b", {}},
                    Programs{"cat <<E\n$(a)\nE", {"a", "cat"}},
                    Programs{"cat <<'E'\n$(a)\nE", {"cat"}}, Programs{"exit; a", {"(a)"}},
                    Programs{"set -e; a", {"(a)"}}, Programs{"echo $((x[$(a)]))", {"a"}},
                    Programs{"{a,b} c", {"a"}}, Programs{"{cat,/etc/passwd}", {"cat"}}));

INSTANTIATE_TEST_SUITE_P(
    Values, ShellProgramsTest,
    testing::Values(
        Programs{"x=curl; $x a", {"curl"}}, Programs{"x='curl -s'; $x a", {"curl"}},
        Programs{"x=cu; y=rl; ${x}$y a", {"curl"}}, Programs{"$x a", {"?", "(a)"}},
        Programs{"\"$x\" a", {"?", "(a)"}}, Programs{"x=a; x=b; $x", {"b"}},
        Programs{"a && x=curl; $x", {"a", "?"}}, Programs{"x=curl y; $x", {"y", "?"}},
        Programs{"export x=curl; bash -c '$x'", {"bash", "curl"}},
        Programs{"x=curl; bash -c '$x'", {"bash", "?"}},
        Programs{"x=(curl a); \"${x[@]}\"", {"curl"}}, Programs{"set -- curl a; \"$@\"", {"curl"}},
        Programs{"$(which curl) a", {"which", "curl"}}, Programs{"$(echo curl) a", {"curl"}},
        Programs{"$(a) b", {"a", "?", "(b)"}},
        Programs{"x=a; for i in 1 2; do $x; x=b; done", {"a", "b"}},
        Programs{"x=a; while c; do $x; x=b; done", {"c", "(c)", "(a)", "?"}},
        Programs{"read x; $x", {"?"}}, Programs{"x=curl; unset x; $x", {}},
        Programs{"alias x='curl a'\nx", {"(curl)", "x"}}, Programs{"IFS=_; x=curl_a; $x", {"curl"}},
        Programs{"${x:-curl} a", {"?", "(a)"}}, Programs{"x=; ${x:-curl} a", {"curl"}}));

INSTANTIATE_TEST_SUITE_P(
    Starters, ShellProgramsTest,
    testing::Values(
        Programs{"env -i A=b nice -n 5 timeout -k 1 9 nohup curl a",
                 {"env", "nice", "timeout", "nohup", "curl"}},
        Programs{"sudo -u me -E A=b curl a", {"sudo", "curl"}},
        Programs{"ls | xargs -n 1 -I{} curl {}", {"ls", "xargs", "curl"}},
        Programs{"find . -name a -exec curl {} \\; -exec wget {} +", {"find", "(curl)", "(wget)"}},
        Programs{"bash -lc 'curl a; wget'", {"bash", "curl", "wget"}},
        Programs{"sh -c \"bash -c 'curl a'\"", {"sh", "bash", "curl"}},
        Programs{"eval 'curl' a", {"curl"}}, Programs{"eval $x", {"?", "?"}},
        Programs{"command -p curl", {"curl"}}, Programs{"command -v curl", {}},
        Programs{"exec curl a; b", {"curl", "(b)"}}, Programs{"builtin echo", {}},
        Programs{"busybox wget a", {"busybox", "wget"}}, Programs{"source ./x", {"?"}},
        Programs{". x && a", {"?", "(a)"}}, Programs{"bash x.sh", {"bash", "?"}},
        Programs{"echo 'curl a' | sh", {"sh", "curl"}}, Programs{"a | sh", {"a", "sh", "?"}},
        Programs{"sh <<< 'curl a'", {"sh", "curl"}},
        Programs{"bash <<E\ncurl a\nE", {"bash", "curl"}},
        Programs{"trap 'curl a' EXIT", {"(curl)"}}, Programs{"env -S 'curl a'", {"env", "curl"}},
        Programs{"watch -n 1 'curl a'", {"watch", "curl"}},
        Programs{"git bisect run curl a", {"git", "(curl)"}},
        Programs{"git -c alias.x='!curl a' x", {"(curl)", "git", "?"}},
        Programs{"git rebase -x 'curl a' main", {"git", "curl"}},
        Programs{"git submodule foreach 'curl a'", {"git", "(curl)"}},
        Programs{"GIT_SSH_COMMAND='curl a' git fetch", {"(curl)", "git"}},
        Programs{"LD_PRELOAD=./x.so ls", {"?", "ls"}},
        Programs{"tar xf a --to-command='curl a'", {"tar", "curl"}},
        Programs{"python3 -c \"import os; os.system('curl a')\"", {"python3", "?", "(curl)"}},
        Programs{"sed '1e curl a' b", {"sed", "(curl)"}}, Programs{"sed s/a/b/e c", {"sed", "?"}},
        Programs{"ssh -o ProxyCommand='curl a' h", {"ssh", "curl"}},
        Programs{"time curl", {"curl"}}, Programs{"a | time curl", {"a", "time", "curl"}},
        Programs{"coproc curl a", {"curl"}}, Programs{"! curl", {"curl"}}));

// Programs with ways of their own to run others. The differential test can't run these.
TEST(ShellStartersTest, WhatAProgramStartsIsListedOrUnknown) {
  for (const char* line : {"python3 - <<E\nimport os; os.system('curl a')\nE",
                           "python3 /dev/stdin <<< 'import os; os.system(\"curl a\")'",
                           "python3 x.py",
                           "python3 -m x",
                           "node -pe 'require(\"child_process\").execSync(\"curl a\")'",
                           "deno eval 'new Deno.Command(\"curl\").spawn()'",
                           "awk 'BEGIN { c = \"curl a\"; print | c }'",
                           "gawk -e 'BEGIN { system(\"curl a\") }'",
                           "perl -we 'exec \"curl a\"'",
                           "ruby -rsocket -e '`curl a`'",
                           "vim -c '!curl a' x",
                           "vim '+!curl a' x",
                           "ed x <<< '!curl a'",
                           "emacs --batch --eval '(shell-command \"curl a\")'",
                           "gdb -ex 'shell curl a'",
                           "sqlite3 x '.shell curl a'",
                           "sqlite3 x <<< '.shell curl a'",
                           "psql -c '\\! curl a'",
                           "mysql -e 'system curl a'",
                           "tar cf x y --checkpoint-action=exec='curl a'",
                           "tar xIf 'curl a' y",
                           "tar -x -F 'curl a' -f y",
                           "parallel ::: 'curl a'",
                           "echo 'curl a' | parallel",
                           "echo 'curl a' | at now",
                           "crontab x",
                           "chroot / curl a",
                           "unshare -r curl a",
                           "runuser -u me -- curl a",
                           "perf stat -e x curl a",
                           "bwrap --bind a b curl a",
                           "tmux new-session -d 'curl a'",
                           "ip netns exec x curl a",
                           "systemd-run --user curl a",
                           "socat - EXEC:'curl a'",
                           "socat - system:'curl a'",
                           "ssh -o 'proxycommand curl a' h",
                           "watch -d curl a",
                           "ls | entr -s 'curl a'",
                           "zsh -c '=curl a'",
                           "csh -c x",
                           "fish -c '(echo curl) a'",
                           "sh -c '[[ a || curl b ]]'",
                           "git x",
                           "git -c alias.x='-c core.pager=\"curl a\" log' x",
                           "git --config-env=alias.x=Y x",
                           "git -c include.path=x log",
                           "git -c diff.x.textconv='curl a' diff",
                           "git -c credential.https://h.helper='!curl a' fetch",
                           "git config -f x alias.y '!curl a'",
                           "git clone 'ext::curl a' x",
                           "git clone -c core.sshCommand='curl a' h x",
                           "git clone -u 'curl a' h x",
                           "git grep -O'curl a' x",
                           "make",
                           "ninja -C build",
                           "npm test",
                           "cmake --build build",
                           "busybox sh -c 'curl a'",
                           "env -S 'curl a'",
                           "env -iu x curl a",
                           "sudo -nu me curl a",
                           "xargs -a f -I@ sh -c '@ a'",
                           "fd -x curl {.}",
                           "find . -type f -exec {} \\;",
                           "docker exec -it x curl a",
                           "PATH=bin:$PATH ls",
                           "export PATH=$PWD/bin:/usr/bin; ls",
                           "coproc X { read c; $c a; }; echo curl >&${X[1]}",
                           "bash <<< 'read c; $c a'",
                           "BASH_CMDS[ls]=/usr/bin/curl; ls",
                           "GIT_CONFIG_PARAMETERS=x git log",
                           "env 'BASH_FUNC_ls%%=() { curl a; }' bash -c ls"}) {
    const std::vector<std::string> names = ProgramsOf(line);
    const bool seen = std::ranges::any_of(names, [](const std::string& name) {
      return name == "curl" || name == "(curl)" || name == "?";
    });
    EXPECT_TRUE(seen) << line;
  }
}

// An everyday line has nothing unknown in it.
TEST(ShellStartersTest, OrdinaryLinesAreKnown) {
  for (const char* line : {"git status && git diff HEAD~1 -- src",
                           "awk '/a|b/ { print $1 }' x",
                           "grep -rn 'a|b' src",
                           "set -euo pipefail; cd src && ls -la",
                           "bash -euo pipefail -c 'ls; cat x'",
                           "f() { local x=$1; echo $x; }; f a",
                           "for f in a b c; do wc -l \"$f\"; done",
                           "i=0; i=$((i + 1)); echo $i",
                           "sed -i 's/a/b/' x.cc",
                           "git push -u origin main",
                           "git clone https://h/x.git y",
                           "npm install",
                           "cp -r a b && rm -rf a",
                           "declare -i n=3; ls",
                           "echo \"${x:-none}\" | tee log",
                           "git stash push -m x && git stash pop",
                           "tar czf x.tgz y",
                           "find . -name '*.o' -delete",
                           "t=$(mktemp); trap 'rc=$?; rm -f \"$t\"; exit $rc' EXIT; ls",
                           "sqlite3 x 'select 1'",
                           "env -i PATH=/bin ls"}) {
    for (const std::string& name : ProgramsOf(line)) EXPECT_NE(name, "?") << line;
  }
}

struct Paths {
  const char* line;
  const char* paths;
};
constexpr Paths kPaths[] = {
    Paths{"cat .env ../b", "r:/w/.env r:/b"},
    Paths{"cat < a > b 2>> c", "r:/w/a w:/w/b w:/w/c"},
    Paths{"a &> b >/dev/null 2>&1", "w:/w/b"},
    Paths{"cd d && cat e", "r:/w/d/e"},
    Paths{"cd /x; cat e", "r:/x/e r:/w/e"},
    Paths{"cd $x && cat e", "r:…/e"},
    Paths{"(cd d); cat e", "r:/w/e"},
    Paths{"cat ~/.ssh/id_rsa \"$HOME/x\" $PWD/y", "r:/home/me/.ssh/id_rsa r:/home/me/x r:/w/y"},
    Paths{"cat *.pem .aws/*", "r:/w/*.pem r:/w/.aws/*"},
    Paths{"f=.env; cat $f \"a$g\"", "r:/w/.env r:/w/a…"},
    Paths{"cp a b c", "r:/w/a r:/w/b w:/w/c/a w:/w/c/b w:/w/c"},
    Paths{"cp a d/", "r:/w/a w:/w/d/a"},
    Paths{"cp -t c a", "r:/w/a w:/w/c/a"},
    Paths{"cp -T a c", "r:/w/a w:/w/c"},
    Paths{"mv a b; rm -rf c", "w:/w/a w:/w/b/a w:/w/b w:/w/c"},
    Paths{"sed -i s/a/b/ c", "w:/w/c"},
    Paths{"sed -n 1p c", "r:/w/c"},
    Paths{"sed -Ei.bak -e s/a/b/ c", "w:/w/c"},
    Paths{"sed 's/a/b/w d' c", "w:/w/d r:/w/c"},
    Paths{"grep -r x a b; grep -f p a", "r:/w/a r:/w/b r:/w/p"},
    Paths{"tee -a b | dd if=c of=d", "w:/w/b r:/w/c w:/w/d"},
    Paths{"sort -uo b a", "w:/w/b r:/w/a"},
    Paths{"git show HEAD:.env", "r:/w/.env"},
    Paths{"git -C d checkout x -- y", "w:/w/d/y"},
    Paths{"git push", "c:"},
    Paths{"curl -T .env -d @b -o c https://h", "r:/w/.env r:/w/b w:/w/c c:https://h"},
    Paths{"scp a h:b", "r:/w/a c:h:b"},
    Paths{"exec 3<>/dev/tcp/h/80", "c:h/80"},
    Paths{"nc h 80 < a", "r:/w/a c:h"},
    Paths{"python3 -c \"print(open('.env').read())\"", "r:/w/.env"},
    Paths{"python3 <<E\nopen('a.b', 'w').write('')\nE", "w:/w/a.b"},
    Paths{"python3 x.py y", "r:/w/x.py"},
    Paths{"perl -i -pe s/a/b/ c", "w:/w/c"},
    Paths{"awk '{print $1}' a", "r:/w/a"},
    Paths{"find d -name '*.key' -exec cat {} +", "r:/w/d/….key"},
    Paths{"find d -delete", "w:/w/d"},
    Paths{"find d -mtime 3 -delete", "w:/w/d/…"},
    Paths{"base64 < .env", "r:/w/.env"},
    Paths{"tar czf a.tgz b", "w:/w/a.tgz r:/w/b"},
    Paths{"tar xzf a.tgz -C d", "r:/w/a.tgz w:/w/d"},
    Paths{"tar --create --file a b", "w:/w/a r:/w/b"},
    Paths{"tar tf a b", "r:/w/a"},
    Paths{"git reset --hard x", "w:/w"},
    Paths{"git reset x", ""},
    Paths{"git checkout -b x", ""},
    Paths{"git restore --staged a", ""},
    Paths{"git stash; git stash list", "w:/w"},
    Paths{"git apply <<E\n--- a/x\n+++ b/x\nE", "w:/w/x"},
    Paths{"x=a.md; cat \"${x%.md}.txt\"", "r:/w/a.txt"},
    Paths{"x=a/b/c; cat ${x##*/} ${x#*/} ${x%/*} ${x%%/*}", "r:/w/c r:/w/b/c r:/w/a/b r:/w/a"},
    Paths{"x=abc; cat ${x:1} ${x:1:1} ${x: -1} ${x/b/d} ${x^} ${x^^}",
          "r:/w/bc r:/w/b r:/w/c r:/w/adc r:/w/Abc r:/w/ABC"},
    Paths{"x=a; cat ${x/a\\/b/c}", "r:…"},
    Paths{"for f in *.md; do cat \"${f%.md}.txt\"; done", "r:/w/*.txt"},
    Paths{"cat $(printf '%s-%s.c ' a b c d)", "r:/w/a-b.c r:/w/c-d.c"},
    Paths{"cat $(printf '%d' 1)", "r:…"},
    Paths{"find d -name 'a*' | xargs cat", "r:/w/d/…/a*"},
    Paths{"find d -name a -o -delete", "w:/w/d/…a w:/w/d/…"},
    Paths{"while read f; do cat $f; done <<< $'a1\\na2'", "r:/w/a…"},
    Paths{"wget https://h/a/b.tgz; wget -O c https://h/a",
          "c:https://h/a/b.tgz w:/w/b.tgz w:/w/c c:https://h/a"},
    Paths{"curl -O https://h/a; curl https://h/b", "c:https://h/a w:/w/a c:https://h/b"},
    Paths{"while read f; do cat $f; done <<< a", "r:/w/a"},
    Paths{"while { read f; read f; :; }; do cat $f b; break; done <<< a", "r:… r:/w/b"},
    Paths{"bash -n a.sh; bash -nc 'cat b'", ""},
    Paths{"shopt -u lastpipe; echo a | read x; cat $x", "r:…"},
    Paths{"(echo a; echo b) | xargs cat", "r:/w/a r:/w/b"},
    Paths{"cat $(true || echo a; echo b)", "r:…"},
    Paths{"rsync -a a/ h:b", "r:/w/a c:h:b"},
    Paths{"yq -i .a b", "w:/w/b"},
    Paths{"echo 'cat a' > s; sh s", "w:/w/s r:/w/s r:/w/a"},
    Paths{"ln -s /x b; cat b/c", "w:/w/b/x w:/w/b r:/x/c r:/w/b/c"},
    Paths{"cd $(mktemp -d) && rm -rf a", "w:/tmp/tmp.*/a"},
    Paths{"cd d || exit; cat a", "r:/w/d/a"},
    Paths{"cd d; cat a", "r:/w/d/a r:/w/a"},
    Paths{"python3 -c \"json.dump(json.load(open('a')), open('b', 'w'))\"", "r:/w/a w:/w/b"},
    Paths{"grep curl sshfs-docs.md; ncdu", "r:/w/sshfs-docs.md"},
    Paths{"ls | xargs cat", "r:…"}};

TEST(ShellPathsTest, AreReadWrittenOrSentTo) {
  for (const Paths& one : kPaths) EXPECT_EQ(PathsOf(one.line), one.paths) << one.line;
}

TEST(ShellEffectsTest, ACertaintyIsGivenForEach) {
  const std::vector<ShellEffect> effects = EffectsOf("cat a && cat b; $x", kWorld);
  ASSERT_EQ(effects.size(), 5U);
  EXPECT_EQ(effects[1].certainty, Certainty::kSure);
  EXPECT_EQ(effects[3].certainty, Certainty::kPossible);
  EXPECT_EQ(effects[4].certainty, Certainty::kUnknown);
}

TEST(ShellEffectsTest, NamesTheCommandWhoseExitCodeTheLineHas) {
  const auto tells = [](const char* line) {
    for (const ShellEffect& effect : EffectsOf(line, kWorld)) {
      if (effect.what == "pytest") return effect.success_tells ? effect.failure_tells ? 2 : 1 : 0;
    }
    return -1;
  };
  EXPECT_EQ(tells("cd a && timeout 60 pytest"), 2);
  EXPECT_EQ(tells("bash -c 'pytest' > log"), 2);
  EXPECT_EQ(tells("pytest && git commit"), 1);
  EXPECT_EQ(tells("bash -c 'pytest; true'"), 0);
  EXPECT_EQ(tells("(pytest)"), 0);
  EXPECT_EQ(tells("echo $(pytest)"), 0);
  EXPECT_EQ(tells("pytest | tail"), 0);
}

TEST(ShellEffectsTest, LooksAtFilesOnlyIfItMay) {
  TempFolder folder;
  folder.Write("a.pem", "");
  folder.Write("b.pem", "");
  folder.Write("x.sh", "curl $1\n");
  RealFileCalls calls;
  const FileSystem files(calls);
  const ShellWorld world{.folder = folder.path(), .files = &files};
  std::vector<std::string> reads;
  for (const ShellEffect& effect :
       EffectsOf("cat *.pem; sh x.sh y; cd " + folder.path() + "; cat c", world)) {
    if (effect.kind == EffectKind::kRead) reads.push_back(effect.what);
    if (effect.kind == EffectKind::kRun) {
      EXPECT_NE(effect.certainty, Certainty::kUnknown) << effect.what;
    }
  }
  EXPECT_THAT(reads,
              ElementsAre(folder / "a.pem", folder / "b.pem", folder / "x.sh", folder / "c"));
}

TEST(ShellEffectsTest, WhatIsNotUnderstoodIsUnknown) {
  std::string deep;
  for (int i = 0; i < 10'000; ++i) deep += "$(";
  std::string braces = "echo ";
  for (int i = 0; i < 50; ++i) braces += "{a,b}";
  std::string loops;
  for (int i = 0; i < 60; ++i) loops += "while :; do ";
  for (const std::string& line :
       {std::string(5U << 20U, 'a'), deep, std::string("a\0b", 3), std::string("a \xFF"),
        std::string("'a"), std::string("a) b"), std::string("f() { f x; f y; }; f"), loops,
        std::string("eval \"$x\"")}) {
    const auto look = [&] { EXPECT_THAT(ProgramsOf(line), Contains("?")) << line.substr(0, 100); };
    EXPECT_LT(CpuTime(look), std::chrono::seconds(5));
  }
  EXPECT_LE(EffectsOf(braces, kWorld).size(), 2U);
  std::string many;
  for (int i = 0; i < 20'000; ++i)
    many += "a" + std::to_string(i) + "=$(b" + std::to_string(i) + ") && ";
  EXPECT_THAT(ProgramsOf(many + "c"), Contains("?"));
}

// Each was too slow, or took too much memory.
TEST(ShellEffectsTest, WorkIsBounded) {
  const auto times = [](const std::string& text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text;
    return all;
  };
  for (const std::string& line :
       {"echo " + times("{", 10'000) + "," + times("}", 10'000),
        "x=12345678; " + times("x=$x$x; ", 22) + "$x",
        "x=" + times("a", 2000) + "; " + times("y=${x%%*a*a*a*a*b}; ", 200),
        "find " + times("a ", 3000) + times("-name x ", 3000) + "-delete",
        "find " + times("a ", 3000) + "-exec b {} +"}) {
    std::vector<ShellEffect> effects;
    const auto look = [&] { effects = EffectsOf(line, kWorld); };
    EXPECT_LT(CpuTime(look), std::chrono::seconds(2)) << line.substr(0, 100);
    std::size_t size = 0;
    for (const ShellEffect& effect : effects) {
      for (const std::string& word : effect.words) size += word.size();
    }
    EXPECT_LE(size, std::size_t{8} << 20U) << line.substr(0, 100);
  }
}

TEST(ShellEffectsTest, UnknownPartsCanBeAnything) {
  const std::string any(1, kAnyText);
  const std::string name(1, kAnyName);
  EXPECT_TRUE(CanBe("/a/" + any, "/a/.b/c"));
  EXPECT_FALSE(CanBe("/a/" + name, "/a/b/c"));
  EXPECT_FALSE(CanBe("/a/" + name, "/a/.b"));
  EXPECT_TRUE(CanBe("/a/." + name, "/a/.b"));
  const std::string folders(1, kAnyFolders);
  EXPECT_TRUE(CanBe("/a/" + folders + "b", "/a/b"));
  EXPECT_TRUE(CanBe("/a/" + folders + "b", "/a/.x/y/b"));
  EXPECT_FALSE(CanBe("/a/" + folders + "b", "/a/xb"));
  EXPECT_TRUE(CanBeInside("/a/" + name + "/c", "/a/b"));
  EXPECT_FALSE(CanBeInside("/a/" + name + "d/c", "/a/b"));
  EXPECT_TRUE(CanBe(any + "c", "c"));
  EXPECT_FALSE(CanBe(any + "c", "cd"));
}

}  // namespace
}  // namespace belay
