// Keeping the renderings in the state root up to date, and making them anew when they are lost.

#include <fmt/core.h>

#include <utility>

#include "guardian/guardian.h"
#include "ledger/project_ledger.h"

namespace belay {
namespace {

constexpr auto kRenderAfter = std::chrono::milliseconds(100);
constexpr auto kLookAgain = std::chrono::milliseconds(100);
constexpr int kMostLooks = 50;  // then the next loss or start will tell

}  // namespace

// A little later, all that changed meanwhile at once: one that dies and comes back changes several
// times. In pieces, since each waits for the disk.
void Guardian::RenderLater(std::string what, std::function<void()> render) {
  if (options_.once) return chores_.Add(std::move(what), std::move(render));
  const bool first = to_render_.empty();
  to_render_.try_emplace(std::move(what), std::move(render));
  if (first) loop_.StartTimer(kRenderAfter, [this] { RenderNow(); });
}

void Guardian::RenderNow() {
  for (auto& [what, render] : std::exchange(to_render_, {})) chores_.Add(what, std::move(render));
}

void Guardian::RenderSoon(const IdentityName& name) {
  const auto add = [&](std::string_view what, auto render) {
    RenderLater(fmt::format("{} {}", what, name.text()), [this, name, render] {
      const Result<StateLock> lock = LockIdentities();
      const Result<void> done =
          lock ? (identities_.*render)(*lock, name) : Result<void>(lock.error());
      if (!done) Complain(done.error());
    });
  };
  add("identity", &IdentityLedger::RenderPresent);
  add("history", &IdentityLedger::RenderHistory);
}

void Guardian::RenderHookSoon(const IdentityName& name) {
  RenderLater("hook " + name.text(), [this, name] {
    const Result<StateLock> lock =
        HookLedger::Lock(doors_.files, doors_.project, doors_.lock_limit);
    const Result<void> done = lock ? hooks_.Render(*lock, name) : Result<void>(lock.error());
    if (!done) Complain(done.error());
  });
}

// What is of no agent alone.
Result<void> Guardian::RenderShared() {
  {
    ProjectLedger project(doors_.files, doors_.clock, doors_.project);
    BELAY_TRY_ASSIGN(const StateLock lock, ProjectLedger::Lock(doors_.files, doors_.project,
                                                               kProjectJournal, doors_.lock_limit));
    BELAY_TRY(project.Load());
    BELAY_TRY(project.Render(lock));
  }
  return RenderTaint();
}

Result<void> Guardian::RenderTaint() {
  BELAY_TRY_ASSIGN(const StateLock lock,
                   TaintLedger::Lock(doors_.files, doors_.project, doors_.lock_limit));
  BELAY_TRY(taints_.CatchUp());
  return taints_.Render(lock);
}

void Guardian::RenderTaintSoon() {
  RenderLater("taint", [this] {
    const Result<void> done = RenderTaint();
    if (!done) Complain(done.error());
  });
}

void Guardian::RenderEverything() {
  chores_.Add("shared", [this] {
    const Result<void> done = RenderShared();
    if (!done) Complain(done.error());
  });
  for (const auto& [name, entry] : identities_.book().entries()) RenderSoon(name);
  for (const auto& [name, hook] : hooks_.book().hooks()) RenderHookSoon(name);
  RenderNow();
  chores_.Add("watch", [this] { WatchRenderings(); });
}

// Folders may have been made anew: watch those, then look what was taken away in between.
void Guardian::WatchRenderings() {
  (void)state_->Watch();
  if (!LacksRenderings() || looks_ >= kMostLooks) {
    looks_ = 0;
    return;
  }
  ++looks_;
  loop_.StartTimer(kLookAgain, [this] { RenderEverything(); });
}

bool Guardian::LacksRenderings() const {
  const auto lacks = [this](const std::string& path) {
    const Result<FileInfo> info = doors_.files.Inspect(path);
    return !info && info.error().code == ErrorCode::kNotFound;
  };
  if (lacks(doors_.project.ProjectRendering())) return true;
  if (lacks(doors_.project.TaintRendering())) return true;
  for (const auto& [name, entry] : identities_.book().entries()) {
    if (lacks(doors_.project.IdentityRendering(name))) return true;
    for (const Identity& old : entry.history) {
      if (lacks(doors_.project.IdentityHistoryRendering(old.id))) return true;
    }
  }
  for (const auto& [name, hook] : hooks_.book().hooks()) {
    if (lacks(doors_.project.HookRendering(name))) return true;
  }
  return false;
}

}  // namespace belay
