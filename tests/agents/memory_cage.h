// A control group whose memory can be limited, where the machine lets us make one: cgroup v2, with
// the memory controller, and writable. Removed with it, once every process in it has ended.

#ifndef BELAY_TESTS_AGENTS_MEMORY_CAGE_H_
#define BELAY_TESTS_AGENTS_MEMORY_CAGE_H_

#include <sys/types.h>

#include <memory>
#include <string>

namespace belay {

class MemoryCage {
 public:
  // Nothing when it can't be made.
  static std::unique_ptr<MemoryCage> Make();
  ~MemoryCage();
  MemoryCage(const MemoryCage&) = delete;
  MemoryCage& operator=(const MemoryCage&) = delete;

  bool Take(pid_t process);
  bool Limit(const std::string& bytes);  // or "max"

 private:
  explicit MemoryCage(std::string folder) : folder_(std::move(folder)) {}
  bool Write(const std::string& name, const std::string& text);

  std::string folder_;
};

}  // namespace belay

#endif  // BELAY_TESTS_AGENTS_MEMORY_CAGE_H_
