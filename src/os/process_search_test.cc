#include "os/process_search.h"

#include <gtest/gtest.h>

#include <csignal>

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

}  // namespace
}  // namespace belay
