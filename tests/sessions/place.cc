#include "sessions/place.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/check.h"
#include "os/io.h"
#include "os/process_tree.h"
#include "sessions/judge.h"
#include "testing/git_repository.h"

namespace belay {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto kPatience = seconds(60);

constexpr std::string_view kSettings = R"(supervise:
  most_crashes: 100
  crash_window: 1s
  healthy_after: 1s
  first_backoff: 10ms
  longest_backoff: 10ms
  stop_grace: 2s
)";

// SlotText (logbook.h) has the same bytes.
constexpr std::string_view kAgent = R"(folder=$1
name=${BELAY_AGENT_ID%#*}
exec 8>"$folder/reports" 9>>"$folder/$name.lock"
flock -n 9 || echo "double $BELAY_AGENT_ID" >&8
echo "start $BELAY_AGENT_ID $$" >&8
[ "$2" = work ] || exec sleep 100000
mkdir -p "work/$name"
read -r n <"$folder/$name.gate"
while :; do
  slot=$((n % 7))
  echo "begin $BELAY_AGENT_ID $slot $n" >&8
  {
    echo "$name $slot $n"
    i=0
    while [ $i -lt 40 ]; do
      echo "$n $i"
      i=$((i + 1))
    done
    echo "end $n"
  } >"work/$name/$name-$slot"
  echo "done $BELAY_AGENT_ID $slot $n" >&8
  n=$((n + 1))
  [ $((n % 8)) -ne 0 ] || sleep 0.01
done
)";

void WriteText(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

Environment::Variables CampaignEnvironment() {
  Environment::Variables variables;
  for (const auto& [name, value] : GitRepository::Environment()) variables[name] = value;
  for (const char* name : {"PATH", "HOME"}) {
    if (const char* value = getenv(name)) variables[name] = value;
  }
  return variables;
}

std::string NewFolder(const std::string& path) {
  fs::create_directories(path);
  return fs::canonical(path);
}

}  // namespace

