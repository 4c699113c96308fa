#include "agents/results/results.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <cctype>
#include <cstdlib>

#include "os/fd.h"
#include "testing/places.h"

namespace belay {
namespace {

std::string Words(std::string_view name) {
  std::string words;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isupper(byte) != 0 && !words.empty()) words += ' ';
    words += static_cast<char>(std::tolower(byte));
  }
  return words;
}

}  // namespace

std::string ScenarioWords(std::string_view suite, std::string_view test) {
  return Words(suite.substr(0, suite.find("Scenario"))) + ": " + Words(test);
}

void RecordResult(const ScenarioResult& result) {
  const char* path = std::getenv("BELAY_AGENT_RESULTS");
  const std::string built = BuiltFile("tests/agents/results.tsv");
  const UniqueFd file(open(path != nullptr ? path : built.c_str(),
                           O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!file) return;
  (void)WriteAll(file.get(), fmt::format("{}\t{}\t{}\t{}\t{}\n", result.program, result.version,
                                         result.scenario, result.result, result.milliseconds));
}

}  // namespace belay
