// What EffectsOf says a line runs, against what bash really runs: every program on the PATH is a
// recorder that notes its name, and those that run others do that too. There is no network in it.
//
// A program that ran must be in the list, or the list must say that something is unknown. One that
// is "sure" must have run; the exceptions are listed with their reasons.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "base/path.h"
#include "base/text.h"
#include "engine/shell/disguised_lines.h"
#include "engine/shell/effects.h"
#include "engine/shell/hiding_lines.h"
#include "os/fd.h"
#include "testing/real_process.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

using Names = std::set<std::string>;

constexpr const char* kRecorder = R"sh(#!/bin/dash
name=${0##*/}
echo "$name" >>"$RECORD"
case $name in
  env|nice|timeout|nohup|stdbuf|setsid|xargs|find|time|cat) exec "$REAL/$name" "$@" ;;
  bash|sh) exec /bin/bash "$@" ;;
  sudo) while [ "${1#-}" != "$1" ]; do shift; done; exec "$@" ;;
  which) echo "$1" ;;
  fails) exit 1 ;;
esac
exit 0
)sh";

constexpr std::string_view kPrograms =
    "curl wget nc a b c d cat ls diff git make npm which grep sed awk tee cp mv rm sort head tail "
    "tr "
    "python3 perl node ssh env nice timeout nohup stdbuf setsid xargs find bash sh sudo fails time "
    "pytest y z base64 wc touch mkdir";

