// What `--resume` makes of a session whose process was killed: the agent alone, without belay.

#include <gmock/gmock.h>

#include <filesystem>

#include "agents/claude_world.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

class ResumeScenario : public ClaudeWorld {
 protected:
  // One call of a tool is done, and the second runs.
  void Begin() {
    ModelScript script;
    script.Step("resumed").IfUserSays("go on").Says("Resumed.");
    script.Step("first").IfUserSays("make it").Once().RunsBash("echo first thing");
    script.Step("second")
        .IfUserSays("first thing")
        .Once()
        .Says("Now the second.")
        .RunsBash("echo $$ > tool.pid; sleep 600");
    Play(script);
    claude_ = &StartClaude({"make it"});
    ASSERT_TRUE(AwaitFile("tool.pid"));
    ASSERT_TRUE(AwaitWritten("sleep 600"));
    session_ = LastSession();
  }
  void BeginAndKill() {
    ASSERT_NO_FATAL_FAILURE(Begin());
    ASSERT_TRUE(claude_->Signal(SIGKILL).ok());
    EXPECT_EQ(claude_->Wait(), ExitStatus::Killed(SIGKILL));
  }
  ClaudeEnd Resume() { return RunClaude({"--resume", session_, "go on"}); }
  // It went on in the same session, knowing what was done.
  Json ExpectResumed(const ClaudeEnd& end) {
    EXPECT_EQ(end.status, ExitStatus::Exited(0)) << end.errors;
    EXPECT_EQ(LastSession(), session_);
    const std::vector<Json> requests = Model().AnsweredBy("resumed");
    EXPECT_EQ(requests.size(), 1U);
    if (requests.empty()) return {};
    EXPECT_TRUE(ModelLog::Tells(requests[0], "make it"));
    EXPECT_TRUE(ModelLog::Tells(requests[0], "first thing"));
    EXPECT_TRUE(ModelLog::Tells(requests[0], "Now the second."));
    return requests[0];
  }

  Process* claude_ = nullptr;
  std::string session_;
};

TEST_F(ResumeScenario, ResumesAfterAKillDuringATool) {
  ASSERT_NO_FATAL_FAILURE(BeginAndKill());
  const Json request = ExpectResumed(Resume());
  const Result<Process> tool = Process::Open(std::stoi(folder_.Read("repo/tool.pid")));
  EXPECT_TRUE(tool.ok()) << "the tool's shell ended with its agent";
  // Older versions forget that there was a call at all.
  EXPECT_EQ(ModelLog::Tells(request, "its outcome is unknown"), ClaudeIsAtLeast(2, 1));
  EXPECT_EQ(ModelLog::Tells(request, "sleep 600"), ClaudeIsAtLeast(2, 1));
}

TEST_F(ResumeScenario, ResumesATornTranscript) {
  ASSERT_NO_FATAL_FAILURE(BeginAndKill());
  const std::string path = TranscriptPaths(ConfigFolder()).back();
  const std::string text = ReadProcFile(path);
  std::filesystem::resize_file(path, text.rfind("sleep 600"));
  const Json request = ExpectResumed(Resume());
  EXPECT_FALSE(ModelLog::Tells(request, "sleep 600"));
  EXPECT_TRUE(ReadTranscript(path).torn);
}

TEST_F(ResumeScenario, RefusesASessionWithoutATranscript) {
  ASSERT_NO_FATAL_FAILURE(BeginAndKill());
  std::filesystem::remove(TranscriptPaths(ConfigFolder()).back());
  const ClaudeEnd end = Resume();
  EXPECT_EQ(end.status, ExitStatus::Exited(1));
  EXPECT_THAT(end.errors, HasSubstr("No conversation found with session ID"));
  EXPECT_TRUE(Model().AnsweredBy("resumed").empty());
}

TEST_F(ResumeScenario, ResumesASessionThatStillRuns) {
  ASSERT_NO_FATAL_FAILURE(Begin());
  ExpectResumed(Resume());
  EXPECT_FALSE(claude_->TryWait()) << "the first one was ended";
}

}  // namespace
}  // namespace belay
