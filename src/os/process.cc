#include "os/process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/check.h"
#include "os/this_process.h"

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

// The arguments of posix_spawn, with the lifetime they need.
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

  void RecordInheritance(int ours, int theirs) {
    Must(posix_spawn_file_actions_adddup2(&actions_, ours, theirs));
  }
  void CloseFrom(int lowest) { Must(posix_spawn_file_actions_addclosefrom_np(&actions_, lowest)); }
  void Enter(int folder) { Must(posix_spawn_file_actions_addfchdir_np(&actions_, folder)); }

  // 0 and the pid, or an errno.
  int Spawn(const char* program, char* const* command, char* const* variables, pid_t& pid) const {
    const OriginalFileLimit limit;  // the child inherits it
    return posix_spawnp(&pid, program, &actions_, &attributes_, command, variables);
  }

 private:
  // They fail only for lack of memory or when misused.
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

// Copies all descriptors to numbers above their targets: then they can be moved into place in any
// order without overwriting one another. The copies must live until the spawn.
tl::expected<std::vector<UniqueFd>, ExecFailure> PassFds(const SpawnRequest& request, Plan& plan) {
  const UniqueFd null(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null) return Fail(SpawnStage::kDescriptors, errno, "/dev/null");
  const std::vector<PassedFd> fds = AllFds(request, null.get());
  const int lowest_free = HighestFd(request) + 1;
  std::vector<UniqueFd> copies;
  for (const PassedFd& fd : fds) {
    UniqueFd copy(fcntl(fd.ours, F_DUPFD_CLOEXEC, lowest_free));
    if (!copy) return Fail(SpawnStage::kDescriptors, errno, fmt::format("{}", fd.ours));
    plan.RecordInheritance(copy.get(), fd.theirs);
    copies.push_back(std::move(copy));
  }
  return copies;
}

// We open the folder ourselves, so that a failure isn't reported as one of the program.
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

