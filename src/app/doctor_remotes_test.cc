#include <gtest/gtest.h>

#include "app/doctor_checks.h"

namespace belay {
namespace {

using Kind = RemoteRisk::Kind;

// As git prints it: "remote.NAME.KEY\nVALUE" and a NUL each.
std::string Settings(const std::vector<std::pair<std::string, std::string>>& settings) {
  std::string text;
  for (const auto& [key, value] : settings) text += "remote." + key + "\n" + value + '\0';
  return text;
}

TEST(DoctorRemotesTest, OrdinaryRemotesAreFine) {
  EXPECT_TRUE(FindRemoteRisks("").empty());
  EXPECT_TRUE(FindRemoteRisks(Settings({{"origin.fetch", "+refs/heads/*:refs/remotes/origin/*"},
                                        {"origin.mirror", "false"},
                                        {"origin.push", "refs/heads/*:refs/heads/*"},
                                        {"origin.push", "HEAD"},
                                        {"origin.push", ":"}}))
                  .empty());
}

TEST(DoctorRemotesTest, SeesAMirrorHoweverItIsWritten) {
  for (const std::string value : {"true", "TRUE", "yes", "on", "1", "2"}) {
    EXPECT_EQ(FindRemoteRisks(Settings({{"a.b.mirror", value}})),
              (std::vector<RemoteRisk>{{"a.b", Kind::kMirror}}))
        << value;
  }
  EXPECT_EQ(FindRemoteRisks(std::string("remote.x.mirror\0", 16)).size(), 1u);
  for (const std::string value : {"", "no", "Off", "0", "false"}) {
    EXPECT_TRUE(FindRemoteRisks(Settings({{"x.mirror", value}})).empty()) << value;
  }
  EXPECT_TRUE(FindRemoteRisks(Settings({{"x.mirror", "true"}, {"x.mirror", "false"}})).empty());
}

TEST(DoctorRemotesTest, SeesRefspecsThatCoverSnapshots) {
  for (const std::string refspec : {"+refs/*:refs/*", "refs/*:refs/backup/*", "refs/b*:refs/b*",
                                    "refs/belay/keep/main/1:refs/heads/x", "refs/*"}) {
    EXPECT_EQ(FindRemoteRisks(Settings({{"x.push", refspec}})),
              (std::vector<RemoteRisk>{{"x", Kind::kPush, refspec}}));
  }
  EXPECT_EQ(FindRemoteRisks(Settings({{"x.fetch", "+refs/*:refs/*"}})),
            (std::vector<RemoteRisk>{{"x", Kind::kFetch, "+refs/*:refs/*"}}));
  EXPECT_TRUE(FindRemoteRisks(Settings({{"x.fetch", "+refs/*:refs/remotes/x/*"}})).empty());
}

TEST(DoctorRemotesTest, RefspecsThatLeaveSnapshotsOutAreFine) {
  EXPECT_TRUE(FindRemoteRisks(Settings({{"x.push", "+refs/*:refs/*"}, {"x.push", "^refs/belay/*"}}))
                  .empty());
  EXPECT_EQ(FindRemoteRisks(Settings({{"x.push", "+refs/*:refs/*"}, {"x.fetch", "^refs/belay/*"}}))
                .size(),
            1u);
}

}  // namespace
}  // namespace belay
