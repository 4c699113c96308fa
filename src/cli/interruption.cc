#include "cli/interruption.h"

#include "os/signals.h"

namespace belay {

Result<std::unique_ptr<Interruption>> Interruption::Watch(EventLoop& loop) {
  std::unique_ptr<Interruption> interruption(new Interruption(loop));
  for (const int signal : {kSignalInterrupt, kSignalTerminate}) {
    BELAY_TRY_ASSIGN(const WatchId watch, loop.WatchSignal(signal, [it = interruption.get(),
                                                                    signal] { it->Take(signal); }));
    interruption->watches_.push_back(watch);
  }
  return interruption;
}

Interruption::~Interruption() {
  for (const WatchId watch : watches_) loop_.Unwatch(watch);
}

void Interruption::Take(int signal) {
  if (signal_ == 0) signal_ = signal;
  loop_.Stop();
}

bool Interruption::Came() {
  if (signal_ == 0) {
    loop_.Post([this] { loop_.Stop(); });
    loop_.Run();
  }
  return signal_ != 0;
}

}  // namespace belay
