// Who may do what, asked from inside real agents: every row of the table (app/authority.h), and
// what a refusal keeps from happening.

#include "app/authority.h"

#include <unistd.h>

#include <map>
#include <set>

#include "cli/command.h"
#include "guard_sandbox.h"

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Agents in worktrees of their own: `worker` does what a test says, `other` waits.
class AuthorityTest : public GuardSandbox {
 protected:
  void SetUp() override {
    for (const char* pipe : {"go", "code"}) {
      ASSERT_EQ(RunReal({"mkfifo", folder_ / pipe}).exit_code, 0);
    }
    guardian_ = &StartGuardian();
    Start("other", kWaits, {"--new-worktree", "other"});
    Start("worker",
          fmt::format("cd '{}'\nwhile read -r line < go; do sh line.sh > out 2> err < /dev/null; "
                      "echo $? > code; done\n",
                      folder_.path()),
          {"--new-worktree", "mine"});
    for (const char* name : {"worker", "other"}) Commit(name);
  }

  // Something to land, and something that isn't committed.
  void Commit(const std::string& name) {
    const std::string tree = Present(name).worktree_path;
    ASSERT_EQ(RunReal({"sh", "-c",
                       fmt::format("cd '{0}' && echo {1} > {1}.txt && git add . && git -c "
                                   "user.name=t -c user.email=t@example.org commit -qm {1} && "
                                   "echo more > {1}-more.txt",
                                   tree, name)})
                  .exit_code,
              0);
  }

  // What a shell of `worker` says to it, in its worktree.
  RunOutcome InAgent(const std::string& line) {
    folder_.Write("line.sh", fmt::format("belay() {{ '{}' \"$@\"; }}\ncd '{}'\n{}\n", BelayBinary(),
                                         Present("worker").worktree_path, line));
    EXPECT_EQ(RunReal({"sh", "-c", "echo go > go"}, {.folder = folder_.path()}).exit_code, 0);
    RunOutcome outcome;
    outcome.exit_code = std::stoi(RunReal({"cat", folder_ / "code"}).out);
    outcome.out = folder_.Read("out");
    outcome.err = folder_.Read("err");
    return outcome;
  }

  void ExpectRefused(const std::string& line, const std::string& says) {
    const RunOutcome outcome = InAgent(line);
    EXPECT_EQ(outcome.exit_code, 4) << line << "\n" << outcome.out << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(says)) << line;
  }

  // For a shell of an agent or a gate: that command without its environment, by a process whose
  // parent has ended.
  std::string LeavesItsParent(const std::string& command) {
    const std::string file = fmt::format("orphan-{}.sh", ++orphans_);
    folder_.Write(file, fmt::format("read -r line < left\n'{}' {} > left.out 2>&1\n"
                                    "echo $? > left.code\n",
                                    BelayBinary(), command));
    return fmt::format(
        "cd '{}'; rm -f left left.code; mkfifo left left.code\n"
        "(env -i PATH=\"$PATH\" setsid sh {} > /dev/null 2>&1 &)\n"
        "echo go > left; read -r code < left.code; cat left.out >&2; (exit \"$code\")",
        folder_.path(), file);
  }
  // For a shell: it reports itself as a session that was started without belay and works there.
  // Done when belay has registered it, or not.
  static std::string ReportsItself(const std::string& root, const std::string& worktree) {
    return fmt::format(
        "printf '{{\"session_id\":\"ffff2222aaaa\",\"cwd\":\"%s\"}}' '{}' |\n"
        "CLAUDE_PROJECT_DIR='{}' CLAUDE_PID=$$ '{}' event SessionStart 9>&1 > /dev/null | cat\n",
        worktree, root, BelayBinary());
  }
  std::size_t Entries() {
    return BelayJson({"merge-queue", "list"}).Find("entries")->AsArray()->size();
  }
  bool Landed(const std::string& branch) {
    const Json queue = BelayJson({"merge-queue", "list", "--all"});
    for (const Json& entry : *queue.Find("entries")->AsArray()) {
      if (Text(entry, "branch") == branch && Text(entry, "status") == "merged") return true;
    }
    return false;
  }

  std::size_t Snapshots() {
    return BelayJson({"snapshot", "list", "--all"}).Find("snapshots")->AsArray()->size();
  }

  Process* guardian_ = nullptr;
  int orphans_ = 0;
};

