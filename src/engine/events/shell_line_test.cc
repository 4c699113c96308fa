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

// Whether the exit code tells about `npm test`: when it is 0, and when it isn't.
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
    testing::Values(Verdict{"npm test", true, true}, Verdict{"cd x && npm test", true, true},
                    Verdict{"cd x; npm test", true, true}, Verdict{"make && npm test", true, false},
                    Verdict{"make; npm test", true, true},
                    Verdict{"npm test && echo fine", true, false},
                    Verdict{"npm test || true", false, false},
                    Verdict{"false || npm test", false, false},
                    Verdict{"npm test | tail", false, false}, Verdict{"yes | npm test", true, true},
                    Verdict{"npm test; echo done", false, false},
                    Verdict{"npm test &", false, false}, Verdict{"npm test & wait", false, false},
                    Verdict{"if npm test; then echo y; fi", false, false},
                    Verdict{"(npm test)", false, false}, Verdict{"npm test\n", true, true}));

}  // namespace
}  // namespace belay
