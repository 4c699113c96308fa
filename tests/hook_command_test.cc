// belay hook, as agents and people use it.

#include <gmock/gmock.h>

#include <set>
#include <thread>

#include "agents_sandbox.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

class HookCommandTest : public AgentsSandbox {
 protected:
  std::vector<std::string> Notes() {
    std::vector<std::string> texts;
    const Json hook = BelayJson({"hook", "show", "worker-a"});
    for (const Json& note : *hook.Find("notes")->AsArray()) texts.push_back(TextOf(note, "text"));
    return texts;
  }
  std::string Refs() {
    return RunReal({"git", "for-each-ref", "--format=%(refname)", "refs/belay"},
                   {.folder = folder_ / "repo"})
        .out;
  }
};

TEST_F(HookCommandTest, ShowsTheRecordsOwnFields) {
  Spawn("worker-a#1");
  const Json hook = BelayJson({"hook", "show", "a"});
  EXPECT_EQ(TextOf(hook, "identity_name"), "worker-a");
  EXPECT_EQ(TextOf(hook, "work_phase"), "investigation");
  EXPECT_EQ(TextOf(hook, "sha256").size(), 64U);
  EXPECT_EQ(*hook.Find("schema_version")->AsInteger(), 1);
  EXPECT_THAT(Belay({"hook", "show", "a"}).out, HasSubstr("investigation"));
}

