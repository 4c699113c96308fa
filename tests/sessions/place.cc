#include "sessions/place.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/check.h"
#include "os/process_tree.h"
#include "testing/git_repository.h"

namespace belay {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

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

Place::Place(std::string belay, const std::string& folder, std::uint64_t seed)
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
