#include "snapshot/saved_snapshot.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "adapters/git/status.h"
#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "codec/hash.h"

namespace belay {
namespace {

constexpr std::string_view kMain = "main";
constexpr std::uint64_t kMostNumber = 999'999'999'999'999;
constexpr std::string_view kLinked = "wt-";
constexpr std::string_view kAgent = "agent-";
constexpr std::string_view kPlain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.%";

constexpr std::size_t kMostBytes = 200;
constexpr std::size_t kKeptBytes = 150;

// Git refuses parts of a ref that start with a dot, end with one or with ".lock", or have "..".
bool IsRefPart(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos &&
         text[0] != '.' && !text.ends_with('.') && !text.ends_with(".lock") &&
         text.find("..") == std::string_view::npos;
}

std::string Escape(std::string_view name) {
  std::string escaped;
  const bool dots = !IsRefPart(name);
  for (const char c : name) {
    const bool plain = kPlain.find(c) != std::string_view::npos && c != '%' && !(dots && c == '.');
    escaped += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return escaped;
}

// The name of a folder has at most 255 bytes. Escape never produces "%x", so the result is unique.
std::string Fit(std::string escaped) {
  if (escaped.size() <= kMostBytes) return escaped;
  const std::string digest = Sha256Hex(escaped).substr(0, 32);
  return fmt::format("{}%x{}", escaped.substr(0, kKeptBytes), digest);
}

}  // namespace

KeepName KeepName::OfWorktree(const Repository& repository) {
  if (repository.git_folder == repository.common_folder) return KeepName(std::string(kMain));
  const std::string name = Escape(FileName(repository.git_folder));
  const bool taken = name == kMain || name.starts_with(kLinked) || name.starts_with(kAgent);
  return KeepName(Fit(taken ? std::string(kLinked) + name : name));
}

KeepName KeepName::OfAgent(const IdentityName& agent) {
  return KeepName(std::string(kAgent) + agent.text());
}

Result<KeepName> KeepName::Parse(std::string_view text) {
  if (IsRefPart(text)) return KeepName(std::string(text));
  return Error{ErrorCode::kUsage, fmt::format("{} is not the name of a worktree", Quote(text)),
               "belay snapshot list --all shows all worktrees with snapshots"};
}

std::string KeepName::Refs() const { return fmt::format("{}{}/", kKeepRefs, text_); }

Result<SnapshotId> SnapshotId::Parse(std::string_view text) {
  const Error wrong{ErrorCode::kUsage, fmt::format("{} is not the id of a snapshot", Quote(text)),
                    "ids look like main/7; belay snapshot list shows them"};
  std::string_view rest = text;
  if (rest.starts_with(kKeepRefs)) rest.remove_prefix(kKeepRefs.size());
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos) return wrong;
  const Result<KeepName> keep = KeepName::Parse(rest.substr(0, slash));
  const std::string_view digits = rest.substr(slash + 1);
  const auto number = ParseNumber<std::uint64_t>(digits);
  if (!keep || !number || *number > kMostNumber || digits[0] == '0') return wrong;
  return SnapshotId{*keep, *number};
}

std::string SnapshotId::text() const { return fmt::format("{}/{}", keep.text(), number); }
std::string SnapshotId::Ref() const { return fmt::format("{}{}", keep.Refs(), number); }

namespace {

constexpr std::size_t kLeastDigits = 7;

// Nullopt when the ref or its commit has another shape.
std::optional<SavedSnapshot> FromRef(CommitRef ref) {
  const Result<SnapshotId> id = SnapshotId::Parse(ref.name);
  if (!id || ref.parents.size() < 3 || ref.parents.size() > 4) return std::nullopt;
  SavedSnapshot snapshot{.id = *id,
                         .commit = std::move(ref.commit),
                         .base = ref.parents[0],
                         .index = ref.parents[1],
                         .untracked = ref.parents[2]};
  if (ref.parents.size() == 4) snapshot.rest = ref.parents[3];
  Result<SnapshotRecord> record = ParseSnapshotMessage(ref.message);
  snapshot.readable = record.ok();
  if (record) snapshot.record = *std::move(record);
  return snapshot;
}

bool IsCommitPrefix(std::string_view text) {
  return text.size() >= kLeastDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Result<SavedSnapshot> FindByCommit(const Git& git, std::string_view digits) {
  BELAY_TRY_ASSIGN(std::vector<SavedSnapshot> all, ListSnapshots(git, std::nullopt));
  std::erase_if(all, [&](const SavedSnapshot& snapshot) {
    return !snapshot.commit.text().starts_with(digits);
  });
  if (all.empty()) {
    return Error{ErrorCode::kNotFound, fmt::format("no snapshot {}", Quote(digits)),
                 "belay snapshot list --all shows them all"};
  }
  if (std::any_of(all.begin(), all.end(),
                  [&](const SavedSnapshot& other) { return other.commit != all[0].commit; })) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{} matches {} snapshots", Quote(digits), all.size()),
                 "use more digits"};
  }
  return std::move(all[0]);
}

}  // namespace

