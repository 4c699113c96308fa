// A belay that is killed at an exact point of its work. It is traced for that, so no chance decides
// and the product knows nothing of it. The points, in the order in which they come:
//
//   before git update-ref ...   a program that it started is about to begin; neither runs on
//   after git update-ref ...    that program has done its work; belay doesn't hear of it any more
//   before sync PATH            it has written a file or changed a folder, and is about to sync it
//   after sync PATH             that is on the disk
//   before rename FROM TO       a file is about to get another name; so is it with "before unlink"
//   after rename FROM TO        it has it

#ifndef BELAY_TESTS_KILLED_AT_POINT_H_
#define BELAY_TESTS_KILLED_AT_POINT_H_

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace belay {

class KilledAtPoint {
 public:
  using IsTime = std::function<bool(const std::string& point)>;

  KilledAtPoint(std::vector<std::string> command, std::string folder,
                std::vector<std::string> environment)
      : command_(std::move(command)),
        folder_(std::move(folder)),
        environment_(std::move(environment)) {}

  // Gives whether it was killed; false when it came to its end. With `all`, what it has started is
  // killed too; else that goes on by itself.
  bool Run(const IsTime& is_time, bool all = false) {
    all_ = all;
    pid_ = fork();
    if (pid_ == 0) BeTraced();
    int status = 0;
    if (waitpid(pid_, &status, 0) != pid_ || !WIFSTOPPED(status)) return false;
    (void)ptrace(PTRACE_SETOPTIONS, pid_, nullptr,
                 PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK |
                     PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE);
    (void)ptrace(PTRACE_SYSCALL, pid_, nullptr, 0);
    while (true) {
      const pid_t who = waitpid(-1, &status, __WALL);
      if (who < 0) return false;
      if (!WIFSTOPPED(status)) {
        if (who == pid_) return false;
        programs_.erase(who);
        continue;
      }
      NoteBirth(who, status);
      const std::string point = who == pid_ ? OwnPoint(status) : PointOf(who, status);
      if (!point.empty() && is_time(point)) {
        Kill(who, point);
        return true;
      }
      GoOn(who, status);
    }
  }

 private:
  [[noreturn]] void BeTraced() const {
    const std::vector<char*> words = Pointers(command_);
    const std::vector<char*> variables = Pointers(environment_);
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    const bool ready = dup2(nowhere, 0) == 0 && dup2(nowhere, 1) == 1 && dup2(nowhere, 2) == 2 &&
                       chdir(folder_.c_str()) == 0 &&
                       ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0;
    if (ready) execve(words[0], words.data(), variables.data());
    _exit(127);
  }
  static std::vector<char*> Pointers(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
  }

  static int EventOf(int status) { return status >> 16; }

  std::string OwnPoint(int status) {
    __ptrace_syscall_info info = {};
    if (WSTOPSIG(status) != (SIGTRAP | 0x80) ||
        ptrace(PTRACE_GET_SYSCALL_INFO, pid_, sizeof info, &info) <= 0) {
      return {};
    }
    if (info.op == PTRACE_SYSCALL_INFO_EXIT && !renames_.empty()) {
      return "after " + std::exchange(renames_, {});
    }
    if (info.op == PTRACE_SYSCALL_INFO_EXIT) {
      return std::exchange(syncs_, {}).empty() ? "" : "after sync " + synced_;
    }
    const auto call = static_cast<long>(info.entry.nr);
    renames_ = NameChange(call, info);
    if (!renames_.empty()) return "before " + renames_;
    if (call != SYS_fsync && call != SYS_fdatasync && call != SYS_syncfs) return {};
    const std::string link =
        "/proc/" + std::to_string(pid_) + "/fd/" + std::to_string(info.entry.args[0]);
    std::error_code ignored;
    synced_ = syncs_ = std::filesystem::read_symlink(link, ignored);
    return "before sync " + synced_;
  }

  // Empty: the call changes no name.
  std::string NameChange(long call, const __ptrace_syscall_info& info) const {
    const auto& words = info.entry.args;
    if (call == SYS_unlink) return "unlink " + TextAt(words[0]);
    if (call == SYS_rename) return "rename " + TextAt(words[0]) + " " + TextAt(words[1]);
    if (call == SYS_renameat2) return "rename " + TextAt(words[1]) + " " + TextAt(words[3]);
    return {};
  }
  std::string TextAt(std::uint64_t address) const {
    char bytes[4096];
    const iovec ours{bytes, sizeof bytes};
    std::size_t count = sizeof bytes - address % sizeof bytes;  // not into the next page
    iovec theirs{reinterpret_cast<void*>(address), count};      // NOLINT(performance-no-int-to-ptr)
    std::string text;
    for (int pages = 0; pages < 2; ++pages) {
      const ssize_t got = process_vm_readv(pid_, &ours, 1, &theirs, 1, 0);
      if (got <= 0) break;
      const std::string_view part(bytes, static_cast<std::size_t>(got));
      text += part.substr(0, part.find('\0'));
      if (part.find('\0') != std::string_view::npos) break;
      address += static_cast<std::uint64_t>(got);
      // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of the other process.
      theirs = {reinterpret_cast<void*>(address), sizeof bytes};
    }
    return text;
  }

  std::string PointOf(pid_t who, int status) {
    if (EventOf(status) == PTRACE_EVENT_EXEC) {
      programs_[who] = CommandOf(who);
      return "before " + programs_[who];
    }
    if (EventOf(status) == PTRACE_EVENT_EXIT && !programs_[who].empty()) {
      return "after " + programs_[who];
    }
    return {};
  }

  // Without settings.
  static std::string CommandOf(pid_t who) {
    std::ifstream file("/proc/" + std::to_string(who) + "/cmdline");
    std::string text;
    for (std::string word; std::getline(file, word, '\0');) {
      if (word == "-c" && text == "git") {
        std::getline(file, word, '\0');
      } else {
        text += (text.empty() ? "" : " ") + word;
      }
    }
    return text;
  }

  // A child is traced from its beginning, and stands still until it is seen here for the first
  // time.
  void NoteBirth(pid_t who, int status) {
    born_.erase(who);
    const int event = EventOf(status);
    if (who != pid_ || (event != PTRACE_EVENT_FORK && event != PTRACE_EVENT_VFORK &&
                        event != PTRACE_EVENT_CLONE)) {
      return;
    }
    unsigned long child = 0;
    (void)ptrace(PTRACE_GETEVENTMSG, who, nullptr, &child);
    if (!programs_.contains(static_cast<pid_t>(child))) born_.insert(static_cast<pid_t>(child));
  }

  void GoOn(pid_t who, int status) {
    const bool known = who == pid_ || programs_.contains(who);
    if (!known) {
      programs_[who] = "";
      (void)ptrace(PTRACE_SETOPTIONS, who, nullptr,
                   PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT);
    }
    const int got = WSTOPSIG(status) & 0x7f;
    const bool ours = !known || EventOf(status) != 0 || got == SIGTRAP;
    (void)ptrace(who == pid_ ? PTRACE_SYSCALL : PTRACE_CONT, who, nullptr, ours ? 0 : got);
  }

  void Kill(pid_t who, const std::string& point) {
    if (who != pid_ && point.starts_with("before ")) End(who);
    std::vector<pid_t> others(born_.begin(), born_.end());
    for (const auto& [pid, name] : programs_) others.push_back(pid);
    if (all_) {
      for (const pid_t other : others) End(other);
    }
    End(pid_);
    if (all_) return;
    for (const pid_t other : others) LetGo(other, other == who);
  }
  // One that runs has to be stopped for that.
  static void LetGo(pid_t pid, bool stopped) {
    int status = 0;
    if (!stopped) (void)kill(pid, SIGSTOP);
    if (!stopped && (waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status))) return;
    (void)ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
    (void)kill(pid, SIGCONT);
  }
  void End(pid_t pid) {
    (void)kill(pid, SIGKILL);
    (void)ptrace(PTRACE_CONT, pid, nullptr, 0);  // one that stands still at its exit goes on
    int status = 0;
    while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status)) {
      (void)ptrace(PTRACE_CONT, pid, nullptr, 0);
    }
    programs_.erase(pid);
  }

  std::vector<std::string> command_;
  std::string folder_;
  std::vector<std::string> environment_;
  pid_t pid_ = 0;
  std::set<pid_t> born_;                   // not seen yet
  std::map<pid_t, std::string> programs_;  // traced, with what they run
  std::string syncs_, synced_, renames_;
  bool all_ = false;
};

}  // namespace belay

#endif  // BELAY_TESTS_KILLED_AT_POINT_H_
