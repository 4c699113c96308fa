// What an agent wrote to its terminal, byte by byte, bounded: Layout::RunLog, and when that is full
// Layout::OlderRunLog, which is replaced. All incarnations write to the same.
//
// Written by whoever holds Layout::RunLock. Not synced: it is for people, and an agent's output
// would otherwise go at the speed of the disk. When it can't be written, the bytes are counted, and
// the log says so as soon as it can.

#ifndef BELAY_HOST_RUN_LOG_H_
#define BELAY_HOST_RUN_LOG_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "os/clock.h"
#include "os/file_system.h"
#include "store/layout.h"

namespace belay {

class RunLog {
 public:
  static constexpr std::uint64_t kFull = std::uint64_t{8} << 20U;

  RunLog(FileSystem& files, const Clock& clock, const Layout& project, const IdentityName& agent);

  // Never fails; after a failure nothing is tried for a second.
  void Append(std::string_view bytes);
  // The end of what was written, from the beginning of a line on if there is one.
  std::string Tail(std::size_t bytes) const;

 private:
  bool Ready();  // opens it, and makes room
  Result<void> Open();
  Result<void> Rotate();
  bool Write(std::string_view bytes);
  void GiveUpForAWhile(std::size_t bytes);

  FileSystem& files_;
  const Clock& clock_;
  std::string path_;
  std::string older_path_;
  std::optional<File> file_;
  std::uint64_t size_ = 0;
  std::uint64_t missing_ = 0;  // bytes that couldn't be written
  MonotonicTime try_again_ = {};
};

}  // namespace belay

#endif  // BELAY_HOST_RUN_LOG_H_
