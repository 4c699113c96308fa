#include "cli/settings_guard.h"

#include "base/path.h"
#include "codec/json.h"

namespace belay {

bool IsEditOfSettings(const FileSystem& files, const Layout& project, const AgentEvent& event) {
  const std::string settings = project.ConfigFile();
  const bool may_be = event.name == "PreToolUse" && event.action == ActionKind::kEdit &&
                      !event.agent.empty() && FileName(event.subject) == FileName(settings);
  if (!may_be) return false;
  const std::string path = JoinPath(event.folder, event.subject);
  if (path == settings) return true;
  // By another name of its folder, or as a link of another name.
  const Result<FileInfo> folder = files.Inspect(JoinPath(std::string(ParentPath(path)), "."));
  const Result<FileInfo> own = files.Inspect(JoinPath(std::string(ParentPath(settings)), "."));
  return folder && own && folder->inode == own->inode && folder->device == own->device;
}

std::string RefusalOfEdit() {
  const Json answer = MakeObject(
      {{"hookSpecificOutput",
        MakeObject({{"hookEventName", "PreToolUse"},
                    {"permissionDecision", "deny"},
                    {"permissionDecisionReason",
                     "The settings of belay in the main worktree are written by people, since the "
                     "gates in them judge your work. Say what you would change, and go on."}})}});
  return WriteJson(answer, JsonStyle::kCompact) + "\n";
}

}  // namespace belay
