#include "os/process_tree.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "os/process.h"
#include "os/this_process.h"
#include "testing/test_pipe.h"

namespace belay {
namespace {

TEST(ProcessTree, FindsDescendantsParentsFirst) {
  TestPipe pids;
  auto shell = Process::Spawn({.command = {"sh", "-c", "sh -c 'echo $$; exec sleep 1000' & wait"},
                               .output = pids.write.get()});
  ASSERT_TRUE(shell.has_value());
  const pid_t grandchild = std::stoi(pids.ReadLine());
  const auto tree = ProcessTree::Read();
  ASSERT_TRUE(tree.ok());
  const auto below = tree->Descendants(getpid());
  const auto at = [&](pid_t pid) {
    return std::ranges::find(below, pid, &SeenProcess::pid) - below.begin();
  };
  EXPECT_LT(at(shell->pid()), at(grandchild));
  EXPECT_LT(at(grandchild), static_cast<std::ptrdiff_t>(below.size()));
  EXPECT_EQ(tree->Descendants(grandchild).size(), 0u);
  EXPECT_EQ(tree->Find(grandchild)->parent, shell->pid());
  EXPECT_TRUE(HasChildren());
  ASSERT_TRUE(Process::Open(grandchild)->Signal(SIGKILL).ok());
  (void)shell->Wait();
  EXPECT_EQ(ProcessTree::Read()->Find(shell->pid()), nullptr);
}

TEST(ProcessTree, ACommandLineIsOneLineThatATerminalCanShow) {
  TestPipe ready;
  TestPipe gate;
  auto shell = Process::Spawn({.command = {"sh", "-c", "echo; read x", "a\x1B[2J\nb\xFF"},
                               .input = gate.read.get(),
                               .output = ready.write.get()});
  ASSERT_TRUE(shell.has_value());
  (void)ready.ReadLine();
  EXPECT_EQ(CommandLineOf(shell->pid(), 1000), "sh -c echo; read x a [2J b\xEF\xBF\xBD");
  EXPECT_EQ(CommandLineOf(shell->pid(), 5), "sh -c");
  EXPECT_EQ(CommandLineOf(-1, 10), "");
  gate.write.Reset();
  (void)shell->Wait();
  EXPECT_EQ(CommandLineOf(shell->pid(), 10), "");
}

TEST(OomCount, IsTheNumberBehindItsLabel) {
  EXPECT_EQ(ParseOomKills("low 0\noom 3\noom_kill 7\noom_group_kill 9\n"), 7u);
  EXPECT_EQ(ParseOomKills("oom_killer 7\n"), 0u);
  EXPECT_EQ(ParseOomKills(""), 0u);
  EXPECT_EQ(ParseOomKills("oom_kill "), 0u);
}

}  // namespace
}  // namespace belay