// A command line, as a shell takes it: about what is the agent's own, and about what is another's.
struct Lines {
  std::string own = {};
  std::string others = {};
};

// What stands for an operand. A command whose operands have other names gets a row here or below.
Lines OperandOf(const Operand& operand) {
  static const std::map<std::string_view, Lines> kOperands = {
      {"AGENT", {"worker", "other"}},
      {"AGENT|ENTRY", {"worker", "other"}},
      {"AGENT_ID", {"orchestrator-worker#1", "orchestrator-other#1"}},
      {"ENTRY", {"m2", "m1"}},
      {"BRANCH", {"mine", "other"}},
      {"ID", {"orchestrator-worker/1", "agent-orchestrator-other/1"}},
      {"WHO", {"worker", "other"}},
      {"TEXT", {"text", "text"}},
      {"TYPE", {"NEEDS_REVIEW", "NEEDS_REVIEW"}},
      {"NAME", {"Stop", "Stop"}},
      {"PID", {"1", "1"}},
      {"CX-ID", {"CX-001", "CX-001"}},
      {"COMMAND", {"version", "version"}},
      {"TITLE", {"title", "title"}},
      {"FILE", {}},
      {"TASK", {"t1", "t2"}},
      {"WAVE", {"mine", "theirs"}},
  };
  if (operand.foreign) return {"-- true", "-- true"};
  if (!operand.choices.empty()) {
    const std::string first(operand.choices.substr(0, operand.choices.find('|')));
    return {first, first};
  }
  const auto found = kOperands.find(operand.name);
  EXPECT_NE(found, kOperands.end()) << "what stands for " << operand.name << "?";
  return found != kOperands.end() ? found->second : Lines{};
}

// What some commands need beside their operands.
Lines OptionsOf(std::string_view command) {
  static const std::map<std::string_view, Lines> kOptions = {
      {"spawn", {"--name third --no-wait --no-respawn", "--name other --no-wait"}},
      {"snapshot restore", {"", "--root \"$OTHER\""}},
      {"snapshot prune", {"--keep 1", "--keep 1"}},
      {"signal send", {"--to person", "--to guardian"}},
      {"signal wait", {"--timeout 0", "--timeout 0"}},
      {"taint mark", {"--source x", "--source x --agent other"}},
      {"taint status", {"", "--agent other"}},
      {"guard", {"--once", "--once"}},
      {"task claim", {"", "--worker orchestrator-other"}},
      {"task wave", {"--deadline 30m", "--deadline 30m"}},
      {"task resume", {"", "--worktree \"$OTHER\""}},
  };
  const auto found = kOptions.find(command);
  return found != kOptions.end() ? found->second : Lines{};
}

Lines LinesOf(const Command& command, std::string_view option = {}) {
  const Lines options = option.empty() ? OptionsOf(command.name) : Lines{};
  Lines lines{fmt::format("belay {} {} {}", command.name, option, options.own),
              fmt::format("belay {} {} {}", command.name, option, options.others)};
  for (const Operand& operand : command.operands) {
    const Lines words = OperandOf(operand);
    lines.own += " " + words.own;
    lines.others += " " + words.others;
  }
  return lines;
}

struct Asked {
  Operation operation;
  Lines lines;
};

// Every command, also with each option that makes it another operation; one is asked by git.
std::vector<Asked> EveryLine() {
  const std::string override_line =
      "BELAY_OVERRIDE=1 git update-ref refs/heads/main mine || exit 4";
  std::vector<Asked> all = {{Operation::kMergeOverride, {override_line, override_line}}};
  for (const Command& command : Commands()) {
    all.push_back({command.operation.value, LinesOf(command)});
    for (const Option& option : command.options) {
      if (option.operation) all.push_back({*option.operation, LinesOf(command, option.name)});
    }
  }
  return all;
}

