// An agent that was killed goes on in the same conversation, whatever it was at; and begins a new
// one when that can't be, or another session uses it.

#include <gmock/gmock.h>

#include <filesystem>

#include "agents/hooked_world.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kFirstWords = "I begin with the pears.";  // only in the conversation

class ConversationScenario : public HookedWorld {
 protected:
  // One call is done; what comes after "the pears are done" is for the test to say. The successor
  // makes one file and is done.
  ConversationScenario() {
    script_.Step("goes on")
        .IfUserSays(kContinuation)
        .Once()
        .RunsBash("echo whole > whole.txt && echo whole was made");
    script_.Step("ends").IfUserSays("whole was made").Says("All done.");
    script_.Step("first")
        .IfUserSays("make it whole")
        .Once()
        .Says(kFirstWords)
        .RunsBash("echo the pears are done");
  }
  ScriptStep& Then(std::string_view name) {
    return script_.Step(name).IfUserSays("the pears are done").Once();
  }
  void BeginIt() {
    ASSERT_NO_FATAL_FAILURE(Begin(script_, "make it whole"));
    session_ = AwaitSession("a");
  }
  void BeginWithATool() {
    Then("second").RunsBash("echo $$ > tool.pid; sleep 600");
    ASSERT_NO_FATAL_FAILURE(BeginIt());
    ASSERT_TRUE(AwaitFile("tool.pid"));
    ASSERT_TRUE(AwaitWritten("sleep 600"));
  }
  Result<Process> Tool() { return Process::Open(std::stoi(folder_.Read("repo/tool.pid"))); }

  // While the guardian sees nothing.
  void KillUnseen() {
    ASSERT_TRUE(guardian_->Signal(SIGSTOP).ok());
    const Process agent = ProcessOf("a");
    ASSERT_TRUE(agent.Signal(SIGKILL).ok());
    ASSERT_TRUE(EndsWithin(agent, kBound));
  }
  void LetTheGuardianSee() { ASSERT_TRUE(guardian_->Signal(SIGCONT).ok()); }
  std::string TranscriptPath() { return TranscriptPaths(ConfigFolder()).back(); }

  Json ExpectFinished(std::uint32_t incarnation = 2) {
    AwaitStatus("a", incarnation, AgentStatus::kTerminated);
    EXPECT_EQ(folder_.Read("repo/whole.txt"), "whole\n");
    EXPECT_EQ(Before("a").exit->cause, ExitCause::kKilled);
    const std::vector<Json> requests = Model().AnsweredBy("goes on");
    EXPECT_EQ(requests.size(), 1U);
    return requests.empty() ? Json() : requests[0];
  }
  Json ExpectSameConversation(std::uint32_t incarnation = 2) {
    const Json request = ExpectFinished(incarnation);
    EXPECT_TRUE(ModelLog::Tells(request, kFirstWords));
    EXPECT_TRUE(ModelLog::Tells(request, "the pears are done"));
    EXPECT_TRUE(ModelLog::Tells(request, kContinuation));
    EXPECT_EQ(TranscriptPaths(ConfigFolder()).size(), 1U);
    EXPECT_EQ(Present("a").session_id, session_);
    EXPECT_THAT(Why("a"), HasSubstr("in the same conversation"));
    return request;
  }
  void ExpectNewConversation(const std::string& why) {
    const Json request = ExpectFinished();
    EXPECT_FALSE(ModelLog::Tells(request, kFirstWords));
    EXPECT_TRUE(ModelLog::Tells(request, "make it whole"));
    EXPECT_TRUE(ModelLog::Tells(request, kContinuation));
    EXPECT_NE(Present("a").session_id, session_);
    EXPECT_EQ(Present("a").session_id, LastSession());
    EXPECT_THAT(BelayJson({"why", "a"}), ::testing::Truly([&](const Json& record) {
                  return WriteJson(record).find("in a new conversation: " + why) !=
                         std::string::npos;
                }))
        << Why("a");
  }

  ModelScript script_;
  std::string session_;
};

TEST_F(ConversationScenario, ContinuesAfterAKillDuringATool) {
  ASSERT_NO_FATAL_FAILURE(BeginWithATool());
  const Result<Process> tool = Tool();
  ASSERT_TRUE(tool.ok());
  SignalAgent("a", SIGKILL);
  EXPECT_TRUE(EndsWithin(*tool, kBound)) << "the tool's shell outlived its agent";
  const Json request = ExpectSameConversation();
  EXPECT_EQ(ModelLog::Tells(request, "its outcome is unknown"), ClaudeIsAtLeast(2, 1));
}

