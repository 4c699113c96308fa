// The real git in a test repository, called as belay calls it.

#ifndef BELAY_ADAPTERS_GIT_TEST_GIT_H_
#define BELAY_ADAPTERS_GIT_TEST_GIT_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "adapters/git/git.h"
#include "adapters/git/object_id.h"
#include "os/environment.h"
#include "os/program.h"
#include "testing/git_repository.h"

namespace belay {

// The environment of a user without any git configuration.
inline Environment::Variables TestVariables() {
  Environment::Variables variables;
  for (const auto& [name, value] : GitRepository::Environment()) variables.emplace(name, value);
  const char* path = std::getenv("PATH");
  variables.emplace("PATH", path != nullptr ? path : "/usr/bin:/bin");
  variables.emplace("HOME", "/nonexistent");
  return variables;
}

class GitTest : public ::testing::Test {
 protected:
  // With additional or changed variables.
  Git GitWith(const Environment::Variables& more) {
    Environment::Variables variables = TestVariables();
    for (const auto& [name, value] : more) variables.insert_or_assign(name, value);
    return {programs_, Environment(std::move(variables)), repo_.path()};
  }

  ObjectId Resolve(const std::string& name) const {
    std::string text = repo_.Git({"rev-parse", name});
    text.pop_back();
    return *ObjectId::Parse(text);
  }

  GitRepository repo_;
  PosixPrograms programs_;
  Git git_ = GitWith({});
};

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_TEST_GIT_H_