TEST_F(HookCommandTest, ANoteBecomesTheSummaryAndIsRenderedAndSent) {
  Spawn("worker-a#1");
  const RunOutcome outcome = As("worker-a#1", {"hook", "note", "a", "parser done\nmore"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json hook = BelayJson({"hook", "show", "a"});
  EXPECT_EQ(TextOf(hook, "work_summary"), "parser done");
  EXPECT_EQ(TextOf((*hook.Find("notes")->AsArray())[0], "by"), "worker-a#1");
  const Json file = *ParseJson(folder_.Read("repo/.claude/state/hooks/worker-a.json"));
  EXPECT_EQ(TextOf(file, "sha256"), TextOf(hook, "sha256"));
  const Json signals = BelayJson({"signal", "list", "guardian"});
  const Json& signal = (*signals.Find("signals")->AsArray())[0];
  EXPECT_EQ(TextOf(signal, "type"), "HOOK_UPDATED");
  EXPECT_EQ(TextOf(signal, "from"), "worker-a#1");
  EXPECT_EQ(TextOf(*signal.Find("payload"), "sha256"), TextOf(hook, "sha256"));
  EXPECT_EQ(TextOf(*signal.Find("payload"), "hook_path"),
            folder_ / "repo/.claude/state/hooks/worker-a.json");
}

TEST_F(HookCommandTest, WrongInputIsRefusedAndChangesNothing) {
  Spawn("worker-a#1");
  ExpectError({"hook", "show", "nobody"}, 3, "nobody");
  ExpectError({"hook", "show", "../x"}, 3, "../x");
  ExpectError({"hook", "note", "a", " \n"}, 2, "the note is empty");
  ExpectError({"hook", "phase", "a", "testin"}, 2, "did you mean testing?");
  ExpectError({"hook", "note", "a"}, 2, "TEXT");
  Spawn("scout-a#1");
  ExpectError({"hook", "note", "a", "x"}, 2, "scout-a");
  EXPECT_THAT(Notes(), ElementsAre());
}

TEST_F(HookCommandTest, TheGuardianHasNone) {
  Identity guardian = Spawn("guardian-main#1");
  guardian.host = AgentHost::kSelf;
  Save(guardian);
  ExpectError({"hook", "note", "guardian-main", "x"}, 4, "only agents have hooks");
  ExpectError({"logs", "guardian-main"}, 3, "is part of belay");
}

TEST_F(HookCommandTest, WithoutBelayInitThereIsNothing) {
  Git({"init", "-q", folder_ / "bare"});
  const RunOutcome outcome = Belay({"hook", "show", "a"}, {.folder = folder_ / "bare"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("belay init"));
}

TEST_F(HookCommandTest, AnAgentWritesOnlyItsOwn) {
  Spawn("worker-a#1");
  Spawn("worker-b#1");
  ExpectError({"hook", "note", "a", "x"}, 4, "may not write the hook of worker-a", "worker-b#1");
  ExpectError({"hook", "note", "a", "x"}, 4, "BELAY_AGENT_ID", "worker-a");
  EXPECT_THAT(Notes(), ElementsAre());
}

TEST_F(HookCommandTest, InsideATreeTheClaimMustAgree) {
  Spawn("worker-b#1");
  BecomeTreeOf(Spawn("worker-a#1"));
  ExpectError({"hook", "note", "b", "x"}, 4, "may not write the hook of worker-b");
  ExpectError({"hook", "note", "b", "x"}, 4, "belongs to worker-a#1", "worker-b#1");
  EXPECT_EQ(Belay({"hook", "note", "a", "mine"}).exit_code, 0);
  const Json hook = BelayJson({"hook", "show", "a"});
  EXPECT_EQ(TextOf((*hook.Find("notes")->AsArray())[0], "by"), "worker-a#1");
}

TEST_F(HookCommandTest, ALateWriteOfADeadIncarnationChangesNothingAndIsNoted) {
  Spawn("worker-a#1");
  Spawn("worker-a#2");
  ExpectError({"hook", "note", "a", "late"}, 4, "ignored a late", "worker-a#1");
  ExpectError({"hook", "phase", "a", "testing"}, 4, "ignored a late", "worker-a#1");
  EXPECT_THAT(Notes(), ElementsAre());
  EXPECT_EQ(TextOf(BelayJson({"hook", "show", "a"}), "work_phase"), "investigation");
  EXPECT_THAT(Log(), HasSubstr("ignored a late note from worker-a#1"));
  EXPECT_THAT(Log(), HasSubstr("ignored a late phase from worker-a#1"));
  EXPECT_EQ(As("worker-a#2", {"hook", "note", "a", "in time"}).exit_code, 0);
  EXPECT_THAT(Notes(), ElementsAre("in time"));
}

TEST_F(HookCommandTest, AnEndedIncarnationWithoutSuccessorIsLateToo) {
  Identity agent = Spawn("worker-a#1");
  agent.status = AgentStatus::kTerminated;
  Save(agent);
  ExpectError({"hook", "note", "a", "late"}, 4, "ignored a late", "worker-a#1");
  EXPECT_EQ(Belay({"hook", "note", "a", "by a person"}).exit_code, 0);
  EXPECT_THAT(Notes(), ElementsAre("by a person"));
}

TEST_F(HookCommandTest, APhaseIsFollowedByASnapshotOfTheAgent) {
  Spawn("worker-a#1");
  folder_.Write("repo/new.txt", "work");
  const RunOutcome outcome = As("worker-a#1", {"hook", "phase", "a", "testing", "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  const Json hook = *ParseJson(outcome.out);
  EXPECT_EQ(TextOf(hook, "work_phase"), "testing");
  EXPECT_EQ(TextOf(hook, "snapshot"), "agent-worker-a/1");
  EXPECT_EQ(WriteJson(*hook.Find("files_modified")), R"(["new.txt"])");
  EXPECT_EQ(Refs(), "refs/belay/keep/agent-worker-a/1\n");
  const Json list = BelayJson({"snapshot", "list", "worker-a"});
  const Json& snapshot = (*list.Find("snapshots")->AsArray())[0];
  EXPECT_EQ(TextOf(snapshot, "agent_id"), "worker-a#1");
  EXPECT_EQ(TextOf(snapshot, "reason"), "phase testing");
  folder_.Write("repo/more.txt", "work");
  EXPECT_EQ(As("worker-a#1", {"hook", "phase", "a", "testing"}).exit_code, 0);
  EXPECT_THAT(Refs(), Not(HasSubstr("agent-worker-a/2")));
}

TEST_F(HookCommandTest, APhaseStandsWhenNoSnapshotCanBeTaken) {
  Identity agent = Spawn("worker-a#1");
  agent.worktree_path = folder_ / "gone";
  Save(agent);
  const RunOutcome outcome = As("worker-a#1", {"hook", "phase", "a", "planning"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("no snapshot"));
  EXPECT_EQ(TextOf(BelayJson({"hook", "show", "a"}), "work_phase"), "planning");
}

TEST_F(HookCommandTest, ReportsThatALongNoteWasCutAndShowsItsSummaryOnOneLine) {
  Spawn("worker-a#1");
  EXPECT_THAT(Belay({"hook", "note", "a", std::string(4000, 'x')}).err, Not(HasSubstr("cut")));
  EXPECT_THAT(Belay({"hook", "note", "a", std::string(4001, 'x')}).err,
              HasSubstr("cut to 4,000 characters"));
  EXPECT_EQ(TextOf(BelayJson({"hook", "show", "a"}), "work_summary").size(), 4000U);
  const RunOutcome shown =
      Belay({"hook", "show", "a"}, {.environment = {{"TERM", "dumb"}}, .terminal_columns = 60});
  EXPECT_THAT(shown.out, HasSubstr("summary      " + std::string(46, 'x') + "…"));
}

TEST_F(HookCommandTest, TwoWritersAtOnceLoseNothing) {
  Spawn("worker-a#1");
  constexpr int kEach = 10;
  std::set<std::string> written;
  const auto write = [&](const std::string& who) {
    for (int i = 0; i < kEach; ++i) {
      EXPECT_EQ(As("worker-a#1", {"hook", "note", "a", who + std::to_string(i)}).exit_code, 0);
    }
  };
  std::thread other([&] { write("x"); });
  write("y");
  other.join();
  for (int i = 0; i < kEach; ++i) {
    written.insert({"x" + std::to_string(i), "y" + std::to_string(i)});
  }
  const std::vector<std::string> notes = Notes();
  EXPECT_EQ(std::set<std::string>(notes.begin(), notes.end()), written);
}

TEST_F(HookCommandTest, KilledWritersLoseNothingThatWasAcknowledged) {
  Spawn("worker-a#1");
  std::vector<std::string> acknowledged;
  int killed = 0;
  for (int i = 0; i < 40; ++i) {
    const std::string text = "note " + std::to_string(i);
    const std::string limit = "0." + std::to_string(1000 + i % 20).substr(1);
    const RunOutcome outcome =
        RunReal({"timeout", "--foreground", "-s", "KILL", limit, BelayBinary(), "hook", "note",
                 "worker-a", text},
                {.folder = folder_ / "repo", .environment = {{"BELAY_AGENT_ID", "worker-a#1"}}});
    if (outcome.exit_code == 0) acknowledged.push_back(text);
    if (outcome.exit_code == 137) ++killed;
  }
  EXPECT_GT(killed, 0);
  EXPECT_EQ(As("worker-a#1", {"hook", "note", "a", "last"}).exit_code, 0);
  acknowledged.emplace_back("last");
  EXPECT_THAT(Notes(), IsSupersetOf(acknowledged));
  const Json file = *ParseJson(folder_.Read("repo/.claude/state/hooks/worker-a.json"));
  EXPECT_EQ(TextOf(file, "work_summary"), "last");
}

TEST_F(HookCommandTest, AHookNoteIsPrintedWithoutControlCharacters) {
  Spawn("worker-a#1");
  EXPECT_EQ(Belay({"hook", "note", "a", "\x1b[31mred"}).exit_code, 0);
  EXPECT_THAT(Belay({"hook", "show", "a"}).out, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace belay
