#include <fmt/core.h>

#include "app/agents_view.h"
#include "cli/commands/commands.h"
#include "cli/views.h"
#include "os/process.h"
#include "os/terminal.h"
#include "ui/style.h"

namespace belay {
namespace {

constexpr std::size_t kFlushRowsAt = std::size_t{64} << 10U;
constexpr Duration kRedrawEvery = std::chrono::seconds(5);  // the ages grow
constexpr Duration kGatherFor = std::chrono::milliseconds(50);
constexpr std::size_t kUsualRows = 24;
constexpr int kStandardOutput = 1;

// Row by row: with very many agents, one value for all would need much memory.
Result<void> PrintJson(const std::vector<AgentRow>& rows, bool one_line, Io& io) {
  const std::string_view end = one_line ? "" : "\n";
  io.out += fmt::format(R"({{"schema_version":1,"agents":[{})", end);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    AppendRow(rows[i], io.out);
    io.out += fmt::format("{}{}", i + 1 == rows.size() ? "" : ",", end);
    if (io.out.size() >= kFlushRowsAt) BELAY_TRY(io.Flush());
  }
  io.out += "]}\n";
  return {};
}

std::string Picture(const AgentsSeen& seen, const Screen& screen) {
  if (seen.rows.empty()) return "no agents; belay spawn starts one\n";
  return Render(AgentsTable(seen.rows, seen.now), {screen.columns, screen.style});
}

void SayWhatIsMissing(const AgentsSeen& seen, Io& io) {
  if (!seen.warning.empty()) io.Say(seen.warning);
  if (seen.unreadable > 0) {
    io.Say(fmt::format("this belay can't read {} records of the journal; run belay doctor",
                       seen.unreadable));
  }
}

Result<int> ListOnce(AgentList& list, Services& services) {
  BELAY_TRY_ASSIGN(const AgentsSeen seen, list.ReadRows());
  Io& io = services.io;
  SayWhatIsMissing(seen, io);
  if (io.json) {
    BELAY_TRY(PrintJson(seen.rows, false, io));
  } else if (seen.rows.empty()) {
    io.Say("no agents; belay spawn starts one, --all shows older ones");
  } else {
    io.out += Picture(seen, io.screen);
  }
  if (io.json) return 0;
  for (const std::string& note : seen.notes) io.Say(note);
  return 0;
}

// Shows the list whenever something is recorded, until the user ends it.
class AgentWatch {
 public:
  AgentWatch(AgentList& list, Services& services, EventLoop& loop)
      : list_(list), services_(services), loop_(loop) {}

  Result<void> Run(const std::string& folder) {
    BELAY_TRY(loop_.WatchFolderContent(folder, [this](const FolderEvent& event) {
      if (event.change == FolderChange::kGone)
        return Fail({ErrorCode::kNotFound, "the journals no longer exist", "run belay init"});
      ShowSoon();
    }));
    for (const int signal : {kSignalInterrupt, kSignalTerminate, kSignalHangUp}) {
      BELAY_TRY(loop_.WatchSignal(signal, [this] { loop_.Stop(); }));
    }
    BELAY_TRY(services_.io.json ? StopWhenReaderIsGone(loop_, services_.io.out_pipe)
                                : WatchTerminal());
    Show();
    if (outcome_) loop_.Run();
    return outcome_;
  }

 private:
  Result<void> WatchTerminal() {
    BELAY_TRY(loop_.WatchSignal(kSignalWindow, [this] { Show(); }));
    Tick();
    return {};
  }

  void Tick() {
    loop_.StartTimer(kRedrawEvery, [this] {
      Show();
      Tick();
    });
  }

  // Much may be recorded in quick succession: one redraw is enough for it.
  void ShowSoon() {
    if (soon_) return;
    soon_ = true;
    loop_.StartTimer(kGatherFor, [this] { Show(); });
  }

  void Show() {
    soon_ = false;
    const Result<void> shown = TryShow();
    if (!shown) Fail(shown.error());
  }

  Result<void> TryShow() {
    BELAY_TRY_ASSIGN(const AgentsSeen seen, list_.ReadRows());
    Io& io = services_.io;
    if (io.json) {
      BELAY_TRY(PrintJson(seen.rows, true, io));
    } else {
      io.screen.columns = TerminalColumns(kStandardOutput).value_or(80);
      std::string picture = Picture(seen, io.screen);
      for (const std::string& note : seen.notes) picture += note + "\n";
      io.out += DrawLiveScreen(picture, TerminalRows(kStandardOutput).value_or(kUsualRows));
    }
    return io.Flush();
  }

  void Fail(Error error) {
    outcome_ = std::move(error);
    loop_.Stop();
  }

  AgentList& list_;
  Services& services_;
  EventLoop& loop_;
  Result<void> outcome_;
  bool soon_ = false;
};

// Until q, Ctrl-C, or the end of the terminal. Without a keyboard, until a signal.
Result<void> WatchOnTerminal(AgentWatch& watch, EventLoop& loop, Io& io,
                             const std::string& folder) {
  const Result<KeyInput> keys = KeyInput::Open();
  if (keys) {
    BELAY_TRY(loop.Watch(keys->fd(), Readiness::kReadable, [&] {
      const std::optional<std::string> pressed = keys->Read();
      if (!pressed || pressed->find('q') != std::string::npos) loop.Stop();
    }));
  }
  io.out += BeginLiveScreen();
  Result<void> outcome = watch.Run(folder);
  io.out += EndLiveScreen();
  BELAY_TRY(io.Flush());
  return outcome;
}

Result<int> Watch(AgentList& list, Services& services) {
  Io& io = services.io;
  if (!io.json && !io.screen.columns) {
    return Error{ErrorCode::kUsage, "--watch needs a terminal",
                 "--watch --json prints a line for each change"};
  }
  BELAY_TRY_ASSIGN(const std::unique_ptr<EventLoop> loop, services.make_loop());
  AgentWatch watch(list, services, *loop);
  const std::string folder = list.folder();
  BELAY_TRY(io.json ? watch.Run(folder) : WatchOnTerminal(watch, *loop, io, folder));
  return 0;
}

}  // namespace

Result<int> RunAgents(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const std::unique_ptr<AgentList> list,
                   AgentList::Open(services, invocation.Has("--all")));
  return invocation.Has("--watch") ? Watch(*list, services) : ListOnce(*list, services);
}

}  // namespace belay