namespace {

// linux/pidfd.h of Debian 12 is older than these, and glibc 2.36's sys/pidfd.h lacks C linkage.
struct PidfdInfo {
  std::uint64_t mask;
  std::uint64_t cgroup;
  std::uint32_t ids[11];
  std::int32_t wait_status;
};
static_assert(sizeof(PidfdInfo) == 64);
constexpr unsigned long kPidfdGetInfo = _IOWR(0xFF, 11, PidfdInfo);
constexpr std::uint64_t kPidfdInfoExit = 1U << 3U;
constexpr unsigned kPidfdSignalProcessGroup = 1U << 2U;

UniqueFd OpenPidfd(pid_t pid) {
  return UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

// 0, or an errno.
int SendSignal(int pidfd, int signal, unsigned flags) {
  return syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, flags) == 0 ? 0 : errno;
}

Error ProcessError(const std::string& what, int error) {
  Error failure = SystemError(what, error);
  if (error == ESRCH) failure.code = ErrorCode::kNotFound;
  return failure;
}

ExitStatus FromInfo(const siginfo_t& info) {
  if (info.si_code == CLD_EXITED) return ExitStatus::Exited(info.si_status);
  return ExitStatus::Killed(info.si_status, info.si_code == CLD_DUMPED);
}

// False when it is not our child.
bool WaitForChild(int pidfd, int flags, siginfo_t& info) {
  while (waitid(P_PIDFD, static_cast<id_t>(pidfd), &info, WEXITED | flags) != 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

bool AwaitEnd(int pidfd, int timeout) {
  pollfd end{pidfd, POLLIN, 0};
  int ready = 0;
  while ((ready = poll(&end, 1, timeout)) < 0 && errno == EINTR) {
  }
  return ready > 0;
}

// The kernel shows the status of a zombie as 0 to processes that may not trace it. This link needs
// the same permission, and leads nowhere for a zombie.
bool MayTraceZombie(pid_t pid) {
  char target[1];
  const std::string path = fmt::format("/proc/{}/exe", pid);
  return readlink(path.c_str(), target, sizeof(target)) < 0 && errno == ENOENT;
}

std::optional<ExitStatus> StatusOfZombie(pid_t pid, int pidfd) {
  const Result<ProcStat> stat = ReadProcStat(pid);
  if (!stat || !stat->ended() || !MayTraceZombie(pid)) return std::nullopt;
  // Still not reaped, so the values that we read belong to this process.
  if (SendSignal(pidfd, 0, 0) == ESRCH) return std::nullopt;
  return ExitStatus::FromWaitStatus(stat->wait_status);
}

std::optional<ExitStatus> StatusOfReaped(int pidfd) {
  PidfdInfo info{};
  info.mask = kPidfdInfoExit;
  const bool known = ioctl(pidfd, kPidfdGetInfo, &info) == 0 && (info.mask & kPidfdInfoExit) != 0;
  if (!known) return std::nullopt;
  return ExitStatus::FromWaitStatus(info.wait_status);
}

ExitStatus StatusOfStranger(pid_t pid, int pidfd) {
  if (const auto status = StatusOfZombie(pid, pidfd)) return *status;
  return StatusOfReaped(pidfd).value_or(ExitStatus::Unknown());
}

}  // namespace

tl::expected<Process, ExecFailure> Process::Spawn(const SpawnRequest& request) {
  const tl::expected<pid_t, ExecFailure> pid = SpawnChild(request);
  if (!pid) return tl::unexpected(pid.error());
  UniqueFd pidfd = OpenPidfd(*pid);
  if (pidfd) return Process(*pid, std::move(pidfd));
  const int error = errno;
  (void)kill(*pid, SIGKILL);
  while (waitpid(*pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return tl::unexpected(ExecFailure{SpawnStage::kPidfd, error, request.command[0]});
}

Result<Process> Process::Open(pid_t pid) {
  UniqueFd pidfd = OpenPidfd(pid);
  if (!pidfd) return ProcessError(fmt::format("open process {}", pid), errno);
  return Process(pid, std::move(pidfd));
}

Result<Process> Process::Open(const ProcessIdentity& identity) {
  // Checked only after the pidfd is open: if the pid belongs to the right process now, it did when
  // we opened it.
  BELAY_TRY_ASSIGN(Process process, Open(identity.pid));
  if (!IsAlive(identity)) {
    return ProcessError(fmt::format("open process {} again", identity.pid), ESRCH);
  }
  return process;
}

Result<void> Process::Signal(int signal) const {
  const int error = SendSignal(pidfd_.get(), signal, 0);
  if (error == 0) return {};
  return ProcessError(fmt::format("send signal {} to process {}", signal, pid_), error);
}

Result<void> Process::SignalGroup(int signal) const {
  int error = SendSignal(pidfd_.get(), signal, kPidfdSignalProcessGroup);
  // An older kernel. Minus one would mean every process.
  if (error == EINVAL && pid_ > 1) error = kill(-pid_, signal) == 0 ? 0 : errno;
  if (error == 0) return {};
  return ProcessError(fmt::format("send signal {} to group {}", signal, pid_), error);
}

std::optional<ExitStatus> Process::Collect(int wait_flags) {
  siginfo_t info{};
  if (WaitForChild(pidfd_.get(), wait_flags, info)) {
    if (info.si_pid == 0) return std::nullopt;
    return FromInfo(info);
  }
  const bool block = (wait_flags & WNOHANG) == 0;
  if (!AwaitEnd(pidfd_.get(), block ? -1 : 0)) return std::nullopt;
  return StatusOfStranger(pid_, pidfd_.get());
}

ExitStatus Process::Wait() {
  while (!ended_) ended_ = Collect(0);
  return *ended_;
}

std::optional<ExitStatus> Process::TryWait() {
  if (!ended_) ended_ = Collect(WNOHANG);
  return ended_;
}

std::optional<ExitStatus> Process::WaitAtMost(Duration limit) {
  if (TryWait()) return ended_;
  const auto time = std::chrono::ceil<std::chrono::milliseconds>(limit);
  (void)AwaitEnd(pidfd_.get(), static_cast<int>(time.count()));
  return TryWait();
}

Result<void> BecomeSubreaper() {
  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) {
    return SystemError("become a subreaper", errno);
  }
  struct sigaction children {};
  const bool ignored =
      sigaction(SIGCHLD, nullptr, &children) == 0 && children.sa_handler == SIG_IGN;
  if (ignored) (void)std::signal(SIGCHLD, SIG_DFL);
  return {};
}

Result<SubreaperScope> SubreaperScope::Begin() {
  int was = 0;
  (void)prctl(PR_GET_CHILD_SUBREAPER, &was, 0, 0, 0);
  BELAY_TRY(BecomeSubreaper());
  return SubreaperScope(was == 0);
}

SubreaperScope::~SubreaperScope() {
  if (ends_) (void)prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

std::optional<pid_t> DeadChild() {
  siginfo_t info{};
  const bool asked = waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
  if (!asked || info.si_pid == 0) return std::nullopt;
  return info.si_pid;
}

std::optional<ExitStatus> ReapChildren(Process* leader) {
  std::optional<ExitStatus> ended;
  while (const std::optional<pid_t> pid = DeadChild()) {
    if (leader != nullptr && *pid == leader->pid()) {
      ended = leader->Wait();
      continue;
    }
    Result<Process> orphan = Process::Open(*pid);
    if (!orphan) break;
    (void)orphan->Wait();
  }
  return ended;
}

}  // namespace belay
