#include "engine/events/shell_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belay {
namespace {

using testing::ElementsAre;

std::vector<std::string> Programs(std::string_view text) {
  std::vector<std::string> names;
  for (const ShellCommand& command : ParseShellLine(text).commands) {
    names.push_back(command.words.front());
  }
  return names;
}

TEST(ShellLineTest, FindsTheProgramsThatAreRun) {
  EXPECT_THAT(Programs("cd a && FOO=1 npm test 2>&1 | tail -5; echo 'a; b' >out &"),
              ElementsAre("cd", "npm", "tail", "echo"));
  EXPECT_THAT(Programs("cat <<'EOF' > t.sh\nnpm test\nEOF\nchmod +x t.sh"),
              ElementsAre("cat", "chmod"));
  EXPECT_THAT(Programs("echo $(npm test) `make check` # pytest\nls"), ElementsAre("echo", "ls"));
  EXPECT_THAT(Programs("time sudo env A=b pytest -x"), ElementsAre("pytest"));
  for (const char* line :
       {"timeout 60 pytest", "timeout -k 5 --signal=KILL 60 pytest", "nice -n 10 pytest",
        "env -u A B=1 pytest", "/usr/bin/env pytest", "nohup pytest", "stdbuf -oL -e 0 pytest",
        "xvfb-run -a --server-num 9 pytest", "sudo -E -u me A=1 pytest", "time -p pytest",
        "ls | xargs -n 1 pytest", "{ pytest; }", "! pytest"}) {
    EXPECT_EQ(Programs(line).back(), "pytest") << line;
  }
  EXPECT_THAT(Programs("command -v pytest"), ElementsAre("command"));
  EXPECT_THAT(Programs("timeout; env A=1; sudo -u"), ElementsAre());
  EXPECT_THAT(Programs("a \\\n  b\n\n\nc"), ElementsAre("a", "c"));
  EXPECT_THAT(Programs(""), ElementsAre());
  EXPECT_THAT(Programs("'un closed"), ElementsAre("un closed"));
  EXPECT_THAT(Programs("&& || ; | >"), ElementsAre());
}

TEST(ShellLineTest, KeepsWordsTogether) {
  const ShellLine line =
      ParseShellLine(R"(git commit -m "a \"b\" c" --author='x y' >>log 2>/dev/null)");
  ASSERT_EQ(line.commands.size(), 1U);
  EXPECT_THAT(line.commands[0].words,
              ElementsAre("git", "commit", "-m", "a \"b\" c", "--author=x y"));
}

TEST(ShellLineTest, SeesWhatIsWrittenToFiles) {
  for (const char* line :
       {"a > f", "a >>f", "> f", "a 2>err", "a &> f", "a >& f", "a >| f", "cat > f <<EOF\nx\nEOF",
        "cat <<EOF > f\nx\nEOF", "a > $X", "a >/dev/null; b > f", "a 2>&1 >f"}) {
    EXPECT_TRUE(ParseShellLine(line).writes) << line;
  }
  for (const char* line :
       {"a", "a < f", "a > /dev/null 2>&1", "a >&2", "a 2>&-", "a '>' f", "a <<EOF\n> f\nEOF",
        "a <<< f", "a &>/dev/null", "a <&3", "a \\> f", "a >", "diff <(a) <(b)"}) {
    EXPECT_FALSE(ParseShellLine(line).writes) << line;
  }
}

// Whether the exit code shows the result of `npm test`: when it is 0, and when it isn't.
struct Verdict {
  const char* text;
  bool success;
  bool failure;
};

class ShellVerdictTest : public testing::TestWithParam<Verdict> {};

TEST_P(ShellVerdictTest, IsGivenOnlyWhereTheExitCodeTells) {
  const ShellLine line = ParseShellLine(GetParam().text);
  for (std::size_t i = 0; i < line.commands.size(); ++i) {
    if (line.commands[i].words.front() != "npm") continue;
    EXPECT_EQ(line.SuccessIsOf(i), GetParam().success) << GetParam().text;
    EXPECT_EQ(line.FailureIsOf(i), GetParam().failure) << GetParam().text;
    return;
  }
  FAIL() << "npm was not found in " << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    All, ShellVerdictTest,
    testing::Values(
        Verdict{"npm test", true, true}, Verdict{"cd x && npm test", true, true},
        Verdict{"cd x; npm test", true, true}, Verdict{"make && npm test", true, false},
        Verdict{"make; npm test", true, true}, Verdict{"npm test && echo fine", true, false},
        Verdict{"npm test || true", false, false}, Verdict{"false || npm test", false, false},
        Verdict{"npm test | tail", false, false}, Verdict{"yes | npm test", true, true},
        Verdict{"npm test; echo done", false, false}, Verdict{"npm test &", false, false},
        Verdict{"npm test & wait", false, false},
        Verdict{"if npm test; then echo y; fi", false, false}, Verdict{"(npm test)", false, false},
        Verdict{"! npm test", false, false}, Verdict{"timeout 60 npm test", true, true},
        Verdict{"npm test && git commit -m x", true, false},
        Verdict{"npm test > log 2>&1", true, true}, Verdict{"npm test\n", true, true}));

}  // namespace
}  // namespace belay
