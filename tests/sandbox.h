// A folder with a real repository in it, and the real belay to run there.

#ifndef BELAY_TESTS_SANDBOX_H_
#define BELAY_TESTS_SANDBOX_H_

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "codec/json.h"
#include "testing/places.h"
#include "testing/real_process.h"
#include "testing/temp_folder.h"

namespace belay {

class Sandbox : public ::testing::Test {
 protected:
  Sandbox() { Git({"init", "-q", "-b", "main", folder_ / "repo"}); }

  void Git(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"git", "-C", folder_.path(), "-c", "user.name=t", "-c",
                                         "user.email=t@example.org"});
    const RunOutcome outcome = RunReal(arguments);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }

  RunOutcome Belay(std::vector<std::string> arguments, RunOptions options = {}) {
    arguments.insert(arguments.begin(), BelayBinary());
    if (options.folder == "/") options.folder = folder_ / "repo";
    options.environment.insert(environment_.begin(), environment_.end());
    return RunReal(arguments, options);
  }

  // The outcome with --json, parsed.
  Json BelayJson(std::vector<std::string> arguments, int exit_code = 0) {
    arguments.emplace_back("--json");
    const RunOutcome outcome = Belay(arguments);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.out << outcome.err;
    EXPECT_EQ(outcome.err, "");
    const Result<Json> record = ParseJson(outcome.out);
    EXPECT_TRUE(record.ok()) << outcome.out;
    if (!record) return Json();
    EXPECT_EQ(record->AsObject()->front().key, "schema_version");
    return *record;
  }

  TempFolder folder_;
  std::map<std::string, std::string> environment_;  // of every belay that is run here
};

}  // namespace belay

#endif  // BELAY_TESTS_SANDBOX_H_
