// Why the agent ended, as belay judges it by the hooks, the transcript and the exit status, and
// what it does then. The agent itself tries again only once.

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "agents/hooked_world.h"
#include "agents/memory_cage.h"

namespace belay {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class TaxonomyScenario : public HookedWorld {
 protected:
  TaxonomyScenario() {
    environment_["CLAUDE_CODE_MAX_RETRIES"] = "1";
    script_.Step("goes on")
        .IfUserSays(kContinuation)
        .Once()
        .RunsBash("echo whole > whole.txt && echo whole was made");
    script_.Step("ends").IfUserSays("whole was made").Says("All done.");
  }
  void BeginAndFail(int status, std::string_view message) {
    script_.Step("fails").IfUserSays("make it whole").Fails(status, message);
    ASSERT_NO_FATAL_FAILURE(Begin(script_, "make it whole"));
  }
  void BeginThinking() {
    script_.Step("thinks").IfUserSays("make it whole").Once().Stalls();
    ASSERT_NO_FATAL_FAILURE(Begin(script_, "make it whole"));
    ASSERT_TRUE(AwaitAnswered("thinks", "stalled"));
  }
  // A tool runs until something is written to the pipe "go"; then comes an answer of 32 MB.
  void BeginBeforeALongAnswer() {
    ASSERT_EQ(mkfifo((folder_ / "go").c_str(), 0600), 0);
    script_.Step("waits")
        .IfUserSays("make it whole")
        .Once()
        .RunsBash("echo $$ > tool.pid; read -r word < " + (folder_ / "go"));
    script_.Step("talks").Says(std::string(std::size_t{32} << 20U, 'x'));
    ASSERT_NO_FATAL_FAILURE(Begin(script_, "make it whole"));
    ASSERT_TRUE(AwaitFile("tool.pid"));
    ASSERT_TRUE(AwaitWritten("read -r word"));
  }
  // It ended for that reason, and no successor starts.
  Identity ExpectLeft(ExitCause cause, AgentStatus status) {
    const Identity ended = AwaitStatus("a", 1, status);
    EXPECT_EQ(ended.exit->cause, cause);
    AwaitATurn();
    EXPECT_TRUE(Is("a", 1, status));
    EXPECT_FALSE(Model().WasSent(kContinuation));
    return ended;
  }
  void ExpectBroughtBack(ExitCause cause, const std::string& conversation) {
    AwaitStatus("a", 2, AgentStatus::kTerminated);
    EXPECT_EQ(Before("a").exit->cause, cause);
    EXPECT_EQ(folder_.Read("repo/whole.txt"), "whole\n");
    EXPECT_EQ(Model().AnsweredBy("goes on").size(), 1U);
    EXPECT_THAT(WriteJson(BelayJson({"why", "a"})), HasSubstr(conversation)) << Why("a");
  }

