#include "adapters/git/scratch_worktree.h"

#include <fmt/core.h>

#include <string_view>

#include "adapters/git/fields.h"
#include "adapters/git/local_programs.h"
#include "adapters/git/status.h"
#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "codec/hash.h"
#include "os/unlock_tree.h"

namespace belay {
namespace {

constexpr std::size_t kMostIndex = std::size_t{1} << 30U;
constexpr std::size_t kMostScratchFile = std::size_t{1} << 30U;
constexpr std::size_t kMostOddFiles = 1000;

// The whole tree is needed, and no change may be overlooked.
constexpr std::string_view kScratchSettings[] = {
    "core.fsync=none",        "core.sparseCheckout=false", "index.sparse=false",
    "core.splitIndex=false",  "core.untrackedCache=false", "core.ignoreStat=false",
    "core.trustctime=true",   "core.checkStat=default",    "core.safecrlf=false",
    "core.preloadIndex=true",
};

// Runs git in a scratch worktree, whatever its files say about their location.
class Caller {
 public:
  Caller(const Git& git, const ScratchPlace& place, const std::string& git_folder)
      : git_(git.In(place.folder)),
        environment_({{"GIT_DIR", git_folder},
                      {"GIT_COMMON_DIR", place.common_folder},
                      {"GIT_WORK_TREE", place.folder},
                      {"GIT_INDEX_FILE", OwnIndex(git_folder)}}) {}

  const std::string& index() const { return environment_.at("GIT_INDEX_FILE"); }
  Result<void> PutProgramsOff() {
    BELAY_TRY_ASSIGN(LocalPrograms programs, FindLocalPrograms(git_, environment_));
    environment_.merge(programs.off);
    return {};
  }
  Result<std::string> Ask(std::vector<std::string> arguments) const {
    GitCall call{.arguments = std::move(arguments), .environment = environment_};
    for (const std::string_view setting : kScratchSettings) call.settings.emplace_back(setting);
    BELAY_TRY_ASSIGN(GitAnswer answer, git_.Run(call));
    return std::move(answer.out);
  }

