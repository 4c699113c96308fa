// A project with the real guardian in it, and agents that are small shell scripts. Nothing here
// waits for a time: a test waits until something is recorded, and looks again whenever a process
// wrote to the vault or beside it. Everything that a test starts is ended with it, and what is
// left then fails the test.

#ifndef BELAY_TESTS_GUARD_SANDBOX_H_
#define BELAY_TESTS_GUARD_SANDBOX_H_

#include <fcntl.h>
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "agent_sandbox.h"
#include "ledger/family_table.h"
#include "os/clock.h"
#include "os/fd.h"
#include "os/process.h"
#include "os/real_event_loop.h"
#include "process_search.h"
#include "testing/places.h"

namespace belay {

// One that says who it is, and then waits for input that never comes, without children.
constexpr std::string_view kWaits = "while read -r line; do :; done\n";

class GuardSandbox : public AgentSandbox {
 protected:
  static constexpr auto kBound = std::chrono::seconds(60);

  void TearDown() override {
    for (const std::string& root : roots_) EndAgents(root);
    for (Process& guardian : guardians_) EndGuardian(guardian);
    for (const std::string& root : roots_) ExpectNobodyLeft(root);
    if (HasFailure()) ADD_FAILURE() << "the guardian said:\n" << folder_.Read("guardian.log");
  }

  // Settings below `supervise:`, one to a line.
  void Supervise(const std::vector<std::string>& settings) {
    std::string text = "supervise:\n";
    for (const std::string& setting : settings) text += "  " + setting + "\n";
    folder_.Write("repo/.claude/belay.yml", text);
  }
  // Crashes are followed at once, and quarantine no agent.
  void SuperviseWithoutBackoff() {
    Supervise({"most_crashes: 100", "first_backoff: 10ms", "longest_backoff: 10ms"});
  }

