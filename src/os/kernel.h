// What this kernel lets this user do. Every answer comes from an attempt, because version numbers
// and settings aren't reliable; the attempts change nothing.

#ifndef BELAY_OS_KERNEL_H_
#define BELAY_OS_KERNEL_H_

#include <optional>
#include <string>

namespace belay {

struct KernelFeatures {
  std::string release;  // "6.1.0-18-amd64"
  bool pidfd = false;   // a process as a descriptor: its death wakes us, its number can't be reused
  bool pidfd_info = false;       // the exit status of a process that is not our child
  bool subreaper = false;        // orphans of an agent stay in its process tree
  bool inotify = false;          // files wake their readers
  bool seccomp = false;          // system calls can be refused
  bool user_namespaces = false;  // an own network without being root
  std::optional<int>
      landlock_abi;  // access to files and ports can be restricted; nothing: not available
};

KernelFeatures ProbeKernel();

}  // namespace belay

#endif  // BELAY_OS_KERNEL_H_
