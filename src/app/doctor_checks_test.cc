#include "app/doctor_checks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

namespace belay {
namespace {

// A fake: programs of given versions, or none.
class FakePrograms final : public Programs {
 public:
  explicit FakePrograms(Result<ProgramResult> answer) : answer_(std::move(answer)) {}
  Result<ProgramResult> Run(const ProgramRequest&) override { return answer_; }

 private:
  Result<ProgramResult> answer_;
};

Check GitCheck(Result<ProgramResult> answer) {
  FakePrograms programs(std::move(answer));
  return CheckPrograms(programs)[0];
}

TEST(DoctorTest, ReadsVersionsOutOfWhatProgramsPrint) {
  EXPECT_EQ(ParseVersion("git version 2.39.5\n"), (ProgramVersion{2, 39}));
  EXPECT_EQ(ParseVersion("tmux 3.3a"), (ProgramVersion{3, 3}));
  EXPECT_EQ(ParseVersion("tmux next-3.4"), (ProgramVersion{3, 4}));
  EXPECT_EQ(ParseVersion("v7"), (ProgramVersion{7, 0}));
  EXPECT_EQ(ParseVersion("none"), (ProgramVersion{0, 0}));
}

TEST(DoctorTest, CallsAMissingGitBrokenAndAnOldOneLacking) {
  EXPECT_EQ(GitCheck(ProgramResult{0, "git version 2.39.5", ""}).verdict, Verdict::kFine);
  EXPECT_EQ(GitCheck(ProgramResult{0, "git version 2.30.1", ""}).verdict, Verdict::kLacking);
  EXPECT_EQ(GitCheck(ProgramResult{127, "", ""}).verdict, Verdict::kBroken);
  EXPECT_EQ(GitCheck(Error{ErrorCode::kNotFound, "run git: gone"}).verdict, Verdict::kBroken);
}

TEST(DoctorTest, ExplainsTheEffectOfEachProblemAndHowToFixIt) {
  std::vector<Check> checks = CheckKernel(KernelFeatures());
  for (const char* const answer : {"", "git version 2.30.1", "tmux 1.0"}) {
    FakePrograms programs(ProgramResult{answer[0] == 0 ? 127 : 0, answer, ""});
    std::ranges::move(CheckPrograms(programs), std::back_inserter(checks));
  }
  ASSERT_EQ(checks.size(), 4U + 6U);
  for (const Check& check : checks) {
    EXPECT_NE(check.verdict, Verdict::kFine) << check.name;
    EXPECT_FALSE(check.cost.empty()) << check.name;
    EXPECT_FALSE(check.fix.empty()) << check.name;
  }
}

TEST(DoctorTest, NamesTheWallsThatTheSandboxLacks) {
  KernelFeatures kernel;
  kernel.seccomp = true;
  EXPECT_EQ(CheckKernel(kernel)[3].found, "without Landlock, user namespaces");
}

}  // namespace
}  // namespace belay