TEST_F(ConversationScenario, ContinuesAfterAKillWhileTheModelThinks) {
  Then("thinks").Stalls();
  ASSERT_NO_FATAL_FAILURE(BeginIt());
  ASSERT_TRUE(AwaitAnswered("thinks", "stalled"));
  SignalAgent("a", SIGKILL);
  ExpectSameConversation();
}

TEST_F(ConversationScenario, ContinuesAfterAKillWithinAnAnswer) {
  Then("speaks").Says("Now the apples, and then").RunsBash("echo never > never.txt").StallsAfter(6);
  ASSERT_NO_FATAL_FAILURE(BeginIt());
  ASSERT_TRUE(AwaitAnswered("speaks", "stalled"));
  SignalAgent("a", SIGKILL);
  ExpectSameConversation();
  EXPECT_EQ(folder_.Read("repo/never.txt"), "(missing)");
}

TEST_F(ConversationScenario, ContinuesAfterAKillDuringASubAgent) {
  script_.Step("sub-agent")
      .IfUserSays("look for plums")
      .Once()
      .RunsBash("echo $$ > tool.pid; sleep 600");
  Then("delegates")
      .Uses(ClaudeIsAtLeast(2, 1) ? "Agent" : "Task",
            MakeObject({{"description", "a scripted search"},
                        {"prompt", "look for plums"},
                        {"subagent_type", "general-purpose"}}));
  ASSERT_NO_FATAL_FAILURE(BeginIt());
  ASSERT_TRUE(AwaitFile("tool.pid"));
  const Result<Process> tool = Tool();
  ASSERT_TRUE(tool.ok());
  SignalAgent("a", SIGKILL);
  EXPECT_TRUE(EndsWithin(*tool, kBound)) << "the sub-agent's shell outlived the agent";
  ExpectSameConversation();
}

TEST_F(ConversationScenario, ContinuesAfterAKillDuringCompaction) {
  if (!ClaudeIsAtLeast(2, 1)) GTEST_SKIP() << "older versions end with an error then";
  script_.Step("sums up").IfUserSays("summary of the conversation").WithOrWithoutTools().Stalls();
  Then("too long").Fails(400, "prompt is too long: 210000 tokens > 200000 maximum");
  ASSERT_NO_FATAL_FAILURE(BeginIt());
  ASSERT_TRUE(AwaitAnswered("sums up", "stalled"));
  SignalAgent("a", SIGKILL);
  ExpectSameConversation();
}

// The second one can hardly have said in which conversation it is.
TEST_F(ConversationScenario, ContinuesAfterAKillAtItsStart) {
  ASSERT_NO_FATAL_FAILURE(BeginWithATool());
  SignalAgent("a", SIGKILL);
  AwaitStatus("a", 2, AgentStatus::kAlive);
  SignalAgent("a", SIGKILL);
  ExpectSameConversation(3);
}

TEST_F(ConversationScenario, ContinuesBehindATornLine) {
  ASSERT_NO_FATAL_FAILURE(BeginWithATool());
  ASSERT_NO_FATAL_FAILURE(KillUnseen());
  const std::string text = ReadProcFile(TranscriptPath());
  std::filesystem::resize_file(TranscriptPath(), text.rfind("sleep 600"));
  LetTheGuardianSee();
  // The torn call is gone from the conversation: the successor doesn't ask how it ended.
  EXPECT_FALSE(ModelLog::Tells(ExpectSameConversation(), "outcome is unknown"));
}

TEST_F(ConversationScenario, StartsANewOneWhenTheTranscriptIsGone) {
  ASSERT_NO_FATAL_FAILURE(BeginWithATool());
  ASSERT_NO_FATAL_FAILURE(KillUnseen());
  std::filesystem::remove(TranscriptPath());
  LetTheGuardianSee();
  ExpectNewConversation("the transcript is gone");
}

TEST_F(ConversationScenario, StartsANewOneWhenTheTranscriptIsALink) {
  ASSERT_NO_FATAL_FAILURE(BeginWithATool());
  ASSERT_NO_FATAL_FAILURE(KillUnseen());
  const std::string path = TranscriptPath();
  const std::string other = folder_ / "other.jsonl";
  std::filesystem::rename(path, other);
  std::filesystem::create_symlink(other, path);
  LetTheGuardianSee();
  ExpectNewConversation("the transcript isn't a regular file of this user");
}

