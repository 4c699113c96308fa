// A sandbox in which agents run under the real `belay exec`. Whatever a test leaves running is
// ended with it.

#ifndef BELAY_TESTS_EXEC_SANDBOX_H_
#define BELAY_TESTS_EXEC_SANDBOX_H_

#include <csignal>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "host/launch.h"
#include "host/run_record.h"
#include "os/process.h"
#include "os/real_event_loop.h"
#include "sandbox.h"
#include "store/durable_file.h"
#include "testing/places.h"

namespace belay {

class ExecSandbox : public Sandbox {
 protected:
  ExecSandbox() { EXPECT_EQ(Belay({"init"}).exit_code, 0); }
  ~ExecSandbox() override {
    for (const IdentityName& name : names_) EndAgent(name);
    for (Process& exec : execs_) (void)exec.Wait();
  }

  static AgentId Id(const std::string& text) { return *AgentId::Parse(text); }

  AgentId Prepare(const std::string& id, std::vector<std::string> command,
                  const std::string& folder = "/", const std::string& typed = {}) {
    const AgentId agent = Id(id);
    const LaunchSpec spec{.agent = agent,
                          .command = std::move(command),
                          .folder = folder,
                          .environment = {{"PATH", getenv("PATH")}, {"HOME", folder_.path()}},
                          .typed = typed};
    EXPECT_TRUE(EnsureFolder(files_, project_.RunFolder()).ok());
    EXPECT_TRUE(WriteLaunch(files_, project_, spec, "").ok());
    names_.push_back(agent.identity());
    return agent;
  }
  AgentId PrepareShell(const std::string& id, const std::string& script) {
    return Prepare(id, {"sh", "-c", script});
  }

  // To its end.
  RunOutcome Exec(const AgentId& agent) {
    return Belay({"exec", "--root", project_.Root(), agent.text()});
  }
  Process& StartInBackground(const AgentId& agent) {
    auto exec =
        Process::Spawn({.command = {BelayBinary(), "exec", "--root", project_.Root(), agent.text()},
                        .environment = Environment::Variables(),
                        .group = SpawnGroup::kNewSession});
    EXPECT_TRUE(exec.has_value());
    return *execs_.emplace(execs_.end(), *std::move(exec));
  }

  RunRecord Run(const AgentId& agent) const {
    const auto record = ReadRunRecord(files_, project_, agent.identity());
    EXPECT_TRUE(record.ok() && record->has_value());
    return record.ok() && *record ? **record : RunRecord{.agent = agent, .parent = {}};
  }
  bool Is(const AgentId& agent, RunState state) const {
    const auto record = ReadRunRecord(files_, project_, agent.identity());
    return record.ok() && *record && (*record)->agent == agent && (*record)->state == state;
  }
  std::string Log(const AgentId& agent) const {
    return files_.Read(project_.RunLog(agent.identity()), 100'000'000).ok()
               ? *files_.Read(project_.RunLog(agent.identity()), 100'000'000)
               : "";
  }
  bool LogHas(const AgentId& agent, const std::string& text) const {
    return Log(agent).find(text) != std::string::npos;
  }

  // Until it is so; looked at whenever something happens in the run folder.
  bool Await(const std::function<bool()>& condition) {
    auto loop = RealEventLoop::Create();
    bool met = false;
    const auto look = [&] {
      met = condition();
      if (met) (*loop)->Stop();
    };
    EXPECT_TRUE((*loop)
                    ->WatchFolderContent(project_.RunFolder(), [&](const FolderEvent&) { look(); })
                    .ok());
    (*loop)->StartTimer(std::chrono::seconds(30), [&] { (*loop)->Stop(); });
    look();
    (*loop)->Run();
    return met;
  }
  // Until `count` changes have been seen in the run folder, or the process has ended: on a busy
  // machine it may be done before the folder is watched.
  bool AwaitChangesOrEnd(int count, const Process& process) {
    auto loop = RealEventLoop::Create();
    bool met = false;
    const auto stop = [&] {
      met = true;
      (*loop)->Stop();
    };
    EXPECT_TRUE((*loop)
                    ->WatchFolderContent(project_.RunFolder(),
                                         [&](const FolderEvent&) {
                                           if (--count <= 0) stop();
                                         })
                    .ok());
    EXPECT_TRUE((*loop)->WatchProcess(process, stop).ok());
    (*loop)->StartTimer(std::chrono::seconds(30), [&] { (*loop)->Stop(); });
    (*loop)->Run();
    return met;
  }
  bool AwaitRunning(const AgentId& agent) {
    return Await([&] { return Is(agent, RunState::kRunning); });
  }
  bool AwaitLog(const AgentId& agent, const std::string& text) {
    return Await([&] { return LogHas(agent, text); });
  }

  RealFileCalls calls_;
  mutable FileSystem files_{calls_};
  Layout project_{folder_ / "repo", folder_ / "repo/.git"};

 private:
  void EndAgent(const IdentityName& name) {
    const auto run = ReadRunRecord(files_, project_, name);
    if (!run.ok() || !*run || !(*run)->process) return;
    const auto process = Process::Open(*(*run)->process);
    if (process.ok()) (void)process->Signal(SIGKILL);
  }

  std::vector<IdentityName> names_;
  std::list<Process> execs_;
};

}  // namespace belay

#endif  // BELAY_TESTS_EXEC_SANDBOX_H_
