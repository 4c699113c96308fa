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

// Row by row: the exit status that exec saw, the reason of its last SessionEnd, whether it had
// unfinished work.
TEST(ExitCauseTest, AnEndIsCleanOnlyWhenNothingIsUnfinishedAndItIsKnownToBeWanted) {
  struct Row {
    ExitStatus exit;
    std::string session_end;
    bool unfinished;
    bool external;
    ExitCause cause;
  };
  const Row rows[] = {
      {ExitStatus::Exited(0), "", false, false, ExitCause::kClean},
      {ExitStatus::Exited(0), "other", false, false, ExitCause::kClean},   // a finished claude -p
      {ExitStatus::Exited(0), "other", true, false, ExitCause::kUnknown},  // Ctrl-C on claude -p
      {ExitStatus::Exited(0), "", true, false, ExitCause::kUnknown},
      {ExitStatus::Exited(0), "person_left", true, false, ExitCause::kUnknown},
      {ExitStatus::Exited(0), "person_left", false, false, ExitCause::kClean},
      {ExitStatus::Exited(1), "person_left", false, false, ExitCause::kCrash},
      {ExitStatus::Exited(129), "other", true, false, ExitCause::kKilled},
      {ExitStatus::Exited(143), "other", false, false, ExitCause::kKilled},
      {ExitStatus::Killed(9), "person_left", false, false, ExitCause::kKilled},
      {ExitStatus::Unknown(), "", false, false, ExitCause::kUnknown},
      {ExitStatus::Unknown(), "other", false, false, ExitCause::kUnknown},  // its terminal closed
      {ExitStatus::Unknown(), "other", true, false, ExitCause::kUnknown},
      {ExitStatus::Unknown(), "clear", false, false, ExitCause::kUnknown},
      {ExitStatus::Unknown(), "person_left", false, false, ExitCause::kClean},
      {ExitStatus::Unknown(), "person_left", true, false, ExitCause::kUnknown},
      {ExitStatus::Unknown(), "other", false, true, ExitCause::kClean},
      {ExitStatus::Unknown(), "other", true, true, ExitCause::kUnknown},
      {ExitStatus::Unknown(), "", false, true, ExitCause::kUnknown},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(JudgeEnd({.exit = row.exit,
                        .session_end = row.session_end,
                        .unfinished = row.unfinished,
                        .external = row.external}),
              row.cause)
        << row.exit.text() << ", " << row.session_end << ", " << row.unfinished << row.external;
  }
}

TEST(ExitCauseTest, AStopThatWasRecordedIsAStopAlsoInTheMiddleOfATurn) {
  EndEvidence stopped = WithIntent("stop", ExitStatus::Exited(0));
  stopped.unfinished = true;
  EXPECT_EQ(JudgeEnd(stopped), ExitCause::kStopped);
}

TEST(ExitCauseTest, OnlyAKillCanBeTheKernelsForWantOfMemory) {
  EXPECT_EQ(JudgeEnd({.exit = ExitStatus::Killed(9), .out_of_memory = true}), ExitCause::kOom);
  EXPECT_EQ(JudgeEnd({.exit = ExitStatus::Killed(15), .out_of_memory = true}), ExitCause::kKilled);
  EXPECT_EQ(JudgeEnd({.exit = ExitStatus::Exited(0), .out_of_memory = true}), ExitCause::kClean);
}

TEST(ExitCauseTest, AnAgentMayReportOnlyWhatCannotBeSeen) {
  for (const ExitCause reported :
       {ExitCause::kRateLimit, ExitCause::kAuth, ExitCause::kContextExhausted}) {
    EXPECT_EQ(JudgeEnd({.exit = ExitStatus::Exited(1), .reported = reported}), reported);
    EXPECT_EQ(JudgeEnd({.exit = ExitStatus::Exited(0), .reported = reported}), ExitCause::kClean);
    EXPECT_EQ(JudgeEnd({.exit = ExitStatus::Unknown(), .reported = reported}), reported);
    EXPECT_EQ(JudgeEnd({.exit = ExitStatus::Killed(9), .reported = reported}), ExitCause::kKilled);
    EndEvidence stopped = WithIntent("stop", ExitStatus::Exited(1));
    stopped.reported = reported;
    EXPECT_EQ(JudgeEnd(stopped), ExitCause::kStopped);
  }
  for (const ExitCause reported : {ExitCause::kClean, ExitCause::kStopped, ExitCause::kHung}) {
    EXPECT_EQ(JudgeEnd({.exit = ExitStatus::Exited(1), .reported = reported}), ExitCause::kCrash);
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
  EXPECT_EQ(EndText({.exit = ExitStatus::Exited(0), .unfinished = true}),
            "exit code 0 in the middle of its work");
  EXPECT_EQ(EndText(WithIntent("stop", ExitStatus::Killed(15))), "killed by SIGTERM");
  EXPECT_EQ(EndText(WithIntent("hung", ExitStatus::Killed(15))), "killed by SIGTERM (hung)");
}

}  // namespace
}  // namespace belay
