#include "cli/find_program.h"

#include <fmt/core.h>

#include "base/path.h"
#include "base/split.h"
#include "base/utf8.h"

namespace belay {
namespace {

constexpr std::string_view kUsualPath = "/usr/local/bin:/bin:/usr/bin";
constexpr std::uint32_t kAnyExecute = 0111;

bool IsProgram(const FileSystem& files, const std::string& path) {
  const Result<std::string> real = files.Resolve(path);
  if (!real) return false;
  const Result<FileInfo> info = files.Inspect(*real);
  return info && info->kind == FileKind::kFile && (info->mode & kAnyExecute) != 0;
}

}  // namespace

Result<std::string> FindProgram(const FileSystem& files, const Environment& environment,
                                const std::string& folder, const std::string& name) {
  if (name.find('/') != std::string::npos) {
    std::string path = JoinPath(folder, name);
    if (IsProgram(files, path)) return path;
    return Error{ErrorCode::kNotFound, fmt::format("{} is no program that can be run", path),
                 "the command stands behind --, and is seen from the agent's worktree"};
  }
  const std::string places = environment.Get("PATH").value_or(std::string(kUsualPath));
  for (const std::string_view place : Split(places, ':')) {
    std::string path = JoinPath(JoinPath(folder, place), name);
    if (!name.empty() && IsProgram(files, path)) return path;
  }
  return Error{ErrorCode::kNotFound, fmt::format("no program {} in PATH", Quote(name)),
               "install it, or give its path"};
}

}  // namespace belay