TEST_F(AuthorityTest, EveryRowHoldsInsideAnAgent) {
  BelayJson({"merge-queue", "protect"});
  BelayJson({"merge-queue", "add", "other", "--agent", "other"});
  BelayJson({"snapshot", "take", "other"});
  BelayJson({"task", "add", "a task", "--id", "t1", "--wave", "mine"});
  BelayJson({"task", "add", "a task", "--id", "t2", "--wave", "theirs"});
  BelayJson({"task", "claim", "t2", "--worker", "orchestrator-other"});
  const std::string other = fmt::format("OTHER='{}'\n", Present("other").worktree_path);
  std::set<Operation> asked;
  const auto expect = [&](Operation operation, Standing standing, const std::string& line) {
    const AuthorityRule& rule = RuleOf(operation);
    const std::string says = standing == Standing::kUnknown ? std::string("BELAY_AGENT_ID: ")
                                                            : fmt::format("may not {}", rule.act);
    const RunOutcome outcome = InAgent(other + line);
    const std::string what = fmt::format("{}: {}\n{}{}", rule.name, line, outcome.out, outcome.err);
    if (rule.Allows(standing)) {
      EXPECT_THAT(outcome.err, Not(HasSubstr(says))) << what;
      EXPECT_NE(outcome.exit_code, 2) << "a line that means nothing: " << what;
    } else {
      EXPECT_EQ(outcome.exit_code, 4) << what;
      EXPECT_THAT(outcome.err, HasSubstr(says)) << what;
    }
  };
  for (const auto& [operation, lines] : EveryLine()) {
    asked.insert(operation);
    expect(operation, Standing::kUnknown, "export BELAY_AGENT_ID=nonsense\n" + lines.others);
    expect(operation, Standing::kAgentOthers, lines.others);
    // It ends the one that asks, so it comes last.
    if (operation == Operation::kStop) continue;
    expect(operation, Standing::kAgentOwn, lines.own);
  }
  EXPECT_EQ(asked.size(), std::size(kAuthorityRules)) << "an operation that no command names";
  EXPECT_TRUE(Is("other", 1, AgentStatus::kAlive));
  folder_.Write("line.sh",
                fmt::format("'{}' stop worker --now --root '{}'", BelayBinary(), project_.Root()));
  EXPECT_EQ(RunReal({"sh", "-c", "echo go > go"}, {.folder = folder_.path()}).exit_code, 0);
  AwaitStatus("worker", 1, AgentStatus::kTerminated);
}

TEST_F(AuthorityTest, AnAgentDeletesNoSnapshots) {
  for (const char* content : {"one", "two", "three"}) {
    folder_.Write("repo/file.txt", content);
    BelayJson({"snapshot", "take"});
  }
  const std::size_t before = Snapshots();
  ExpectRefused("belay snapshot prune --keep 1", "may not delete snapshots");
  ExpectRefused("belay snapshot prune --older-than 1s", "may not delete snapshots");
  EXPECT_GE(Snapshots(), before);
}

TEST_F(AuthorityTest, AnAgentRemovesAndRepairsNothing) {
  ExpectRefused("belay init --remove --yes", "may not remove belay's setup");
  ExpectRefused("belay init --remove --agent claude", "may not remove belay's setup");
  ExpectRefused("belay doctor --repair", "may not repair belay's records");
  EXPECT_TRUE(Is("worker", 1, AgentStatus::kAlive));
  EXPECT_EQ(Belay({"agents"}).exit_code, 0);
}

// Says hello at a socket, types, and prints what comes back.
constexpr std::string_view kTyper = R"(
use IO::Socket::UNIX;
chdir $ARGV[0] or die;
my $socket = IO::Socket::UNIX->new(Peer => $ARGV[1]) or die;
$SIG{PIPE} = 'IGNORE';
for my $frame (['H', 'belay attach 1 keyboard'], ['K', "typed by force\r"]) {
  syswrite($socket, pack('a1 N a*', $frame->[0], length($frame->[1]), $frame->[1]));
}
my $heard = '';
while (sysread($socket, my $bytes, 999)) {
  $heard .= $bytes;
  last if $heard =~ /execT/;
}
print $heard;
)";

