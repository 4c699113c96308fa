#include <gtest/gtest.h>

#include "app/session_place.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

class LeaseTest : public ::testing::Test {
 protected:
  Identity With(Json lease) const {
    Identity agent{*AgentId::Parse("worker-a#1")};
    agent.lease = std::move(lease);
    return agent;
  }

  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
  Layout here_{folder_ / "here", folder_ / "here/.git"};
  Layout copy_{folder_ / "copy", folder_ / "copy/.git"};
};

TEST_F(LeaseTest, WhatWasLaunchedFromHereIsOurs) {
  EXPECT_TRUE(IsOurs(With(OurLease(files_, here_)), OurLease(files_, here_)));
}

TEST_F(LeaseTest, WhatWasLaunchedFromAnotherFolderIsNot) {
  EXPECT_FALSE(IsOurs(With(OurLease(files_, here_)), OurLease(files_, copy_)));
}

TEST_F(LeaseTest, WhatWasLaunchedOnAnotherMachineIsNot) {
  Json other = OurLease(files_, here_);
  other.Set("machine", "0123456789abcdef");
  EXPECT_FALSE(IsOurs(With(other), OurLease(files_, here_)));
}

TEST_F(LeaseTest, OneWithoutALeaseIsOurs) {
  EXPECT_TRUE(IsOurs(With(Json()), OurLease(files_, here_)));
}

TEST_F(LeaseTest, SurvivesBeingWrittenDown) {
  const Json lease = OurLease(files_, here_);
  EXPECT_TRUE(IsOurs(With(*ParseJson(WriteJson(lease))), lease));
}

TEST_F(LeaseTest, APathThatIsNotUtf8CanBeWrittenDown) {
  const Layout odd(folder_ / "caf\xE9", folder_ / "caf\xE9/.git");
  const Json lease = OurLease(files_, odd);
  const Result<Json> again = ParseJson(WriteJson(lease));
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(IsOurs(With(*again), lease));
}

TEST_F(LeaseTest, TheMachineIdIsNotRevealed) {
  const Result<std::string> id = files_.Read("/etc/machine-id", 100);
  if (!id || id->size() < 32) GTEST_SKIP() << "this machine has no number";
  EXPECT_EQ(WriteJson(OurLease(files_, here_)).find(id->substr(0, 16)), std::string::npos);
}

}  // namespace
}  // namespace belay
