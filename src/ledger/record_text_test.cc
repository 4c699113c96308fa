#include <gtest/gtest.h>

#include "ledger/family_table.h"

namespace belay {
namespace {

RecordText Read(std::string_view journal, std::string_view record) {
  return ReadRecordText(journal, *ParseJson(record));
}

TEST(RecordTextTest, NamesTheSubjectOfARecord) {
  EXPECT_EQ(Read("identities", R"({"kind":"seen","agent_id":"a-b#2"})").who, "a-b#2");
  EXPECT_EQ(Read("identities", R"({"kind":"alive","identity":{"agent_id":"a-b#3"}})").who, "a-b#3");
  EXPECT_EQ(Read("hooks", R"({"kind":"x","hook":{"identity_name":"a-b","incarnation":4}})").who,
            "a-b#4");
  EXPECT_EQ(Read("taint", R"({"kind":"began","session":"manual"})").who, "manual");
}

TEST(RecordTextTest, ShowsWhatMatters) {
  EXPECT_EQ(Read("identities", R"({"kind":"crashed","why":"exit code 3"})").why, "exit code 3");
  EXPECT_EQ(Read("hooks", R"({"kind":"phase","why":"by x","hook":{"work_phase":"testing"}})").why,
            "testing (by x)");
  EXPECT_EQ(Read("taint", R"({"kind":"marked","source":{"path":".env"}})").why, "it read .env");
  EXPECT_EQ(Read("taint", R"({"kind":"inherited","from":"a-b#1"})").why, "from a-b#1");
  EXPECT_EQ(
      Read("snapshots", R"({"at":"","kind":"taken","id":"main/7","commit":"3","files":2})").why,
      "id: main/7  files: 2");
}

TEST(RecordTextTest, MakesDoWithRecordsThatMakeNoSense) {
  for (const char* record : {"{}", R"({"kind":3,"why":[],"hook":7,"identity":"x","source":1})"}) {
    for (const Family& family : Families()) EXPECT_EQ(Read(family.journal, record).what, "");
    EXPECT_EQ(Read("other", record).what, "");
  }
}

}  // namespace
}  // namespace belay
