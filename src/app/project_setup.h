// Sets belay up in a project, or removes it.
//
// Both check everything first and change nothing when a part can't be done; only a failure that
// can't be predicted, like a full disk, stops them halfway. Setup takes its steps in an order that
// the next run completes, wherever it was stopped. Removal deletes only what is unchanged and holds
// no data.
//
// Everything but the folders `.claude` and the vault is made under the project's lock, and what was
// checked before the wait for it is checked again. Only empty folders are removed without it. Git's
// exclude file lists belay's folders before they exist. Other processes may do the same or the
// opposite at the same time: what vanishes is made again, a bounded number of times, then it is
// kBusy.
//
// The hooks for agents come last, when belay can answer them, and are only installed when asked for
// (WantHooks). Settings that can't be edited safely stop everything before it begins; but Remove
// ignores those that can't contain belay's hooks. Remove also takes the line that `belay init
// --yes` added out of the rules for agents (app/rules_marker.h).
//
// A dry run does all the checks and reports what would be done.

#ifndef BELAY_APP_PROJECT_SETUP_H_
#define BELAY_APP_PROJECT_SETUP_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/agents.h"
#include "base/result.h"
#include "ledger/project_ledger.h"
#include "os/clock.h"
#include "os/file_system.h"
#include "store/layout.h"

namespace belay {

struct InitChange {
  std::string path;        // as seen from the project
  std::string what;        // "created", "changed", "removed", "kept" or "unchanged"
  std::string about = {};  // what it is, or why it was kept
};

class ProjectSetup {
 public:
  ProjectSetup(FileSystem& files, const Clock& clock, const Layout& project, bool dry_run)
      : files_(files), clock_(clock), project_(project), dry_run_(dry_run) {}

  // Makes SetUp install belay's hooks in the settings of that kind of agent as its last step.
  void WantHooks(AgentKind kind, HooksWish wish);
  // Makes SetUp write this merge.target into a new settings file, instead of only the comments.
  void WantTarget(std::string branch) { target_ = std::move(branch); }

  Result<void> SetUp();
  Result<void> Remove();                     // everything, including the hooks
  Result<void> RemoveHooks(AgentKind kind);  // only those; belay stays set up

  const std::vector<InitChange>& changes() const { return changes_; }
  // More notes for the user.
  const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  // Checks.
  Result<void> Inspect() const;
  Result<void> CheckConfigFile() const;
  Result<std::optional<std::string>> ExcludeAfter(bool with_block) const;
  Result<bool> VaultHoldsNothing() const;

  // Setup.
  Result<void> SetUpOnce();
  Result<void> Make(const std::optional<ProjectLock>& lock);
  Result<void> MakeFolder(const std::string& path, std::uint32_t mode, std::string_view about);
  Result<void> MakeFile(const std::string& path, std::string_view bytes, std::uint32_t mode,
                        std::string_view about);
  Result<void> MakeExclude();
  Result<void> WriteExclude(const std::string& text);
  Result<void> MakeConfigFile();
  Result<bool> RecordSetUp(const std::optional<ProjectLock>& lock);
  Result<void> ShowState(const std::optional<ProjectLock>& lock, bool news);
  Result<void> MakeHooks(const std::optional<ProjectLock>& lock);

  // Removal.
  Result<void> RemoveOnce();
  Result<bool> IsHere() const;
  Result<std::optional<ProjectLock>> LockToRemove();
  Result<void> RemoveLeftovers();
  AgentHooksFile& HooksOf(AgentKind kind);
  Result<void> RemoveHooksOnce(AgentHooksFile& hooks);
  Result<std::optional<HooksPlan>> PlanRemovalOfHooks(const AgentHooksFile& hooks,
                                                      bool asked) const;
  Result<bool> HasHooksToRemove() const;
  Result<void> TakeOutHooks(const std::optional<ProjectLock>& lock, AgentHooksFile& hooks,
                            bool asked);
  Result<void> CarryOut(const std::optional<ProjectLock>& lock, AgentHooksFile& hooks,
                        const HooksPlan& plan);
  Result<void> TakeOutMarker(const std::optional<ProjectLock>& lock);
  Result<void> RemoveState();
  Result<void> RemoveVault(bool noted);
  Result<void> RemoveExclude();
  Result<void> RemoveFolder(const std::string& path, std::string_view why_kept, bool noted = true);
  Result<void> RemoveFile(const std::string& path, bool noted);
  Result<void> RemoveSettingsIfAsMade();

  bool Exists(const std::string& path) const;
  bool IsEmptyFolder(const std::string& path) const;
  bool OwnFoldersRemain() const;
  void Note(const std::string& path, std::string what, std::string_view about = {});

  FileSystem& files_;
  const Clock& clock_;
  const Layout& project_;
  bool dry_run_;
  ProjectLedger ledger_{files_, clock_, project_};
  std::vector<InitChange> changes_;
  std::vector<std::string> remarks_;
  std::set<std::string> gone_;  // what a dry run would have removed
  std::vector<AgentHooksFile> hooks_ = HooksFilesOf(files_, project_);
  AgentHooksFile* wanted_ = nullptr;  // one of them
  HooksWish hooks_wish_ = {};
  std::string target_ = {};  // merge.target for a new settings file; empty: the default is right
  bool would_keep_ = false;  // in a dry run: the vault would hold a copy of a user's file
};

// The settings file that `belay init` writes: every line a comment, but the target if one is given.
std::string SettingsTemplate(std::string_view target);
// Whether it is such a file, for whatever target.
bool IsSettingsTemplate(std::string_view text);

// belay's lines in .git/info/exclude: one marked block, added and removed without touching the
// rest.

// `text` with exactly one block that holds `patterns`, where the block was or at the end. Lines of
// other origin in the block are kept, after it.
Result<std::string> WithExcludeBlock(std::string_view text,
                                     const std::vector<std::string>& patterns);

// `text` without the block; the same text when there is none. Lines in it that are not in
// `patterns` stay. A line end that had to be added before the block goes too. Both: a block that
// begins twice, or doesn't end, is kDamaged.
Result<std::string> WithoutExcludeBlock(std::string_view text,
                                        const std::vector<std::string>& patterns);

}  // namespace belay

#endif  // BELAY_APP_PROJECT_SETUP_H_
