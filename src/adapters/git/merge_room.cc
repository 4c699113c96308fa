#include "adapters/git/merge_room.h"

#include <fmt/core.h>

#include <vector>

#include "adapters/git/fields.h"
#include "base/path.h"
#include "base/text.h"

namespace belay {
namespace {

constexpr std::uint32_t kFolderRights = 0700;
constexpr std::uint32_t kFileRights = 0600;

// Git's defaults.
constexpr std::string_view kRoomSettings[] = {
    "merge.renames=true",        "diff.renames=true",
    "merge.renormalize=false",   "merge.directoryRenames=conflict",
    "merge.conflictStyle=merge", "merge.default=text",
    "merge.verbosity=2",         "merge.renameLimit=7000",
    "diff.algorithm=histogram",  "core.sparseCheckout=false",
};

Result<void> MakeFolders(FileSystem& files, const std::string& root, std::string_view below) {
  std::string path = root;
  for (const std::string_view name : Split(below, '/')) {
    path = JoinPath(path, name);
    if (!files.Inspect(path)) BELAY_TRY(files.CreateFolder(path, kFolderRights));
  }
  return {};
}

Result<void> WriteNew(FileSystem& files, const std::string& path, std::string_view text) {
  BELAY_TRY_ASSIGN(File file, files.OpenForWriting(path, kFileRights));
  BELAY_TRY(file.Truncate(0));
  return file.Write(text);
}

// No tree can have an entry of this name.
constexpr std::string_view kGitFolder = ".git";

}  // namespace

Result<void> MakeBorrowingRepository(FileSystem& files, const std::string& folder,
                                     const std::string& objects, ObjectFormat format,
                                     std::string_view settings) {
  for (const std::string_view name : {"refs", "objects", "objects/info", "objects/pack"}) {
    BELAY_TRY(files.CreateFolder(JoinPath(folder, name), kFolderRights));
  }
  BELAY_TRY(
      WriteNew(files, JoinPath(folder, "objects/info/alternates"), QuotePath(objects) + "\n"));
  BELAY_TRY(WriteNew(files, JoinPath(folder, "HEAD"), "ref: refs/heads/none\n"));
  const bool sha256 = format == ObjectFormat::kSha256;
  return WriteNew(files, JoinPath(folder, "config"),
                  fmt::format("[core]\nrepositoryFormatVersion = {}\n{}{}", sha256 ? 1 : 0,
                              settings, sha256 ? "[extensions]\nobjectFormat = sha256\n" : ""));
}

Result<MergeRoom> MergeRoom::Open(const Git& git, FileSystem& files, const Place& place,
                                  const ObjectId& target) {
  BELAY_TRY(files.RemoveTree(place.folder));
  BELAY_TRY(files.CreateFolder(place.folder, kFolderRights));
  MergeRoom room(git, files, place, target);
  BELAY_TRY(files.CreateFolder(room.git_folder(), kFolderRights));
  BELAY_TRY(MakeBorrowingRepository(files, room.git_folder(),
                                    JoinPath(place.common_folder, "objects"), target.format()));
  room.environment_ = {{"GIT_DIR", room.git_folder()},
                       {"GIT_WORK_TREE", place.folder},
                       {"GIT_SHALLOW_FILE", JoinPath(place.common_folder, "shallow")}};
  // The permissions of new objects.
  BELAY_TRY_ASSIGN(GitAnswer shared,
                   room.git_.Run({.arguments = {"config", "-z", "--get", "core.sharedRepository"},
                                  .environment = {{"GIT_DIR", place.common_folder}},
                                  .good_exits = {0, 1}}));
  if (shared.out.ends_with('\0')) {
    shared.out.pop_back();
    room.shared_ = "core.sharedRepository=" + shared.out;
  }
  return room;
}

std::string MergeRoom::git_folder() const { return JoinPath(place_.folder, kGitFolder); }

void MergeRoom::AddTo(GitCall& call) const {
  for (const auto& [name, value] : environment_) call.environment.emplace(name, value);
  for (const std::string_view setting : kRoomSettings) call.settings.emplace_back(setting);
  if (!shared_.empty()) call.settings.push_back(shared_);
}

Result<GitAnswer> MergeRoom::Run(GitCall call) const {
  AddTo(call);
  call.settings.emplace_back("core.fsync=none");
  return git_.Run(call);
}

Result<GitAnswer> MergeRoom::RunInRepository(GitCall call) const {
  AddTo(call);
  call.environment["GIT_OBJECT_DIRECTORY"] = JoinPath(place_.common_folder, "objects");
  return git_.Run(call);
}

Result<bool> MergeRoom::FetchAttributes(const std::set<std::string>& paths) {
  std::vector<std::string> folders;
  for (const std::string& path : paths) {
    for (std::size_t end = path.rfind('/');; end = path.rfind('/', end - 1)) {
      const std::string folder = end == std::string::npos ? "" : path.substr(0, end);
      if (known_folders_.insert(folder).second) folders.push_back(folder);
      if (end == std::string::npos || end == 0) break;
    }
  }
  if (folders.empty()) return false;
  std::string questions;
  for (const std::string& folder : folders) {
    questions +=
        fmt::format("{}:{}{}.gitattributes", target_.text(), folder, folder.empty() ? "" : "/");
    questions += '\0';
  }
  BELAY_TRY_ASSIGN(const GitAnswer answer, Run({.arguments = {"cat-file", "--batch", "-z"},
                                                .input = InputOf(std::move(questions))}));
  return WriteAttributes(folders, answer.out);
}

// "ID TYPE SIZE", a newline, the content, a newline; or "NAME missing", where the name may contain
// newlines: we know what we asked for.
Result<bool> MergeRoom::WriteAttributes(std::span<const std::string> folders,
                                        std::string_view answers) {
  bool any = false;
  for (const std::string& folder : folders) {
    const std::string name = folder.empty() ? ".gitattributes" : folder + "/.gitattributes";
    const std::string missing = fmt::format("{}:{} missing\n", target_.text(), name);
    if (answers.starts_with(missing)) {
      answers.remove_prefix(missing.size());
      continue;
    }
    Fields fields(answers, "cat-file");
    BELAY_TRY_ASSIGN(const std::string_view headline, fields.Until('\n'));
    const std::vector<std::string_view> words = Split(headline, ' ');
    if (words.size() != 3) return fields.Damaged("unexpected answer");
    BELAY_TRY_ASSIGN(const std::string_view content, fields.Bytes(words[2]));
    BELAY_TRY(fields.Until('\n'));
    answers = fields.rest();
    if (words[1] != "blob") continue;
    any = true;
    BELAY_TRY(MakeFolders(*files_, place_.folder, folder));
    BELAY_TRY(WriteNew(*files_, JoinPath(place_.folder, name), content));
  }
  return any;
}

Result<std::vector<ObjectId>> MergeRoom::WriteCommits(std::span<const std::string> commits) const {
  std::string names;
  for (const std::string& commit : commits) {
    const std::string name = fmt::format("{}/{}", kGitFolder, names.size());
    BELAY_TRY(WriteNew(*files_, JoinPath(place_.folder, name), commit));
    names += name + "\n";
  }
  BELAY_TRY_ASSIGN(
      const GitAnswer answer,
      Run({.arguments = {"hash-object", "-t", "commit", "-w", "--no-filters", "--stdin-paths"},
           .input = InputOf(std::move(names))}));
  std::vector<ObjectId> ids;
  Fields fields(answer.out, "hash-object");
  for (std::size_t i = 0; i < commits.size(); ++i) {
    BELAY_TRY_ASSIGN(ObjectId id, fields.IdUntil('\n'));
    ids.push_back(std::move(id));
  }
  return ids;
}

}  // namespace belay