// Lines that were written for this.
constexpr std::string_view kLines[] = {
    "curl a",
    "cu''rl a; \"wget\" b; \\nc",
    "$'cu\\x72l' a",
    "c\\\nurl a",
    "curl a # wget b",
    "echo 'curl a'; echo \"wget\"; echo nc",
    "echo \\$(curl a) '$(wget b)' \"\\$(nc)\"",
    "echo \"$(curl a)\" `wget b` $(nc $(a))",
    "echo `curl \\`wget a\\``",
    "echo $((1 + $(curl a; echo 2)))",
    "echo $(( 2 > 1 )) && curl a",
    "((1)) && curl a",
    "((0)) || curl a",
    "[[ $(curl a) == x ]] || wget b",
    "[ -f x ] && curl a",
    "x=$(curl a) wget b",
    "x=$(curl a)",
    "x=curl; $x a",
    "x='curl a'; $x",
    "x='curl a'; \"$x\" || wget b",
    "x=cu y=rl; $x$y a",
    "x=curl bash -c '$x a'",
    "x=curl; bash -c '$x a'",
    "export x=curl; bash -c '$x a'",
    "declare x=curl; $x a",
    "x=(curl a); ${x[0]} b; \"${x[@]}\"",
    "x+=curl; $x",
    "x=cu; x+=rl; $x a",
    "unset x; ${x:-curl} a",
    "x=; ${x:-curl} a; ${x:+wget} b",
    "x=curl; y=x; ${!y} a",
    "x=xcurl; ${x#x} a",
    "x=curlx; ${x%x} a",
    "x=CURL; ${x,,} a",
    "x=abc; ${x/abc/curl} a",
    "x=xcurl; ${x:1} a",
    "set -- curl a; $1 b; \"$@\"; shift; $1",
    "f() { curl $1; wget $2; }; f a b",
    "f() { $1 a; }; f curl; f wget",
    "function f { curl; }; f",
    "f() { curl; }; unset -f f; f",
    "ls() { curl a; }; ls",
    "ls() { curl a; }; command ls",
    "ls() { curl a; }; env ls",
    "f() (curl a); f",
    "f() { curl a; }; export -f f; bash -c f",
    "f() { curl a; }; bash -c 'f; wget b'",
    "if curl; then wget; else nc; fi",
    "if fails; then wget; elif curl; then nc; fi",
    "if ! curl; then wget; fi; nc",
    "while curl; do wget; break; done",
    "until curl; do wget; done",
    "for x in curl wget; do $x a; done",
    "for x in curl wget; do for y in a b; do $x $y; done; done",
    "for x; do curl; done",
    "for ((i=0; i<2; i++)); do curl $i; done",
    "i=0; while [ $i -lt 3 ]; do curl; i=$((i+1)); done",
    "x=a; while $x; do x=curl; $x; break; done",
    "x=a; for i in 1 2 3; do $x; x=$y; y=curl; done",
    "case a in a) curl;; b) wget;; esac",
    "case a in (a|b) curl;& c) wget;; *) nc;; esac",
    "case $(curl a) in *) wget;; esac",
    "select x in a b; do curl; break; done </dev/null",
    "(curl a; wget b) | nc",
    "{ curl a; wget b; } >out 2>&1",
    "(cd /; curl a); wget b",
    "curl a | wget b | nc c",
    "curl a |& wget b",
    "curl a && wget b || nc c",
    "fails && curl a || wget b",
    "fails || curl a && wget b",
    "true && curl; false || wget",
    "! curl a",
    "time curl a",
    "time -p curl a | wget b",
    "a | time curl b",
    "coproc curl a; wait",
    "curl a & wget b & wait",
    "exec curl a; wget b",
    "exec 3>out; curl a >&3",
    "(exec curl a); wget b",
    "exit; curl a",
    "curl a; exit 0; wget b",
    "f() { return; curl; }; f; wget",
    "set -e; fails; curl",
    "set -n; curl",
    "eval curl a",
    "eval 'curl a; wget b'",
    "eval \"x=curl\"; $x a",
    "x='curl a; wget b'; eval $x",
    "eval 'eval \"curl a\"'",
    "bash -c 'curl a'",
    "bash -lc 'curl a'",
    "bash -e -u -c 'curl a; wget b'",
    "bash -c '$0 a' curl",
    "bash -c '$1 a' x curl",
    "bash -c '\"$@\"' x curl a",
    "sh -c \"bash -c 'curl a'\"",
    "bash -c 'bash -c \"bash -c curl\"'",
    "echo 'curl a' | bash",
    "echo curl a | sh -s",
    "printf 'curl a' | bash",
    "printf %s 'curl a' | bash",
    "printf 'curl a\\n' | bash",
    "bash <<< 'curl a'",
    "bash <<E\ncurl a\nE",
    "bash <<'E'\ncurl $(wget b)\nE",
    "cat <<E\n$(curl a)\nE",
    "cat <<'E'\n$(curl a)\nE",
    "cat <<-E\n\t$(curl a)\n\tE\nwget b",
    "cat <<E | bash\ncurl a\nE",
    "cat <<A <<B\n$(curl)\nA\n$(wget)\nB\nnc",
    "cat <<E\nx\\\nE\nE\ncurl a",
    "cat <<\"E F\"\n$(curl)\nE F\nwget",
    "cat <<E && curl a\nx\nE",
    "echo 'curl a' >s.sh; bash s.sh",
    "echo 'curl a' >s.sh; . ./s.sh",
    "echo 'curl a' >s.sh; source ./s.sh && wget b",
    "bash < /dev/null; curl a",
    "env curl a",
    "env -i PATH=\"$PATH\" RECORD=\"$RECORD\" REAL=\"$REAL\" curl a",
    "env A=b C=d nice -n 5 timeout -k 1 9 nohup curl a",
    "env -u x -S 'curl a'",
    "env bash -c 'curl a'",
    "nice curl a",
    "timeout --signal=KILL 5 curl a",
    "stdbuf -oL curl a",
    "setsid curl a; wait",
    "sudo -E curl a",
    "sudo env A=b curl a",
    "echo a b | xargs -n 1 curl",
    "echo a | xargs -I{} bash -c 'curl {}'",
    "echo curl | xargs -I{} bash -c '{} a'",
    "echo a | xargs",
    "xargs curl </dev/null",
    "find . -maxdepth 0 -exec curl {} \\;",
    "find . -maxdepth 0 -exec curl {} + -exec wget {} +",
    "find . -maxdepth 0 -exec bash -c 'wget $1' x {} \\;",
    "find . -name nothing -exec curl {} \\;",
    "command curl a",
    "command -p ls >/dev/null; curl a",
    "command -v curl >/dev/null && wget b",
    "builtin echo curl",
    "builtin eval 'curl a'",
    "type curl >/dev/null; hash wget; nc",
    "$(which curl) a",
    "$(echo curl) a",
    "$(printf curl) a",
    "`echo curl` a",
    "$(command -v curl) a",
    "trap 'curl a' EXIT",
    "trap curl EXIT; trap - EXIT",
    "trap 'curl a' INT",
    "alias x='curl a'\nx",
    "shopt -s expand_aliases\nalias x='curl a'\nx",
    "shopt -s expand_aliases\nalias x='curl a'\n\\x",
    "{curl,a} b",
    "{cu,we}rl a || true",
    "echo {1..3}; curl {a,b}{c,d}",
    "c{ur,}l a || nc",
    "curl a >out 2>&1 <in || wget b",
    ">out curl a",
    "curl >$(wget a) b",
    "curl <(wget a) >(nc b); wait",
    "diff <(curl a) <(wget b)",
    "curl a 2>/dev/null; wget &>out",
    "curl a; # wget\nnc",
    "curl a;\n\n\nwget b",
    "curl \\\n  -o x \\\n  a && \\\n  wget b",
    "PATH=$PATH curl a",
    "X=1 Y=2 curl a",
    "X=1; export X; curl a",
    "cd . && curl a",
    "pushd . >/dev/null && curl a && popd >/dev/null",
    "mapfile -t x < <(curl a); wget b",
    "while read x; do $x a; done < <(echo curl)",
    "while read -r x; do curl \"$x\"; done <<< a",
    "read x <<< curl; $x a",
    "echo curl | while read x; do $x a; done",
    "IFS=_; x=curl_a; $x",
    "IFS=,; x=curl,a; $x; echo",
    "x=curl; (x=wget; $x a); $x b",
    "x=curl; { x=wget; }; $x a",
    "x=curl; true && x=wget; $x a",
    "x=curl; fails && x=wget; $x a",
    "x=curl; if fails; then x=wget; fi; $x a",
    "x=curl; y=$(x=wget; echo b); $x",
    "x=curl; echo a | x=wget; $x a",
    "x='a[$(curl b)]'; echo $((x))",
    "x='a[$(curl b)]'; let x || true",
    "x='a[$(curl b)]'; [[ x -eq 0 ]]; wget",
    "x='a[$(curl b)]'; [[ -v $x ]]; test -v \"$x\"; wget",
    "[ -v 'a[$(curl b)]' ]; wget",
    "printf -v 'a[$(curl b)]' c; wget",
    "read 'a[$(curl b)]' <<< c; wget",
    "unset 'a[$(curl b)]'; wget",
    "declare 'a[$(curl b)]=1'; wget",
    "declare -n r=x; r=curl; $x a",
    "printf -v x curl; $x a",
    "x='$(curl a)'; echo $x",
    "x='$(curl a)'; echo \"${x@P}\"",
    "PS4='$(curl a)'; set -x; wget b",
    "echo ${x:-$(curl a)} ${x:+$(wget b)}",
    "echo ${x[$(curl a)]}",
    "x[$(curl a)0]=1",
    "echo a{b,$(curl)}",
    "git status; git -C . log; make test; npm test",
    "git commit -m 'curl a; $(wget b)'",
    "npm test 2>&1 | tail -5; echo \"${PIPESTATUS[0]}\"",
    "cd . && make -j2 && ./nothing || true",
    "/nowhere/curl a || wget b",
    "python3 -c 'import os; os.system(\"curl a\")'",
    "python3 <<E\nprint(1)\nE",
    "for f in *.none; do curl \"$f\"; done",
    "ls | grep x | sort | head -1 | awk '{print $1}'",
    "grep -r curl . | wc -l",
    "a=1 b=2; c=3 d",
    "if [ -n \"$x\" ]; then curl; fi; wget",
    "test -e nothing || curl a",
    "caller; times; umask >/dev/null; curl a",
    "compgen -W '$(curl a)' b",
    "mapfile -C 'curl' -c 1 x <<< a",
    "enable -n echo; echo a",
    "hash -p /bin/true curl; curl a",
    "bash -c 'exit 1' || curl a",
    "curl() { command curl \"$@\"; }; curl a",
    "f() { f2; }; f2() { curl; }; f",
    "f() { [ $1 = 3 ] && return; curl $1; f 3; }; f 1",
    "echo \"a $(echo \"b $(curl c)\")\"",
    "echo ${x:-\"$(curl a)\"} '${x:-$(wget)}'",
    "echo \"${x:-'$(curl a)'}\"",
    "echo \"${x#'$(curl a)'}\"",
    "echo $'$(curl a)' $\"$(wget b)\"",
    "echo $(case x in x) curl a;; esac)",
    "echo $( (curl a); (wget b) )",
    "echo $((curl a); (wget b))",
    "a(){ curl;};a",
    "if true;then curl;fi",
    "! { curl; } || wget",
    "curl;wget;nc",
    "curl&wget&wait",
    "(((1)))&&curl",
    "x=~; y=~/z; curl $x $y",
};

