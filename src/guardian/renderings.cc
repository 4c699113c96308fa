// Keeping the renderings in the state root up to date, and making them anew when they are lost.

#include <fmt/core.h>

#include "guardian/guardian.h"
#include "ledger/project_ledger.h"

namespace belay {
namespace {

constexpr auto kLookAgain = std::chrono::milliseconds(100);
constexpr int kMostLooks = 50;  // then the next loss or start will tell

}  // namespace

// In pieces: each waits for the disk once or twice.
void Guardian::RenderSoon(const IdentityName& name) {
  const auto add = [&](std::string_view what, auto render) {
    chores_.Add(fmt::format("{} {}", what, name.text()), [this, name, render] {
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
  chores_.Add("hook " + name.text(), [this, name] {
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
  chores_.Add("taint", [this] {
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
  for (const auto& [name, entry] : identities_.book().entries()) {
    if (lacks(doors_.project.IdentityRendering(name))) return true;
  }
  for (const auto& [name, hook] : hooks_.book().hooks()) {
    if (lacks(doors_.project.HookRendering(name))) return true;
  }
  return false;
}

}  // namespace belay
