// A project with a guardian and agents, all real, and everything that is visible from outside, in
// the order in which it happens. All of its processes end with it.

#ifndef BELAY_BENCH_SESSION_SCENE_H_
#define BELAY_BENCH_SESSION_SCENE_H_

#include <sys/types.h>

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "os/environment.h"
#include "os/file_system.h"
#include "os/program.h"
#include "rows.h"
#include "store/layout.h"

namespace belay::bench {

// One line that the guardian printed, or that an agent reported.
struct Happening {
  enum class Who { kGuardian, kAgent };
  Who who;
  double micros;      // when it was read, or when the agent started by its own report
  std::string agent;  // "orchestrator-a1#2"; "floor" for one without belay
  std::string text;   // the rest of the guardian's line
};

class Scene {
 public:
  // A repository with a commit, belay set up, and these settings.
  Scene(const Programs& programs, std::string folder, const std::string& settings);
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;
  ~Scene();

  const Layout& project() const { return project_; }
  FileSystem& files() { return files_; }
  std::string Run(std::vector<std::string> command);  // in the project; returns its output

  void StartGuardian();
  pid_t guardian() const { return guardian_; }

  // Starts the idle agent under belay, and returns "orchestrator-NAME". Wait for it.
  std::string Spawn(const std::string& name, bool own_worktree);
  // The same program, started without belay.
  pid_t SpawnBare();

  // The next one; aborts when nothing happens for long. Remembers the pids of agents.
  Happening Next();
  // Until a line of this source begins so. All others are kept for later.
  Happening Await(Happening::Who who, const std::string& agent, const std::string& begin);
  void ForgetHappenings() { happened_.clear(); }
  pid_t PidOf(const std::string& identity) const { return pids_.at(identity).second; }
  std::string AgentIdOf(const std::string& identity) const { return pids_.at(identity).first; }

 private:
  struct Source {
    int fd = -1;
    std::string rest = {};
  };
  void WaitForMore();
  void ReadFrom(Source& source, Happening::Who who);
  void Note(Happening happening);
  void EndEverything();

  const Programs programs_;
  const std::string folder_;
  PosixPrograms runner_;
  Environment::Variables variables_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
  Layout project_;
  std::string fifo_;
  pid_t guardian_ = -1;
  Source said_;
  Source reported_;
  std::deque<Happening> happened_;
  std::map<std::string, std::pair<std::string, pid_t>> pids_;  // by identity: agent id, pid
};

}  // namespace belay::bench

#endif  // BELAY_BENCH_SESSION_SCENE_H_
