#include "snapshot/commit_builder.h"

#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace belay {
namespace {

std::vector<ImportFile> KnownFiles(const std::vector<KnownEntry>& entries) {
  std::vector<ImportFile> files;
  for (const KnownEntry& known : entries) {
    files.push_back({known.path, known.entry.mode, {.id = known.entry.id}});
  }
  return files;
}

std::vector<ImportFile> ReadFiles(const CaptureStream& stream, bool tracked) {
  std::vector<ImportFile> files;
  for (const CapturedFile& file : stream.captured()) {
    if (file.item.tracked != tracked) continue;
    files.push_back({file.item.path, file.entry.mode, {.mark = file.mark}});
  }
  return files;
}

std::vector<ImportFile> WorktreeFiles(const Scene& scene, const CaptureStream& stream) {
  std::vector<ImportFile> files = ReadFiles(stream, true);
  std::set<std::string_view> captured;
  for (const CapturedFile& file : stream.captured()) captured.insert(file.item.path);
  for (const std::string& path : scene.list.gone) {
    const bool left_out = scene.left_there.contains(path) && !captured.contains(path);
    if (!left_out) files.push_back({path});
  }
  // A staged file without changes that is missing is outside of a sparse checkout.
  std::map<std::string_view, GitEntry> staged;
  for (const KnownEntry& known : scene.list.as_staged) staged.emplace(known.path, known.entry);
  for (const CaptureItem& item : stream.gone()) {
    if (!item.tracked) continue;
    const auto known = staged.find(item.path);
    const GitEntry entry = known == staged.end() ? GitEntry() : known->second;
    files.push_back({item.path, entry.mode, {.id = entry.id}});
  }
  for (ImportFile& module : KnownFiles(scene.modules)) files.push_back(std::move(module));
  return files;
}

}  // namespace

CommitBuilder::CommitBuilder(std::uint64_t marks, const SnapshotRecord& record, const Scene& scene)
    : marks_(marks), record_(record), scene_(scene), base_{.id = scene.status.head} {
  if (scene.status.head.IsNone()) base_ = Add({.message = "no commit yet\n"});
}

ImportRef CommitBuilder::Add(ImportCommit commit) {
  commit.mark = ++marks_;
  commit.at = record_.at;
  text_ += ImportCommitText(commit);
  questions_ += ImportQuestion(commit.mark);
  return {.mark = commit.mark};
}

std::string CommitBuilder::Build(const CaptureStream& stream) {
  const ImportRef index = Add({.message = "index\n",
                               .parents = {base_},
                               .on_first_parent = true,
                               .files = KnownFiles(scene_.list.index)});
  const ImportRef untracked =
      Add({.message = "untracked files\n", .files = ReadFiles(stream, false)});
  std::vector<ImportRef> parents = {base_, index, untracked};
  if (!scene_.list.rest.empty()) {
    parents.push_back(
        Add({.message = "what a tree can't say\n", .files = KnownFiles(scene_.list.rest)}));
  }
  Add({.message = WriteSnapshotMessage(record_),
       .parents = std::move(parents),
       .on_first_parent = true,
       .files = WorktreeFiles(scene_, stream)});
  return std::move(text_) + std::move(questions_);
}

// The answers come in the order of the commits.
Result<SnapshotCommits> CommitBuilder::Read(std::string_view answers) const {
  std::vector<ObjectId> ids;
  if (!scene_.status.head.IsNone()) ids.push_back(scene_.status.head);
  for (const std::string_view line : Split(answers, '\n')) {
    if (line.empty()) continue;
    BELAY_TRY_ASSIGN(ObjectId id, ObjectId::Parse(line));
    ids.push_back(std::move(id));
  }
  const std::size_t wanted = scene_.list.rest.empty() ? 4 : 5;
  if (ids.size() != wanted) {
    return Error{ErrorCode::kDamaged, "git fast-import: unexpected number of answers"};
  }
  return SnapshotCommits{ids.back(), ids[0], ids[1], ids[2], wanted == 5 ? ids[3] : ObjectId()};
}

}  // namespace belay