 private:
  Git git_;
  Environment::Variables environment_;
};

bool MayHaveSubmodules(std::string_view index) {
  constexpr std::string_view kModuleMode("\0\0\xe0\0", 4);
  return index.find(kModuleMode) != std::string_view::npos;
}

Result<void> EmptyFolder(FileSystem& files, const std::string& folder) {
  const auto names = files.List(folder);
  if (!names) return {};  // the checkout replaces what is there
  for (const std::string& name : *names) BELAY_TRY(files.RemoveTree(JoinPath(folder, name)));
  return {};
}

// Git neither looks into nor cleans the folder of a submodule that it doesn't know.
Result<void> EmptySubmodules(const Caller& caller, FileSystem& files, const ScratchPlace& place) {
  BELAY_TRY_ASSIGN(const std::string index, files.Read(caller.index(), kMostIndex));
  if (!MayHaveSubmodules(index)) return {};
  BELAY_TRY_ASSIGN(const std::string entries, caller.Ask({"ls-files", "-s", "-z"}));
  Fields fields(entries, "ls-files");
  while (!fields.AtEnd()) {
    BELAY_TRY_ASSIGN(const std::uint32_t mode, fields.ModeUntil(' '));
    BELAY_TRY(fields.Until('\t'));
    BELAY_TRY_ASSIGN(const std::string_view path, fields.PathUntilNul());
    if (mode == kSubmoduleMode) BELAY_TRY(EmptyFolder(files, JoinPath(place.folder, path)));
  }
  return {};
}

// Where line endings in the store differ from those that the attributes demand, git reports a file
// as changed right after checking it out.
Result<bool> IsAsCheckedOut(const Caller& caller, const FileSystem& files,
                            const ScratchPlace& place, const StatusEntry& entry) {
  const bool only_content = entry.kind == StatusEntry::Kind::kChanged && !entry.index_changed &&
                            entry.worktree_mode == entry.index.mode &&
                            (entry.index.mode == kFileMode || entry.index.mode == kProgramMode);
  if (!only_content) return false;
  BELAY_TRY_ASSIGN(
      const std::string wanted,
      caller.Ask({"cat-file", "--filters", "--path=" + entry.path, entry.index.id.text()}));
  const Result<std::string> there =
      files.Read(JoinPath(place.folder, entry.path), kMostScratchFile);
  return there && *there == wanted;
}

// Cleaning has verified that nothing else is there: only tracked files are checked here.
Result<void> Prove(const Caller& caller, const FileSystem& files, const ScratchPlace& place) {
  BELAY_TRY_ASSIGN(
      const std::string output,
      caller.Ask({"status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind",
                  "--untracked-files=no", "--ignore-submodules=none", "--no-renames"}));
  BELAY_TRY_ASSIGN(const GitStatus status, ParseStatus(output));
  std::size_t odd = 0;
  for (const StatusEntry& entry : status.entries) {
    BELAY_TRY_ASSIGN(const bool as_checked_out, IsAsCheckedOut(caller, files, place, entry));
    if (as_checked_out && ++odd <= kMostOddFiles) continue;
    return Error{ErrorCode::kFailed, fmt::format("check out {}: {} differs from the commit",
                                                 place.folder, Quote(entry.path))};
  }
  return {};
}

// Git checks every file, and rewrites those that aren't as it left them.
Result<void> ReadTree(const Caller& caller, FileSystem& files, const ScratchPlace& place,
                      const ObjectId& commit) {
  BELAY_TRY(caller.Ask({"read-tree", "--reset", "-u", "--no-recurse-submodules", commit.text()}));
  return EmptySubmodules(caller, files, place);
}

// If all names are those of the last time, there is nothing to clean.
Result<void> Fill(const Caller& caller, FileSystem& files, const ScratchPlace& place,
                  const ObjectId& commit, bool same_names) {
  BELAY_TRY(ReadTree(caller, files, place, commit));
  if (same_names) return {};
  BELAY_TRY(caller.Ask({"clean", "-ffdxq"}));
  return Prove(caller, files, place);
}

Result<void> CheckOut(const Git& git, FileSystem& files, const ScratchPlace& place,
                      const std::string& git_folder, const ObjectId& commit) {
  BELAY_TRY_ASSIGN(const std::vector<std::string> before, UnlockTree(place.folder));
  BELAY_TRY(TidyGitFolder(files, place, git_folder, commit));
  const std::string names = TakeNames(files, git_folder);
  Caller caller(git, place, git_folder);
  BELAY_TRY(caller.PutProgramsOff());
  const bool same_names = names == DigestOf(before);
  if (!Fill(caller, files, place, commit, same_names)) {
    BELAY_TRY(Fill(caller, files, place, commit, false));
  }
  BELAY_TRY_ASSIGN(const std::vector<std::string> after, UnlockTree(place.folder));
  BELAY_TRY(KeepNames(files, git_folder, DigestOf(after)));
  return PublishIndex(files, git_folder);
}

Result<std::string> Make(const Git& git, FileSystem& files, const ScratchPlace& place,
                         const ObjectId& commit) {
  BELAY_TRY(RemoveScratch(files, place));
  BELAY_TRY(git.Ask({"worktree", "add", "--force", "--force", "--detach", "--no-checkout", "--lock",
                     "--reason=belay tests in it", place.folder, commit.text()}));
  std::string git_folder = FindGitFolder(files, place);
  if (git_folder.empty()) {
    return Error{ErrorCode::kFailed, fmt::format("worktree {}: git doesn't list it", place.folder)};
  }
  return git_folder;
}

bool IsFolder(const FileSystem& files, const std::string& path) {
  const Result<FileInfo> info = files.Inspect(path);
  return info && info->kind == FileKind::kFolder;
}

}  // namespace

Result<void> RemoveScratch(FileSystem& files, const ScratchPlace& place) {
  BELAY_TRY(UnlockTree(place.folder));
  BELAY_TRY(files.RemoveTree(place.folder));
  const std::string git_folder = FindGitFolder(files, place);
  return git_folder.empty() ? Result<void>() : files.RemoveTree(git_folder);
}

Result<PreparedScratch> PrepareScratch(const Git& git, FileSystem& files, const ScratchPlace& place,
                                       const ObjectId& commit) {
  std::string git_folder = FindGitFolder(files, place);
  if (!git_folder.empty() && IsFolder(files, place.folder)) {
    // Whatever is wrong with it: making a new one works, or reports the error.
    if (CheckOut(git, files, place, git_folder, commit)) {
      return PreparedScratch{std::move(git_folder), false};
    }
  }
  BELAY_TRY_ASSIGN(git_folder, Make(git, files, place, commit));
  BELAY_TRY(CheckOut(git, files, place, git_folder, commit));
  return PreparedScratch{std::move(git_folder), true};
}

namespace {

constexpr std::size_t kMostScratchText = 1U << 16U;
constexpr std::size_t kMostScratchIndex = std::size_t{1} << 30U;
constexpr std::uint32_t kRights = 0644;
constexpr std::string_view kOwnIndex = "belay-index";
constexpr std::string_view kNames = "belay-names";
constexpr std::string_view kKept[] = {"HEAD",   "commondir", "gitdir", "index",
                                      "locked", kOwnIndex,   kNames,   "logs"};

Result<void> Rewrite(FileSystem& files, const std::string& path, std::string_view text) {
  BELAY_TRY(files.RemoveTree(path));
  BELAY_TRY_ASSIGN(File file, files.OpenForWriting(path, kRights));
  return file.Write(text);
}

// Leaves the file alone if it has this text already.
Result<void> LetSay(FileSystem& files, const std::string& path, std::string_view text) {
  const Result<std::string> now = files.Read(path, kMostScratchText);
  return now && *now == text ? Result<void>() : Rewrite(files, path, text);
}

}  // namespace

std::string OwnIndex(const std::string& git_folder) { return JoinPath(git_folder, kOwnIndex); }

std::string FindGitFolder(const FileSystem& files, const ScratchPlace& place) {
  const std::string all = JoinPath(place.common_folder, "worktrees");
  const std::string link = JoinPath(place.folder, ".git");
  const auto names = files.List(all);
  if (!names) return {};
  for (const std::string& name : *names) {
    std::string folder = JoinPath(all, name);
    const Result<std::string> said = files.Read(JoinPath(folder, "gitdir"), kMostScratchText);
    if (said && *said == link + "\n") return folder;
  }
  return {};
}

Result<void> TidyGitFolder(FileSystem& files, const ScratchPlace& place,
                           const std::string& git_folder, const ObjectId& commit) {
  BELAY_TRY_ASSIGN(const std::vector<std::string> names, files.List(git_folder));
  for (const std::string& name : names) {
    if (!IsIn(kKept, name)) BELAY_TRY(files.RemoveTree(JoinPath(git_folder, name)));
  }
  BELAY_TRY(LetSay(files, JoinPath(git_folder, "commondir"), "../..\n"));
  BELAY_TRY(LetSay(files, JoinPath(git_folder, "HEAD"), commit.text() + "\n"));
  return LetSay(files, JoinPath(place.folder, ".git"), "gitdir: " + git_folder + "\n");
}

std::string TakeNames(FileSystem& files, const std::string& git_folder) {
  const std::string path = JoinPath(git_folder, kNames);
  Result<std::string> text = files.Read(path, kMostScratchText);
  if (!files.RemoveTree(path) || !text) return {};
  return *std::move(text);
}

Result<void> KeepNames(FileSystem& files, const std::string& git_folder,
                       const std::string& digest) {
  return Rewrite(files, JoinPath(git_folder, kNames), digest);
}

std::string DigestOf(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += name + '\0';
  return Sha256Hex(all);
}

Result<void> PublishIndex(FileSystem& files, const std::string& git_folder) {
  BELAY_TRY_ASSIGN(const std::string bytes, files.Read(OwnIndex(git_folder), kMostScratchIndex));
  const std::string copy = OwnIndex(git_folder) + "-copy";
  BELAY_TRY(Rewrite(files, copy, bytes));
  const Result<FileInfo> there = files.Inspect(JoinPath(git_folder, "index"));
  if (there && there->kind == FileKind::kFolder) {
    BELAY_TRY(files.RemoveTree(JoinPath(git_folder, "index")));
  }
  return files.Rename(copy, JoinPath(git_folder, "index"));
}

}  // namespace belay