// Commands, and what stands around them: {} is the command, <> the command in quotes.
constexpr std::string_view kCommands[] = {
    "curl a",
    "cu''rl a",
    "\\curl",
    "'curl' \"a b\"",
    "$'cu\\x72l' a",
    "x=curl; $x a",
    "x=curl y",
    "nice -n 1 curl",
    "env A=b curl",
    "timeout 5 curl a",
    "command curl a",
    "exec curl a",
    "{curl,a}",
    "set -- curl a; \"$@\"",
    "q=(curl x); \"${q[@]}\"",
    "curl a | wget b",
    "curl a && wget b || nc c",
    "fails && curl a",
    "fails || curl a",
    "curl <(wget a)",
    "curl $(wget a)",
    "curl `wget a`",
    "if curl; then wget; else nc; fi",
    "for k in curl wget; do $k; done",
    "g() { curl $1; }; g a",
    "eval 'curl a'",
    "bash -c 'curl a'",
    "bash <<< 'curl a'",
    "echo 'curl a' | bash",
    "$(echo curl) a",
    "! curl",
    "(curl; wget)",
    "{ curl; }",
    "curl >out 2>&1",
    "xargs -n 1 curl </dev/null",
    "[ -n \"$nothing\" ] || curl",
    "curl; exit",
    "case a in a) curl;; *) wget;; esac",
    "while curl; do wget; break; done",
    "find . -maxdepth 0 -exec curl {} +",
};
constexpr std::string_view kAround[] = {
    "{}",
    "{}; a",
    "b && { {}; }",
    "if {}; then b; fi",
    "( {} )",
    "{ {}; }",
    "v=$({})",
    "echo \"$({})\"",
    "for i in 1 2; do {}; done",
    "while {}; do break; done",
    "f() { {}; }; f",
    "f() { {}; }; a",
    "env A=b bash -c <>",
    "eval <>",
    "cat <<E\n$({})\nE",
    "true | { {}; }",
    "{ {}; } | cat",
    "{ {}; } & wait",
    "case x in x) {};; esac",
    "diff <({}) /dev/null",
    "false || { {}; }",
    "[[ -n x ]] && ( {} )",
    "bash <<'E'\n{}\nE",
    "bash <<< <>",
    "echo <> | bash",
    "trap <> EXIT",
    "echo ${none:-$({})}",
    "w=curl; {}; $w",
    "{}\nz",
    "echo '{}'",
    "# {}",
    "cat <<'E'\n$({})\nE",
};

