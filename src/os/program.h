// Runs another program to its end and gives back what it printed.

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
  // Asked for the next piece whenever the program takes more; false when there is no more. An error
  // ends the program, and is what Run gives back.
  using Input = std::function<Result<bool>(std::string& piece)>;
  // Gets the standard output piece by piece. An error ends the program, and is what Run gives back.
  using Output = std::function<Result<void>(std::string_view piece)>;

  std::vector<std::string> command;  // command[0] is looked up in PATH
  Duration limit;
  std::string folder = {};                                 // empty: ours
  std::optional<Environment::Variables> environment = {};  // all of it; nothing: ours
  Input input = {};                                        // nothing: its standard input is empty
  bool converses = false;  // after an empty piece, the program speaks before it is given the next
  Output output = {};      // nothing: it is kept in ProgramResult
  std::size_t most_output = std::size_t{1} << 20U;  // of each stream; the rest is dropped
};

// Gives the whole text at once.
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

// A program that runs beside an event loop: what Programs::Run does (os/program.h), without waiting
// for it. Input and an output sink are not taken here; the standard error goes nowhere.

class BackgroundProgram {
 public:
  // Once, in the loop's thread, when it has ended and all it printed was read; kFailed when its
  // time was up. The object may be destroyed in it.
  using Callback = std::function<void(Result<ProgramResult>)>;

  static Result<std::unique_ptr<BackgroundProgram>> Start(EventLoop& loop,
                                                          const ProgramRequest& request,
                                                          Callback callback);
  BackgroundProgram(const BackgroundProgram&) = delete;
  BackgroundProgram& operator=(const BackgroundProgram&) = delete;
  // Ends it, with its whole group, if it still runs; then nobody is called back.
  ~BackgroundProgram();

  // For one that has something of its own to end: asks it by SIGTERM, and waits that long at most;
  // then its group is ended. Nobody is called back. To be destroyed next.
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
