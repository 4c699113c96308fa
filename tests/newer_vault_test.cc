// A vault that a newer belay has taken over: nothing of an older one changes it, no command, no
// hook and no process that runs already; and no agent is harmed by that.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "cli/command.h"
#include "hook_sandbox.h"
#include "ledger/family_table.h"
#include "ledger/ledger_journal.h"
#include "os/fd.h"
#include "store/vault.h"

namespace belay {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr const char* kFormat = "repo/.git/belay/format";
constexpr const char* kInput =
    R"({"session_id":"5b0e5b0e-0000-4000-8000-000000000000","transcript_path":"/t.jsonl",)"
    R"("source":"startup","prompt":"go","tool_name":"Bash","tool_input":{"command":"npm test"},)"
    R"("context_window":{"used_percentage":12,"context_window_size":200000}})";
const std::vector<std::string> kEvents = {
    "SessionStart", "UserPromptSubmit", "PreToolUse",   "PostToolUse", "PostToolUseFailure",
    "Stop",         "SubagentStop",     "Notification", "PreCompact",  "SessionEnd"};

class NewerVaultTest : public HookSandbox {
 protected:
  // Every name, with its kind, number, size, time and content: also what is written again as it was
  // shows, and a file that was there for a moment.
  std::string Everything() {
    const RunOutcome found =
        RunReal({"sh", "-c",
                 "find .git/belay .git/refs/belay .git/hooks .git/info .claude "
                 "-printf '%p %y %m %s %l %i %T@\\n' | sort; "
                 "find .git/belay .claude -type f -exec sha256sum {} + | sort; "
                 "git for-each-ref refs/belay refs/heads"},
                {.folder = folder_ / "repo"});
    EXPECT_EQ(found.err, "");
    return found.out;
  }

  // As belay init of a newer one does it: replaced as a whole.
  void Raise() {
    folder_.Write("format", std::to_string(kVaultVersion + 1) + "\n");
    std::filesystem::rename(folder_ / "format", folder_ / kFormat);
  }
  void TakeBack() { folder_.Write(kFormat, VaultFormatText()); }

  // Something of everything: an agent that runs, with a message that waits; work that waits to
  // land; a snapshot, a guarded branch, a signal.
  void Fill() {
    Run({"init", "--yes", "--agent", "claude"});
    Spawn("login", {AgentScript("login", TellingScript())});
    Git({"-C", "repo", "branch", "work"});
    Git({"-C", "repo", "checkout", "-q", "work"});
    folder_.Write("repo/more.txt", "more\n");
    Git({"-C", "repo", "add", "more.txt"});
    Git({"-C", "repo", "commit", "-qm", "more"});
    Git({"-C", "repo", "checkout", "-q", "main"});
    folder_.Write("repo/file.txt", "changed\n");
    Run({"snapshot", "take"});
    Run({"merge-queue", "add", "work"});
    Run({"merge-queue", "protect"});
    Run({"taint", "mark", "--source", ".env", "--agent", "login"});
    Run({"signal", "send", "NEEDS_REVIEW", "--to", "guardian", "--payload", R"({"reason":"r"})"});
    Run({"send", "login", "use the new API"});
    folder_.Write("repo/file.txt", "changed again\n");
  }
  void Run(const std::vector<std::string>& words) {
    const RunOutcome outcome = Belay(words);
    EXPECT_EQ(outcome.exit_code, 0) << words[0] << ": " << outcome.err;
  }

  void ExpectNothingWritten(const std::string& what, const std::function<void()>& act) {
    const std::string before = Everything();
    act();
    EXPECT_EQ(Everything(), before) << what;
  }

