#include "engine/merge/landing_step.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

MergeEntry Entry(MergeStatus status) {
  MergeEntry entry{.number = 7, .identity_name = {}, .branch = "login", .target = "main"};
  entry.status = status;
  entry.head = "head";
  entry.base = "base";
  entry.candidate = "candidate";
  return entry;
}

LandingFacts Facts(std::string branch, std::string target, bool landed = false) {
  return {std::move(branch), std::move(target), landed};
}

LandingFacts LostFacts(std::string branch, std::string target, bool landed = false) {
  LandingFacts facts = Facts(std::move(branch), std::move(target), landed);
  facts.candidate_lost = true;
  return facts;
}

struct Row {
  MergeStatus status;
  LandingFacts facts;
  LandingStep step;
};

TEST(LandingStepTest, IsAsTheTableSays) {
  const Row rows[] = {
      {MergeStatus::kQueued, Facts("head", "base"), LandingStep::kBuild},
      {MergeStatus::kQueued, Facts("head", "other"), LandingStep::kBuild},
      {MergeStatus::kQueued, Facts("", "base"), LandingStep::kGone},
      {MergeStatus::kQueued, Facts("new", "base"), LandingStep::kTakeNewHead},
      {MergeStatus::kTargetMoved, Facts("head", "other"), LandingStep::kBuild},
      {MergeStatus::kRebasing, Facts("head", "base"), LandingStep::kBuild},
      {MergeStatus::kRebasing, Facts("new", "base"), LandingStep::kTakeNewHead},
      {MergeStatus::kTesting, Facts("head", "base"), LandingStep::kTest},
      {MergeStatus::kTesting, Facts("head", "other"), LandingStep::kTargetMoved},
      {MergeStatus::kTesting, Facts("new", "base"), LandingStep::kTakeNewHead},
      {MergeStatus::kTesting, Facts("", "base"), LandingStep::kGone},
      {MergeStatus::kMerging, Facts("head", "base"), LandingStep::kAdvance},
      {MergeStatus::kMerging, Facts("head", "candidate", true), LandingStep::kFinish},
      {MergeStatus::kMerging, Facts("head", "other"), LandingStep::kTargetMoved},
      {MergeStatus::kMerging, Facts("new", "base"), LandingStep::kAdvance},
      {MergeStatus::kMerging, Facts("", "later", true), LandingStep::kFinish},
      {MergeStatus::kTesting, LostFacts("head", "base"), LandingStep::kRebuild},
      {MergeStatus::kTesting, LostFacts("new", "base"), LandingStep::kTakeNewHead},
      {MergeStatus::kTesting, LostFacts("", "base"), LandingStep::kGone},
      {MergeStatus::kTesting, LostFacts("head", "other"), LandingStep::kTargetMoved},
      {MergeStatus::kMerging, LostFacts("head", "base"), LandingStep::kRebuild},
      {MergeStatus::kMerging, LostFacts("head", "candidate", true), LandingStep::kFinish},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(NextLandingStep(Entry(row.status), row.facts), row.step)
        << MergeStatusName(row.status) << " " << row.facts.branch_tip << " "
        << row.facts.target_tip;
  }
}

TEST(LandingStepTest, EntriesThatAreNotQueuedStayUntouched) {
  for (const MergeStatus status :
       {MergeStatus::kMerged, MergeStatus::kCancelled, MergeStatus::kConflict,
        MergeStatus::kGateFailed, MergeStatus::kGateUnrunnable}) {
    EXPECT_EQ(NextLandingStep(Entry(status), Facts("new", "other", true)), LandingStep::kNothing);
  }
}

}  // namespace
}  // namespace belay
