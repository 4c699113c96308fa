#include "sessions/judge.h"

#include <gtest/gtest.h>

#include "codec/hash.h"
#include "model/identity_book.h"
#include "sessions/note_tally.h"
#include "store/rendering.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

// The kinds of what was found, each as its first letter.
std::string Letters(const Problems& problems) {
  std::string letters;
  for (const Problem& problem : problems) {
    letters += "tldrw"[static_cast<std::size_t>(problem.kind)];
  }
  return letters;
}

class SessionJudge : public ::testing::Test {
 protected:
  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
};

class StateFileJudge : public SessionJudge {
 protected:
  std::string Verdict(const std::string& text) {
    folder_.Write("a.json", text);
    EXPECT_EQ(Letters(JudgeIfThere(files_, folder_ / "a.json")),
              Letters(JudgeStateFile(files_, folder_ / "a.json")));
    return Letters(JudgeStateFile(files_, folder_ / "a.json"));
  }
  const std::string whole_ = RenderingText(MakeObject({{"schema_version", 1}, {"a", "b"}}));
};

TEST_F(StateFileJudge, IsContentWithAWholeOne) { EXPECT_EQ(Verdict(whole_), ""); }

TEST_F(StateFileJudge, SeesOneThatIsEmptyCutOffOrChanged) {
  for (std::size_t length = 0; length + 2 < whole_.size(); ++length) {
    EXPECT_EQ(Verdict(whole_.substr(0, length)), "t") << length;
  }
  std::string changed = whole_;
  changed[changed.find("\"b\"") + 1] = 'c';
  EXPECT_EQ(Verdict(changed), "t");
  EXPECT_EQ(Verdict("{}"), "t");
}

TEST_F(StateFileJudge, MissesOneOnlyWhereItMustBe) {
  EXPECT_EQ(Letters(JudgeStateFile(files_, folder_ / "none.json")), "l");
  EXPECT_EQ(Letters(JudgeIfThere(files_, folder_ / "none.json")), "");
}

class NoteJudge : public ::testing::Test {
 protected:
  void Record(const std::vector<std::string>& texts) {
    Json notes = Json::EmptyArray();
    for (const std::string& text : texts) notes.Append(MakeObject({{"text", text}}));
    tally_.Follow(MakeObject({{"hook", MakeObject({{"notes", notes}})}}));
  }
  NoteTally tally_;
};

TEST_F(NoteJudge, IsContentWhenAllAreThereInOrder) {
  tally_.Acknowledge(1, 1);
  tally_.Acknowledge(1, 3);
  Record({NoteTally::Text(1, 1)});
  Record({NoteTally::Text(1, 1), NoteTally::Text(2, 1), NoteTally::Text(1, 3)});
  Record({NoteTally::Text(1, 3), NoteTally::Text(2, 2)});
  EXPECT_EQ(Letters(tally_.Judge()), "");
}

TEST_F(NoteJudge, MissesAnAcknowledgedOne) {
  tally_.Acknowledge(1, 1);
  EXPECT_EQ(Letters(tally_.Judge()), "l");
}

TEST_F(NoteJudge, SeesThoseOfAWriterInTheWrongOrder) {
  Record({NoteTally::Text(1, 2), NoteTally::Text(1, 1)});
  EXPECT_EQ(Letters(tally_.Judge()), "w");
}

TEST_F(NoteJudge, SeesATornOne) {
  Record({NoteTally::Text(1, 5).substr(0, 20)});
  EXPECT_EQ(Letters(tally_.Judge()), "t");
}

class WorkJudge : public SessionJudge {
 protected:
  WorkJudge() {
    for (const char* line : {"start o-a#1 7", "begin o-a#1 2 1", "done o-a#1 2 1"}) book_.Add(line);
    Write(SlotText("o-a", 2, 1));
  }
  void Write(const std::string& text) { folder_.Write("o-a/o-a-2", text); }
  std::string Verdict() {
    return Letters(JudgeWork(files_, folder_ / "o-a", "o-a", book_.Of("o-a")));
  }
  std::string SnapshotVerdict(const std::string& content) {
    const std::string hash = BlobIdOf(ObjectFormat::kSha1, content);
    const std::string listing = "100644 blob " + hash + "\twork/o-a/o-a-2\n";
    return Letters(JudgeSnapshot(files_, folder_ / "o-a", listing, book_.Of("o-a")));
  }
  Logbook book_;
};

TEST_F(WorkJudge, IsContentWithWhatWasFinished) {
  EXPECT_EQ(Verdict(), "");
  EXPECT_EQ(SnapshotVerdict(SlotText("o-a", 2, 1)), "");
}

TEST_F(WorkJudge, SeesAFinishedFileThatIsGoneOlderOrCutOff) {
  Write(SlotText("o-a", 2, 1).substr(0, 50));
  EXPECT_EQ(Verdict(), "l");
  Write("");
  EXPECT_EQ(Verdict(), "l");
  ASSERT_TRUE(files_.RemoveFile(folder_ / "o-a/o-a-2").ok());
  EXPECT_EQ(Verdict(), "l");
  Write(SlotText("o-a", 2, 1));
  book_.Add("begin o-a#1 2 9");
  book_.Add("done o-a#1 2 9");
  EXPECT_EQ(Verdict(), "l");
}

TEST_F(WorkJudge, TakesOfAFileUnderWayItsBeginningOrWhatWasThereBefore) {
  book_.Add("begin o-a#1 2 9");
  EXPECT_EQ(Verdict(), "");
  Write(SlotText("o-a", 2, 9).substr(0, 30));
  EXPECT_EQ(Verdict(), "");
  Write(SlotText("o-a", 2, 8));
  EXPECT_EQ(Verdict(), "l");
}

