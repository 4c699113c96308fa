// One line for each scenario that was run: program, version, scenario, result and milliseconds,
// with tabs between. tests/agents/write-table makes the table in docs/agents.md out of it.

#ifndef BELAY_TESTS_AGENTS_RESULTS_RESULTS_H_
#define BELAY_TESTS_AGENTS_RESULTS_RESULTS_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace belay {

struct ScenarioResult {
  std::string program, version, scenario;
  std::string result;  // passed, FAILED, or why it doesn't apply
  std::int64_t milliseconds;
};

// GuardedScenario.ComesBackAfterAKill as "guarded: comes back after a kill".
std::string ScenarioWords(std::string_view suite, std::string_view test);

// To $BELAY_AGENT_RESULTS, or else the file in the build folder. Several processes may do so at the
// same time.
void RecordResult(const ScenarioResult& result);

}  // namespace belay

#endif  // BELAY_TESTS_AGENTS_RESULTS_RESULTS_H_
