#include <fmt/core.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <optional>

#include "os/clock.h"
#include "sessions/judge.h"
#include "sessions/note_tally.h"
#include "sessions/parts.h"
#include "store/journal.h"

namespace belay {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr std::size_t kWriters = 4;
const char* const kAgent = "notes";

class HookWriters {
 public:
  HookWriters(Place& place, Counts& counts)
      : place_(place),
        counts_(counts),
        journal_(place.files(), place.project().JournalFile("hooks"), "hooks"),
        rendering_(place.project().HookRendering(*IdentityName::Parse(Place::IdentityOf(kAgent)))) {
  }

  void Run(std::size_t kills) {
    for (Writer& writer : writers_) StartOne(writer);
    while (counts_.writer_kills < kills && place_.problems().empty()) {
      WaitForNext();
      for (Writer& writer : writers_) LookAt(writer);
    }
    for (Writer& writer : writers_) Finish(writer);
    JudgeState();
    JudgeShown();
  }

 private:
  struct Writer {
    std::optional<Process> process = {};
    std::uint64_t number = 0;
    MonotonicTime started = {};
    MonotonicTime kill_at = {};
    bool spared = false;
  };

  // Every fourth lives to the end, which shows how long that takes; the others die on the way.
  void StartOne(Writer& writer) {
    const auto index = static_cast<std::size_t>(&writer - writers_.data());
    ++writer.number;
    writer.process = place_.Start({"hook", "note", kAgent, NoteTally::Text(index, writer.number)});
    writer.started = clock_.Monotonic();
    writer.spared = place_.Below(4) == 0;
    writer.kill_at = writer.started + (writer.spared ? Duration(minutes(1)) : place_.UpTo(usual_));
  }

  void WaitForNext() {
    MonotonicTime next = MonotonicTime::max();
    std::vector<pollfd> waits;
    for (const Writer& writer : writers_) {
      next = std::min(next, writer.kill_at);
      waits.push_back({writer.process->pidfd(), POLLIN, 0});
    }
    const Duration left = std::max(next - clock_.Monotonic(), Duration(0));
    const timespec limit{left.count() / 1'000'000'000, left.count() % 1'000'000'000};
    (void)ppoll(waits.data(), waits.size(), &limit, nullptr);
  }

  void LookAt(Writer& writer) {
    const MonotonicTime now = clock_.Monotonic();
    if (writer.process->TryWait()) {
      if (writer.spared) usual_ = (usual_ * 7 + (now - writer.started)) / 8;
    } else if (now >= writer.kill_at) {
      (void)writer.process->Signal(SIGKILL);
    } else {
      return;
    }
    Finish(writer);
    JudgeState();
    StartOne(writer);
  }

  void Finish(Writer& writer) {
    const ExitStatus status = place_.Bury(*writer.process);
    const auto index = static_cast<std::size_t>(&writer - writers_.data());
    if (status == ExitStatus::Exited(0)) {
      tally_.Acknowledge(index, writer.number);
      ++counts_.notes;
    } else if (status == ExitStatus::Killed(SIGKILL)) {
      ++counts_.writer_kills;
    } else {
      place_.Add(Problem::Kind::kWrong, "belay hook note: " + status.text());
    }
  }

  void JudgeState() {
    place_.Add(JudgeStateFile(place_.files(), rendering_));
    place_.Add(JudgeIfThere(place_.files(), rendering_ + ".prev"));
    const Result<void> caught_up = journal_.CatchUp(
        {.record = [this](std::uint64_t, const Json& record) { tally_.Follow(record); }});
    if (!caught_up) place_.Add(Problem::Kind::kTorn, caught_up.error().message);
    place_.Add(tally_.Judge());
  }

  // The command shows what the journal says.
  void JudgeShown() {
    const Json hook = place_.BelayJson({"hook", "show", kAgent});
    const Json* notes = hook.Find("notes");
    const std::size_t shown = notes != nullptr && notes->AsArray() ? notes->AsArray()->size() : 0;
    if (shown < std::min<std::size_t>(50, tally_.acknowledged())) {
      place_.Add(Problem::Kind::kLost, fmt::format("belay hook show has {} notes", shown));
    }
  }

  Place& place_;
  Counts& counts_;
  SystemClock clock_;
  Journal journal_;
  std::string rendering_;
  NoteTally tally_;
  Duration usual_ = milliseconds(30);
  std::array<Writer, kWriters> writers_;
};

}  // namespace

void KillHookWriters(Place& place, std::size_t kills, Counts& counts) {
  place.StartGuardian();
  place.Spawn(kAgent, "idle");
  if (place.problems().empty()) HookWriters(place, counts).Run(kills);
}

}  // namespace belay