std::string Filled(std::string_view around, std::string_view command) {
  std::string line;
  for (std::size_t at = 0; at < around.size();) {
    if (around.substr(at).starts_with("{}")) {
      line += command;
      at += 2;
    } else if (around.substr(at).starts_with("<>")) {
      line += ShellQuoted(command);
      at += 2;
    } else {
      line += around[at++];
    }
  }
  return line;
}

std::vector<std::string> AllLines() {
  std::vector<std::string> lines(std::begin(kLines), std::end(kLines));
  lines.insert(lines.end(), std::begin(kHidingLines), std::end(kHidingLines));
  lines.insert(lines.end(), std::begin(kDisguisedLines), std::end(kDisguisedLines));
  for (const std::string_view around : kAround) {
    for (const std::string_view command : kCommands) lines.push_back(Filled(around, command));
  }
  return lines;
}

// Why a program that is called sure needn't run: a text that stands in the line, and the reason.
struct Reason {
  std::string_view text;
  std::string_view why;
};
constexpr Reason kReasons[] = {
    {"| tee", "a recorder in place of tee passes nothing on"},
    {"select", "a menu without input runs its body never"},
    {"hash -p", "hash names another file for the program"},
    {"expand_aliases", "an alias takes the place of the program"},
    {"command -p", "it searches the usual folders, not the PATH"},
    {"export -f", "the recorder between two shells drops functions"},
    {"-lc", "a login shell sets another PATH"},
    {"DEBUG", "a trap changes a variable at any time"},
    {"declare -n", "a variable stands for another"},
    {"exec -ca", "a recorder without its environment records nothing"},
    {"/nowhere/", "the program isn't there"},
    {"<in", "a file that is read isn't there"},
    {">$(", "a redirection has no target"},
    {"$((curl; wget))", "an expression that isn't one"},
};

