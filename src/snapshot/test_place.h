// A real repository with everything that take and restore need, for tests.

#ifndef BELAY_SNAPSHOT_TEST_PLACE_H_
#define BELAY_SNAPSHOT_TEST_PLACE_H_

#include <gtest/gtest.h>

#include <string>

#include "adapters/git/git.h"
#include "os/clock.h"
#include "os/program.h"
#include "snapshot/take.h"
#include "snapshot/work_folder.h"
#include "store/repository.h"
#include "testing/git_repository.h"

namespace belay {

// One worktree of a test repository, as the code under test sees it. Pass other calls or programs
// to interfere in between.
class TestPlace {
 public:
  explicit TestPlace(const std::string& folder, FileCalls* calls = nullptr,
                     Programs* programs = nullptr)
      : files_(calls != nullptr ? *calls : real_calls_),
        git_(programs != nullptr ? *programs : real_programs_,
             Environment({GitEnvironment().begin(), GitEnvironment().end()}), folder),
        place_(*FindRepository(FileSystem(real_calls_), folder)) {}

  Worktree worktree() { return {files_, git_, clock_, place_}; }
  const Git& git() const { return git_; }
  FileSystem& files() { return files_; }
  KeepName keep() const { return KeepName::OfWorktree(place_); }

  Result<Taken> Take(TakeRequest request) { return TakeSnapshot(worktree(), request); }
  Result<Taken> Take() { return Take({.keep = keep()}); }

 private:
  static const std::map<std::string, std::string>& GitEnvironment() {
    static const auto* const kVariables = [] {
      auto* variables = new std::map(GitRepository::Environment());
      variables->emplace("PATH", getenv("PATH"));
      return variables;
    }();
    return *kVariables;
  }

  RealFileCalls real_calls_;
  PosixPrograms real_programs_;
  SystemClock clock_;
  FileSystem files_;
  Git git_;
  Repository place_;
};

}  // namespace belay

#endif  // BELAY_SNAPSHOT_TEST_PLACE_H_