  ModelScript script_;
};

TEST_F(TaxonomyScenario, ARateLimitIsWaitedFor) {
  ASSERT_NO_FATAL_FAILURE(BeginAndFail(429, "This request would exceed your rate limit."));
  const Identity ended = ExpectLeft(ExitCause::kRateLimit, AgentStatus::kCrashed);
  EXPECT_TRUE(ended.restart.due);
  EXPECT_EQ(ended.restart.wait, std::chrono::minutes(15));
  EXPECT_TRUE(ended.restart.crashes.empty());
  EXPECT_EQ(Text(Row("a"), "status"), "waiting");
  EXPECT_THAT(SignalsToPerson(), Not(Contains("AGENT_CRASHED")));
}

TEST_F(TaxonomyScenario, AWrongKeyIsLeftToAPerson) {
  ASSERT_NO_FATAL_FAILURE(BeginAndFail(401, "invalid x-api-key"));
  const Identity ended = ExpectLeft(ExitCause::kAuth, AgentStatus::kCrashed);
  EXPECT_FALSE(ended.restart.due);
  EXPECT_THAT(SignalsToPerson(), Contains("AGENT_CRASHED"));
}

TEST_F(TaxonomyScenario, AServerErrorIsACrash) {
  ASSERT_NO_FATAL_FAILURE(BeginAndFail(500, "Internal server error"));
  ExpectBroughtBack(ExitCause::kCrash, "in the same conversation");
  EXPECT_EQ(Before("a").exit->code, 1);
}

TEST_F(TaxonomyScenario, AFullContextIsFollowedByANewConversation) {
  ASSERT_NO_FATAL_FAILURE(BeginAndFail(400, "prompt is too long: 210000 tokens > 200000 maximum"));
  ExpectBroughtBack(ExitCause::kContextExhausted,
                    "in a new conversation: its context window was full");
  EXPECT_EQ(TranscriptPaths(ConfigFolder()).size(), 2U);
}

TEST_F(TaxonomyScenario, ATermSignalFromOutsideIsAKill) {
  ASSERT_NO_FATAL_FAILURE(BeginThinking());
  // It is written beside the request to the model; older versions write it only with the answer.
  if (ClaudeIsAtLeast(2, 1)) {
    ASSERT_TRUE(AwaitWritten("make it whole"));
  }
  SignalAgent("a", SIGTERM);
  ExpectBroughtBack(ExitCause::kKilled, ClaudeIsAtLeast(2, 1)
                                            ? "in the same conversation"
                                            : "the transcript has no complete message");
  EXPECT_EQ(Before("a").exit->code, 143);
}

// Its exit code is 0, as if it had finished; its turn has not ended.
TEST_F(TaxonomyScenario, AnInterruptInTheMiddleOfATurnIsNoCleanEnd) {
  ASSERT_NO_FATAL_FAILURE(BeginThinking());
  SignalAgent("a", SIGINT);
  ExpectBroughtBack(ExitCause::kUnknown, "");
  EXPECT_EQ(Before("a").exit->code, 0);
  EXPECT_THAT(Why("a"), HasSubstr("in the middle of its work"));
}

TEST_F(TaxonomyScenario, AskedToStopItIsStopped) {
  ASSERT_NO_FATAL_FAILURE(BeginThinking());
  EXPECT_EQ(Belay({"stop", "a"}).exit_code, 0);
  ExpectLeft(ExitCause::kStopped, AgentStatus::kTerminated);
}

// The kernel refuses more memory but ends no process: the program gives up by itself, each time.
TEST_F(TaxonomyScenario, ALimitOfMemoryThatIsTooLowIsACrashUntilItIsLifted) {
  script_.Step("begins")
      .IfUserSays("make it whole")
      .Once()
      .RunsBash("echo whole > whole.txt && echo whole was made");
  Supervise({"most_crashes: 3", "first_backoff: 10ms", "longest_backoff: 10ms"});
  ASSERT_NO_FATAL_FAILURE(InstallHooks());
  Play(script_);
  StartGuardian();
  Spawn("a",
        {AgentScript("starved", fmt::format("[ -e '{}' ] || ulimit -d 100000\nexec '{}' \"$@\"\n",
                                            Project("enough"), ClaudeProgram())),
         "-p", "--dangerously-skip-permissions", "make it whole"});
  const Identity ended = AwaitStatus("a", 3, AgentStatus::kQuarantined);
  EXPECT_EQ(ended.exit->cause, ExitCause::kCrash);
  EXPECT_TRUE(ended.exit->signal) << Why("a");
  EXPECT_TRUE(Model().Requests().empty());
  AwaitATurn();  // recorded first, then reported
  EXPECT_THAT(SignalsToPerson(), Contains("AGENT_CRASHED"));
  folder_.Write("repo/enough", "");
  EXPECT_EQ(Belay({"release", "a"}).exit_code, 0);
  AwaitStatus("a", 4, AgentStatus::kTerminated);
  EXPECT_EQ(folder_.Read("repo/whole.txt"), "whole\n");
}

TEST_F(TaxonomyScenario, WantOfMemoryIsOom) {
  const std::unique_ptr<MemoryCage> cage = MemoryCage::Make();
  if (!cage) GTEST_SKIP() << "no control group with a limit of memory can be made here";
  ASSERT_NO_FATAL_FAILURE(BeginBeforeALongAnswer());
  const Process agent = ProcessOf("a");
  ASSERT_TRUE(cage->Take(guardian_->pid()) && cage->Take(agent.pid()));
  ASSERT_TRUE(cage->Limit("8388608"));
  folder_.Write("go", "now\n");
  EXPECT_TRUE(EndsWithin(agent, kBound));
  ASSERT_TRUE(cage->Limit("max"));
  EXPECT_TRUE(Await([&] { return Recorded("a")->present.id.incarnation() > 1; }));
  EXPECT_EQ(Recorded("a")->history.front().exit->cause, ExitCause::kOom);
}

}  // namespace
}  // namespace belay
