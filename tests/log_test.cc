#include <gmock/gmock.h>

#include <fstream>
#include <thread>

#include "agents_sandbox.h"
#include "codec/json_lines.h"
#include "sandbox.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

class LogTest : public Sandbox {
 protected:
  LogTest() { EXPECT_EQ(Belay({"init"}).exit_code, 0); }

  // Makes one more record: a user edits a rendering, and that is noticed.
  void MakeRecord() {
    folder_.Write("repo/.claude/state/project.json", "{\"mine\": true}\n");
    EXPECT_EQ(Belay({"doctor", "--repair"}).exit_code, 0);
  }
  void DamageTheFirstRecord() {
    const std::string journal = "repo/.git/belay/journals/project.jsonl";
    std::string text = folder_.Read(journal);
    text[text.find("initialised")] = 'X';
    folder_.Write(journal, text);
  }
};

TEST_F(LogTest, ShowsWhatHappenedOneLineEach) {
  MakeRecord();
  const std::string out = Belay({"log"}).out;
  EXPECT_THAT(out, HasSubstr("  project     initialised  root: " + (folder_ / "repo")));
  EXPECT_THAT(out, HasSubstr("  project     edited  file: project.json"));
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 2);
}

class LogAgentsTest : public AgentsSandbox {};

TEST_F(LogAgentsTest, ShowsWhoWhatAndWhyInOneShortLine) {
  Spawn("worker-a#1");
  EXPECT_EQ(Belay({"hook", "note", "a", "reading the parser"}).exit_code, 0);
  const std::string out = Belay({"log"}).out;
  EXPECT_THAT(out, HasSubstr("  hooks       note  worker-a#1  reading the parser (by a person)\n"));
  EXPECT_THAT(out, HasSubstr("  identities  alive  worker-a#1\n"));
  EXPECT_THAT(out, HasSubstr("  taint       began  worker-a#1\n"));
  EXPECT_EQ(out.find("schema_version"), std::string::npos) << out;
  const RunOptions narrow{.environment = {{"TERM", "dumb"}}, .terminal_columns = 60};
  EXPECT_THAT(Belay({"log"}, narrow).out,
              HasSubstr("note  worker-a#1  reading\n" + std::string(33, ' ') +
                        "the parser (by a person)\n"));
  EXPECT_THAT(WriteJson(BelayJson({"log"})), HasSubstr("schema_version\":1,\"identity_name"));
}

TEST_F(LogTest, GivesTheRecordsToScripts) {
  MakeRecord();
  const Json record = BelayJson({"log"});
  const Json::Array& records = *record.Find("records")->AsArray();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(*records[0].Find("journal")->AsString(), "project");
  EXPECT_EQ(*records[0].Find("kind")->AsString(), "initialised");
  EXPECT_EQ(*records[1].Find("seq")->AsInteger(), 2);
}

