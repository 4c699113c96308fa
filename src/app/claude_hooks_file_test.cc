// What a failing disk or a kill leaves of the user's settings file.

#include <gmock/gmock.h>

#include <cerrno>

#include "adapters/claude/hooks.h"
#include "app/project_setup.h"
#include "testing/fake_clock.h"
#include "testing/faulty_calls.h"
#include "testing/killing_calls.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

using ::testing::AnyOf;

constexpr std::string_view kTheirs = "{\n  \"hooks\": { },\n  \"x\": [1]\n}\n";

class ClaudeHooksPlace {
 public:
  ClaudeHooksPlace() {
    folder_.MakeFolder("r/.git/info");
    folder_.Write("r/.git/info/exclude", "*.o\n");
  }

  bool SetUp(FileCalls& calls) {
    FileSystem files(calls);
    FakeClock clock;
    ProjectSetup setup(files, clock, layout_, false);
    setup.WantHooks(AgentKind::kClaude,
                    {.program = "/usr/bin/belay", .events = {"PreToolUse", "Stop"}});
    return setup.SetUp().ok();
  }
  bool RemoveHooks(FileCalls& calls) {
    FileSystem files(calls);
    FakeClock clock;
    return ProjectSetup(files, clock, layout_, false).RemoveHooks(AgentKind::kClaude).ok();
  }
  bool RemoveAll(FileCalls& calls) {
    FileSystem files(calls);
    FakeClock clock;
    return ProjectSetup(files, clock, layout_, false).Remove().ok();
  }

  void Write(std::string_view text) { folder_.Write("r/.claude/settings.json", text); }
  std::string Read() { return folder_.Read("r/.claude/settings.json"); }
  std::string Copy() { return folder_.Read("r/.git/belay/edited/settings.json-1"); }

 private:
  TempFolder folder_;
  Layout layout_{folder_ / "r", folder_ / "r/.git"};
};

TEST(ClaudeHooksFaultTest, AnyFailingCallLeavesTheOldFileOrTheNewAndTryingAgainWorks) {
  UnsyncedCalls real;
  ClaudeHooksPlace model;
  model.Write(kTheirs);
  ASSERT_TRUE(model.SetUp(real));
  const std::string installed = model.Read();
  for (std::size_t n = 1;; ++n) {
    ClaudeHooksPlace place;
    place.Write(kTheirs);
    FaultyCalls calls(real);
    calls.Plan({.number = n, .error = n % 2 == 0 ? EACCES : EROFS});
    const bool done = place.SetUp(calls);
    ASSERT_THAT(place.Read(), AnyOf(kTheirs, installed)) << n;
    if (place.Read() == installed) {
      ASSERT_EQ(place.Copy(), kTheirs) << n;
    }
    ASSERT_TRUE(place.SetUp(real)) << n;
    ASSERT_EQ(place.Read(), installed) << n;
    ASSERT_TRUE(place.RemoveHooks(real)) << n;
    ASSERT_EQ(place.Read(), kTheirs) << n;
    if (done && calls.faults() == 0) break;
  }
}

// Every change of init and of both removals, with and without existing settings.
TEST(ClaudeHooksKillTest, AKillAtAnyStepLosesNothing) {
  UnsyncedCalls real;
  for (const bool there : {true, false}) {
    const std::string before = there ? std::string(kTheirs) : "(missing)";
    for (std::size_t n = 1;; ++n) {
      ClaudeHooksPlace place;
      if (there) place.Write(kTheirs);
      const KilledRun run =
          RunKilledAtChange(n, [&](FileCalls& calls, Programs&) { return place.SetUp(calls); });
      ASSERT_NE(run, KilledRun::kFailed) << n;
      if (n % 2 == 0) {
        ASSERT_TRUE(place.SetUp(real)) << n;
      }
      ASSERT_TRUE(place.RemoveHooks(real)) << n;
      ASSERT_EQ(place.Read(), before) << n;
      if (run == KilledRun::kEnded) break;
    }
    for (std::size_t n = 1;; ++n) {
      ClaudeHooksPlace place;
      if (there) place.Write(kTheirs);
      ASSERT_TRUE(place.SetUp(real));
      const KilledRun run = RunKilledAtChange(n, [&](FileCalls& calls, Programs&) {
        return n % 2 == 0 ? place.RemoveAll(calls) : place.RemoveHooks(calls);
      });
      ASSERT_NE(run, KilledRun::kFailed) << n;
      if (n % 3 == 0) {
        ASSERT_TRUE(place.SetUp(real)) << n;
      }
      ASSERT_TRUE(place.RemoveAll(real)) << n;
      ASSERT_EQ(place.Read(), before) << n;
      if (run == KilledRun::kEnded && n % 2 == 0) break;
    }
  }
}

}  // namespace
}  // namespace belay
