#include "app/leftovers.h"

#include "adapters/agents.h"
#include "base/path.h"
#include "store/durable_file.h"

namespace belay {

Result<std::vector<std::string>> LeftoversOfProject(FileSystem& files, const Layout& project) {
  const std::string rendering = project.JournalRendering(kProjectJournal);
  std::vector<std::string> written = {
      project.FormatFile(),
      project.RootFile(),
      project.JournalFile(kProjectJournal),
      JoinPath(project.EditedFolder(), FileName(rendering)),
      rendering,
      project.ConfigFile(),
  };
  for (const AgentHooksFile& hooks : HooksFilesOf(files, project)) {
    const std::string path = hooks.file->path();
    written.insert(written.end(), {path, hooks.file->note_path(),
                                   JoinPath(project.EditedFolder(), FileName(path))});
  }
  if (const auto exclude = project.ExcludeFile()) written.push_back(*exclude);
  std::vector<std::string> leftovers;
  for (const std::string& path : written) {
    BELAY_TRY_ASSIGN(const std::vector<std::string> found, LeftoversOf(files, path));
    leftovers.insert(leftovers.end(), found.begin(), found.end());
  }
  return leftovers;
}

Result<void> RemoveLeftoversOfProject(FileSystem& files, const StateLock&, const Layout& project) {
  BELAY_TRY_ASSIGN(const std::vector<std::string> paths, LeftoversOfProject(files, project));
  for (const std::string& path : paths) {
    const Result<void> removed = files.RemoveFile(path);
    if (!removed && removed.error().code != ErrorCode::kNotFound) return removed.error();
  }
  return {};
}

}  // namespace belay
