// A program that runs beside an event loop: what Programs::Run does (os/program.h), without waiting
// for it. Input and an output sink are not taken here; the standard error goes nowhere.

#ifndef BELAY_OS_BACKGROUND_PROGRAM_H_
#define BELAY_OS_BACKGROUND_PROGRAM_H_

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "os/event_loop.h"
#include "os/output_pipe.h"
#include "os/process.h"
#include "os/program.h"

namespace belay {

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

#endif  // BELAY_OS_BACKGROUND_PROGRAM_H_
