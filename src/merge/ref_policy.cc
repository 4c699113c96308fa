#include "merge/ref_policy.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/path.h"
#include "base/text.h"
#include "store/repository.h"

namespace belay {
namespace {

std::string Short(std::string_view id) { return std::string(id.substr(0, 10)); }

constexpr std::size_t kMostRef = 4096;
constexpr std::size_t kMostPackedRefs = std::size_t{1} << 28U;

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

bool IsAllZeros(std::string_view id) {
  return !id.empty() && id.find_first_not_of('0') == std::string_view::npos;
}

bool ChangesNothing(const RefUpdate& update) {
  return update.from == update.to && !IsAllZeros(update.to);
}

std::vector<RefUpdate> ParseRefUpdates(std::string_view text) {
  std::vector<RefUpdate> updates;
  text = text.substr(0, text.rfind('\n') + 1);
  for (const std::string_view line : Split(text, '\n')) {
    const std::size_t first = line.find(' ');
    const std::size_t second = first == std::string_view::npos ? first : line.find(' ', first + 1);
    if (second == std::string_view::npos) continue;
    updates.push_back({line.substr(0, first), line.substr(first + 1, second - first - 1),
                       line.substr(second + 1)});
  }
  return updates;
}

bool MayMove(const RefUpdate& update, const RefValues& values, const MergeTarget& target) {
  const bool any = IsAllZeros(update.from);
  const std::string_view from = any ? std::string_view(values.present().text()) : update.from;
  if (IsAllZeros(update.to)) {
    if (any) return values.present().IsNone();
    return values.packed.text() == from && values.present().text() == from;
  }
  if (update.to == from) return true;
  return target.move && target.move->from == from && target.move->to == update.to;
}

ObjectId FindPackedRef(std::string_view packed_refs, std::string_view name) {
  for (std::size_t at = packed_refs.find(name); at != std::string_view::npos;
       at = packed_refs.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool whole = end == packed_refs.size() || packed_refs[end] == '\n';
    if (!whole || at < 2 || packed_refs[at - 1] != ' ') continue;
    const std::size_t line = packed_refs.rfind('\n', at) + 1;  // npos + 1: the first one
    const Result<ObjectId> id = ObjectId::Parse(packed_refs.substr(line, at - 1 - line));
    if (id) return *id;
  }
  return {};
}

Error RefusalOf(const RefUpdate& update, const RefValues& values, std::string_view branch) {
  const std::string now = Short(values.present().text());
  const std::string wish =
      IsAllZeros(update.to)
          ? std::string("it can't be deleted or renamed")
          : fmt::format("only the merge queue may move it, and this would move it to {}",
                        Short(update.to));
  return {ErrorCode::kRefused,
          now.empty() ? fmt::format("{} is protected: {}", branch, wish)
                      : fmt::format("{} is protected and stays at {}: {}", branch, now, wish),
          "belay merge-queue add BRANCH lands work on it; a person can run BELAY_OVERRIDE=1 git "
          "..., or belay merge-queue unprotect"};
}

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
                   EmptyIfMissing(files.Read(JoinPath(common_folder, name), kMostRef)));
  const Result<ObjectId> id = ObjectId::Parse(loose.substr(0, loose.find('\n')));
  if (id) values.loose = *id;
  BELAY_TRY_ASSIGN(
      const std::string packed,
      EmptyIfMissing(files.Read(JoinPath(common_folder, "packed-refs"), kMostPackedRefs)));
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
