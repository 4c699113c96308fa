// The output of a gate, kept byte by byte in one file that stays small: the beginning, where the
// first mistake is, and the end, where the sum is; between them a line that says how much was left
// out.
//
// At every moment, also after kill -9, the file at `path` holds the beginning and the latest end of
// what was appended. It grows somewhat beyond its limits before its middle is taken out, so that
// much output is copied seldom; for that a second file, `path`.new, comes and goes. Nothing is
// synced: it is for people.

#ifndef BELAY_MERGE_GATE_OUTPUT_H_
#define BELAY_MERGE_GATE_OUTPUT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/file_system.h"

namespace belay {

class BoundedLog {
 public:
  struct Limits {
    std::uint64_t head = std::uint64_t{1} << 20U;
    std::uint64_t tail = std::uint64_t{7} << 20U;
    std::uint64_t slack = std::uint64_t{24} << 20U;  // that may come on top while it is written
  };

  // Empty, whatever was there before.
  static Result<BoundedLog> Create(FileSystem& files, const std::string& path,
                                   const Limits& limits);
  static Result<BoundedLog> Create(FileSystem& files, const std::string& path) {
    return Create(files, path, Limits{});
  }

  Result<void> Append(std::string_view bytes);
  // Down to the limits.
  Result<void> Finish();

 private:
  BoundedLog(FileSystem& files, File file, const Limits& limits)
      : files_(files), file_(std::move(file)), limits_(limits) {}

  Result<void> TakeOutMiddle();
  Result<void> WriteShorter(const std::string& path, std::string_view note);
  Result<void> Copy(std::uint64_t from, std::uint64_t count, File& to) const;
  Result<void> MoveOver(const std::string& fresh, const std::string& path);

  FileSystem& files_;
  File file_;
  Limits limits_;
  std::uint64_t total_ = 0;                               // that was appended
  std::uint64_t size_ = 0;                                // of the file
  std::uint64_t shortest_ = limits_.head + limits_.tail;  // with the line between them, if any
};

// The last line of an output that goes on, for people who wait for it.

class LastLine {
 public:
  void Add(std::string_view bytes);

  // The last line that shows something, also one without an end; of progress bars, what they show
  // now. One line of valid UTF-8, at most 200 code points, that can't command a terminal: escape
  // sequences, control characters and bidirectional controls are left out.
  std::string Text() const;

 private:
  std::string end_;  // of what was added, as much as can matter
};

}  // namespace belay

#endif  // BELAY_MERGE_GATE_OUTPUT_H_
