// The guardian, `belay exec` and the agent are killed together, in every combination: whatever is
// left, the agent comes back and does the rest of its work, all of it once. A killed exec closes
// the agent's terminal: Claude Code gets SIGHUP, reports that it ends, and must not pass for
// finished.
//
// $BELAY_AGENT_ROUNDS says how many agents are killed so (default: one for each combination); the
// full run of the tests does it twenty times.

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>

#include "agents/hooked_world.h"
#include "base/text.h"

namespace belay {
namespace {

using ::testing::ElementsAreArray;

constexpr int kCalls = 12;
constexpr int kCombinations = 7;  // of three processes, at least one
enum Victim { kGuardian = 1, kExec = 2, kAgent = 4 };

class TogetherScenario : public HookedWorld {
 protected:
  TogetherScenario() {
    const char* rounds = std::getenv("BELAY_AGENT_ROUNDS");
    if (rounds != nullptr && *rounds != '\0') rounds_ = std::atoi(rounds);
  }

  static std::string Line(int call) { return fmt::format("line {:02} was written", call); }
  std::string Lines() const { return "lines-" + name_; }

  // The model has each call made whose line it doesn't know; a successor looks first. The last call
  // waits until the kill is over.
  ModelScript Task() {
    Script("work", fmt::format("[ $1 != {:02} ] || until [ -e enough-{} ]; do sleep 0.05; done\n"
                               "echo \"line $1 was written\" | tee -a {}\n",
                               kCalls, name_, Lines()));
    ModelScript script;
    script.Step("looks")
        .IfUserSays(kContinuation)
        .RunsBash(fmt::format("cat {}; echo that is all", Lines()));
    for (int call = 1; call <= kCalls; ++call) {
      script.Step(fmt::format("call {:02}", call))
          .UnlessAnywhere(Line(call))
          .RunsBash(fmt::format("./work {:02}", call));
    }
    script.Step("ends").Says("All done.");
    return script;
  }

  // So many requests and some milliseconds after its start.
  void AwaitAMoment() {
    const std::size_t requests = 1 + random_() % (kCalls - 1);
    ASSERT_TRUE(Await([&] {
      return Present(name_).status == AgentStatus::kAlive &&
             Model().Requests().size() >= requests && !Present(name_).session_id.empty();
    })) << Why(name_);
    (void)Await([] { return false; }, std::chrono::milliseconds(random_() % 120));
  }

  // In any order, one right after the other or all in the same moment.
  void KillTogether(int victims) {
    const Identity agent = Present(name_);
    ASSERT_TRUE(agent.process && agent.parent);
    std::vector<Process> killed;
    if ((victims & kExec) != 0) killed.push_back(Open(*agent.parent));
    if ((victims & kAgent) != 0) killed.push_back(Open(*agent.process));
    if ((victims & kGuardian) != 0) killed.push_back(*Process::Open(guardian_->pid()));
    std::shuffle(killed.begin(), killed.end(), random_);
    const auto gap = std::chrono::milliseconds(random_() % 2 == 0 ? 0 : random_() % 40);
    for (Process& process : killed) {
      ASSERT_TRUE(process.Signal(SIGKILL).ok());
      if (gap.count() > 0) (void)Await([] { return false; }, gap);
    }
    if ((victims & kGuardian) == 0) return;
    EXPECT_EQ(guardian_->Wait(), ExitStatus::Killed(SIGKILL));
    guardian_ = &StartGuardian();
  }

  void Round(int round) {
    const int victims = 1 + round % kCombinations;
    name_ = fmt::format("round{}", round);
    SCOPED_TRACE(fmt::format("{} kills {}", name_, victims));
    Play(Task());
    SpawnClaude(name_, "do all the calls");
    ASSERT_NO_FATAL_FAILURE(AwaitAMoment());
    ASSERT_NO_FATAL_FAILURE(KillTogether(victims));
    const bool comes_back = victims != kGuardian;  // the agent itself lives on
    if (comes_back) AwaitStatus(name_, 2, AgentStatus::kAlive);
    folder_.Write("repo/enough-" + name_, "");
    AwaitStatus(name_, comes_back ? 2 : 1, AgentStatus::kTerminated);
    ExpectAllDoneOnce();
  }
  void ExpectAllDoneOnce() {
    std::vector<std::string> lines;
    for (int call = 1; call <= kCalls; ++call) lines.push_back(Line(call));
    const std::string text = folder_.Read("repo/" + Lines());
    EXPECT_THAT(Split(std::string_view(text).substr(0, text.size() - 1), '\n'),
                ElementsAreArray(lines))
        << Why(name_);
  }

  int rounds_ = kCombinations;
  std::string name_;
  std::mt19937 random_;
};

TEST_F(TogetherScenario, WhicheverProcessesAreKilledTheAgentDoesAllOfItsWorkOnce) {
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  random_.seed(seed);
  SuperviseWithoutBackoff();
  ASSERT_NO_FATAL_FAILURE(InstallHooks());
  guardian_ = &StartGuardian();
  for (int round = 0; round < rounds_ && !HasFailure(); ++round) {
    ASSERT_NO_FATAL_FAILURE(Round(round));
  }
}

}  // namespace
}  // namespace belay
