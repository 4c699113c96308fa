#include "app/find_program.h"

#include <fmt/core.h>

#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"

namespace belay {
namespace {

constexpr std::string_view kUsualPath = "/usr/local/bin:/bin:/usr/bin";
constexpr std::uint32_t kAnyExecute = 0111;
constexpr const char* kThisProgram = "/proc/self/exe";

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
    return Error{ErrorCode::kNotFound, fmt::format("{} is not an executable program", path),
                 "write the command after --; its path is relative to the agent's worktree"};
  }
  const std::string places = environment.Get("PATH").value_or(std::string(kUsualPath));
  for (const std::string_view place : Split(places, ':')) {
    std::string path = JoinPath(JoinPath(folder, place), name);
    if (!name.empty() && IsProgram(files, path)) return path;
  }
  return Error{ErrorCode::kNotFound, fmt::format("no program called {} in PATH", Quote(name)),
               "install it, or give its path"};
}

Result<std::string> OwnProgram(const Env& env) {
  BELAY_TRY_ASSIGN(std::string here, env.files.Resolve(kThisProgram));
  const Result<std::string> named =
      FindProgram(env.files, env.environment, env.current_folder, "belay");
  const Result<std::string> real = named ? env.files.Resolve(*named) : named;
  if (real && *real == here) here = *named;
  if (FileName(here) != "belay") {
    return Error{
        ErrorCode::kRefused, fmt::format("this program is called {}", Quote(here)),
        "belay recognises its hooks by the name belay: rename the program, then try again"};
  }
  if (FindInvalidUtf8(here) != std::string_view::npos) {
    return Error{ErrorCode::kRefused,
                 fmt::format("belay's path can't be written as JSON: {}", Quote(here)),
                 "move belay to a folder whose path is UTF-8"};
  }
  return here;
}

}  // namespace belay
