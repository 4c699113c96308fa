#include "os/spawn.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "base/check.h"
#include "os/file_limit.h"
#include "os/unique_fd.h"

namespace belay {
namespace {

using Failure = tl::unexpected<ExecFailure>;

Failure Fail(SpawnStage stage, int error, std::string object) {
  return Failure(ExecFailure{stage, error, std::move(object)});
}

std::vector<std::string> Entries(const Environment::Variables& variables) {
  std::vector<std::string> entries;
  for (const auto& [name, value] : variables) entries.push_back(name + "=" + value);
  return entries;
}

std::vector<char*> Pointers(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// What posix_spawn is told, with the lifetime it needs.
class Plan {
 public:
  explicit Plan(SpawnGroup group) {
    Must(posix_spawn_file_actions_init(&actions_));
    Must(posix_spawnattr_init(&attributes_));
    SetSignalsToDefault();
    Must(posix_spawnattr_setpgroup(&attributes_, 0));
    const int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | GroupFlag(group);
    Must(posix_spawnattr_setflags(&attributes_, static_cast<short>(flags)));
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() {
    (void)posix_spawn_file_actions_destroy(&actions_);
    (void)posix_spawnattr_destroy(&attributes_);
  }

  void PassOn(int ours, int theirs) {
    Must(posix_spawn_file_actions_adddup2(&actions_, ours, theirs));
  }
  void CloseFrom(int lowest) { Must(posix_spawn_file_actions_addclosefrom_np(&actions_, lowest)); }
  void Enter(int folder) { Must(posix_spawn_file_actions_addfchdir_np(&actions_, folder)); }

  // 0 and the pid, or an errno.
  int Spawn(const char* program, char* const* command, char* const* variables, pid_t& pid) const {
    const FileLimitOfBefore limit;  // which it inherits
    return posix_spawnp(&pid, program, &actions_, &attributes_, command, variables);
  }

 private:
  // They fail only for want of memory or when used wrongly.
  static void Must(int error) { BELAY_CHECK(error == 0); }

  static int GroupFlag(SpawnGroup group) {
    switch (group) {
      case SpawnGroup::kOurs:
        return 0;
      case SpawnGroup::kNewGroup:
        return POSIX_SPAWN_SETPGROUP;
      case SpawnGroup::kNewSession:
        return POSIX_SPAWN_SETSID;
    }
    __builtin_unreachable();
  }

  void SetSignalsToDefault() {
    sigset_t none;
    sigset_t all;
    (void)sigemptyset(&none);
    (void)sigfillset(&all);
    Must(posix_spawnattr_setsigmask(&attributes_, &none));
    Must(posix_spawnattr_setsigdefault(&attributes_, &all));
  }

  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

std::vector<PassedFd> AllFds(const SpawnRequest& request, int null) {
  std::vector<PassedFd> fds = {{request.input.value_or(null), STDIN_FILENO},
                               {request.output.value_or(null), STDOUT_FILENO},
                               {request.errors.value_or(null), STDERR_FILENO}};
  fds.insert(fds.end(), request.more_fds.begin(), request.more_fds.end());
  return fds;
}

int HighestFd(const SpawnRequest& request) {
  int highest = STDERR_FILENO;
  for (const PassedFd& fd : request.more_fds) highest = std::max(highest, fd.theirs);
  return highest;
}

// Copies of all descriptors above all the numbers they will get: whatever order they are put into
// place in, none is overwritten before its turn. The copies must live until the spawn.
tl::expected<std::vector<UniqueFd>, ExecFailure> PassFds(const SpawnRequest& request, Plan& plan) {
  const UniqueFd null(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null) return Fail(SpawnStage::kDescriptors, errno, "/dev/null");
  const std::vector<PassedFd> fds = AllFds(request, null.get());
  const int lowest_free = HighestFd(request) + 1;
  std::vector<UniqueFd> copies;
  for (const PassedFd& fd : fds) {
    UniqueFd copy(fcntl(fd.ours, F_DUPFD_CLOEXEC, lowest_free));
    if (!copy) return Fail(SpawnStage::kDescriptors, errno, fmt::format("{}", fd.ours));
    plan.PassOn(copy.get(), fd.theirs);
    copies.push_back(std::move(copy));
  }
  return copies;
}

// The folder is opened by us, so that its failure isn't taken for that of the program.
tl::expected<UniqueFd, ExecFailure> EnterFolder(const std::string& folder, Plan& plan) {
  if (folder.empty()) return UniqueFd();
  UniqueFd fd(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const bool enterable = fd && faccessat(fd.get(), ".", X_OK, AT_EACCESS) == 0;
  if (!enterable) return Fail(SpawnStage::kFolder, errno, folder);
  plan.Enter(fd.get());
  return fd;
}

SpawnStage StageOf(int error) {
  return error == EAGAIN || error == ENOMEM ? SpawnStage::kFork : SpawnStage::kExec;
}

}  // namespace

std::string_view SpawnStageName(SpawnStage stage) {
  switch (stage) {
    case SpawnStage::kDescriptors:
      return "dup";
    case SpawnStage::kFolder:
      return "chdir";
    case SpawnStage::kFork:
      return "fork";
    case SpawnStage::kExec:
      return "exec";
    case SpawnStage::kPidfd:
      return "pidfd";
  }
  __builtin_unreachable();
}

Error ExecFailure::AsError() const {
  return SystemError(fmt::format("{} {}", SpawnStageName(stage), object), error);
}

tl::expected<pid_t, ExecFailure> SpawnChild(const SpawnRequest& request) {
  BELAY_CHECK(!request.command.empty());
  Plan plan(request.group);
  const auto fds = PassFds(request, plan);
  if (!fds) return Failure(fds.error());
  const auto folder = EnterFolder(request.folder, plan);
  if (!folder) return Failure(folder.error());
  plan.CloseFrom(HighestFd(request) + 1);
  const auto entries = Entries(request.environment.value_or(Environment::Variables()));
  const std::vector<char*> command = Pointers(request.command);
  const std::vector<char*> variables = Pointers(entries);
  pid_t pid = 0;
  const std::string& program = request.program.empty() ? request.command[0] : request.program;
  const int error = plan.Spawn(program.c_str(), command.data(),
                               request.environment ? variables.data() : environ, pid);
  if (error != 0) return Fail(StageOf(error), error, program);
  return pid;
}

}  // namespace belay
