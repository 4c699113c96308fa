#include "snapshot/scratch_repository.h"

#include <fmt/core.h>

#include <utility>

#include "adapters/git/fields.h"
#include "base/path.h"
#include "store/durable_file.h"

namespace belay {
namespace {

constexpr std::string_view kKeepText = "belay\n";
constexpr std::size_t kMostHash = 100;

std::string ObjectsOf(const std::string& common_folder) {
  return JoinPath(common_folder, "objects");
}

std::string StartOf(const std::string& common_folder) {
  return JoinPath(ObjectsOf(common_folder), "belay-");
}

std::string PackPath(const std::string& common_folder, std::string_view hash,
                     std::string_view end) {
  return JoinPath(ObjectsOf(common_folder), fmt::format("pack/pack-{}.{}", hash, end));
}

Result<void> WriteNew(FileSystem& files, const std::string& path, std::string_view text) {
  BELAY_TRY_ASSIGN(File file, files.OpenForWriting(path, kPrivateFile));
  return file.Write(text);
}

bool IsMissing(const Error& error) { return error.code == ErrorCode::kNotFound; }

// A pack without its index is useless, and git never removes it.
Result<void> RemoveHalfPack(FileSystem& files, const std::string& common_folder,
                            std::string_view hash) {
  const auto index = files.Inspect(PackPath(common_folder, hash, "idx"));
  if (index) return {};
  if (!IsMissing(index.error())) return index.error();
  BELAY_TRY(files.RemoveTree(PackPath(common_folder, hash, "rev")));
  return files.RemoveTree(PackPath(common_folder, hash, "pack"));
}

// An error leaves everything to the next sweep: without the note, the .keep would have no owner.
Result<void> RemoveKeep(FileSystem& files, const std::string& common_folder,
                        const std::string& scratch) {
  const Result<std::string> hash = files.Read(JoinPath(scratch, "keep"), kMostHash);
  if (!hash && !IsMissing(hash.error())) return hash.error();
  if (!hash || !ObjectId::Parse(*hash)) return {};
  const std::string keep = PackPath(common_folder, *hash, "keep");
  const Result<std::string> text = files.Read(keep, kMostHash);
  if (!text && !IsMissing(text.error())) return text.error();
  // An empty file is ours too, from before anything was written to it.
  if (!text || (*text != kKeepText && !text->empty())) return {};
  BELAY_TRY(RemoveHalfPack(files, common_folder, *hash));
  return files.RemoveFile(keep);
}

}  // namespace

// The next Sweep retries what can't be removed now.
ScratchRepository::~ScratchRepository() {
  if (folder_.path().empty()) return;
  if (!RemoveKeep(*files_, common_folder_, folder_.path())) folder_.Leave();
}

void ScratchRepository::Sweep(FileSystem& files, const std::string& common_folder) {
  WorkFolder::Sweep(files, StartOf(common_folder), [&](const std::string& folder) {
    return RemoveKeep(files, common_folder, folder);
  });
}

Result<ScratchRepository> ScratchRepository::Create(FileSystem& files,
                                                    const std::string& common_folder,
                                                    ObjectFormat format) {
  BELAY_TRY_ASSIGN(WorkFolder folder, WorkFolder::Create(files, StartOf(common_folder)));
  ScratchRepository scratch(files, common_folder, std::move(folder));
  BELAY_TRY(scratch.FillFolder(format));
  return scratch;
}

Result<void> ScratchRepository::FillFolder(ObjectFormat format) {
  for (const std::string_view folder : {"refs", "objects", "objects/info", "objects/pack"}) {
    BELAY_TRY(files_->CreateFolder(JoinPath(folder_.path(), folder), kPrivateFolder));
  }
  const bool sha256 = format == ObjectFormat::kSha256;
  BELAY_TRY(WriteNew(*files_, JoinPath(folder_.path(), "HEAD"), "ref: refs/heads/none\n"));
  BELAY_TRY(WriteNew(
      *files_, JoinPath(folder_.path(), "config"),
      fmt::format("[core]\n\trepositoryformatversion = {}\n\tbare = true\n"
                  "\tbigFileThreshold = 1m\n{}",  // larger ones are streamed
                  sha256 ? 1 : 0, sha256 ? "[extensions]\n\tobjectFormat = sha256\n" : "")));
  return WriteNew(*files_, JoinPath(folder_.path(), "objects/info/alternates"),
                  QuotePath(ObjectsOf(common_folder_)) + "\n");
}

Result<GitAnswer> ScratchRepository::Run(const Git& git, GitCall call) const {
  call.environment["GIT_DIR"] = folder_.path();
  // The user's configuration doesn't apply to this repository.
  call.environment["GIT_CONFIG_GLOBAL"] = "/dev/null";
  call.environment["GIT_CONFIG_NOSYSTEM"] = "1";
  call.settings.emplace_back("core.ignoreCase=false");
  call.settings.emplace_back("core.fsync=none");  // nothing here has to survive
  return git.In(folder_.path()).Run(call);
}

// Runs in the real repository, which may be shallow or shared by a group, but with the scratch
// repository's objects first: git writes its temporary files there, out of reach of `git prune`.
Result<std::string> ScratchRepository::Pack(const Git& git, const ObjectId& commit,
                                            const ObjectId& base) const {
  std::string wanted = commit.text() + "\n";
  if (!base.IsNone()) wanted += "^" + base.text() + "\n";
  BELAY_TRY_ASSIGN(
      GitAnswer answer,
      git.Run({.arguments = {"pack-objects", "--quiet", "--revs", "--window=0", "--threads=1",
                             JoinPath(folder_.path(), "out")},
               .input = InputOf(std::move(wanted)),
               .environment = {{"GIT_OBJECT_DIRECTORY", JoinPath(folder_.path(), "objects")}}}));
  while (answer.out.ends_with('\n')) answer.out.pop_back();
  BELAY_TRY(ObjectId::Parse(answer.out));
  return std::move(answer.out);
}

Result<void> ScratchRepository::MoveOut(const Git& git, const ObjectId& commit,
                                        const ObjectId& base) {
  BELAY_TRY_ASSIGN(const std::string hash, Pack(git, commit, base));
  BELAY_TRY(WriteNew(*files_, JoinPath(folder_.path(), "keep"), hash));
  BELAY_TRY(WriteNew(*files_, PackPath(common_folder_, hash, "keep"), kKeepText));
  for (const std::string_view end : {"pack", "rev", "idx"}) {
    const std::string from = JoinPath(folder_.path(), fmt::format("out-{}.{}", hash, end));
    if (end == "rev" && !files_->Inspect(from)) continue;  // git makes one only on request
    BELAY_TRY(files_->Rename(from, PackPath(common_folder_, hash, end)));
  }
  return files_->SyncFolder(JoinPath(ObjectsOf(common_folder_), "pack/"));
}

}  // namespace belay