// Claude's own questions could be answered this way, also its own.
TEST_F(AuthorityTest, AnAgentTypesIntoNoTerminalAlsoNotThroughTheSocket) {
  for (const char* agent : {"other", "worker"}) {
    ExpectRefused(fmt::format("belay attach {} < /dev/tty", agent),
                  "may not type into an agent's terminal");
  }
  folder_.Write("type.pl", std::string(kTyper));
  const std::string types =
      fmt::format("perl '{}' '{}' ", folder_ / "type.pl", project_.RunFolder());
  for (const char* agent : {"orchestrator-other", "orchestrator-worker"}) {
    const RunOutcome raw = InAgent(fmt::format("{} {}.sock", types, agent));
    EXPECT_EQ(raw.out, "") << raw.err;
    EXPECT_THAT(raw.err, Not(HasSubstr("Died"))) << raw.err;
  }
  // The same by a person is taken: exec says hello and takes the keys.
  const RunOutcome person =
      RunReal({"timeout", "5", "sh", "-c", types + "orchestrator-other.sock"});
  EXPECT_THAT(person.out, HasSubstr("belay attach 1 exec")) << person.err;
  EXPECT_THAT(Belay({"logs", "worker"}).out, Not(HasSubstr("typed by force")));
}

TEST_F(AuthorityTest, AnAgentRestoresIntoNoWorktreeOfOthers) {
  const std::string id = Text(BelayJson({"snapshot", "take", "other"}), "id");
  const std::string others = Present("other").worktree_path;
  ExpectRefused(fmt::format("belay snapshot restore {} --into '{}/copy'", id, others),
                "may not restore into the worktree of orchestrator-other");
  ExpectRefused(fmt::format("belay snapshot restore {} --into '{}/copy'", id, project_.Root()),
                "may not restore into the worktree of");
  ExpectRefused(fmt::format("cd '{}' && belay snapshot restore {}", others, id),
                "may not restore into the worktree of orchestrator-other");
  // Outside any repository, BELAY_STATE names the main worktree.
  const std::string of_main = Text(BelayJson({"snapshot", "take"}), "id");
  folder_.Write("repo/newer.txt", "newer\n");
  for (const std::string& outside : {folder_.path(), std::string("/")}) {
    ExpectRefused(fmt::format("cd '{}' && belay snapshot restore {}", outside, of_main),
                  "may not restore into the worktree of a person");
  }
  EXPECT_EQ(folder_.Read("repo/newer.txt"), "newer\n");
  const RunOutcome own = InAgent(fmt::format("belay snapshot restore {} --into copy", id));
  EXPECT_EQ(own.exit_code, 0) << own.err;
  const RunOutcome free =
      InAgent(fmt::format("belay snapshot restore {} --into '{}'", id, folder_ / "free"));
  EXPECT_EQ(free.exit_code, 0) << free.err;
}

TEST_F(AuthorityTest, AnAgentStaysItselfBelowAThousandShells) {
  folder_.Write("deep.sh", fmt::format("if [ $1 -gt 0 ]; then sh '{}' $(($1 - 1)); exit $?; fi\n"
                                       "BELAY_AGENT_ID=orchestrator-other#1 '{}' stop other\n",
                                       folder_ / "deep.sh", BelayBinary()));
  ExpectRefused(fmt::format("sh '{}' 1005", folder_ / "deep.sh"),
                "more than 1000 parent processes");
  ExpectRefused(fmt::format("sh '{}' 20", folder_ / "deep.sh"),
                "belongs to orchestrator-worker#1, but BELAY_AGENT_ID is orchestrator-other#1");
  EXPECT_TRUE(Is("other", 1, AgentStatus::kAlive));
}

