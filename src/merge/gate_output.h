// The output of a gate, byte by byte in one bounded file: the beginning, with the first error, and
// the end, with the summary; between them a line that gives the number of omitted bytes.
//
// At every moment, also after kill -9, the file at `path` holds the beginning and the latest end of
// the output. It grows somewhat beyond its limits before its middle is cut out, so that large
// outputs aren't copied often; a second file, `path`.new, exists during that. Nothing is synced: it
// is for people.

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
    std::uint64_t slack = std::uint64_t{24} << 20U;  // allowed on top while it is written
  };

  // Creates an empty file, replacing any other.
  static Result<BoundedLog> Create(FileSystem& files, const std::string& path,
                                   const Limits& limits);
  static Result<BoundedLog> Create(FileSystem& files, const std::string& path) {
    return Create(files, path, Limits{});
  }

  Result<void> Append(std::string_view bytes);
  // Cuts it down to the limits.
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
  std::uint64_t total_ = 0;                               // appended bytes
  std::uint64_t size_ = 0;                                // of the file
  std::uint64_t shortest_ = limits_.head + limits_.tail;  // with the line between them, if any
};

// The last line of an output in progress, for people who wait for it.

class LastLine {
 public:
  void Add(std::string_view bytes);

  // The last visible line, also without a line end; for progress bars, their present state. One
  // line of valid UTF-8, at most 200 code points, safe for a terminal: escape sequences, control
  // characters and bidirectional controls are left out.
  std::string Text() const;

 private:
  std::string end_;  // the end of the output, as much as may be needed
};

}  // namespace belay

#endif  // BELAY_MERGE_GATE_OUTPUT_H_
