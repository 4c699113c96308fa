#include "engine/supervise/exit_cause.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

EndEvidence With(ExitStatus exit) { return {.exit = exit}; }

EndEvidence WithIntent(std::string what, ExitStatus exit) {
  return {.exit = exit, .intent = Intent{.what = std::move(what), .by = "person"}};
}

TEST(ExitCauseTest, AnEndThatWasAskedForIsAStopHoweverItCame) {
  for (const ExitStatus exit : {ExitStatus::Exited(0), ExitStatus::Exited(3), ExitStatus::Killed(9),
                                ExitStatus::Unknown()}) {
    EXPECT_EQ(JudgeEnd(WithIntent("stop", exit)), ExitCause::kStopped);
    EXPECT_EQ(JudgeEnd(WithIntent("hung", exit)), ExitCause::kHung);
  }
}

TEST(ExitCauseTest, OtherIntentsSayNothingAboutTheEnd) {
  EXPECT_EQ(JudgeEnd(WithIntent("release", ExitStatus::Exited(1))), ExitCause::kCrash);
}

TEST(ExitCauseTest, ExitCodesAndSignalsAreJudgedAsPublished) {
  EXPECT_EQ(JudgeEnd(With(ExitStatus::Exited(0))), ExitCause::kClean);
  EXPECT_EQ(JudgeEnd(With(ExitStatus::Exited(1))), ExitCause::kCrash);
  EXPECT_EQ(JudgeEnd(With(ExitStatus::Exited(137))), ExitCause::kCrash);
  for (const int signal : {1, 2, 9, 15}) {
    EXPECT_EQ(JudgeEnd(With(ExitStatus::Killed(signal))), ExitCause::kKilled) << signal;
  }
  for (const int signal : {3, 4, 6, 7, 8, 11, 13, 31, 64}) {
    EXPECT_EQ(JudgeEnd(With(ExitStatus::Killed(signal))), ExitCause::kCrash) << signal;
  }
  for (const int code : {129, 130, 143}) {
    EXPECT_EQ(JudgeEnd(With(ExitStatus::Exited(code))), ExitCause::kKilled) << code;
  }
  EXPECT_EQ(JudgeEnd(With(ExitStatus::Unknown())), ExitCause::kUnknown);
}

TEST(ExitCauseTest, OneThatSaidGoodbyeAndWhoseEndNobodySawEndedAsItWasMeantTo) {
  EXPECT_EQ(JudgeEnd({.exit = ExitStatus::Unknown(), .said_goodbye = true}), ExitCause::kClean);
  EXPECT_EQ(JudgeEnd({.exit = ExitStatus::Exited(1), .said_goodbye = true}), ExitCause::kCrash);
}

TEST(ExitCauseTest, OnlyAKillCanBeTheKernelsForWantOfMemory) {
  EXPECT_EQ(JudgeEnd({.exit = ExitStatus::Killed(9), .out_of_memory = true}), ExitCause::kOom);
  EXPECT_EQ(JudgeEnd({.exit = ExitStatus::Killed(15), .out_of_memory = true}), ExitCause::kKilled);
  EXPECT_EQ(JudgeEnd({.exit = ExitStatus::Exited(0), .out_of_memory = true}), ExitCause::kClean);
}

TEST(ExitCauseTest, AnAgentMayTellOnlyWhatCannotBeSeen) {
  for (const ExitCause told :
       {ExitCause::kRateLimit, ExitCause::kAuth, ExitCause::kContextExhausted}) {
    EXPECT_EQ(JudgeEnd({.exit = ExitStatus::Exited(1), .told = told}), told);
    EXPECT_EQ(JudgeEnd({.exit = ExitStatus::Exited(0), .told = told}), ExitCause::kClean);
    EXPECT_EQ(JudgeEnd({.exit = ExitStatus::Unknown(), .told = told}), told);
    EXPECT_EQ(JudgeEnd({.exit = ExitStatus::Killed(9), .told = told}), ExitCause::kKilled);
    EndEvidence stopped = WithIntent("stop", ExitStatus::Exited(1));
    stopped.told = told;
    EXPECT_EQ(JudgeEnd(stopped), ExitCause::kStopped);
  }
  for (const ExitCause told : {ExitCause::kClean, ExitCause::kStopped, ExitCause::kHung}) {
    EXPECT_EQ(JudgeEnd({.exit = ExitStatus::Exited(1), .told = told}), ExitCause::kCrash);
  }
}

TEST(ExitCauseTest, OnlyCleanEndsAndStopsCountAsTerminated) {
  EXPECT_EQ(StatusAfter(ExitCause::kClean), AgentStatus::kTerminated);
  EXPECT_EQ(StatusAfter(ExitCause::kStopped), AgentStatus::kTerminated);
  for (const ExitCause cause :
       {ExitCause::kCrash, ExitCause::kKilled, ExitCause::kOom, ExitCause::kRateLimit,
        ExitCause::kAuth, ExitCause::kContextExhausted, ExitCause::kHung, ExitCause::kUnknown}) {
    EXPECT_EQ(StatusAfter(cause), AgentStatus::kCrashed);
  }
}

TEST(ExitCauseTest, TheTextNamesWhatWasSeenAndWhatItMeans) {
  EXPECT_EQ(EndText(With(ExitStatus::Killed(9))), "killed by SIGKILL");
  EXPECT_EQ(EndText(With(ExitStatus::Exited(3))), "exit code 3");
  EXPECT_EQ(EndText(WithIntent("stop", ExitStatus::Killed(15))), "killed by SIGTERM");
  EXPECT_EQ(EndText(WithIntent("hung", ExitStatus::Killed(15))), "killed by SIGTERM (hung)");
}

}  // namespace
}  // namespace belay