TEST_F(AuthorityTest, AnAgentIsNoPersonInAPidNamespaceOfItsOwn) {
  const RunOutcome made = RunReal({"unshare", "-pf", "--mount-proc", "true"});
  if (made.exit_code != 0) GTEST_SKIP() << "can't make pid namespaces here: " << made.err;
  const std::size_t before = Snapshots();
  for (const char* way : {"unshare -pf --mount-proc", "unshare -pf"}) {
    for (const char* line : {"snapshot prune --keep 1", "release other", "stop other",
                             "hook note other x", "merge-queue protect"}) {
      for (const char* claim : {"", "BELAY_AGENT_ID=orchestrator-other#1"}) {
        ExpectRefused(
            fmt::format("{} env -i PATH=\"$PATH\" {} '{}' {}", way, claim, BelayBinary(), line),
            "can't identify the caller");
      }
    }
  }
  EXPECT_GE(Snapshots(), before);
  EXPECT_TRUE(Is("other", 1, AgentStatus::kAlive));
}

// Also from so far below its exec that the hook doesn't see it.
TEST_F(AuthorityTest, AnAgentIsNoSessionOfItsOwnWhateverItsHooksReport) {
  folder_.Write(
      "reports.sh",
      fmt::format("if [ $1 -gt 0 ]; then sh '{}' $(($1 - 1)); exit $?; fi\n"
                  "{}'{}' merge-queue add other\n",
                  folder_ / "reports.sh",
                  ReportsItself(project_.Root(), Present("other").worktree_path), BelayBinary()));
  for (const char* depth : {"20", "1"}) {
    ExpectRefused(fmt::format("env -u BELAY_AGENT_ID sh '{}' {}", folder_ / "reports.sh", depth),
                  "orchestrator-worker#1 may not queue the work of orchestrator-other");
  }
  EXPECT_THAT(Belay({"agents", "--all"}).out, Not(HasSubstr("external")));
  EXPECT_EQ(Entries(), 0U);
}

TEST_F(AuthorityTest, AnAgentQueuesNoWorkOfOthers) {
  ExpectRefused("belay merge-queue add other", "may not queue the work of orchestrator-other");
  ExpectRefused("belay merge-queue add --agent other",
                "may not queue the work of orchestrator-other");
  // The guardian asks in its name.
  const RunOutcome ready =
      InAgent("belay signal send MERGE_READY --to guardian --payload '{\"branch\":\"other\"}'");
  EXPECT_EQ(ready.exit_code, 0) << ready.err;
  EXPECT_TRUE(Await([&] {
    return GuardianSaid().find("may not queue the work of orchestrator-other") != std::string::npos;
  }));
  EXPECT_THAT(BelayJson({"merge-queue", "list"}).Find("entries")->AsArray()->size(), 0U);
  EXPECT_EQ(InAgent("belay merge-queue add").exit_code, 0);
}

// What an agent asks for by itself and by MERGE_READY follows one rule.
TEST_F(AuthorityTest, AnAgentQueuesOnlyTheBranchOfItsOwnWorktree) {
  Git({"-C", "repo", "branch", "persons", "other"});
  const std::string others = Present("other").worktree_path;
  const char* const of_other = "may not queue the work of orchestrator-other";
  const char* const of_person = "may not queue the work of a person";
  ExpectRefused("belay merge-queue add persons", of_person);
  ExpectRefused("belay merge-queue add persons --head $(git rev-parse mine)", of_person);
  ExpectRefused(fmt::format("belay merge-queue add --worktree '{}'", others), of_other);
  ExpectRefused(fmt::format("belay merge-queue add mine --worktree '{}'", others), of_other);
  ExpectRefused(fmt::format("belay merge-queue add --worktree '{}'", project_.Root()), of_person);
  ExpectRefused(fmt::format("cd '{}' && belay merge-queue add other", others), of_other);
  const RunOutcome ready =
      InAgent("belay signal send MERGE_READY --to guardian --payload '{\"branch\":\"persons\"}'");
  EXPECT_EQ(ready.exit_code, 0) << ready.err;
  EXPECT_TRUE(Await([&] { return GuardianSaid().find(of_person) != std::string::npos; }));
  for (const char* no_branch : {"$(git rev-parse mine)", "HEAD", "refs/heads/mine", "mine~0"}) {
    const RunOutcome none = InAgent(fmt::format("belay merge-queue add {}", no_branch));
    EXPECT_EQ(none.exit_code, 3) << no_branch << none.err;
    EXPECT_THAT(none.err, HasSubstr("no branch")) << no_branch;
  }
  EXPECT_EQ(Entries(), 0U);
  // Elsewhere, too, it is its own worktree that counts; and what it has queued stays its own.
  EXPECT_EQ(InAgent(fmt::format("cd '{}' && belay merge-queue add", others)).exit_code, 0);
  EXPECT_EQ(InAgent("git switch -qc next && belay merge-queue add mine").exit_code, 0);
  EXPECT_EQ(Entries(), 1U);
}

