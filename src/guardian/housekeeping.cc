// Work of the guardian that can wait: renderings, the person's inbox and clean-up, in small pieces.

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "app/settings_drift.h"
#include "app/state_files.h"
#include "base/path.h"
#include "guardian/guardian.h"

namespace belay {
namespace {

constexpr unsigned kTidyFolders = 60;  // folders are cleaned up every 60th time

}  // namespace

// Reports a change of the settings once; belay log has it too.
void Guardian::NoticeSettings() {
  const Result<std::vector<SettingsChange>> changes =
      RecordSettingsChanges(env_.files, env_.clock, env_.project, env_.lock_limit);
  if (!changes) return ReportProblem(changes.error());
  for (const SettingsChange& one : *changes) {
    options_.say(one.Text() + "; if that wasn't you, compare it with git diff");
  }
}

void Guardian::CleanUp() {
  deferred_work_.Add("settings", [this] { NoticeSettings(); });
  for (AnyLedger* ledger : ledgers_.all()) {
    deferred_work_.Add(fmt::format("tidy {}", ledger->journal()),
                       [this, ledger] { (void)ledger->CompactWithin(env_.lock_limit); });
  }
  DropOldNews();
  if (cleanups_++ % kTidyFolders != 0) return;
  deferred_work_.Add("tidy events",
                     [this] { RemoveOldEventLogs(env_.files, env_.project, env_.clock.Wall()); });
  deferred_work_.Add("tidy outbox",
                     [this] { RemoveOldTexts(env_.files, env_.project, env_.clock.Wall()); });
  deferred_work_.Add("tidy checkpoints",
                     [this] { RemoveOldCheckpoints(env_.files, env_.project, env_.clock.Wall()); });
  for (const std::string& folder : FoldersToCleanUp(env_.files, env_.project)) {
    deferred_work_.Add("tidy " + folder, [this, folder] {
      RemoveOldTemporaries(env_.files, folder, env_.clock.Wall());
    });
  }
}

// One per round, until few enough are left.
void Guardian::DropOldNews() {
  deferred_work_.Add("tidy news", [this] {
    SignalBox person = BoxOf(Recipient::Person());
    if (DropOldestNews(person)) DropOldNews();
  });
}

// Keeps the renderings in the state root up to date, and writes them again when they are lost.

namespace {

constexpr auto kRenderAfter = std::chrono::milliseconds(100);
constexpr auto kCheckAgain = std::chrono::milliseconds(50);
constexpr unsigned kManyFailures = 6;  // after so many failures the guardian prints a line
constexpr unsigned kSlowest = 16;      // the most doublings of the wait

}  // namespace

// Waits a little and renders all changes at once, since an agent that crashes and restarts changes
// several times. In pieces, because each waits for the disk.
void Guardian::RenderLater(std::string what, std::function<void()> render) {
  if (options_.once) return deferred_work_.Add(std::move(what), std::move(render));
  const bool first = to_render_.empty();
  to_render_.try_emplace(std::move(what), std::move(render));
  if (first) loop_.StartTimer(kRenderAfter, [this] { RenderNow(); });
}

void Guardian::RenderNow() {
  for (auto& [what, render] : std::exchange(to_render_, {}))
    deferred_work_.Add(what, std::move(render));
}

void Guardian::RenderSoon(std::vector<RenderJob> jobs) {
  for (RenderJob& job : jobs) {
    RenderLater(std::move(job.what), [this, render = std::move(job.render)] {
      const Result<void> done = render(env_.lock_limit);
      if (done) return;
      ReportProblem(done.error());
      // A damaged journal waits for belay doctor --repair, whose change we will see.
      if (done.error().code == ErrorCode::kDamaged) return;
      not_rendered_ = true;
      deferred_work_.Add("watch", [this] { WatchRenderings(); });
    });
  }
}

void Guardian::RenderForeignChanges(const FolderEvent& event) {
  if (event.change == FolderChange::kDeleted || event.change == FolderChange::kGone) return;
  for (AnyLedger* ledger : ledgers_.all()) {
    const std::string file = env_.project.JournalFile(ledger->journal());
    const bool grown = event.change == FolderChange::kOverflow || FileName(file) == event.name;
    if (grown && ledger->follow() == Following::kWhole) RenderSoon(ledger->RenderJobs());
  }
}

void Guardian::RenderEverything() {
  loop_.CancelTimer(look_again_);
  not_rendered_ = false;
  for (AnyLedger* ledger : ledgers_.all()) RenderSoon(ledger->RenderJobs());
  RenderNow();
  deferred_work_.Add("watch", [this] { WatchRenderings(); });
}

// Folders may have been created again: watch them, then look for what was removed in between. A
// failed rendering is tried again: soon at first, then with the heartbeat, since nothing reports
// that a full or read-only disk is writable again. A file in the place of a folder is watched.
void Guardian::WatchRenderings() {
  (void)state_->Watch();
  if (!LacksRenderings() && !not_rendered_) {
    if (render_checks_ >= kManyFailures) options_.say("belay can write state files again");
    render_checks_ = 0;
    return;
  }
  ++render_checks_;
  loop_.CancelTimer(look_again_);
  if (render_checks_ == kManyFailures) {
    options_.say("can't write state files at the moment; belay doctor shows why");
  }
  const Duration wait = kCheckAgain * (1U << std::min(render_checks_, kSlowest));
  look_again_ = loop_.StartTimer(std::min<Duration>(wait, env_.settings.heartbeat),
                                 [this] { RenderEverything(); });
}

bool Guardian::LacksRenderings() const {
  const auto lacks = [this](const std::string& path) { return !env_.files.Inspect(path).ok(); };
  return std::ranges::any_of(ledgers_.all(), [&](const AnyLedger* ledger) {
    return !ledger->EachRendering([&](const Rendering& one) -> Result<void> {
      if (lacks(one.path)) return Error{ErrorCode::kNotFound, one.path};
      return {};
    });
  });
}

// Messages to the person are stored in an inbox, which the person may never open. So the guardian
// prints each of them when it arrives, from any sender: a line on its terminal, or in its log.

// Messages that were already waiting are counted, not printed.
void Guardian::WatchPersonsInbox() {
  SignalBox box = BoxOf(Recipient::Person());
  if (const Result<void> there = box.EnsureFolder(); !there) return ReportProblem(there.error());
  const Result<WatchId> watch = loop_.WatchFolder(box.folder(), [this](const FolderEvent& event) {
    if (event.change == FolderChange::kGone) return WatchPersonsInbox();
    if (event.change == FolderChange::kDeleted) return;
    deferred_work_.Add("the person's inbox", [this] { ShowNewToPerson(); });
  });
  if (!watch) return ReportProblem(watch.error());
  const Result<std::vector<Signal>> waiting = box.Peek();
  if (!waiting) return ReportProblem(waiting.error());
  std::size_t count = 0;
  for (const Signal& signal : *waiting) {
    const bool is_new = shown_to_person_.insert(signal.id).second;
    if (is_new && !IsNews(signal.type)) ++count;
  }
  if (count == 0) return;
  options_.say(
      fmt::format("{} message{} for you: belay signal list person", count, count == 1 ? "" : "s"));
}

void Guardian::ShowNewToPerson() {
  const Result<std::vector<Signal>> waiting = BoxOf(Recipient::Person()).Peek();
  if (!waiting) return ReportProblem(waiting.error());
  std::set<std::string> present;
  for (const Signal& signal : *waiting) {
    present.insert(signal.id);
    if (IsNews(signal.type) || shown_to_person_.contains(signal.id)) continue;
    options_.say(fmt::format("for you: {} from {}: {}", RuleOf(signal.type).name, signal.from,
                             SignalText(signal)));
  }
  shown_to_person_ = std::move(present);
}

}  // namespace belay