Place::Place(std::string belay, std::string folder, std::uint64_t seed)
    : belay_(std::move(belay)),
      folder_(NewFolder(folder)),
      chance_(seed),
      project_(folder_ + "/repo", folder_ + "/repo/.git"),
      reports_(folder_ + "/reports"),
      guardian_log_(open((folder_ + "/guardian.log").c_str(),
                         O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {
  BELAY_CHECK(BecomeSubreaper().ok());
  MakeRepository();
}

Place::~Place() {
  EndEverything();
  if (problems().empty()) fs::remove_all(folder_);
}

void Place::MakeRepository() {
  WriteText(folder_ + "/agent.sh", kAgent);
  BELAY_CHECK(RunReal({"git", "init", "-q", "-b", "main", project_.Root()}).exit_code == 0);
  fs::create_directories(project_.ClaudeFolder());
  WriteText(project_.ConfigFile(), kSettings);
  WriteText(project_.Root() + "/file.txt", "first\n");
  const RunOutcome init = Belay({"init", "--yes"});
  if (init.exit_code != 0) Add(Problem::Kind::kWrong, init.err);
  (void)Git({"add", "."});
  (void)Git({"commit", "-qm", "first"});
}

RunOutcome Place::Run(const std::vector<std::string>& command) {
  return RunReal(command, {.folder = project_.Root(), .environment = GitRepository::Environment()});
}

RunOutcome Place::Belay(std::vector<std::string> words) {
  words.insert(words.begin(), belay_);
  return Run(words);
}

RunOutcome Place::Git(std::vector<std::string> words) {
  words.insert(words.begin(), "git");
  return Run(words);
}

Json Place::BelayJson(std::vector<std::string> words) {
  words.emplace_back("--json");
  const RunOutcome outcome = Belay(words);
  Result<Json> record = ParseJson(outcome.out);
  if (record && outcome.exit_code == 0) return *std::move(record);
  Add(Problem::Kind::kWrong,
      fmt::format("belay {} {}: {}{}", words[0], words[1], outcome.out, outcome.err));
  return {};
}

Process Place::Start(std::vector<std::string> words) {
  words.insert(words.begin(), belay_);
  auto process = Process::Spawn({.command = std::move(words),
                                 .folder = project_.Root(),
                                 .environment = CampaignEnvironment(),
                                 .output = guardian_log_.get(),
                                 .errors = guardian_log_.get()});
  BELAY_CHECK(process.has_value());
  ours_.insert(process->pid());
  return *std::move(process);
}

ExitStatus Place::Bury(Process& process) {
  if (!reports_.ListenWhile(process, kPatience)) {
    Add(Problem::Kind::kWrong, "a command of belay doesn't end");
    (void)process.Signal(SIGKILL);
  }
  ours_.erase(process.pid());
  return process.Wait();
}

void Place::StartGuardian() { guardian_ = Start({"guard"}); }

void Place::KillGuardian() {
  if (!guardian_) return;
  if (const auto ended = guardian_->TryWait()) {
    Add(Problem::Kind::kWrong, "the guardian ended by itself: " + ended->text());
  }
  (void)guardian_->Signal(SIGKILL);
  (void)Bury(*guardian_);
  guardian_.reset();
}

void Place::Spawn(const std::string& name, const std::string& what,
                  const std::vector<std::string>& more) {
  const std::string identity = IdentityOf(name);
  const std::string gate = fmt::format("{}/{}.gate", folder_, identity);
  if (!gates_.contains(name)) {
    BELAY_CHECK(mkfifo(gate.c_str(), 0600) == 0);
    gates_[name] = UniqueFd(open(gate.c_str(), O_RDWR | O_CLOEXEC));
  }
  std::vector<std::string> words = {"spawn", "--name", name};
  words.insert(words.end(), more.begin(), more.end());
  const std::vector<std::string> command = {"--", "sh", folder_ + "/agent.sh", folder_, what};
  words.insert(words.end(), command.begin(), command.end());
  book().MayStart(identity);
  const std::uint32_t before = book().Of(identity).incarnation;
  Process spawn = Start(words);
  const ExitStatus status = Bury(spawn);
  const bool started =
      reports_.Listen(kPatience, [&] { return book().Of(identity).incarnation > before; });
  if (status != ExitStatus::Exited(0) || !started) {
    Add(Problem::Kind::kWrong, fmt::format("{} isn't spawned: {}", name, status.text()));
  }
}

void Place::OpenGate(const std::string& name, std::uint64_t version) {
  BELAY_CHECK(WriteAll(gates_.at(name).get(), std::to_string(version) + "\n") == 0);
}

bool Place::KillAgent(const std::string& name) {
  const pid_t pid = book().Of(IdentityOf(name)).pid;
  const std::vector<Living> living = TakeCensus(project_.StateRoot());
  for (const Living& one : living) {
    if (one.process.pid != pid || one.id.identity().text() != IdentityOf(name)) continue;
    const Result<Process> process = Process::Open(one.process);
    if (!process || !process->Signal(SIGKILL)) return false;
    return reports_.ListenWhile(*process, kPatience);
  }
  return false;
}

bool Place::IsSettled(const std::vector<std::string>& names) {
  const Json record = BelayJson({"agents", "--all"});
  const std::vector<Living> living = TakeCensus(project_.StateRoot());
  for (const std::string& name : names) {
    const AgentLog& log = book().Of(IdentityOf(name));
    const std::string id = fmt::format("{}#{}", IdentityOf(name), log.incarnation);
    bool recorded = false;
    for (const Json& row : *record.Find("agents")->AsArray()) {
      const Json* pid = row.Find("pid");
      recorded = recorded || (*row.Find("agent_id") == Json(id) && *pid == Json(log.pid) &&
                              *row.Find("recorded_status") == Json("alive"));
    }
    const auto runs = [&](const Living& one) { return one.process.pid == log.pid; };
    if (!recorded || std::none_of(living.begin(), living.end(), runs)) return false;
  }
  return true;
}

void Place::ExpectSettled(const std::vector<std::string>& names) {
  SystemClock clock;
  const MonotonicTime until = clock.Monotonic() + kPatience;
  while (problems_.empty() && !IsSettled(names)) {
    if (clock.Monotonic() > until) {
      return Add(Problem::Kind::kWrong,
                 "after a minute not all agents run once:\n" + Belay({"agents", "--all"}).out);
    }
    reports_.Listen(milliseconds(20));
  }
  JudgeAlive();
}

void Place::JudgeAlive() { Add(JudgeLiving(TakeCensus(project_.StateRoot()), IsAlive)); }

const Problems& Place::problems() {
  Add(book().TakeProblems());
  return problems_;
}

void Place::Reap() {
  const Result<ProcessTree> tree = ProcessTree::Read();
  if (!tree) return;
  for (const SeenProcess& seen : tree->Descendants(getpid())) {
    const bool orphan = seen.stat.parent == getpid() && !ours_.contains(seen.pid);
    if (orphan && seen.stat.ended()) (void)waitpid(seen.pid, nullptr, WNOHANG);
  }
}

// The guardian first, so that nobody is brought back; the rest goes by itself when the agents have,
// and is killed if it doesn't.
void Place::EndEverything() {
  KillGuardian();
  SystemClock clock;
  const MonotonicTime kill_all = clock.Monotonic() + seconds(10);
  while (true) {
    for (const Living& one : TakeCensus(project_.StateRoot())) {
      if (const auto process = Process::Open(one.process)) (void)process->Signal(SIGKILL);
    }
    Reap();
    const Result<ProcessTree> tree = ProcessTree::Read();
    if (!tree || tree->Descendants(getpid()).empty()) return;
    if (clock.Monotonic() > kill_all) {
      for (const SeenProcess& seen : tree->Descendants(getpid())) {
        if (const auto process = Process::Open(seen.pid)) (void)process->Signal(SIGKILL);
      }
    }
    reports_.Listen(milliseconds(20));
  }
}

}  // namespace belay