  // Up to the moment at which it has checked every agent.
  Process& StartGuardian(Environment::Variables environment = {}) {
    const std::size_t said = GuardianSaid().size();
    Process& guardian = SpawnGuardian(project_.Root(), std::move(environment));
    EXPECT_TRUE(Await([&] { return GuardianSaid().find("guarding", said) != std::string::npos; }));
    return guardian;
  }
  Process& SpawnGuardian(const std::string& root, Environment::Variables environment = {}) {
    const UniqueFd log(
        open((folder_ / "guardian.log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    environment.try_emplace("PATH", getenv("PATH"));
    environment.try_emplace("HOME", folder_.path());
    auto guardian = Process::Spawn({.command = {BelayBinary(), "guard", "--root", root},
                                    .folder = folder_.path(),
                                    .environment = std::move(environment),
                                    .errors = log.get()});
    EXPECT_TRUE(guardian.has_value());
    return *guardians_.emplace(guardians_.end(), *std::move(guardian));
  }
  void KillGuardian(Process& guardian) {
    ASSERT_TRUE(guardian.Signal(SIGKILL).ok());
    EXPECT_EQ(guardian.Wait(), ExitStatus::Killed(SIGKILL));
  }
  // As a person or systemd does; agents go on.
  void EndGuardian(Process& guardian) {
    if (guardian.TryWait()) return;
    (void)guardian.Signal(SIGCONT);
    (void)guardian.Signal(SIGTERM);
    EXPECT_EQ(guardian.Wait(), ExitStatus::Exited(0));
  }
  std::string GuardianSaid() { return folder_.Read("guardian.log"); }

  // Outside the repository, so that no cleaning takes it away. "login-agent.sh"
  std::string AgentScript(const std::string& name, std::string_view text) {
    folder_.Write(name + "-agent.sh", "#!/bin/sh\n" + std::string(text));
    EXPECT_EQ(chmod((folder_ / (name + "-agent.sh")).c_str(), 0755), 0);
    return folder_ / (name + "-agent.sh");
  }
  // An agent that runs such a script, up to the moment at which the guardian watches it.
  Identity Start(const std::string& name, std::string_view text = kWaits,
                 const std::vector<std::string>& options = {}) {
    Spawn(name, {AgentScript(name, text)}, options);
    return AwaitStatus(name, 1, AgentStatus::kAlive);
  }

  static IdentityName Name(const std::string& name) {
    return *IdentityName::Make("orchestrator", name);
  }
  // What is recorded of it; nothing when it never was.
  const IdentityEntry* Recorded(const std::string& name) {
    EXPECT_TRUE(identities_.CatchUp().ok());
    return identities_.book().FindEntry(Name(name));
  }
  bool Is(const std::string& name, std::uint32_t incarnation, AgentStatus status) {
    const IdentityEntry* entry = Recorded(name);
    return entry != nullptr && entry->present.id.incarnation() == incarnation &&
           entry->present.status == status;
  }
  Identity Present(const std::string& name) {
    const IdentityEntry* entry = Recorded(name);
    EXPECT_NE(entry, nullptr) << name;
    return entry != nullptr ? entry->present : Identity{AgentId(Name(name), 1)};
  }
  Identity Before(const std::string& name) {
    const IdentityEntry* entry = Recorded(name);
    const bool some = entry != nullptr && !entry->history.empty();
    EXPECT_TRUE(some) << name;
    return some ? entry->history.back() : Identity{AgentId(Name(name), 1)};
  }

  // Folders beside belay's own in which something may happen that a test waits for.
  virtual std::vector<std::string> AlsoWatched() { return {}; }

  // As Await, for files of the state root. The folders come and go, so each that appears is watched
  // in its turn.
  bool AwaitInStateRoot(const std::function<bool()>& condition, Duration bound = kBound) {
    const auto end = clock_.Monotonic() + bound;
    for (;;) {
      auto loop = RealEventLoop::Create();
      const auto stop = [&](const FolderEvent&) { (*loop)->Stop(); };
      std::vector<std::string> folders = RenderingFolders(project_);
      folders.insert(folders.end(), {project_.Root(), project_.ClaudeFolder()});
      for (const std::string& folder : folders) (void)(*loop)->WatchFolder(folder, stop);
      (*loop)->StartTimerAt(end, [&] { (*loop)->Stop(); });
      if (condition()) return true;
      if (clock_.Monotonic() >= end) return false;
      (*loop)->Run();
    }
  }
  // Until it is so; false when it takes too long.
  bool Await(const std::function<bool()>& condition, Duration bound = kBound) {
    auto loop = RealEventLoop::Create();
    bool met = false;
    const auto look = [&] {
      met = met || condition();
      if (met) (*loop)->Stop();
    };
    std::vector<std::string> folders = AlsoWatched();
    folders.insert(folders.end(), {project_.JournalFolder(), project_.RunFolder(), folder_.path(),
                                   project_.Root(), project_.StateRoot()});
    for (const std::string& watched : folders) {
      (void)(*loop)->WatchFolderContent(watched, [&](const FolderEvent&) { look(); });
    }
    (*loop)->StartTimer(bound, [&] { (*loop)->Stop(); });
    // Without a guardian nothing more will happen.
    for (Process& guardian : guardians_) {
      if (guardian.TryWait()) continue;
      (void)(*loop)->WatchProcess(guardian, [&] {
        look();
        if (NobodyGuards()) (*loop)->Stop();
      });
    }
    look();
    (*loop)->Run();
    return met;
  }
  Identity AwaitStatus(const std::string& name, std::uint32_t incarnation, AgentStatus status) {
    EXPECT_TRUE(Await([&] { return Is(name, incarnation, status); }))
        << name << "#" << incarnation << " never was " << AgentStatusName(status) << "\n"
        << Belay({"why", name}).out;
    return Present(name);
  }
  // Another agent falls and comes back: whatever the guardian had to do before, it has done, or
  // will never do.
  void AwaitATurn() {
    const std::string name = fmt::format("turn{}", ++turns_);
    Spawn(name, {AgentScript(name, "case $BELAY_AGENT_ID in *#1) kill -9 $$;; esac\n" +
                                       std::string(kWaits))});
    AwaitStatus(name, 2, AgentStatus::kAlive);
  }

  // That very process, even if its number was reused.
  static Process Open(const ProcessMark& mark) {
    Result<Process> process =
        Process::Open(ProcessIdentity{static_cast<pid_t>(mark.pid), mark.start, *BootId()});
    EXPECT_TRUE(process.ok()) << mark.pid;
    return process ? *std::move(process) : Process::Adopt(0, {});
  }
  static void Kill(const Identity& agent) {
    ASSERT_TRUE(agent.process);
    ASSERT_TRUE(Open(*agent.process).Signal(SIGKILL).ok());
  }
  static bool Lives(const std::optional<ProcessMark>& mark) {
    return mark && IsAlive({static_cast<pid_t>(mark->pid), mark->start, *BootId()});
  }
  // The processes of all incarnations of an agent, without its exec.
  std::vector<std::string> Incarnations(const std::string& name) {
    std::vector<std::string> found;
    for (const FoundProcess& process : ProcessesAt(project_)) {
      const bool exec = process.command.find(BelayBinary()) == 0;
      const bool its = process.agent_id.find(Name(name).text() + "#") == 0;
      if (its && !exec) found.push_back(process.agent_id);
    }
    // One that was let go this moment hasn't its environment yet.
    const Identity present = Present(name);
    const bool seen = std::find(found.begin(), found.end(), present.id.text()) != found.end();
    if (!seen && Lives(present.process)) found.push_back(present.id.text());
    return found;
  }

  std::string Why(const std::string& name) { return Belay({"why", name}).out; }
  Json Hook(const std::string& name) { return BelayJson({"hook", "show", name}); }
  // How many snapshots of an agent hold the file.
  std::size_t SnapshotsWith(const std::string& name, const std::string& file) {
    std::size_t count = 0;
    const Json list = BelayJson({"snapshot", "list", name});
    for (const Json& snapshot : *list.Find("snapshots")->AsArray()) {
      const RunOutcome shown = Belay({"snapshot", "show", Text(snapshot, "id")});
      count += shown.out.find(file) != std::string::npos ? 1 : 0;
    }
    return count;
  }

  // A copy of the project beside it: what runs there is ended with the test too.
  void AlsoEnd(const std::string& root) { roots_.push_back(root); }

  RealFileCalls calls_;
  FileSystem files_{calls_};
  SystemClock clock_;
  Layout project_{folder_ / "repo", folder_ / "repo/.git"};
  IdentityLedger identities_{files_, clock_, project_};

 private:
  bool NobodyGuards() {
    return std::all_of(guardians_.begin(), guardians_.end(),
                       [](Process& guardian) { return guardian.TryWait().has_value(); });
  }
  void EndAgents(const std::string& root) {
    const Layout project(root, root + "/.git");
    IdentityLedger identities(files_, clock_, project);
    if (!identities.CatchUp()) return;
    for (const auto& [name, entry] : identities.book().entries()) {
      if (entry.present.host != AgentHost::kProcess) continue;
      if (entry.present.status == AgentStatus::kTerminated) continue;
      (void)Belay({"stop", name.text(), "--now", "--root", root});
    }
  }
  // An exec may take a moment to go after its agent; a process that takes longer is left over.
  void ExpectNobodyLeft(const std::string& root) {
    for (const FoundProcess& found : ProcessesAt(Layout(root, root + "/.git"))) {
      const Result<Process> process = Process::Open(found.identity);
      if (!process) continue;
      if (EndsWithin(*process, std::chrono::seconds(10))) continue;
      ADD_FAILURE() << "left behind: " << found.identity.pid << " " << found.command;
      (void)process->Signal(SIGKILL);
    }
  }

  std::vector<std::string> roots_ = {project_.Root()};
  std::list<Process> guardians_;
  int turns_ = 0;
};

}  // namespace belay

#endif  // BELAY_TESTS_GUARD_SANDBOX_H_
