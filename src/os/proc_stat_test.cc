#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "os/process_identity.h"

namespace belay {
namespace {

std::string StatOf(const std::string& name) {
  return "4711 (" + name +
         ") Z 17 4711 4711 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 987654321 0 0 "
         "18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 2304\n";
}

TEST(ProcStatTest, ReadsTheFieldsByTheirNumbers) {
  const ProcStat stat = *ParseProcStat(StatOf("cat"));
  EXPECT_EQ(stat.state, 'Z');
  EXPECT_EQ(stat.parent, 17);
  EXPECT_EQ(stat.threads, 1);
  EXPECT_EQ(stat.start_time, 987654321u);
  EXPECT_EQ(stat.wait_status, 2304);
}

TEST(ProcStatTest, IsNotFooledByTheNameOfTheProgram) {
  for (const char* name : {"", "a b", ")", ") R 1 1", "(x) S 2 (", "a\n) Z 3", "  "}) {
    const auto stat = ParseProcStat(StatOf(name));
    ASSERT_TRUE(stat.ok()) << name;
    EXPECT_EQ(stat->parent, 17) << name;
    EXPECT_EQ(stat->start_time, 987654321u) << name;
  }
}

TEST(ProcStatTest, RefusesATextCutAnywhere) {
  const std::string whole = StatOf("a (b) c");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(ParseProcStat(whole.substr(0, size)).ok()) << size;
  }
}

TEST(ProcStatTest, RefusesWhatIsNoNumber) {
  std::string text = StatOf("cat");
  text.replace(text.find("987654321"), 1, "x");
  EXPECT_EQ(ParseProcStat(text).error().code, ErrorCode::kDamaged);
}

TEST(ProcStatTest, CountsAZombieWithOtherThreadsAsRunning) {
  ProcStat stat = *ParseProcStat(StatOf("cat"));
  EXPECT_TRUE(stat.ended());
  stat.threads = 2;
  EXPECT_FALSE(stat.ended());
}

TEST(ProcStatTest, SeesOurselvesAndOurParent) {
  const auto stat = ReadProcStat(getpid());
  ASSERT_TRUE(stat.ok());
  EXPECT_EQ(stat->parent, getppid());
  EXPECT_FALSE(stat->ended());
}

TEST(ProcStatTest, ReportsAMissingProcess) {
  EXPECT_EQ(ReadProcStat(-1).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(ReadProcStat(0).error().message, "read /proc/0/stat: No such file or directory");
}

}  // namespace
}  // namespace belay
