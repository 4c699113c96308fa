#include "os/program.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(ProgramTest, KeepsBothStreamsAndTheExitCode) {
  const auto result =
      PosixPrograms().Run({"sh", "-c", "echo out; echo err >&2; exit 3"}, seconds(30));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->out, "out\n");
  EXPECT_EQ(result->err, "err\n");
  EXPECT_EQ(result->exit_code, 3);
}

TEST(ProgramTest, SaysWhenThereIsNoSuchProgram) {
  EXPECT_EQ(PosixPrograms().Run({"no-such-program-here"}, seconds(30)).error().code,
            ErrorCode::kNotFound);
}

TEST(ProgramTest, EndsTheWholeGroupWhenTheTimeIsUp) {
  // The grandchild holds the pipe open: unless it is killed too, this would not come back.
  const auto result = PosixPrograms().Run({"sh", "-c", "sleep 1000 & wait"}, milliseconds(50));
  EXPECT_EQ(result.error().message, "run sh: no end after 50ms");
}

TEST(ProgramTest, WaitsForAProgramThatClosedItsStreamsNoLongerThanAllowed) {
  EXPECT_FALSE(
      PosixPrograms().Run({"sh", "-c", "exec >&- 2>&-; sleep 1000"}, milliseconds(50)).ok());
}

TEST(ProgramTest, EndsAProgramThatLeftItsGroupOrNeverStopsTalking) {
  EXPECT_FALSE(PosixPrograms()
                   .Run({"perl", "-e", "setpgrp(0, getppid()); sleep 1000"}, milliseconds(50))
                   .ok());
  EXPECT_FALSE(PosixPrograms().Run({"yes"}, milliseconds(50)).ok());
}

TEST(ProgramTest, GivesASignalAsExitCode) {
  EXPECT_EQ(PosixPrograms().Run({"sh", "-c", "kill -9 $$"}, seconds(30))->exit_code, 137);
}

TEST(ProgramTest, KeepsAtMostAMegabyteOfOutput) {
  const auto result = PosixPrograms().Run({"sh", "-c", "head -c 3000000 /dev/zero"}, seconds(30));
  EXPECT_EQ(result->out.size(), std::size_t{1} << 20U);
}

}  // namespace
}  // namespace belay
