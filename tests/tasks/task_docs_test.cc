// The walkthrough in docs/tasks.md, pasted line by line.

#include <fstream>
#include <iterator>

#include "task_world.h"

namespace belay {
namespace {

// The shell lines of the page.
std::string Pasted() {
  std::ifstream file(SourceFile("docs/tasks.md"));
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  std::string lines;
  for (std::size_t at = page.find("```sh\n"); at != std::string::npos;
       at = page.find("```sh\n", at)) {
    at += 6;
    const std::size_t end = page.find("```", at);
    lines += page.substr(at, end - at);
    at = end + 3;
  }
  return lines;
}

TEST(TaskDocsTest, TheWalkthroughWorksAsWritten) {
  TempFolder folder;
  folder.MakeFolder("empty");
  const std::string binary = BelayBinary();
  const RunOutcome outcome =
      RunReal({"sh", "-e", "-c", Pasted()},
              {.folder = folder / "empty",
               .environment = {{"PATH", binary.substr(0, binary.rfind('/')) + ":" + getenv("PATH")},
                               {"GIT_CONFIG_GLOBAL", "/dev/null"}}});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "t1: count to three\n"
            "task t1 belongs to worker-a\n"
            "task t1 is suspended: its work is the snapshot agent-worker-a/1, and the worktree is "
            "back at HEAD\n"
            "its context is " +
                outcome.out.substr(
                    outcome.out.find("tmp/work/"),
                    std::string("tmp/work/20261118-120000/context/standalone/t1.md").size()) +
                "\nbelay task resume t1 continues it\n"
                "stash@{0}: rune-suspend-task-t1-TIME\n"
                "TASK  STATUS     OWNER     TITLE           WAVE  DUE\n"
                "t1    suspended  worker-a  count to three             agent-worker-a/1\n"
                "ANCHOR -- TRUTHBINDING PROTOCOL\n"
                "task t1 belongs to worker-b; it continues the work of an earlier worker\n"
                "the same\n"
                "task t1 is completed\n");
}

}  // namespace
}  // namespace belay