TEST_F(AuthorityTest, AnAgentQueuesNothingForTheNodeOfAnother) {
  Start("third", kWaits, {"--node", "login", "--bead", "b-7", "--new-worktree", "third"});
  for (const char* option : {"--node login", "--bead b-7"}) {
    ExpectRefused(fmt::format("belay merge-queue add {}", option),
                  "may not queue the work of orchestrator-third");
  }
  EXPECT_EQ(Entries(), 0U);
  EXPECT_EQ(InAgent("belay merge-queue add --node mine --bead b-8").exit_code, 0);
}

TEST_F(AuthorityTest, AnAgentTakesNoEntryOver) {
  const auto entry = [&] { return WriteJson(BelayJson({"merge-queue", "status", "m1"})); };
  Git({"-C", "repo", "branch", "persons", "mine"});
  BelayJson({"merge-queue", "add", "persons", "--priority", "3"});
  const std::string before = entry();
  // It may check the branch out, and still doesn't own what a person has queued.
  const std::string switched = "git switch -q persons 2> /dev/null\n";
  ExpectRefused(switched + "belay merge-queue add persons --priority 50",
                "may not queue the work of a person");
  ExpectRefused(switched + "belay merge-queue add", "may not queue the work of a person");
  ExpectRefused("belay merge-queue remove m1", "may not change an entry of a person");
  EXPECT_EQ(entry(), before);
}

TEST_F(AuthorityTest, AnAgentChoosesNoTargetAndNoSettings) {
  Git({"-C", "repo", "branch", "side"});
  Git({"-C", "repo", "tag", "v1"});
  folder_.Write("own.yml", "merge: {target: side}\n");
  for (const char* target : {"nowhere", "v1", "refs/tags/v1", "refs/heads/side", "HEAD", "main~0",
                             "..", "a..b", "-x", "a b"}) {
    const RunOutcome refused =
        InAgent(fmt::format("belay merge-queue add mine '--target={}'", target));
    EXPECT_EQ(refused.exit_code, 3) << target << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("no branch")) << target;
    EXPECT_THAT(refused.err, HasSubstr("--target")) << target;
  }
  for (const char* target : {"side", "other"}) {
    ExpectRefused(fmt::format("belay merge-queue add mine --target {}", target),
                  "only a person may land it on");
  }
  const RunOutcome itself = InAgent("belay merge-queue add mine --target mine");
  EXPECT_EQ(itself.exit_code, 2) << itself.err;
  EXPECT_THAT(itself.err, HasSubstr("can't land on itself"));
  for (const std::string& line :
       {"belay merge-queue add mine --config " + (folder_ / "own.yml"),
        "export BELAY_CONFIG=" + (folder_ / "own.yml") + "\nbelay merge-queue add mine"}) {
    ExpectRefused(line, "may not choose the settings");
  }
  EXPECT_EQ(Entries(), 0U);
}

TEST_F(AuthorityTest, AnAgentCantSpawnInTheWorktreeOfAnother) {
  const std::string others = Present("other").worktree_path;
  const std::string spawns = "belay spawn --name third --no-wait --no-respawn ";
  const char* const of_other = "may not start an agent in the worktree of orchestrator-other";
  const char* const of_person = "may not start an agent in the worktree of a person";
  ASSERT_EQ(symlink(others.c_str(), (folder_ / "link").c_str()), 0);
  ExpectRefused(fmt::format("{}--worktree '{}' -- true", spawns, others), of_other);
  ExpectRefused(fmt::format("{}--worktree '{}' -- true", spawns, folder_ / "link"), of_other);
  ExpectRefused(fmt::format("cd '{}' && {} -- true", others, spawns), of_other);
  ExpectRefused(fmt::format("{}--worktree '{}' -- true", spawns, project_.Root()), of_person);
  ExpectRefused(fmt::format("cd / && {} -- true", spawns), of_person);
  ExpectRefused("belay spawn --continue --name other -- true", "may not start orchestrator-other");
  ExpectRefused("belay spawn --continue --name worker -- true", "may not start");
  EXPECT_EQ(Recorded("third"), nullptr);
  const RunOutcome made = InAgent("belay spawn --name third --new-worktree third -- sleep 600");
  EXPECT_EQ(made.exit_code, 0) << made.err;
}