TEST_F(WorkJudge, SeesASnapshotThatLacksAFileOrHasAnother) {
  EXPECT_EQ(SnapshotVerdict("older"), "l");
  EXPECT_EQ(Letters(JudgeSnapshot(files_, folder_ / "o-a", "", book_.Of("o-a"))), "l");
}

TEST(LogbookTest, SeesWhatStartsTwiceBesideAnotherOrAfterItWasStopped) {
  Logbook book;
  book.Add("start o-a#1 7");
  book.Add("start o-a#2 8");
  EXPECT_EQ(Letters(book.TakeProblems()), "");
  book.Add("start o-a#2 9");
  EXPECT_EQ(Letters(book.TakeProblems()), "d");
  book.Add("double o-a#3");
  EXPECT_EQ(Letters(book.TakeProblems()), "d");
  book.Stopped("o-a");
  book.Add("start o-a#4 9");
  EXPECT_EQ(Letters(book.TakeProblems()), "r");
  book.MayStart("o-a");
  book.Add("start o-a#5 9");
  EXPECT_EQ(Letters(book.TakeProblems()), "");
  book.StoppedAt("o-a", 6);
  book.Add("start o-a#6 9");
  EXPECT_EQ(Letters(book.TakeProblems()), "");
  book.Add("start o-a#7 9");
  EXPECT_EQ(Letters(book.TakeProblems()), "r");
  book.Add("nonsense");
  EXPECT_EQ(Letters(book.TakeProblems()), "w");
}

class LivingJudge : public ::testing::Test {
 protected:
  void Add(const std::string& id, pid_t pid, pid_t parent) {
    living_.push_back({*AgentId::Parse(id), {pid, 1, "boot"}, parent});
  }
  std::string Verdict(pid_t dead = 0) {
    return Letters(
        JudgeLiving(living_, [&](const ProcessIdentity& one) { return one.pid != dead; }));
  }
  std::vector<Living> living_;
};

TEST_F(LivingJudge, IsContentWithOneOfEachAndItsChildren) {
  Add("o-a#2", 12, 10);
  Add("o-a#2", 10, 1);
  Add("o-b#1", 20, 1);
  EXPECT_EQ(Verdict(), "");
}

TEST_F(LivingJudge, SeesTwoIncarnationsOrOneTwiceUnlessOneHasEnded) {
  Add("o-a#1", 10, 1);
  Add("o-a#2", 11, 1);
  EXPECT_EQ(Verdict(), "d");
  EXPECT_EQ(Verdict(10), "");
  living_.clear();
  Add("o-a#2", 10, 1);
  Add("o-a#2", 11, 2);
  EXPECT_EQ(Verdict(), "d");
}

TEST_F(LivingJudge, SeesAChildOfADeadIncarnationBesideItsSuccessor) {
  Add("o-a#2", 10, 1);
  Add("o-a#1", 5, 1);
  EXPECT_EQ(Verdict(), "d");
}

Json Row(std::uint32_t incarnation, bool present, const std::string& status) {
  return MakeObject({{"agent_id", "o-a#" + std::to_string(incarnation)},
                     {"identity_name", "o-a"},
                     {"incarnation", incarnation},
                     {"present", present},
                     {"created_at", "t" + std::to_string(incarnation)},
                     {"status", status},
                     {"color", "red"}});
}

Json Agents(Json::Array rows) { return MakeObject({{"agents", std::move(rows)}}); }

TEST(AgentsJudge, IsContentWhenThePresentOneCrashesAndIsFollowed) {
  const Json before = Agents({Row(1, false, "crashed"), Row(2, true, "alive")});
  const Json after =
      Agents({Row(1, false, "crashed"), Row(2, false, "crashed"), Row(3, true, "alive")});
  EXPECT_EQ(Letters(JudgeAgents(before, after)), "");
}

TEST(AgentsJudge, MissesAnIncarnationUnlessEnoughFollowed) {
  const Json before = Agents({Row(1, true, "alive")});
  EXPECT_EQ(Letters(JudgeAgents(before, Agents({}))), "l");
  EXPECT_EQ(Letters(JudgeAgents(before, Agents({Row(2, true, "alive")}))), "l");
  EXPECT_EQ(Letters(JudgeAgents(before, Agents({Row(kMostHistory + 2, true, "alive")}))), "");
}

TEST(AgentsJudge, SeesHistoryThatChanges) {
  const Json before = Agents({Row(1, false, "crashed")});
  EXPECT_EQ(Letters(JudgeAgents(before, Agents({Row(1, false, "terminated")}))), "w");
}

Json Notes(std::size_t first, std::size_t last) {
  Json notes = Json::EmptyArray();
  for (std::size_t i = first; i <= last; ++i) notes.Append(i);
  return MakeObject({{"notes", notes}});
}

TEST(NotesJudge, MissesNotesUnlessTheyHadToMakeRoom) {
  EXPECT_EQ(Letters(JudgeNotes(Notes(1, 3), Notes(1, 5))), "");
  EXPECT_EQ(Letters(JudgeNotes(Notes(1, 3), Notes(1, 2))), "l");
  EXPECT_EQ(Letters(JudgeNotes(Notes(1, 3), Notes(2, 5))), "l");
  EXPECT_EQ(Letters(JudgeNotes(Notes(1, 50), Notes(3, 52))), "");
  EXPECT_EQ(Letters(JudgeNotes(Notes(1, 50), Notes(3, 40))), "l");
}

}  // namespace
}  // namespace belay