class Recorders {
 public:
  Recorders() {
    folder_.Write("recorder", kRecorder);
    EXPECT_EQ(chmod((folder_ / "recorder").c_str(), 0755), 0);
    folder_.MakeFolder("bin");
    folder_.MakeFolder("work");
    EXPECT_EQ(mkfifo((folder_ / "ended").c_str(), 0600), 0);
    for (const std::string_view name : Split(kPrograms, ' ')) {
      EXPECT_EQ(symlink("../recorder", (folder_ / ("bin/" + std::string(name))).c_str()), 0);
    }
  }

  Names Run(const std::string& line) const {
    folder_.Write("record", "");
    // bash doesn't wait for <(...) and &: all that it starts holds a pipe open until it ends.
    const UniqueFd ended(open((folder_ / "ended").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    (void)RunReal(
        {"/bin/bash", "-c", "exec 19>\"$0\"; exec /bin/bash -c \"$1\"", folder_ / "ended", line},
        {.folder = folder_ / "work",
         .environment = {{"PATH", folder_ / "bin"},
                         {"RECORD", folder_ / "record"},
                         {"REAL", "/usr/bin"},
                         {"HOME", folder_ / "work"}}});
    pollfd all{.fd = ended.get(), .events = POLLIN, .revents = 0};
    EXPECT_EQ(poll(&all, 1, 60'000), 1) << line;
    Names names;
    const std::string record = folder_.Read("record");
    for (const std::string_view name : Split(record, '\n')) {
      if (!name.empty()) names.emplace(name);
    }
    return names;
  }

  std::string work() const { return folder_ / "work"; }

 private:
  TempFolder folder_;
};

struct Forecast {
  Names sure;
  Names all;
  bool unknown = false;
};

Forecast ForecastOf(const std::string& line, const std::string& folder) {
  Forecast forecast;
  for (const ShellEffect& effect : EffectsOf(line, {.folder = folder, .home = folder})) {
    if (effect.kind != EffectKind::kRun || effect.builtin) continue;
    if (effect.certainty == Certainty::kUnknown) {
      forecast.unknown = true;
      continue;
    }
    forecast.all.emplace(FileName(effect.what));
    if (effect.certainty == Certainty::kSure) forecast.sure.emplace(FileName(effect.what));
  }
  return forecast;
}

Names Without(const Names& some, const Names& others) {
  Names rest;
  std::ranges::set_difference(some, others, std::inserter(rest, rest.end()));
  return rest;
}

TEST(ShellDifferentialTest, NoProgramRunsThatIsNeitherListedNorUnknown) {
  const Recorders recorders;
  const std::vector<std::string> lines = AllLines();
  std::size_t programs = 0;
  std::size_t unknown = 0;
  std::map<std::string, int> differences;
  for (const std::string& line : lines) {
    const Names ran = recorders.Run(line);
    const Forecast forecast = ForecastOf(line, recorders.work());
    programs += ran.size();
    unknown += forecast.unknown ? 1 : 0;
    if (!forecast.unknown) {
      EXPECT_THAT(Without(ran, forecast.all), testing::IsEmpty()) << line;
    }
    // What has no recorder can't have run: a function or a file that isn't there.
    Names idle = Without(forecast.sure, ran);
    std::erase_if(idle, [](const std::string& name) { return !IsIn(Split(kPrograms, ' '), name); });
    if (idle.empty()) continue;
    const auto reason = std::ranges::find_if(
        kReasons, [&](const Reason& one) { return line.find(one.text) != std::string::npos; });
    EXPECT_NE(reason, std::end(kReasons)) << line << "\n  never ran: " << *idle.begin();
    if (reason != std::end(kReasons)) ++differences[std::string(reason->why)];
  }
  EXPECT_GE(lines.size(), 1000U);
  std::string report;
  for (const auto& [why, count] : differences) report += std::to_string(count) + " x " + why + "\n";
  std::printf("%zu lines, %zu programs, %zu lines with something unknown; sure, but never ran:\n%s",
              lines.size(), programs, unknown, report.c_str());
}

}  // namespace
}  // namespace belay
