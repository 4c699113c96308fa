#include "agents/results/results.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "testing/places.h"
#include "testing/real_process.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

TEST(ResultsTest, ATestIsNamedInPlainWords) {
  EXPECT_EQ(ScenarioWords("GuardedScenario", "ComesBackAfterAKill"),
            "guarded: comes back after a kill");
}

TEST(ResultsTest, TheTableHoldsTheLastResultOfEveryScenario) {
  const TempFolder folder;
  const std::string results = folder / "results.tsv";
  ASSERT_EQ(setenv("BELAY_AGENT_RESULTS", results.c_str(), 1), 0);
  RecordResult({"Claude", "2.0.9", "b: ends", "passed", 1234});
  RecordResult({"Claude", "2.0.10", "b: ends", "FAILED", 60000});
  RecordResult({"Claude", "2.0.10", "b: ends", "passed", 2000});
  RecordResult({"Claude", "2.0.10", "a: begins", "doesn't apply", 1});
  ASSERT_EQ(unsetenv("BELAY_AGENT_RESULTS"), 0);
  folder.Write("page.md",
               "# Page\n<!-- results of real agents: begin -->\nold\n"
               "<!-- results of real agents: end -->\nrest\n");
  const RunOutcome outcome =
      RunReal({SourceFile("tests/agents/write-table"), results, folder / "page.md"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(folder.Read("page.md"),
            "# Page\n<!-- results of real agents: begin -->\n"
            "| scenario | Claude 2.0.10 | Claude 2.0.9 |\n|---|---|---|\n"
            "| a: begins | doesn't apply | not run |\n"
            "| b: ends | passed, 2.0 s | passed, 1.2 s |\n"
            "<!-- results of real agents: end -->\nrest\n");
}

TEST(ResultsTest, APageWithoutMarksStaysAsItIs) {
  const TempFolder folder;
  folder.Write("results.tsv", "Claude\t1\ta\tpassed\t1\n");
  folder.Write("page.md", "# Page\n");
  EXPECT_EQ(
      RunReal({SourceFile("tests/agents/write-table"), folder / "results.tsv", folder / "page.md"})
          .exit_code,
      1);
  EXPECT_EQ(folder.Read("page.md"), "# Page\n");
}

}  // namespace
}  // namespace belay
