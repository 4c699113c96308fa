#include <gtest/gtest.h>
#include <sys/stat.h>

#include <optional>
#include <string>

#include "os/process_identity.h"
#include "os/program.h"
#include "os/real_event_loop.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

constexpr auto kBound = std::chrono::seconds(30);

class BackgroundProgramTest : public ::testing::Test {
 protected:
  static ProgramRequest Shell(const std::string& script, Duration limit = kBound) {
    return {.command = {"sh", "-c", script}, .limit = limit};
  }
  // To its end.
  Result<ProgramResult> Run(const ProgramRequest& request) {
    std::optional<Result<ProgramResult>> outcome;
    const auto program =
        BackgroundProgram::Start(*loop_, request, [&](Result<ProgramResult> result) {
          EXPECT_FALSE(outcome.has_value());
          outcome = std::move(result);
          loop_->Stop();
        });
    if (!program) return program.error();
    loop_->Run();
    return *std::move(outcome);
  }

  std::unique_ptr<RealEventLoop> loop_ = *RealEventLoop::Create();
};

TEST_F(BackgroundProgramTest, GivesWhatItPrintedAndHowItEnded) {
  const auto result = Run(Shell("echo out; echo err >&2; exit 3"));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->out, "out\n");
  EXPECT_EQ(result->exit_code, 3);
  EXPECT_FALSE(result->cut);
}

TEST_F(BackgroundProgramTest, ASignalIsAnExitCodeToo) {
  EXPECT_EQ(Run(Shell("kill -9 $$"))->exit_code, 137);
}

TEST_F(BackgroundProgramTest, MoreThanAPipeHoldsIsReadWhole) {
  const auto result = Run(Shell("head -c 900000 /dev/zero"));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->out.size(), 900'000U);
  EXPECT_FALSE(result->cut);
}

TEST_F(BackgroundProgramTest, MoreThanIsWantedIsCutAndTheProgramContinues) {
  ProgramRequest request = Shell("head -c 900000 /dev/zero; exit 5");
  request.most_output = 1000;
  const auto result = Run(request);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->out.size(), 1000U);
  EXPECT_TRUE(result->cut);
  EXPECT_EQ(result->exit_code, 5);
}

TEST_F(BackgroundProgramTest, ExactlyAsMuchAsIsWantedIsNotCut) {
  ProgramRequest request = Shell("printf 12345");
  request.most_output = 5;
  const auto result = Run(request);
  EXPECT_EQ(result->out, "12345");
  EXPECT_FALSE(result->cut);
}

TEST_F(BackgroundProgramTest, RunsInTheGivenFolderAndEnvironment) {
  const TempFolder folder;
  ProgramRequest request = Shell("pwd; echo $NAME");
  request.folder = folder.path();
  request.environment = {{"NAME", "value"}, {"PATH", getenv("PATH")}};
  EXPECT_EQ(Run(request)->out, folder.path() + "\nvalue\n");
}

TEST_F(BackgroundProgramTest, AMissingProgramIsAnErrorWithoutACallback) {
  const auto result = Run({.command = {"no-such-program"}, .limit = kBound});
  EXPECT_FALSE(result.ok());
}

TEST_F(BackgroundProgramTest, OneThatTakesTooLongIsEndedWithItsChildren) {
  const TempFolder folder;
  ProgramRequest request = Shell("sleep 600 & echo $! >child; wait", std::chrono::milliseconds(50));
  request.folder = folder.path();
  const auto result = Run(request);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kFailed);
  const std::string child = folder.Read("child");
  if (child == "(missing)") return;  // it was ended before it had one
  // It was killed, and is gone in a moment; if it weren't, this would hang.
  Result<Process> killed = Process::Open(std::stoi(child));
  if (killed) (void)killed->Wait();
}

TEST_F(BackgroundProgramTest, AChildThatHoldsTheOutputOpenIsNotWaitedFor) {
  const auto result = Run(Shell("sleep 30 & echo done; echo $!"));
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->out.substr(0, 5), "done\n");
  (void)Process::Open(std::stoi(result->out.substr(5)))->Signal(9);
}

TEST_F(BackgroundProgramTest, OneThatIsGivenUpIsEnded) {
  bool called = false;
  auto program = BackgroundProgram::Start(*loop_, Shell("exec sleep 600"),
                                          [&](const Result<ProgramResult>&) { called = true; });
  ASSERT_TRUE(program.ok());
  const ProcessIdentity process = *IdentityOf((*program)->pid());
  EXPECT_TRUE(IsAlive(process));
  program->reset();
  EXPECT_FALSE(IsAlive(process));
  loop_->Post([&] { loop_->Stop(); });
  loop_->Run();
  EXPECT_FALSE(called);
}

TEST_F(BackgroundProgramTest, OneThatIsAskedToEndCleansUpFirst) {
  const TempFolder folder;
  const std::string fifo = folder / "ready";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const std::string last = folder / "last";
  auto program = BackgroundProgram::Start(
      *loop_,
      Shell("trap 'echo words > " + last + "; exit' TERM; echo > " + fifo + "; sleep 600 & wait"),
      [](const Result<ProgramResult>&) { ADD_FAILURE() << "called back"; });
  ASSERT_TRUE(program.ok());
  (void)folder.Read("ready");  // waits until it is there
  (*program)->AskToEnd(kBound);
  EXPECT_EQ(folder.Read("last"), "words\n");
}

TEST_F(BackgroundProgramTest, OneThatDoesNotEndWhenItIsAskedIsKilled) {
  const TempFolder folder;
  const std::string fifo = folder / "ready";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  auto program = BackgroundProgram::Start(
      *loop_, Shell("trap '' TERM; echo > " + fifo + "; exec sleep 600"),
      [](const Result<ProgramResult>&) { ADD_FAILURE() << "called back"; });
  ASSERT_TRUE(program.ok());
  (void)folder.Read("ready");
  const Result<ProcessIdentity> identity = IdentityOf((*program)->pid());
  ASSERT_TRUE(identity.ok());
  (*program)->AskToEnd(std::chrono::milliseconds(1));
  EXPECT_TRUE(IsAlive(*identity));
  program->reset();
  EXPECT_FALSE(IsAlive(*identity));
}

TEST_F(BackgroundProgramTest, ItMayBeDestroyedByItsOwnCallback) {
  std::unique_ptr<BackgroundProgram> program;
  auto started =
      BackgroundProgram::Start(*loop_, Shell("echo out"), [&](const Result<ProgramResult>& result) {
        EXPECT_EQ(result->out, "out\n");
        program.reset();
        loop_->Stop();
      });
  ASSERT_TRUE(started.ok());
  program = *std::move(started);
  loop_->Run();
  EXPECT_EQ(program, nullptr);
}

}  // namespace
}  // namespace belay
