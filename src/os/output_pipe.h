// A pipe that programs write to and an event loop reads from.

#ifndef BELAY_OS_OUTPUT_PIPE_H_
#define BELAY_OS_OUTPUT_PIPE_H_

#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "os/unique_fd.h"

namespace belay {

class OutputPipe {
 public:
  static Result<OutputPipe> Make();

  int ours() const { return ours_.get(); }  // never blocks
  int theirs() const { return theirs_.get(); }

  // As much as the kernel lets us have: a program that prints much waits less for its reader.
  void Widen() const;
  // When the program has its copy; else the pipe would never end.
  void CloseTheirs() { theirs_.Reset(); }

  struct Piece {
    std::string_view bytes;  // in the buffer; none: nothing at the moment
    bool ended = false;      // and nothing ever again
  };
  Piece Read(char* buffer, std::size_t size) const;

 private:
  OutputPipe(UniqueFd ours, UniqueFd theirs) : ours_(std::move(ours)), theirs_(std::move(theirs)) {}

  UniqueFd ours_;
  UniqueFd theirs_;
};

}  // namespace belay

#endif  // BELAY_OS_OUTPUT_PIPE_H_
