// An agent that is killed again and again, whatever it is at, still does all of its work, and none
// of it twice. $BELAY_AGENT_KILLS says how often; the full run of the tests does it fifty times.

#include <gmock/gmock.h>

#include <cstdlib>
#include <random>

#include "agents/hooked_world.h"
#include "base/text.h"

namespace belay {
namespace {

using ::testing::ElementsAreArray;

class KillsScenario : public HookedWorld {
 protected:
  KillsScenario() {
    const char* kills = std::getenv("BELAY_AGENT_KILLS");
    if (kills != nullptr && *kills != '\0') kills_ = std::atoi(kills);
    calls_of_tools_ = kills_ > 5 ? 40 : 10;
  }
  static std::string Number(int call) { return fmt::format("{:02}", call); }
  static std::string Line(int call) { return fmt::format("line {} was written", Number(call)); }

  // The model has each call made that it wasn't told the line of; one that goes on looks first, as
  // it is told to. The last call waits until there were enough kills.
  ModelScript Task() {
    Script("work", fmt::format("[ $1 != {} ] || until [ -e enough ]; do sleep 0.05; done\n"
                               "echo \"content $1\" > \"file-$1\"\n"
                               "echo \"line $1 was written\" | tee -a lines\n",
                               Number(calls_of_tools_)));
    ModelScript script;
    script.Step("looks").IfUserSays(kContinuation).RunsBash("cat lines; echo that is all");
    for (int call = 1; call <= calls_of_tools_; ++call) {
      script.Step("call " + Number(call))
          .UnlessAnywhere(Line(call))
          .RunsBash("./work " + Number(call));
    }
    script.Step("ends").Says("All done.");
    return script;
  }
  bool LastCallRuns() { return !Model().AnsweredBy("call " + Number(calls_of_tools_)).empty(); }
  bool Finished() { return Present("a").status == AgentStatus::kTerminated; }

  // Some requests and some milliseconds after the last kill, so that it may be at anything: a
  // start, a request, an answer, a tool, an end.
  void AwaitAMoment() {
    const std::size_t requests = Model().Requests().size() + random_() % 4;
    EXPECT_TRUE(Await([&] {
      const Identity now = Present("a");
      const bool runs = now.status == AgentStatus::kAlive && now.id.incarnation() > last_killed_;
      return runs && (Model().Requests().size() >= requests || LastCallRuns());
    })) << Why("a");
    (void)Await([&] { return Finished(); }, std::chrono::milliseconds(random_() % 150));
  }
  void KillOnce() {
    AwaitAMoment();
    ASSERT_FALSE(HasFailure());
    last_killed_ = Present("a").id.incarnation();
    SignalAgent("a", SIGKILL);
  }
  void ExpectAllDoneOnce() {
    std::vector<std::string> lines;
    for (int call = 1; call <= calls_of_tools_; ++call) {
      lines.push_back(Line(call));
      EXPECT_EQ(folder_.Read("repo/file-" + Number(call)), "content " + Number(call) + "\n");
    }
    const std::string text = folder_.Read("repo/lines");
    EXPECT_THAT(Split(std::string_view(text).substr(0, text.size() - 1), '\n'),
                ElementsAreArray(lines));
  }

  int kills_ = 5;
  int calls_of_tools_ = 10;
  std::uint32_t last_killed_ = 0;
  std::mt19937 random_{std::random_device{}()};
};

TEST_F(KillsScenario, DoesAllOfItsWorkOnce) {
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  random_.seed(seed);
  ASSERT_NO_FATAL_FAILURE(Begin(Task(), "do all the calls"));
  for (int kill = 0; kill < kills_; ++kill) ASSERT_NO_FATAL_FAILURE(KillOnce()) << kill;
  folder_.Write("repo/enough", "");
  AwaitStatus("a", last_killed_ + 1, AgentStatus::kTerminated);
  EXPECT_EQ(last_killed_, static_cast<std::uint32_t>(kills_));
  ExpectAllDoneOnce();
}

}  // namespace
}  // namespace belay
