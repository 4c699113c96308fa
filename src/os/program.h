// Runs another program to its end and returns its output.

#ifndef BELAY_OS_PROGRAM_H_
#define BELAY_OS_PROGRAM_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "os/environment.h"
#include "os/event_loop.h"
#include "os/fd.h"
#include "os/process.h"

namespace belay {

struct ProgramRequest {
  // Called for the next piece whenever the program can take more; false at the end. An error ends
  // the program, and Run returns it.
  using Input = std::function<Result<bool>(std::string& piece)>;
  // Receives the standard output piece by piece. An error ends the program, and Run returns it.
  using Output = std::function<Result<void>(std::string_view piece)>;

  std::vector<std::string> command;  // command[0] is looked up in PATH
  Duration limit;
  std::string folder = {};                                 // empty: ours
  std::optional<Environment::Variables> environment = {};  // all of it; nothing: ours
  Input input = {};                                        // nothing: its standard input is empty
  bool converses = false;  // after an empty piece, wait for output before sending the next
  Output output = {};      // nothing: it is kept in ProgramResult
  std::size_t most_output = std::size_t{1} << 20U;  // of each stream; the rest is dropped
};

// Sends the whole text as one piece.
ProgramRequest::Input InputOf(std::string text);

struct ProgramResult {
  int exit_code;  // 128 + signal when a signal ended it
  std::string out;
  std::string err;
  bool cut = false;  // there was more output than was kept
};

class Programs {
 public:
  virtual ~Programs() = default;

  // No such program: kNotFound. It runs in a process group of its own, which is killed when its
  // time is up (kFailed).
  virtual Result<ProgramResult> Run(const ProgramRequest& request) = 0;
};

class PosixPrograms final : public Programs {
 public:
  Result<ProgramResult> Run(const ProgramRequest& request) override;
};

// A pipe that programs write to and an event loop reads from.

class OutputPipe {
 public:
  static Result<OutputPipe> Make();

  int ours() const { return ours_.get(); }  // never blocks
  int theirs() const { return theirs_.get(); }

  // Enlarges the buffer as far as the kernel allows: a program that prints much waits less for its
  // reader.
  void Widen() const;
  // Call it when the program has its copy; else the pipe would never end.
  void CloseTheirs() { theirs_.Reset(); }

  struct Piece {
    std::string_view bytes;  // in the buffer; empty: nothing available now
    bool ended = false;      // end of file
  };
  Piece Read(char* buffer, std::size_t size) const;

 private:
  OutputPipe(UniqueFd ours, UniqueFd theirs) : ours_(std::move(ours)), theirs_(std::move(theirs)) {}

  UniqueFd ours_;
  UniqueFd theirs_;
};

// A program that runs beside an event loop: like Programs::Run (os/program.h), but without waiting
// for it. Doesn't take input or an output sink; the standard error is discarded.

class BackgroundProgram {
 public:
  // Called once, in the loop's thread, when the program has ended and all its output is read;
  // kFailed when it ran out of time. The callback may destroy the object.
  using Callback = std::function<void(Result<ProgramResult>)>;

  static Result<std::unique_ptr<BackgroundProgram>> Start(EventLoop& loop,
                                                          const ProgramRequest& request,
                                                          Callback callback);
  BackgroundProgram(const BackgroundProgram&) = delete;
  BackgroundProgram& operator=(const BackgroundProgram&) = delete;
  // Kills it, with its whole group, if it still runs; then there is no callback.
  ~BackgroundProgram();

  // For a program that has to clean up: sends SIGTERM and waits for at most `patience`; then kills
  // its group. There is no callback. Destroy the object afterwards.
  void AskToEnd(Duration patience);

  pid_t pid() const { return process_.pid(); }

 private:
  BackgroundProgram(EventLoop& loop, const ProgramRequest& request, Process process,
                    OutputPipe output, Callback callback);

  Result<void> WatchAll(Duration limit);
  void Read();
  void Ended();
  void Finish();

  EventLoop& loop_;
  std::string name_;
  std::size_t most_output_;
  Process process_;
  OutputPipe output_;
  Callback callback_;
  ProgramResult result_{};
  WatchId reading_{}, watching_{};
  TimerId timer_{};
  bool late_ = false;
  bool ended_ = false;
};

}  // namespace belay

#endif  // BELAY_OS_PROGRAM_H_
