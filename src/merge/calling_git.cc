#include "merge/calling_git.h"

#include <algorithm>
#include <vector>

#include "base/path.h"
#include "base/text.h"
#include "store/repository.h"

namespace belay {
namespace {

constexpr std::size_t kMostRef = 4096;
constexpr std::size_t kMostPackedRefs = std::size_t{1} << 28U;

// Empty if there is no file.
Result<std::string> ReadIfAny(const FileSystem& files, const std::string& path, std::size_t most) {
  Result<std::string> text = files.Read(path, most);
  if (!text && text.error().code == ErrorCode::kNotFound) return std::string();
  return text;
}

// Git calls hooks in the worktree if there is one, and in the git folder otherwise; also for a
// push, which may still change the worktree around it (receive.denyCurrentBranch).
Result<GitPlace> AsNamed(const FileSystem& files, const Environment& environment,
                         const std::string& git_dir, const std::string& current_folder) {
  BELAY_TRY_ASSIGN(const std::string git_folder, files.Resolve(JoinPath(current_folder, git_dir)));
  BELAY_TRY_ASSIGN(const std::string common, CommonFolderOf(files, git_folder));
  const std::string worktree = environment.Get("GIT_WORK_TREE").value_or(".");
  BELAY_TRY_ASSIGN(std::string folder, files.Resolve(JoinPath(current_folder, worktree)));
  if (folder == git_folder || folder == common) {
    folder = FileName(git_folder) == ".git" ? std::string(ParentPath(git_folder)) : std::string();
  }
  return GitPlace{common, git_folder, std::move(folder)};
}

}  // namespace

Result<GitPlace> FindGitPlace(const FileSystem& files, const Environment& environment,
                              const std::string& current_folder) {
  if (const auto git_dir = environment.Get("GIT_DIR")) {
    return AsNamed(files, environment, *git_dir, current_folder);
  }
  if (IsBareRepository(files, current_folder)) {
    return GitPlace{current_folder, current_folder, {}};
  }
  BELAY_TRY_ASSIGN(const Repository found, FindRepository(files, current_folder));
  return GitPlace{found.common_folder, found.git_folder, found.worktree};
}

Result<RefValues> ReadRefValues(const FileSystem& files, const std::string& common_folder,
                                const std::string& name) {
  RefValues values;
  BELAY_TRY_ASSIGN(const std::string loose,
                   ReadIfAny(files, JoinPath(common_folder, name), kMostRef));
  const Result<ObjectId> id = ObjectId::Parse(loose.substr(0, loose.find('\n')));
  if (id) values.loose = *id;
  BELAY_TRY_ASSIGN(const std::string packed,
                   ReadIfAny(files, JoinPath(common_folder, "packed-refs"), kMostPackedRefs));
  values.packed = FindPackedRef(packed, name);
  return values;
}

namespace {

// "-m", "-M", "-fm", "--move"
bool IsMove(std::string_view word) {
  if (word.starts_with("--")) return word == "--move";
  return word.starts_with('-') && word.find_first_of("mM") != std::string_view::npos;
}

}  // namespace

std::string GitSubcommand(std::string_view command_line) {
  constexpr std::string_view kTakesValue[] = {"-C",          "-c",          "--git-dir",
                                              "--work-tree", "--namespace", "--config-env"};
  const std::vector<std::string_view> words = Split(command_line, '\0');
  if (words.empty()) return {};
  const std::string_view name = FileName(words[0]);
  if (name.starts_with("git-")) return std::string(name.substr(4));
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (IsIn(kTakesValue, words[i])) {
      ++i;
    } else if (!words[i].starts_with('-')) {
      return std::string(words[i]);
    }
  }
  return {};
}

bool IsWholeRebase(std::string_view command_line) {
  constexpr std::string_view kParts[] = {"-i",     "--interactive", "--continue",
                                         "--skip", "--edit-todo",   "--abort"};
  const std::vector<std::string_view> words = Split(command_line, '\0');
  return GitSubcommand(command_line) == "rebase" &&
         std::none_of(words.begin(), words.end(),
                      [&](std::string_view word) { return IsIn(kParts, word); });
}

std::string_view RenamedTo(std::string_view command_line) {
  if (GitSubcommand(command_line) != "branch") return {};
  while (command_line.ends_with('\0')) command_line.remove_suffix(1);
  const std::vector<std::string_view> words = Split(command_line, '\0');
  return std::any_of(words.begin(), words.end(), IsMove) ? words.back() : std::string_view();
}

}  // namespace belay
