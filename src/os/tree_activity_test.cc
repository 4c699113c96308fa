#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>

#include "os/process.h"
#include "os/process_tree.h"
#include "testing/test_pipe.h"

namespace belay {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

// A script that prints a line when it is ready; ended with the test.
class Script {
 public:
  explicit Script(const std::string& text)
      : process_(*Process::Spawn({.command = {"sh", "-c", text}, .output = out_.write.get()})) {
    line = out_.ReadLine();
  }
  ~Script() {
    (void)process_.SignalGroup(SIGKILL);
    (void)process_.Wait();
  }
  pid_t pid() const { return process_.pid(); }

  std::string line;

 private:
  TestPipe out_;
  Process process_;
};

TEST(TreeActivityTest, NamesTheCommandsOfTheWholeTree) {
  // The last one reports that it runs: before that, it would still have its parent's arguments.
  const Script script(R"(sh -c 'sh -c "echo ready; sleep 601; true" & wait' "a b" ''; true)");
  const TreeActivity activity = ReadTreeActivity(script.pid());
  ASSERT_GE(activity.commands.size(), 3U);
  EXPECT_EQ(activity.commands[0][0], "sh");
  EXPECT_THAT(activity.commands[1],
              ElementsAre("sh", "-c", "sh -c \"echo ready; sleep 601; true\" & wait", "a b", ""));
  EXPECT_THAT(activity.commands[2], ElementsAre("sh", "-c", "echo ready; sleep 601; true"));
}

TEST(TreeActivityTest, CountsTheWorkOfAllAndOfChildrenThatHaveEnded) {
  const Script busy(
      "sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'; echo ready; sleep 600");
  const TreeActivity activity = ReadTreeActivity(busy.pid());
  EXPECT_GT(activity.cpu_ticks, 1U);
  EXPECT_GE(ReadTreeActivity(busy.pid()).cpu_ticks, activity.cpu_ticks);
}

TEST(TreeActivityTest, OneThatIsNotThereDoesNothing) {
  auto gone = Process::Spawn({.command = {"true"}});
  ASSERT_TRUE(gone.has_value());
  (void)gone->Wait();
  const TreeActivity activity = ReadTreeActivity(gone->pid());
  EXPECT_EQ(activity.cpu_ticks, 0U);
  EXPECT_TRUE(activity.commands.empty());
}

TEST(TreeActivityTest, OthersAreNoPartOfTheTree) {
  const Script script("echo ready; sleep 602");
  const Script other("echo ready; sleep 603");
  for (const auto& command : ReadTreeActivity(script.pid()).commands) {
    EXPECT_THAT(command, ::testing::Not(Contains("603")));
  }
}

}  // namespace
}  // namespace belay