TEST_F(AuthorityTest, AnIncarnationThatHasEndedQueuesAndMarksNothing) {
  BelayJson({"stop", "worker"});
  AwaitStatus("worker", 1, AgentStatus::kTerminated);
  const std::vector<std::vector<std::string>> lines = {{"merge-queue", "add", "mine"},
                                                       {"taint", "mark", "--source", "x"}};
  for (const std::vector<std::string>& line : lines) {
    const RunOutcome late =
        Belay(line, {.environment = {{"BELAY_AGENT_ID", "orchestrator-worker#1"}}});
    EXPECT_EQ(late.exit_code, 4) << line[0] << late.err;
    EXPECT_THAT(late.err, HasSubstr("from orchestrator-worker#1"));
  }
  EXPECT_EQ(Entries(), 0U);
  EXPECT_EQ(Text(BelayJson({"taint", "status", "--agent", "worker"}), "state"), "clean");
}

// There is an agent of the same name in the other project, so that its name gives nothing either.
TEST_F(AuthorityTest, AnAgentOfAnotherProjectOwnsNothingAndIsNoPerson) {
  const std::string there = folder_ / "there";
  Git({"init", "-q", "-b", "main", there});
  Git({"-C", there, "commit", "-q", "--allow-empty", "-m", "first"});
  ASSERT_EQ(Belay({"init", "--yes", "--root", there}).exit_code, 0);
  AlsoEnd(there);
  Spawn("worker", {"sleep", "600"}, {"--root", there, "--new-worktree", "mine"});
  Git({"-C", there, "switch", "-q", "mine", "--ignore-other-worktrees"});
  Git({"-C", there, "commit", "-q", "--allow-empty", "-m", "work"});
  ASSERT_EQ(Belay({"snapshot", "take", "worker", "--root", there}).exit_code, 0);
  ASSERT_EQ(Belay({"merge-queue", "add", "mine", "--root", there}).exit_code, 0);
  const std::string goes = fmt::format("unset BELAY_STATE\ncd '{}'\nOTHER='{}'\n", there, there);
  for (const auto& [operation, lines] : EveryLine()) {
    const AuthorityRule& rule = RuleOf(operation);
    if (rule.Allows(Standing::kAgentOthers) || operation == Operation::kMergeOverride) continue;
    std::string line = lines.own;
    if (const std::size_t entry = line.find(" m2"); entry != std::string::npos)
      line[entry + 2] = '1';
    ExpectRefused(goes + line, fmt::format("an agent of another project may not {}", rule.act));
    ExpectRefused(goes + "unset BELAY_AGENT_ID\n" + line, "an agent of another project may not");
  }
  ExpectRefused(goes + "belay signal send MERGE_READY --to guardian", "has no record here");
  ExpectRefused(
      goes + "unset BELAY_AGENT_ID\n" + ReportsItself(there, there) + "belay merge-queue add mine",
      "an agent of another project may not");
  ExpectRefused(goes + LeavesItsParent(fmt::format("snapshot prune --keep 1 --root '{}'", there)),
                "an agent of another project may not delete snapshots");
}