// Claude Code itself goes on with whatever lines there are.
TEST_F(ConversationScenario, StartsANewOneWhenTheTranscriptHoldsAnotherSession) {
  script_.Step("another").IfUserSays("count the plums").Says("There are nine plums.");
  ASSERT_NO_FATAL_FAILURE(BeginWithATool());
  const std::string path = TranscriptPath();
  EXPECT_EQ(RunClaude({"count the plums"}).status, ExitStatus::Exited(0));
  const std::string other = TranscriptPath();
  ASSERT_NE(other, path);
  ASSERT_NO_FATAL_FAILURE(KillUnseen());
  std::filesystem::rename(other, path);
  LetTheGuardianSee();
  ExpectNewConversation("the transcript belongs to another conversation");
  EXPECT_FALSE(ModelLog::Tells(Model().AnsweredBy("goes on").at(0), "nine plums"));
}

// Claude Code itself would let two processes into one conversation.
TEST_F(ConversationScenario, StartsANewOneWhileAnotherProcessUsesIt) {
  if (!ClaudeIsAtLeast(2, 1)) GTEST_SKIP() << "older versions don't write down who is in it";
  script_.Step("by hand").IfUserSays("stay a while").Stalls();
  ASSERT_NO_FATAL_FAILURE(BeginWithATool());
  Process& other = StartClaude({"--resume", session_, "stay a while"});
  ASSERT_TRUE(AwaitAnswered("by hand", "stalled"));
  SignalAgent("a", SIGKILL);
  ExpectNewConversation(fmt::format("process {} uses the conversation", other.pid()));
  EXPECT_FALSE(other.TryWait()) << "the one that was started by hand has ended";
}

// One that has finished, and whose conversation a person continues.
class ContinuedScenario : public ConversationScenario {
 protected:
  void BeginAndFinish() {
    Then("is done").Says("Enough for now.");
    ASSERT_NO_FATAL_FAILURE(BeginIt());
    const Identity ended = AwaitStatus("a", 1, AgentStatus::kTerminated);
    EXPECT_EQ(ended.exit->cause, ExitCause::kClean);
  }
  void ExpectContinued() {
    AwaitStatus("a", 2, AgentStatus::kTerminated);
    EXPECT_EQ(folder_.Read("repo/whole.txt"), "whole\n");
    const std::vector<Json> requests = Model().AnsweredBy("goes on");
    ASSERT_EQ(requests.size(), 1U);
    EXPECT_TRUE(ModelLog::Tells(requests[0], kFirstWords));
    EXPECT_EQ(TranscriptPaths(ConfigFolder()).size(), 1U);
    EXPECT_THAT(Why("a"), HasSubstr("in the same conversation"));
  }
};

TEST_F(ContinuedScenario, ReleaseContinuesInTheConversationOfAFinishedAgent) {
  ASSERT_NO_FATAL_FAILURE(BeginAndFinish());
  const RunOutcome released = Belay({"release", "a"});
  ASSERT_EQ(released.exit_code, 0) << released.err;
  EXPECT_NE(released.out.find("which continues its conversation"), std::string::npos)
      << released.out;
  ExpectContinued();
}

TEST_F(ContinuedScenario, SpawnContinueDoesTheSame) {
  ASSERT_NO_FATAL_FAILURE(BeginAndFinish());
  const RunOutcome continued = Belay({"spawn", "--continue", "--name", "a"});
  ASSERT_EQ(continued.exit_code, 0) << continued.err;
  ExpectContinued();
}

TEST_F(ContinuedScenario, PlainSpawnIsANewTask) {
  script_.Step("counts").IfUserSays("count the plums").Says("There are nine plums.");
  ASSERT_NO_FATAL_FAILURE(BeginAndFinish());
  SpawnClaude("a", "count the plums");
  AwaitStatus("a", 2, AgentStatus::kTerminated);
  EXPECT_EQ(Model().AnsweredBy("counts").size(), 1U);
  EXPECT_FALSE(Model().WasSent(kContinuation));
  EXPECT_EQ(TranscriptPaths(ConfigFolder()).size(), 2U);
}

}  // namespace
}  // namespace belay
