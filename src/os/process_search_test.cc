#include <gtest/gtest.h>

#include <csignal>

#include "os/process_tree.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

TEST(ProcessSearch, FindsThoseThatWereStartedWithExactlyThat) {
  auto wanted = Process::Spawn(
      {.command = {"sleep", "1000"}, .environment = {{{"BELAY_TEST_SEARCH", "a#1"}}}});
  auto other = Process::Spawn(
      {.command = {"sleep", "1000"}, .environment = {{{"BELAY_TEST_SEARCH", "a#12"}}}});
  ASSERT_TRUE(wanted.has_value() && other.has_value());
  const std::vector<Process> found = ProcessesStartedWith({"BELAY_TEST_SEARCH=a#1"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].pid(), wanted->pid());
  EXPECT_TRUE(ProcessesStartedWith({"BELAY_TEST_SEARCH=a#1", "BELAY_TEST_OTHER=x"}).empty());
  for (Process* process : {&*wanted, &*other}) {
    EXPECT_TRUE(process->Signal(SIGKILL).ok());
    (void)process->Wait();
  }
}

TEST(ProcessSearch, FindsYoungOnesOfAProgramThatWorkInAFolderAndHaveNoChildren) {
  const TempFolder folder;
  auto leaf = Process::Spawn({.command = {"sleep", "1000"}, .folder = folder.path()});
  auto elsewhere = Process::Spawn({.command = {"sleep", "1000"}, .folder = "/"});
  ASSERT_TRUE(leaf.has_value() && elsewhere.has_value());
  const std::vector<Process> found = YoungLeaves("sleep", folder.path(), std::chrono::minutes(10));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].pid(), leaf->pid());
  EXPECT_TRUE(YoungLeaves("sleep", folder.path(), -std::chrono::minutes(1)).empty());
  EXPECT_TRUE(YoungLeaves("git", folder.path(), std::chrono::minutes(10)).empty());
  for (Process* process : {&*leaf, &*elsewhere}) {
    EXPECT_TRUE(process->Signal(SIGKILL).ok());
    (void)process->Wait();
  }
}

}  // namespace
}  // namespace belay