Result<std::vector<SavedSnapshot>> ListSnapshots(const Git& git,
                                                 const std::optional<KeepName>& keep) {
  BELAY_TRY_ASSIGN(std::vector<CommitRef> refs,
                   ListRefs(git, keep ? keep->Refs() : std::string(kKeepRefs)));
  std::vector<SavedSnapshot> snapshots;
  for (CommitRef& ref : refs) {
    if (auto snapshot = FromRef(std::move(ref))) snapshots.push_back(*std::move(snapshot));
  }
  return snapshots;
}

Result<std::optional<SavedSnapshot>> LastSnapshot(const Git& git, const KeepName& keep) {
  BELAY_TRY_ASSIGN(std::optional<CommitRef> ref, LastRef(git, keep.Refs()));
  if (!ref) return std::optional<SavedSnapshot>();
  return FromRef(*std::move(ref));
}

Result<SavedSnapshot> FindSnapshot(const Git& git, const KeepName& keep, std::string_view text) {
  const bool only_digits = text.find_first_not_of("0123456789") == std::string_view::npos;
  Result<SnapshotId> id =
      SnapshotId::Parse(only_digits ? fmt::format("{}/{}", keep.text(), text) : std::string(text));
  if (id) {
    BELAY_TRY_ASSIGN(std::vector<CommitRef> refs, ListRefs(git, id->Ref()));
    for (CommitRef& ref : refs) {
      if (ref.name != id->Ref()) continue;
      if (auto snapshot = FromRef(std::move(ref))) return *std::move(snapshot);
      return Error{ErrorCode::kDamaged, fmt::format("{} is not a snapshot", id->Ref())};
    }
    if (!only_digits || !IsCommitPrefix(text)) {
      return Error{ErrorCode::kNotFound, fmt::format("no snapshot {}", id->text()),
                   "belay snapshot list --all shows them all"};
    }
  }
  if (IsCommitPrefix(text)) return FindByCommit(git, text);
  return std::move(id).error();
}

namespace {

class Collector {
 public:
  void Staged(const TreeChange& change) {
    SnapshotChange& one = Of(change.path);
    one.staged = true;
    one.deleted = !change.after.IsThere();
  }
  void InFiles(const TreeChange& change) {
    SnapshotChange& one = Of(change.path);
    one.changed = change.after.IsThere();
    one.deleted = !one.changed;
  }
  void Untracked(const TreeChange& change) {
    SnapshotChange& one = Of(change.path);
    one.untracked = true;
    one.deleted = false;
  }
  void Rest(std::string_view path) {
    if (path.starts_with(kIntentFolder)) {
      Of(path.substr(kIntentFolder.size())).intent_to_add = true;
    }
    for (const std::string_view folder : kStageFolders) {
      if (path.starts_with(folder)) Of(path.substr(folder.size())).unmerged = true;
    }
  }

  std::vector<SnapshotChange> All() && {
    std::vector<SnapshotChange> all;
    for (auto& [path, change] : changes_) all.push_back(std::move(change));
    return all;
  }

 private:
  SnapshotChange& Of(std::string_view path) {
    SnapshotChange& change = changes_[std::string(path)];
    change.path = path;
    return change;
  }

  std::map<std::string, SnapshotChange> changes_;
};

}  // namespace

std::vector<std::string_view> SnapshotChange::Words() const {
  std::vector<std::string_view> words;
  if (unmerged) words.push_back("unmerged");
  if (intent_to_add) words.push_back("intent to add");
  if (staged && !unmerged) words.push_back("staged");
  if (changed && !unmerged && !intent_to_add) words.push_back("changed");
  if (deleted) words.push_back("deleted");
  if (untracked) words.push_back("untracked");
  return words;
}

Result<std::vector<SnapshotChange>> ReadChanges(const Git& git, const SavedSnapshot& snapshot) {
  std::vector<TreePair> pairs = {
      {snapshot.base, snapshot.index}, {snapshot.index, snapshot.commit}, {{}, snapshot.untracked}};
  if (!snapshot.rest.IsNone()) pairs.push_back({{}, snapshot.rest});
  BELAY_TRY_ASSIGN(const auto compared, CompareCommits(git, pairs));
  Collector collector;
  for (const TreeChange& change : compared[0]) collector.Staged(change);
  for (const TreeChange& change : compared[1]) collector.InFiles(change);
  for (const TreeChange& change : compared[2]) collector.Untracked(change);
  if (compared.size() > 3) {
    for (const TreeChange& change : compared[3]) collector.Rest(change.path);
  }
  return std::move(collector).All();
}

namespace {

Result<void> Compare(const Git& git, std::vector<std::string> trees,
                     const ProgramRequest::Output& output) {
  GitCall call{.arguments = {"diff-tree", "-r", "-p", "--binary", "--full-index", "--no-renames",
                             "--no-ext-diff", "--no-textconv", "--no-color", "--no-commit-id",
                             "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", "--root"},
               .output = output};
  for (std::string& tree : trees) call.arguments.push_back(std::move(tree));
  BELAY_TRY(git.Run(call));
  return {};
}

}  // namespace

Result<void> WriteSnapshotDiff(const Git& git, const SavedSnapshot& snapshot,
                               const ProgramRequest::Output& output) {
  BELAY_TRY(Compare(git, {snapshot.base.text(), snapshot.commit.text()}, output));
  return Compare(git, {snapshot.untracked.text()}, output);
}

}  // namespace belay
