#include "scene.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/check.h"
#include "process_facts.h"

namespace belay::bench {
namespace {

constexpr int kLongestSilenceMillis = 60'000;

Environment::Variables QuietGit() {
  Environment::Variables variables = Environment::OfThisProcess().variables();
  variables["GIT_CONFIG_GLOBAL"] = "/dev/null";
  for (const char* who : {"AUTHOR", "COMMITTER"}) {
    variables[fmt::format("GIT_{}_NAME", who)] = "bench";
    variables[fmt::format("GIT_{}_EMAIL", who)] = "bench@example.org";
  }
  variables.erase("BELAY_STATE");
  variables.erase("BELAY_AGENT_ID");
  return variables;
}

// "orchestrator-a1#2" gives "orchestrator-a1".
std::string IdentityIn(const std::string& agent) { return agent.substr(0, agent.find('#')); }

}  // namespace

Scene::Scene(const Programs& programs, std::string folder, const std::string& settings)
    : programs_(programs),
      folder_(std::move(folder)),
      variables_(QuietGit()),
      project_(folder_, folder_ + "/.git"),
      fifo_(folder_ + ".fifo") {
  // Orphans become our children, so that none is forgotten.
  BELAY_CHECK(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
  std::filesystem::create_directories(folder_);
  Run({"git", "init", "-q", "-b", "main"});
  std::ofstream(folder_ + "/file.txt") << "something\n";
  Run({"git", "add", "file.txt"});
  Run({"git", "commit", "-q", "-m", "first"});
  Run({programs_.belay, "init"});
  std::ofstream(project_.ConfigFile(), std::ios::trunc) << settings;
  BELAY_CHECK(mkfifo(fifo_.c_str(), 0600) == 0);
  reported_.fd = open(fifo_.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  BELAY_CHECK(reported_.fd >= 0);
}

Scene::~Scene() {
  EndEverything();
  (void)close(reported_.fd);
  if (said_.fd >= 0) (void)close(said_.fd);
}

std::string Scene::Run(std::vector<std::string> command) {
  const ProgramRequest request{.command = std::move(command),
                               .limit = std::chrono::minutes(5),
                               .folder = folder_,
                               .environment = variables_};
  const auto result = runner_.Run(request);
  BELAY_CHECK(result.ok());
  if (result->exit_code != 0) {
    (void)std::fprintf(stderr, "%s %s: %s\n", request.command[0].c_str(),
                       request.command[1].c_str(), result->err.c_str());
  }
  BELAY_CHECK(result->exit_code == 0);
  return result->out;
}

void Scene::StartGuardian() {
  int ends[2];
  BELAY_CHECK(pipe2(ends, O_CLOEXEC) == 0);
  guardian_ = fork();
  BELAY_CHECK(guardian_ >= 0);
  if (guardian_ == 0) {
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    (void)dup2(ends[1], STDERR_FILENO);
    const int nothing = open("/dev/null", O_RDWR);
    (void)dup2(nothing, STDIN_FILENO);
    (void)dup2(nothing, STDOUT_FILENO);
    if (chdir(folder_.c_str()) == 0) {
      (void)execl(programs_.belay.c_str(), "belay", "guard", static_cast<char*>(nullptr));
    }
    _exit(127);
  }
  (void)close(ends[1]);
  said_.fd = ends[0];
  BELAY_CHECK(fcntl(said_.fd, F_SETFL, O_NONBLOCK) == 0);
  (void)Await(Happening::Who::kGuardian, "guarding", "");
}

std::string Scene::Spawn(const std::string& name, bool own_worktree) {
  std::vector<std::string> command = {programs_.belay, "spawn", "--no-wait", "--name", name};
  if (own_worktree) command.insert(command.end(), {"--new-worktree", "branch-" + name});
  command.insert(command.end(), {"--", programs_.idle_agent(), fifo_, std::to_string(getpid())});
  Run(std::move(command));
  return "orchestrator-" + name;
}

pid_t Scene::SpawnBare() {
  const std::string program = programs_.idle_agent();
  const std::string self = std::to_string(getpid());
  const char* command[] = {program.c_str(), fifo_.c_str(), self.c_str(), nullptr};
  pid_t pid = -1;
  BELAY_CHECK(posix_spawn(&pid, program.c_str(), nullptr, nullptr,
                          const_cast<char* const*>(command), environ) == 0);
  return pid;
}

void Scene::Note(Happening happening) {
  constexpr std::string_view kRuns = "is running, pid ";
  if (happening.who == Happening::Who::kGuardian && happening.text.starts_with(kRuns)) {
    pids_[IdentityIn(happening.agent)] = {happening.agent,
                                          std::stoi(happening.text.substr(kRuns.size()))};
  }
  happened_.push_back(std::move(happening));
}

void Scene::ReadFrom(Source& source, Happening::Who who) {
  char piece[4096];
  const ssize_t got = read(source.fd, piece, sizeof(piece));
  const double now = MicrosNow();
  // The guardian must not end before we stop it.
  BELAY_CHECK(got > 0 || (got < 0 && errno == EAGAIN));
  if (got < 0) return;
  source.rest.append(piece, static_cast<std::size_t>(got));
  for (std::size_t end; (end = source.rest.find('\n')) != std::string::npos;) {
    std::string line = source.rest.substr(0, end);
    source.rest.erase(0, end + 1);
    // The guardian's lines begin with the time of day and two spaces.
    if (who == Happening::Who::kGuardian && line.size() > 10) line.erase(0, 10);
    const std::size_t space = line.find(' ');
    Happening happening{who, now, line.substr(0, space),
                        space == std::string::npos ? "" : line.substr(space + 1)};
    if (who == Happening::Who::kAgent) happening.micros = std::stod(happening.text) / 1000;
    Note(std::move(happening));
  }
}

void Scene::WaitForMore() {
  pollfd sources[] = {{reported_.fd, POLLIN, 0}, {said_.fd, POLLIN, 0}};
  BELAY_CHECK(poll(sources, said_.fd < 0 ? 1 : 2, kLongestSilenceMillis) > 0);
  if (sources[1].revents != 0) ReadFrom(said_, Happening::Who::kGuardian);
  if (sources[0].revents != 0) ReadFrom(reported_, Happening::Who::kAgent);
}

Happening Scene::Next() {
  while (happened_.empty()) WaitForMore();
  Happening first = std::move(happened_.front());
  happened_.pop_front();
  return first;
}

Happening Scene::Await(Happening::Who who, const std::string& agent, const std::string& begin) {
  for (std::size_t i = 0;; ++i) {
    while (i >= happened_.size()) WaitForMore();
    const Happening& one = happened_[i];
    if (one.who != who || one.agent != agent || !one.text.starts_with(begin)) continue;
    Happening found = one;
    happened_.erase(happened_.begin() + static_cast<std::ptrdiff_t>(i));
    return found;
  }
}

// The guardian first, or it would restart them. Then the rest of our descendants: each becomes our
// child sooner or later, and a child's pid isn't reused until it is reaped.
void Scene::EndEverything() {
  if (guardian_ > 0) {
    (void)kill(guardian_, SIGTERM);
    BELAY_CHECK(waitpid(guardian_, nullptr, 0) == guardian_);
  }
  while (true) {
    for (const pid_t child : ChildrenOf(getpid())) {
      const std::vector<pid_t> agents = ChildrenOf(child);
      for (const pid_t agent : agents) (void)kill(agent, SIGKILL);
      if (agents.empty()) (void)kill(child, SIGKILL);
    }
    const pid_t ended = waitpid(-1, nullptr, WNOHANG);
    if (ended < 0) return;
    if (ended == 0) (void)usleep(1000);
  }
}

}  // namespace belay::bench
