#include "os/rescue_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "testing/temp_folder.h"

namespace belay {
namespace {

// Starts one that writes a word to a pipe, in a process of its own, and reports when.
pid_t StartAndHang(int words, int ready) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  const Result<RescueProcess> rescue =
      RescueProcess::Start([words] { (void)!write(words, "acted", 5); });
  (void)!write(ready, rescue.ok() ? "r" : "f", 1);
  for (;;) pause();
}

TEST(RescueProcessTest, ActsWhenItsProcessIsKilled) {
  int words[2];
  int ready[2];
  ASSERT_EQ(pipe(words), 0);
  ASSERT_EQ(pipe(ready), 0);
  const pid_t pid = StartAndHang(words[1], ready[1]);
  char state = 0;
  ASSERT_EQ(read(ready[0], &state, 1), 1);
  ASSERT_EQ(state, 'r');
  ASSERT_EQ(kill(pid, SIGKILL), 0);
  char word[8] = {};
  EXPECT_EQ(read(words[0], word, sizeof word), 5);  // waits for it
  EXPECT_STREQ(word, "acted");
  (void)waitpid(pid, nullptr, 0);
}

TEST(RescueProcessTest, DoesNothingWhenItIsDismissed) {
  const TempFolder folder;
  {
    Result<RescueProcess> rescue = RescueProcess::Start([&] { folder.Write("acted", ""); });
    ASSERT_TRUE(rescue.ok());
    rescue->Dismiss();  // it is gone when this returns
  }
  EXPECT_EQ(folder.Read("acted"), "(missing)");
}

}  // namespace
}  // namespace belay
