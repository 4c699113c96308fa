#include "agents/memory_cage.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace belay {
namespace {

constexpr const char* kRoot = "/sys/fs/cgroup";

void MoveAll(const std::string& from, const std::string& to) {
  std::ifstream members(from + "/cgroup.procs");
  for (std::string pid; std::getline(members, pid);) std::ofstream(to + "/cgroup.procs") << pid;
}

}  // namespace

std::unique_ptr<MemoryCage> MemoryCage::Make() {
  std::string folder = fmt::format("{}/belay-test-{}", kRoot, getpid());
  if (mkdir(folder.c_str(), 0755) != 0) return nullptr;
  std::unique_ptr<MemoryCage> cage(new MemoryCage(std::move(folder)));
  const bool works =
      cage->Limit("max") && access((cage->folder_ + "/cgroup.procs").c_str(), W_OK) == 0;
  return works ? std::move(cage) : nullptr;
}

MemoryCage::~MemoryCage() {
  MoveAll(folder_, kRoot);
  (void)rmdir(folder_.c_str());
}

bool MemoryCage::Take(pid_t process) { return Write("cgroup.procs", std::to_string(process)); }

bool MemoryCage::Limit(const std::string& bytes) { return Write("memory.max", bytes); }

// Never makes the file: without it there is no such control.
bool MemoryCage::Write(const std::string& name, const std::string& text) {
  const std::string path = folder_ + "/" + name;
  if (access(path.c_str(), W_OK) != 0) return false;
  std::ofstream file(path);
  file << text << std::flush;
  return file.good();
}

}  // namespace belay
