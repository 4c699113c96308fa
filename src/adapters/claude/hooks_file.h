// belay's hooks in ROOT/.claude/settings.json (adapters/agent/agent_hooks.h).

#ifndef BELAY_ADAPTERS_CLAUDE_HOOKS_FILE_H_
#define BELAY_ADAPTERS_CLAUDE_HOOKS_FILE_H_

#include <optional>
#include <string>

#include "adapters/agent/agent_hooks.h"
#include "os/file_system.h"
#include "store/layout.h"

namespace belay {

std::string ClaudeSettingsPath(const Layout& project);

class ClaudeHooksFile final : public HooksFile {
 public:
  ClaudeHooksFile(FileSystem& files, const Layout& project) : files_(files), project_(project) {}

  std::string path() const override { return ClaudeSettingsPath(project_); }
  // The text form of FoundBefore (settings.h).
  std::string note_path() const override { return project_.SettingsNote("claude"); }
  Result<HooksPlan> PlanInstall(const HooksWish& wish) const override;
  Result<HooksPlan> PlanRemoval() const override;
  bool MayHoldOurs() const override;
  Result<std::optional<std::string>> CarryOut(const StateLock& project_lock,
                                              const HooksPlan& plan) override;

 private:
  Result<std::optional<std::string>> ReadFile() const;
  Result<std::optional<std::string>> ReadNote() const;
  Result<void> CheckWritable(const HooksPlan& plan) const;
  Result<void> WriteNote(const HooksPlan& plan);
  Result<void> Remove(const std::string& path);

  FileSystem& files_;
  const Layout& project_;
};

}  // namespace belay

#endif  // BELAY_ADAPTERS_CLAUDE_HOOKS_FILE_H_