// The commands that a gate tries, each in ways that might hide where it comes from.
TEST_F(AuthorityTest, AGateHasNoRightsOfAPersonOrOfTheGuardian) {
  std::string script =
      "#!/bin/sh\n" + ReportsItself(project_.Root(), Present("other").worktree_path);
  std::string guardian_id;
  for (const auto& [name, entry] : identities_.book().entries()) {
    if (entry.present.host == AgentHost::kSelf) guardian_id = entry.present.id.text();
  }
  const std::vector<std::string> tries = {
      "snapshot prune --keep 1", "release other", "merge-queue unprotect",
      "merge-queue process",     "stop other",    "merge-queue add other"};
  const std::string belay = BelayBinary();
  const bool namespaces = RunReal({"unshare", "-pf", "--mount-proc", "true"}).exit_code == 0;
  const std::string root = fmt::format("--root '{}'", project_.Root());
  for (const std::string& line : tries) {
    for (const std::string& way :
         {std::string(), std::string("env -i "), "env BELAY_AGENT_ID=" + guardian_id + " ",
          std::string("env -i BELAY_AGENT_ID=orchestrator-other#1 ")}) {
      script += fmt::format("{}'{}' {} {} 2>&1; echo \"code $?\"\n", way, belay, line, root);
    }
    script += fmt::format("{}\necho \"code $?\"\n", LeavesItsParent(line + " " + root));
    if (!namespaces) continue;
    script += fmt::format("unshare -pf --mount-proc env -i '{}' {} {} 2>&1; echo \"code $?\"\n",
                          belay, line, root);
  }
  AgentScript("gate", script);
  folder_.Write(
      "repo/.claude/belay.yml",
      fmt::format("merge:\n  gates:\n    - name: test\n      run: \"sh '{}' > '{}' 2>&1\"\n",
                  folder_ / "gate-agent.sh", folder_ / "gate.out"));
  const auto expect_all_refused = [&](const char* branch) {
    ASSERT_TRUE(Await([&] { return Landed(branch); })) << folder_.Read("gate.out");
    const std::string out = folder_.Read("gate.out");
    std::size_t codes = 0;
    for (std::size_t at = out.find("code "); at != std::string::npos;
         at = out.find("code ", at + 1)) {
      EXPECT_EQ(out.substr(at, 7), "code 4\n") << out;
      ++codes;
    }
    EXPECT_EQ(codes, (namespaces ? 6 : 5) * tries.size()) << out;
  };
  EXPECT_EQ(InAgent("belay merge-queue add").exit_code, 0);
  expect_all_refused("mine");
  EndGuardian(*guardian_);
  BelayJson({"merge-queue", "add", "other"});
  EXPECT_EQ(Belay({"merge-queue", "process"}).exit_code, 0);
  expect_all_refused("other");
  EXPECT_TRUE(Is("other", 1, AgentStatus::kAlive));
}

TEST_F(AuthorityTest, AnAgentSendsOnlyTheSignalsOfAgents) {
  for (const char* type : {"MERGE_COMPLETE", "HANDOFF_COMPLETE", "AGENT_CRASHED", "GUIDANCE"}) {
    const RunOutcome outcome =
        InAgent(fmt::format("belay signal send {} --to {} --payload "
                            "'{{\"commit\":\"c\",\"correlation_id\":\"c\",\"agent_id\":\"a-b#1\","
                            "\"cause\":\"crash\",\"text\":\"t\"}}'",
                            type, type == std::string("GUIDANCE") ? "other" : "guardian"));
    EXPECT_EQ(outcome.exit_code, 4) << type << outcome.out << outcome.err;
  }
}

// "yes", or "no"
std::string_view Word(const AuthorityRule& rule, Standing standing) {
  return rule.Allows(standing) ? "yes" : "no";
}

TEST(AuthorityPageTest, ShowsTheTable) {
  std::string table =
      "| operation | person | guardian | agent, its own | agent, another's | unknown |\n"
      "|---|---|---|---|---|---|\n";
  for (const AuthorityRule& rule : kAuthorityRules) {
    table +=
        fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", rule.name, Word(rule, Standing::kPerson),
                    Word(rule, Standing::kGuardian), Word(rule, Standing::kAgentOwn),
                    Word(rule, Standing::kAgentOthers), Word(rule, Standing::kUnknown));
  }
  const RunOutcome page = RunReal({"cat", SourceFile("docs/authority.md")});
  EXPECT_THAT(page.out, HasSubstr(table)) << "the table as it is:\n" << table;
}

}  // namespace
}  // namespace belay
