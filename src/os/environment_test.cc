#include "os/environment.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

TEST(EnvironmentTest, TakesAnEmptyVariableAsNotSet) {
  const Environment environment({{"A", "1"}, {"B", ""}});
  EXPECT_EQ(environment.Get("A"), "1");
  EXPECT_EQ(environment.Get("B"), std::nullopt);
  EXPECT_EQ(environment.Get("C"), std::nullopt);
}

TEST(EnvironmentTest, SeesWhatTheProcessWasGiven) {
  EXPECT_EQ(Environment::OfThisProcess().Get("PATH"), std::string(getenv("PATH")));
}

}  // namespace
}  // namespace belay
