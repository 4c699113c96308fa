// The main function of unit tests. For a failed test it prints the command that repeats it with the
// same random values, and stores that in failed-tests.log of the build tree, because the output of
// a run is lost at the next one.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdio>
#include <string>

#include "testing/places.h"

namespace belay {
namespace {

class SeedKeeper : public ::testing::EmptyTestEventListener {
 public:
  explicit SeedKeeper(std::string program) : program_(std::move(program)) {}

  void OnTestEnd(const ::testing::TestInfo& test) override {
    if (!test.result()->Failed()) return;
    const std::string line =
        "RC_PARAMS=seed=" + std::to_string(rc::detail::configuration().testParams.seed) + " " +
        program_ + " --gtest_filter='" + test.test_suite_name() + "." + test.name() + "'\n";
    (void)std::fprintf(stderr, "to repeat it: %s", line.c_str());
    std::FILE* log = std::fopen(BuiltFile("failed-tests.log").c_str(), "ae");
    if (log == nullptr) return;
    (void)std::fputs(line.c_str(), log);
    (void)std::fclose(log);
  }

 private:
  std::string program_;
};

}  // namespace
}  // namespace belay

int main(int count, char** words) {
  ::testing::InitGoogleTest(&count, words);
  ::testing::UnitTest::GetInstance()->listeners().Append(new belay::SeedKeeper(words[0]));
  return RUN_ALL_TESTS();
}
