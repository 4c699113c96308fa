// The agents of a place.

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/check.h"
#include "ledger/identity_ledger.h"
#include "os/fd.h"
#include "os/process_tree.h"
#include "sessions/judge.h"
#include "sessions/place.h"

namespace belay {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

}  // namespace

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

// By its words: it has no environment.
std::optional<ProcessIdentity> Place::FindExec(const std::string& name, std::uint32_t incarnation) {
  const std::string words =
      fmt::format(" exec --root {} {}#{}", project_.Root(), IdentityOf(name), incarnation);
  const Result<ProcessTree> tree = ProcessTree::Read();
  const Result<std::string> boot = BootId();
  if (!tree || !boot) return std::nullopt;
  for (const SeenProcess& seen : tree->Descendants(getpid())) {
    if (seen.stat.ended() || !CommandLineOf(seen.pid, 1000).ends_with(words)) continue;
    return ProcessIdentity{seen.pid, seen.stat.start_time, *boot};
  }
  return std::nullopt;
}

bool Place::KillExec(const std::string& name, std::uint32_t incarnation, Duration moment) {
  SystemClock clock;
  const MonotonicTime until = clock.Monotonic() + kPatience;
  std::optional<ProcessIdentity> exec = FindExec(name, incarnation);
  while (!exec && clock.Monotonic() < until) {
    reports_.Listen(microseconds(200));
    exec = FindExec(name, incarnation);
  }
  if (!exec) return false;
  reports_.Listen(moment);
  const Result<Process> process = Process::Open(*exec);
  if (!process || !process->Signal(SIGKILL)) return false;
  return reports_.ListenWhile(*process, kPatience);
}

std::optional<Identity> Place::Recorded(const std::string& name) {
  SystemClock clock;
  IdentityLedger ledger(files_, clock, project_);
  const Result<void> read = ledger.CatchUp();
  const Identity* found = ledger.book().Find(*IdentityName::Parse(IdentityOf(name)));
  if (read && found != nullptr) return *found;
  Add(Problem::Kind::kLost, fmt::format("{} is not recorded", name));
  return std::nullopt;
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

void Place::ExpectGone(const std::string& identity) {
  for (const Living& one : TakeCensus(project_.StateRoot())) {
    if (one.id.identity().text() != identity || !IsAlive(one.process)) continue;
    Add(Problem::Kind::kRespawned, one.id.text() + " is alive after it was stopped");
  }
}

void Place::JudgeAlive() { Add(JudgeLiving(TakeCensus(project_.StateRoot()), IsAlive)); }

}  // namespace belay
