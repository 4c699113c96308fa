// One repository with belay in it, its guardian and its agents, for one part of the campaign.
//
//   FOLDER/repo/       the repository; settings that forgive any number of crashes, committed
//   FOLDER/reports     the pipe of the agents
//   FOLDER/agent.sh    what they run: `idle`, or `work` once its gate is opened
//   FOLDER/NAME.lock   held by an incarnation and all its children as long as they live
//   FOLDER/guardian.log
//
// Whatever is started here becomes a descendant of the campaign for good (it is a subreaper), and
// is ended with the place.

#ifndef BELAY_SESSIONS_PLACE_H_
#define BELAY_SESSIONS_PLACE_H_

#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "codec/json.h"
#include "model/identity.h"
#include "os/file_system.h"
#include "os/process.h"
#include "sessions/census.h"
#include "sessions/reports.h"
#include "store/layout.h"
#include "testing/real_process.h"

namespace belay {

class Place {
 public:
  // Only what never comes takes longer.
  static constexpr Duration kPatience = std::chrono::seconds(60);

  Place(std::string belay, const std::string& folder, std::uint64_t seed);
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place();

  // Uniform below `limit`.
  std::uint64_t Below(std::uint64_t limit) { return chance_() % limit; }
  Duration UpTo(Duration longest) {
    return Duration(static_cast<Duration::rep>(Below(static_cast<std::uint64_t>(longest.count()))));
  }

  RunOutcome Belay(std::vector<std::string> words);
  // With --json; a problem and null when it fails.
  Json BelayJson(std::vector<std::string> words);
  RunOutcome Git(std::vector<std::string> words);
  RunOutcome Run(const std::vector<std::string>& command);  // in the repository

  // A belay that goes on beside us; Reap leaves it alone until Bury has waited for it.
  Process Start(std::vector<std::string> words);
  ExitStatus Bury(Process& process);

  void StartGuardian();
  void KillGuardian();

  // `more`: options of spawn. Waits for its first report; a problem if there is none.
  void Spawn(const std::string& name, const std::string& what,
             const std::vector<std::string>& more = {});
  // Lets the present incarnation of a worker write, from that version on.
  void OpenGate(const std::string& name, std::uint64_t version);
  // Kills the latest incarnation, if it runs, and waits for its end.
  bool KillAgent(const std::string& name);
  // Waits for the `belay exec` of an incarnation, and a moment more; kills it and waits for its
  // end. The agent, if there is one, loses its terminal and goes by that.
  bool KillExec(const std::string& name, std::uint32_t incarnation, Duration moment = {});
  // What is recorded of it; nothing when that can't be read, which is a problem.
  std::optional<Identity> Recorded(const std::string& name);
  static std::string IdentityOf(const std::string& name) { return "orchestrator-" + name; }

  // Until each of these runs once, and belay says the same; a problem if they don't.
  void ExpectSettled(const std::vector<std::string>& names);
  void ExpectGone(const std::string& identity);  // none of its processes lives
  void JudgeAlive();                             // no two of one identity
  void Reap();                                   // orphans that came to us

  void Add(Problems problems) { MoveInto(problems_, std::move(problems)); }
  void Add(Problem::Kind kind, std::string text) { problems_.push_back({kind, std::move(text)}); }
  const Problems& problems();

  Reports& reports() { return reports_; }
  Logbook& book() { return reports_.book(); }
  FileSystem& files() { return files_; }
  const Layout& project() const { return project_; }
  const std::string& folder() const { return folder_; }

 private:
  void MakeRepository();
  bool IsSettled(const std::vector<std::string>& names);
  void EndEverything();
  std::optional<ProcessIdentity> FindExec(const std::string& name, std::uint32_t incarnation);

  std::string belay_;
  std::string folder_;
  std::mt19937_64 chance_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
  Layout project_;
  Reports reports_;
  UniqueFd guardian_log_;
  std::optional<Process> guardian_;
  std::map<std::string, UniqueFd> gates_;
  std::set<pid_t> ours_;
  Problems problems_;
};

}  // namespace belay

#endif  // BELAY_SESSIONS_PLACE_H_
