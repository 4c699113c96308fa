#include <fmt/core.h>

#include "app/agents_view.h"
#include "app/session_place.h"
#include "cli/agents_output.h"
#include "cli/commands/commands.h"
#include "cli/signal_text.h"
#include "ledger/hook_ledger.h"
#include "ledger/identity_ledger.h"
#include "os/signals.h"
#include "os/terminal.h"
#include "ui/live_screen.h"

namespace belay {
namespace {

constexpr std::size_t kFlushRowsAt = std::size_t{64} << 10U;
constexpr Duration kRedrawEvery = std::chrono::seconds(5);  // the ages grow
constexpr Duration kGatherFor = std::chrono::milliseconds(50);
constexpr std::size_t kUsualRows = 24;
constexpr int kStandardOutput = 1;

class AgentList {
 public:
  AgentList(const SessionDoors& doors, bool all)
      : doors_(doors),
        all_(all),
        identities_(doors.files, doors.clock, doors.project),
        hooks_(doors.files, doors.clock, doors.project) {}

  // A hook that can't be read costs its columns only.
  Result<std::vector<AgentRow>> Look() {
    BELAY_TRY(identities_.CatchUp());
    const Result<void> hooks = hooks_.Skim();
    warning_ =
        hooks ? std::string() : fmt::format("phases may be missing: {}", hooks.error().message);
    return AgentRows(doors_, identities_.book(), hooks_.book(), all_);
  }

  const std::string& warning() const { return warning_; }
  std::uint64_t unreadable() const { return identities_.book().unreadable(); }
  WallTime now() const { return doors_.clock.Wall(); }
  const Layout& project() const { return doors_.project; }

 private:
  SessionDoors doors_;
  bool all_;
  IdentityLedger identities_;
  HookLedger hooks_;
  std::string warning_;
};

// Row by row: of very many, the whole as one value would need much memory.
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

std::string Picture(const std::vector<AgentRow>& rows, const AgentList& list,
                    const Screen& screen) {
  if (rows.empty()) return "no agents; belay spawn starts one\n";
  return Render(AgentsTable(rows, list.now()), {screen.columns, screen.style});
}

// Below the table.
std::vector<std::string> Notes(const std::vector<AgentRow>& rows, const AgentList& list,
                               Services& services) {
  std::vector<std::string> notes = {UnguardedLine(rows),
                                    PersonMessagesLine(services, list.project())};
  std::erase(notes, "");
  return notes;
}

void SayWhatIsMissing(const AgentList& list, Io& io) {
  if (!list.warning().empty()) io.Say(list.warning());
  if (list.unreadable() > 0) {
    io.Say(fmt::format("{} records of the journal make no sense to this belay; belay doctor",
                       list.unreadable()));
  }
}

Result<int> ListOnce(AgentList& list, Services& services) {
  BELAY_TRY_ASSIGN(const std::vector<AgentRow> rows, list.Look());
  Io& io = services.io;
  SayWhatIsMissing(list, io);
  if (io.json) {
    BELAY_TRY(PrintJson(rows, false, io));
  } else if (rows.empty()) {
    io.Say("no agents; belay spawn starts one, --all shows those that ended long ago");
  } else {
    io.out += Picture(rows, list, io.screen);
  }
  if (io.json) return 0;
  for (const std::string& note : Notes(rows, list, services)) io.Say(note);
  return 0;
}

// Shows the list whenever something is recorded, until it is ended.
class AgentWatch {
 public:
  AgentWatch(AgentList& list, Services& services, EventLoop& loop)
      : list_(list), services_(services), loop_(loop) {}

  Result<void> Run(const std::string& folder) {
    BELAY_TRY(loop_.WatchFolderContent(folder, [this](const FolderEvent& event) {
      if (event.change == FolderChange::kGone)
        return Fail({ErrorCode::kNotFound, "the journals are gone", "run belay init"});
      ShowSoon();
    }));
    for (const int signal : {kSignalInterrupt, kSignalTerminate, kSignalHangUp}) {
      BELAY_TRY(loop_.WatchSignal(signal, [this] { loop_.Stop(); }));
    }
    BELAY_TRY(services_.io.json ? WatchReader() : WatchTerminal());
    Show();
    if (outcome_) loop_.Run();
    return outcome_;
  }

 private:
  Result<void> WatchReader() {
    if (!services_.io.out_pipe) return {};
    BELAY_TRY(loop_.Watch(*services_.io.out_pipe, Readiness::kReadable, [this] { loop_.Stop(); }));
    return {};
  }

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

  // Much may be recorded in quick succession: one picture is enough for it.
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
    BELAY_TRY_ASSIGN(const std::vector<AgentRow> rows, list_.Look());
    Io& io = services_.io;
    if (io.json) {
      BELAY_TRY(PrintJson(rows, true, io));
    } else {
      io.screen.columns = TerminalColumns(kStandardOutput).value_or(80);
      std::string picture = Picture(rows, list_, io.screen);
      for (const std::string& note : Notes(rows, list_, services_)) picture += note + "\n";
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

Result<int> Watch(AgentList& list, Services& services, const std::string& folder) {
  Io& io = services.io;
  if (!io.json && !io.screen.columns) {
    return Error{ErrorCode::kUsage, "--watch draws on a terminal, and this is none",
                 "--watch --json prints a line for each change"};
  }
  BELAY_TRY_ASSIGN(const std::unique_ptr<EventLoop> loop, services.make_loop());
  AgentWatch watch(list, services, *loop);
  BELAY_TRY(io.json ? watch.Run(folder) : WatchOnTerminal(watch, *loop, io, folder));
  return 0;
}

}  // namespace

Result<int> RunAgents(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const SessionPlace place,
                   FindSessionPlace(services, VaultUse::kRead, Mistakes::kWarn));
  AgentList list(place.Doors(services), invocation.Has("--all"));
  if (!invocation.Has("--watch")) return ListOnce(list, services);
  return Watch(list, services, place.project.JournalFolder());
}

}  // namespace belay