TEST_F(LogTest, LeavesOutWhatIsOlder) {
  EXPECT_EQ(
      BelayJson({"log", "--since", "2100-01-01T00:00:00Z"}).Find("records")->AsArray()->size(), 0u);
  EXPECT_EQ(BelayJson({"log", "--since", "1h"}).Find("records")->AsArray()->size(), 1u);
  const RunOutcome wrong = Belay({"log", "--since", "yesterday"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("write it like 2h"));
}

TEST_F(LogTest, ReportsThatBelayIsNotSetUp) {
  Git({"init", "-q", folder_ / "bare"});
  const RunOutcome outcome = Belay({"log"}, {.folder = folder_ / "bare"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("run belay init"));
}

TEST_F(LogTest, ShowsWhatIsBeforeTheDamageThenFails) {
  MakeRecord();
  MakeRecord();
  const std::string journal = "repo/.git/belay/journals/project.jsonl";
  std::string text = folder_.Read(journal);
  text[text.find("edited")] = 'X';
  folder_.Write(journal, text);
  const RunOutcome outcome = Belay({"log"});
  EXPECT_EQ(outcome.exit_code, 5);
  EXPECT_THAT(outcome.out, HasSubstr("initialised"));
  EXPECT_THAT(outcome.err, HasSubstr("belay doctor --repair"));
  const Json record = BelayJson({"log"}, 5);
  EXPECT_EQ(record.Find("records")->AsArray()->size(), 1u);
  EXPECT_EQ(*record.Find("error")->Find("code")->AsString(), "damaged");
}

TEST_F(LogTest, FollowsUntilItsReaderIsGone) {
  const std::string fifo = folder_ / "fifo";
  ASSERT_EQ(RunReal({"mkfifo", fifo}).exit_code, 0);
  RunOutcome outcome{};
  std::thread log([&] {
    outcome = RunReal({"sh", "-c", "exec \"$0\" log -f --json >\"$1\"", BelayBinary(), fifo},
                      {.folder = folder_ / "repo"});
  });
  std::ifstream lines(fifo);
  std::string line;
  std::getline(lines, line);
  EXPECT_THAT(line, HasSubstr("{\"schema_version\":1,\"journal\":\"project\",\"seq\":1,"));
  MakeRecord();
  std::getline(lines, line);
  EXPECT_THAT(line, HasSubstr("\"kind\":\"edited\""));
  lines.close();
  log.join();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST_F(LogTest, ARecordsOwnSchemaVersionGivesWayToThatOfTheOutput) {
  std::string text;
  for (const Json& record :
       {MakeObject({{"seq", 0}, {"journal", "other"}, {"version", 1}}),
        MakeObject({{"seq", 1}, {"at", "2026-01-01T00:00:00Z"}, {"schema_version", 9}})}) {
    ASSERT_TRUE(AppendJsonLine(record, text).ok());
  }
  folder_.Write("repo/.git/belay/journals/other.jsonl", text);
  const RunOutcome outcome =
      RunReal({"sh", "-c", "\"$0\" log -f --json | head -n 1", BelayBinary()},
              {.folder = folder_ / "repo"});
  const Result<Json> record = ParseJson(outcome.out);
  ASSERT_TRUE(record.ok()) << outcome.out;
  EXPECT_EQ(*record->Find("schema_version")->AsInteger(), 1);
  EXPECT_EQ(*record->Find("journal")->AsString(), "other");
}

TEST_F(LogTest, NamesTheLimitThatKeepsItFromFollowing) {
  const RunOutcome there = RunReal({"unshare", "--user", "--map-root-user", "true"});
  if (there.exit_code != 0) GTEST_SKIP() << "no user namespaces here: " << there.err;
  for (const std::string limit : {"max_inotify_instances", "max_inotify_watches"}) {
    const RunOutcome outcome =
        RunReal({"unshare", "--user", "--map-root-user", "sh", "-c",
                 "echo 0 >/proc/sys/user/" + limit + " && exec \"$0\" log -f", BelayBinary()},
                {.folder = folder_ / "repo"});
    EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("raise sysctl fs.inotify.max_user_"));
  }
}

TEST_F(LogTest, ShowsHostileRecordsHarmlessly) {
  folder_.MakeFolder("e\x1B[31mvil");
  ASSERT_EQ(Belay({"init", "--root", folder_ / "e\x1B[31mvil"}).exit_code, 0);
  const RunOutcome outcome = Belay({"log", "--root", folder_ / "e\x1B[31mvil"});
  EXPECT_THAT(outcome.out, HasSubstr("\\x1b[31mvil"));
}

TEST_F(LogTest, RepairSetsDamageAsideAndKeepsTheRest) {
  MakeRecord();
  const std::string journal = "repo/.git/belay/journals/project.jsonl";
  DamageTheFirstRecord();
  const std::string damaged = folder_.Read(journal);
  EXPECT_EQ(Belay({"doctor"}).exit_code, 5);
  EXPECT_EQ(folder_.Read(journal), damaged);
  EXPECT_EQ(Belay({"init"}).exit_code, 5);
  const Json repaired = BelayJson({"doctor", "--repair"});
  EXPECT_TRUE(*(*repaired.Find("repairs")->AsArray())[0].Find("done")->AsBool());
  EXPECT_EQ(folder_.Read(journal + ".damaged-1"), damaged);
  const std::string out = Belay({"log"}).out;
  EXPECT_THAT(out, HasSubstr("edited"));
  EXPECT_THAT(out, HasSubstr("repaired  file: journals/project.jsonl  lines: 1"));
  EXPECT_EQ(BelayJson({"doctor", "--repair"}).Find("repairs")->AsArray()->size(), 0u);
}

TEST_F(LogTest, SpoiltLinesAtTheEndAreNamedAndKept) {
  MakeRecord();
  const std::string journal = "repo/.git/belay/journals/project.jsonl";
  std::string text = folder_.Read(journal);
  text[text.find("edited")] = 'X';
  folder_.Write(journal, text);
  const RunOutcome doctor = Belay({"doctor"});
  EXPECT_EQ(doctor.exit_code, 5);
  EXPECT_THAT(doctor.out, HasSubstr("ends with record 1, but it had records up to 2"));
  // Without a note that it was acknowledged, it may never have been finished.
  ASSERT_EQ(RunReal({"rm", folder_ / "repo/.git/belay/archive/project-0.jsonl"}).exit_code, 0);
  EXPECT_THAT(Belay({"doctor"}).out, HasSubstr("unreadable lines at the end: 1"));
  EXPECT_EQ(BelayJson({"doctor", "--repair"}).Find("repairs")->AsArray()->size(), 2u);
  EXPECT_EQ(folder_.Read(journal + ".damaged-1"), text);
}

TEST_F(LogTest, AJournalWithoutAHeaderIsRepaired) {
  for (const std::string_view text : {"", "garbage", "garbage\n"}) {
    folder_.Write("repo/.git/belay/journals/project.jsonl", text);
    EXPECT_EQ(Belay({"log"}).exit_code, 5) << text;
    EXPECT_EQ(Belay({"doctor"}).exit_code, 5) << text;
    EXPECT_EQ(Belay({"doctor", "--repair"}).exit_code, 0) << text;
    EXPECT_EQ(Belay({"init"}).exit_code, 0) << text;
  }
}

TEST_F(LogTest, AJournalReplacedByAFolderIsDamageThatIsNamed) {
  const std::string journal = folder_ / "repo/.git/belay/journals/project.jsonl";
  ASSERT_EQ(RunReal({"sh", "-c", "rm \"$0\" && mkdir \"$0\"", journal}).exit_code, 0);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"log"}, {"init"}, {"doctor", "--repair"}}) {
    const RunOutcome outcome = Belay(command);
    EXPECT_EQ(outcome.exit_code, 5) << command[0];
    EXPECT_THAT(outcome.out + outcome.err, HasSubstr(journal)) << command[0];
  }
}

TEST_F(LogTest, KeepsHandEditsOfARendering) {
  MakeRecord();
  EXPECT_EQ(folder_.Read("repo/.git/belay/edited/project.json-1"), "{\"mine\": true}\n");
  EXPECT_THAT(folder_.Read("repo/.claude/state/project.json"), HasSubstr("\"edits\": 1"));
  folder_.Write("repo/.claude/state/project.json", "{\"mine\": 2}\n");
  EXPECT_THAT(Belay({"init"}).err, HasSubstr("edited by hand; belay keeps the edited file in"));
}

}  // namespace
}  // namespace belay