  void ExpectCommandsWriteNothing();
  void ExpectHooksWriteNothing();
};

struct Case {
  std::vector<std::string> arguments;
  std::optional<int> exit_code;  // nothing: it works, refuses the vault, or refuses its arguments
};

// Of every command, with what makes it write if anything does. What only reads may work or not.
const std::map<std::string, std::vector<Case>>& Cases() {
  static const std::map<std::string, std::vector<Case>> kCases = {
      {"init",
       {{{"--yes"}, 5},
        {{"--agent", "claude", "--yes"}, 5},
        {{"--remove", "--yes"}, 5},
        {{"--remove", "--agent", "claude", "--yes"}, 5}}},
      {"doctor", {{{}, 5}, {{"--repair"}, 5}}},
      {"log", {{{}, 5}}},
      {"snapshot take", {{{}, 5}, {{"login"}, 5}}},
      {"snapshot list", {{{}, 0}}},
      {"snapshot show", {{{"main/1"}, 0}}},
      {"snapshot restore", {{{"main/1"}, 5}, {{"main/1", "--merge"}, 5}}},
      {"snapshot prune", {{{"--keep", "1"}, 5}, {{"--older-than", "0s"}, 5}}},
      {"spawn",
       {{{"--name", "new", "--", "true"}, 5},
        {{"--name", "new", "--new-worktree", "new", "--", "true"}, 5},
        {{"--name", "login", "--continue"}, 5}}},
      {"guard", {{{}, 5}, {{"--once"}, 5}, {{"--systemd-unit"}, 0}}},
      {"agents", {{{"--all"}, 5}}},
      {"stop", {{{"login"}, 5}, {{"login", "--now"}, 5}}},
      {"release", {{{"login"}, 5}}},
      {"why", {{{"login"}, 5}}},
      {"attach", {{{"login"}, 2}}},  // no terminal
      {"logs", {{{"login"}, 0}}},
      {"exec", {{{"orchestrator-login#1"}, 5}, {{"orchestrator-login#2"}, 5}, {{"worker-x#1"}, 5}}},
      {"event", {}},  // below
      {"statusline", {}},
      {"hook show", {{{"login"}, 5}}},
      {"hook note", {{{"login", "a note"}, 5}}},
      {"hook phase", {{{"login", "completion"}, 5}}},
      {"send", {{{"login", "hello"}, 5}}},
      {"signal send", {{{"NEEDS_REVIEW", "--to", "guardian", "--payload", "{}"}, 5}}},
      {"signal list", {{{}, 5}}},
      {"signal wait", {{{"guardian", "--timeout", "1"}, 5}, {{"person", "--timeout", "1"}, 5}}},
      {"merge-queue add", {{{"work"}, 5}}},
      {"merge-queue list", {{{"--all"}, 5}}},
      {"merge-queue status", {{{}, 5}, {{"m1"}, 5}}},
      {"merge-queue process", {{{}, 5}, {{"--next", "--no-gates"}, 5}, {{"--all"}, 5}}},
      {"merge-queue remove", {{{"m1"}, 5}}},
      {"merge-queue retry", {{{"m1"}, 5}}},
      {"merge-queue pause", {{{}, 5}}},
      {"merge-queue unpause", {{{}, 5}}},
      {"merge-queue protect", {{{}, 5}}},
      {"merge-queue unprotect", {{{}, 5}}},
      {"ref-guard", {}},  // below
      {"taint mark", {{{"--source", "x", "--agent", "login"}, 5}}},
      {"taint status", {{{}, 5}}},
      {"config show", {{{}, 0}}},
      {"config check", {{{}, 0}}},
      {"completion", {{{"bash"}, 0}}},
      {"version", {{{}, 0}}},
      {"help", {{{}, 0}}},
  };
  return kCases;
}

// A command that has no row above is run with a word for each operand that it needs: plainly, and
// with each of its switches.
std::vector<Case> CasesOf(const Command& command) {
  const auto known = Cases().find(std::string(command.name));
  if (known != Cases().end()) return known->second;
  std::vector<std::string> words;
  for (const Operand& operand : command.operands) {
    const bool chosen = !operand.choices.empty();
    const std::string_view word =
        chosen ? operand.choices.substr(0, operand.choices.find('|')) : "login";
    if (operand.required) words.emplace_back(word);
  }
  std::vector<Case> cases = {{words, std::nullopt}};
  for (const Option& option : command.options) {
    if (!option.value.empty()) continue;
    cases.push_back(cases.front());
    cases.back().arguments.emplace_back(option.name);
  }
  return cases;
}

void NewerVaultTest::ExpectCommandsWriteNothing() {
  for (const Command& command : Commands()) {
    const std::string name(command.name);
    for (const Case& one : CasesOf(command)) {
      std::vector<std::string> words;
      for (const std::string_view word : Split(name, ' ')) words.emplace_back(word);
      words.insert(words.end(), one.arguments.begin(), one.arguments.end());
      ExpectNothingWritten(name, [&] {
        const RunOutcome outcome = Belay(words);
        const bool may_end_so = one.exit_code ? outcome.exit_code == *one.exit_code
                                              : std::set{0, 2, 5}.contains(outcome.exit_code);
        EXPECT_TRUE(may_end_so) << name << ": " << outcome.out << outcome.err;
        const bool explained = outcome.exit_code != 5 || name == "doctor" ||
                               outcome.err.find("written by a newer belay") != std::string::npos;
        EXPECT_TRUE(explained) << name << ": " << outcome.err;
      });
    }
  }
}

// From inside the agent that a message waits for, from a session that was started by hand, and from
// a process that only claims to be an agent.
void NewerVaultTest::ExpectHooksWriteNothing() {
  for (const std::string& event : kEvents) {
    ExpectNothingWritten(event, [&] { EXPECT_EQ(Tell(event, kInput), "") << event; });
    for (const char* agent : {"", "orchestrator-login#1", "worker-unknown#1"}) {
      ExpectNothingWritten(event, [&] {
        EXPECT_EQ(TellFromOutside(agent, event, kInput, {{"CLAUDE_PID", "1"}}).out, "") << event;
      });
    }
  }
  ExpectNothingWritten("statusline", [&] { EXPECT_EQ(Tell("statusline", kInput), ""); });
}

TEST_F(NewerVaultTest, NoCommandWritesToIt) {
  Fill();
  Raise();
  ExpectCommandsWriteNothing();
  std::filesystem::remove_all(folder_ / "repo/.claude/state");
  ExpectCommandsWriteNothing();
  TakeBack();
}

TEST_F(NewerVaultTest, NoHookWritesToItAndNoAgentIsHarmed) {
  Fill();
  Raise();
  ExpectHooksWriteNothing();
  std::filesystem::remove_all(folder_ / "repo/.claude/state");
  ExpectHooksWriteNothing();
  TakeBack();
  EXPECT_THAT(Tell("PostToolUse", kInput), HasSubstr("use the new API")) << "it still waits";
}

// Anything but what belay writes there may be the format of a belay that isn't known yet.
TEST_F(NewerVaultTest, AnOddFormatIsNeverTakenForOurs) {
  Fill();
  std::vector<std::string> ways = {": >format",
                                   "printf '1 \\n' >format",
                                   "printf 1 >format",
                                   "echo 01 >format",
                                   "echo -1 >format",
                                   "echo 99999999999999999999999999 >format",
                                   "echo 18446744073709551617 >format",
                                   "rm format; mkdir format",
                                   "rm format; ln -s root format",
                                   "rm format"};
  if (geteuid() != 0) ways.push_back("chmod 000 format");
  const std::vector<std::vector<std::string>> commands = {
      {"init", "--yes"},
      {"doctor", "--repair"},
      {"log"},
      {"hook", "note", "login", "a note"},
      {"send", "login", "hello"},
      {"signal", "send", "NEEDS_REVIEW", "--to", "guardian", "--payload", "{}"},
      {"snapshot", "prune"},
      {"spawn", "--name", "new", "--", "true"},
      {"exec", "orchestrator-login#2"},
      {"merge-queue", "add", "work"},
      {"stop", "login"},
      {"guard", "--once"}};
  for (const std::string& way : ways) {
    const RunOutcome done = RunReal({"sh", "-ec", way}, {.folder = folder_ / "repo/.git/belay"});
    ASSERT_EQ(done.exit_code, 0) << done.err;
    for (const auto& command : commands) {
      ExpectNothingWritten(way + ": " + command[0], [&] {
        const RunOutcome outcome = Belay(command);
        EXPECT_THAT(outcome.exit_code, AnyOf(5, 1)) << way << ": " << command[0] << outcome.out;
        EXPECT_THAT(outcome.out + outcome.err, HasSubstr("format")) << way << ": " << command[0];
      });
    }
    for (const std::string event : {"SessionStart", "PostToolUse", "SessionEnd"}) {
      ExpectNothingWritten(way + ": " + event, [&] {
        EXPECT_EQ(Tell(event, kInput), "") << way;
        for (const char* agent : {"", "orchestrator-login#1"}) {
          const RunOutcome told = TellFromOutside(agent, event, kInput, {{"CLAUDE_PID", "1"}});
          EXPECT_EQ(told.exit_code, 0) << way;
          EXPECT_EQ(told.out, "") << way;
        }
      });
    }
    std::filesystem::remove_all(folder_ / kFormat);
    TakeBack();
  }
}

TEST_F(NewerVaultTest, GitMovesAGuardedBranchAndTheHookWritesNothing) {
  Fill();
  Git({"-C", "repo", "stash", "-q"});
  Raise();
  const auto vault = [&] {
    const std::string all = Everything();
    return all.substr(0, all.rfind(" commit\trefs/heads/main"));
  };
  const std::string before = vault();
  Git({"-C", "repo", "merge", "-q", "--ff-only", "work"});
  EXPECT_EQ(vault().substr(0, before.size() - 40), before.substr(0, before.size() - 40));
  EXPECT_EQ(folder_.Read("repo/more.txt"), "more\n");
  TakeBack();
}

// Both are stopped while the vault is taken over, so that everything they write comes after it.
TEST_F(NewerVaultTest, AGuardianAndAnExecThatRunLeaveItAlone) {
  ASSERT_EQ(mkfifo((folder_ / "talk").c_str(), 0600), 0);
  const UniqueFd talk(open((folder_ / "talk").c_str(), O_RDWR | O_CLOEXEC));
  folder_.Write("turn-1", "");
  folder_.Write("turn-2", "");
  Process& guardian = StartGuardian();
  const Identity agent =
      Start("login", "exec <'" + (folder_ / "talk") +
                         "'\nwhile read -r line; do\n"
                         "  [ \"$line\" = end ] && exit 3\n"
                         "  echo \"it says $line\"\n  mv '" +
                         (folder_ / "turn") + "-'$line '" + (folder_ / "done") + "-'$line\ndone\n");
  const auto say = [&](const std::string& line) {
    EXPECT_EQ(write(talk.get(), (line + "\n").data(), line.size() + 1),
              static_cast<ssize_t>(line.size() + 1));
  };
  say("1");
  const std::string log = "repo/.git/belay/run/orchestrator-login.log";
  ASSERT_TRUE(Await([&] { return folder_.Read(log).find("it says 1") != std::string::npos; }));
  AwaitATurn();
  Kill(Present("turn1"));
  AwaitStatus("turn1", 3, AgentStatus::kAlive);
  Process exec = Open(*agent.parent);
  const auto send_both = [&](int signal) {
    for (const Process* one : {&guardian, &exec}) ASSERT_TRUE(one->Signal(signal).ok());
  };
  const auto no_lock_is_held = [&](Duration limit) {
    return std::ranges::all_of(Families(), [&](const Family& family) {
      return LockJournal(files_, project_, family.journal, limit).ok();
    });
  };
  // Not in the middle of a record and its rendering: then a lock is held.
  ASSERT_TRUE(Await([&] {
    if (!no_lock_is_held(kBound)) return false;
    send_both(SIGSTOP);
    const bool between = no_lock_is_held(Duration::zero());
    if (!between) send_both(SIGCONT);
    return between;
  }));
  Raise();
  const std::string before = Everything();
  send_both(SIGCONT);
  say("2");
  EXPECT_EQ(guardian.WaitAtMost(kBound), ExitStatus::Exited(5));
  EXPECT_TRUE(Await([&] { return folder_.Read("done-2") != "(missing)"; })) << "the agent goes on";
  say("end");
  EXPECT_TRUE(exec.WaitAtMost(kBound));
  EXPECT_EQ(Everything(), before);
  EXPECT_THAT(GuardianSaid(), HasSubstr("written by a newer belay"));
  TakeBack();
  EXPECT_THAT(Text(Agent(agent.id.text()), "status"), AnyOf("crashed", "terminated"))
      << "what happened in between is seen afterwards";
}

}  // namespace
}  // namespace belay
