#include "os/program.h"

#include <gtest/gtest.h>

#include <utility>

namespace belay {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(ProgramTest, KeepsBothStreamsAndTheExitCode) {
  const auto result = PosixPrograms().Run(
      {.command = {"sh", "-c", "echo out; echo err >&2; exit 3"}, .limit = seconds(30)});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->out, "out\n");
  EXPECT_EQ(result->err, "err\n");
  EXPECT_EQ(result->exit_code, 3);
}

TEST(ProgramTest, ReportsAMissingProgram) {
  EXPECT_EQ(
      PosixPrograms().Run({.command = {"no-such-program-here"}, .limit = seconds(30)}).error().code,
      ErrorCode::kNotFound);
}

TEST(ProgramTest, EndsTheWholeGroupWhenTheTimeIsUp) {
  // The grandchild holds the pipe open: unless it is killed too, this would not return.
  const auto result = PosixPrograms().Run(
      {.command = {"sh", "-c", "sleep 1000 & wait"}, .limit = milliseconds(50)});
  EXPECT_EQ(result.error().message, "run sh: not finished after 50ms");
}

TEST(ProgramTest, WaitsForAProgramThatClosedItsStreamsNoLongerThanAllowed) {
  EXPECT_FALSE(
      PosixPrograms()
          .Run({.command = {"sh", "-c", "exec >&- 2>&-; sleep 1000"}, .limit = milliseconds(50)})
          .ok());
}

TEST(ProgramTest, EndsAProgramThatLeftItsGroupOrNeverStopsTalking) {
  EXPECT_FALSE(PosixPrograms()
                   .Run({.command = {"perl", "-e", "setpgrp(0, getppid()); sleep 1000"},
                         .limit = milliseconds(50)})
                   .ok());
  EXPECT_FALSE(PosixPrograms().Run({.command = {"yes"}, .limit = milliseconds(50)}).ok());
}

TEST(ProgramTest, GivesASignalAsExitCode) {
  EXPECT_EQ(
      PosixPrograms().Run({.command = {"sh", "-c", "kill -9 $$"}, .limit = seconds(30)})->exit_code,
      137);
}

TEST(ProgramTest, KeepsAtMostAMegabyteOfOutput) {
  const auto result = PosixPrograms().Run(
      {.command = {"sh", "-c", "head -c 3000000 /dev/zero"}, .limit = seconds(30)});
  EXPECT_EQ(result->out.size(), std::size_t{1} << 20U);
}

TEST(ProgramTest, GivesItsInputInPiecesAndTakesEverythingBack) {
  int pieces = 0;
  const auto result = PosixPrograms().Run({.command = {"cat"},
                                           .limit = seconds(30),
                                           .input = [&](std::string& piece) -> Result<bool> {
                                             piece.assign(100'000, static_cast<char>('a' + pieces));
                                             return ++pieces <= 20;
                                           },
                                           .most_output = 10'000'000});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->out.size(), 2'000'000u);
  EXPECT_EQ(result->out.back(), 't');
  EXPECT_FALSE(result->cut);
}

TEST(ProgramTest, AnEmptyPieceOfInputWaitsUntilTheProgramHasSpoken) {
  std::string output;
  std::string second = "two\n";
  int asked = 0;
  const auto result = PosixPrograms().Run(
      {.command = {"sh", "-c", "read word; echo got $word; read word; echo got $word"},
       .limit = seconds(30),
       .input = [&](std::string& piece) -> Result<bool> {
         ++asked;
         if (asked == 1) piece = "one\n";
         if (output == "got one\n") piece = std::exchange(second, {});
         return output.find("two") == std::string::npos;
       },
       .converses = true,
       .output =
           [&](std::string_view piece) {
             output += piece;
             return Result<void>();
           }});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(output, "got one\ngot two\n");
  EXPECT_LT(asked, 20);  // it isn't asked again and again
}

TEST(ProgramTest, AProgramThatWantsNoInputEndsAllTheSame) {
  const auto result = PosixPrograms().Run(
      {.command = {"true"}, .limit = seconds(30), .input = InputOf(std::string(10'000'000, 'x'))});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->exit_code, 0);
}

TEST(ProgramTest, InputThatFailsEndsTheProgram) {
  const auto result = PosixPrograms().Run(
      {.command = {"cat"}, .limit = seconds(30), .input = [](std::string&) -> Result<bool> {
         return Error{ErrorCode::kFailed, "read x: gone"};
       }});
  EXPECT_EQ(result.error().message, "read x: gone");
}

TEST(ProgramTest, RunsInAFolderWithAnEnvironmentOfItsOwn) {
  const auto result = PosixPrograms().Run({.command = {"sh", "-c", "pwd; echo $WORD"},
                                           .limit = seconds(30),
                                           .folder = "/usr",
                                           .environment = {{{"WORD", "hello"}}}});
  EXPECT_EQ(result->out, "/usr\nhello\n");
}

TEST(ProgramTest, HandsOutputOverPieceByPiece) {
  std::size_t bytes = 0;
  const auto result = PosixPrograms().Run({.command = {"head", "-c", "3000000", "/dev/zero"},
                                           .limit = seconds(30),
                                           .output =
                                               [&](std::string_view piece) {
                                                 bytes += piece.size();
                                                 return Result<void>();
                                               },
                                           .most_output = 10});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(bytes, 3'000'000U);
  EXPECT_EQ(result->out, "");
  EXPECT_FALSE(result->cut);
}

TEST(ProgramTest, OutputThatCannotBeReadEndsTheProgram) {
  const auto result = PosixPrograms().Run(
      {.command = {"cat", "/dev/zero"}, .limit = seconds(30), .output = [](std::string_view) {
         return Error{ErrorCode::kFailed, "full"};
       }});
  EXPECT_EQ(result.error().message, "full");
}

}  // namespace
}  // namespace belay
