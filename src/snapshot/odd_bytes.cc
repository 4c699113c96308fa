#include "snapshot/odd_bytes.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "adapters/git/fields.h"
#include "base/path.h"
#include "base/split.h"
#include "codec/sha256.h"

namespace belay {
namespace {

constexpr std::size_t kMostIndex = std::size_t{1} << 30U;

struct TrackedFile {
  std::string path;
  ObjectId id;
  std::uint64_t bytes = 0;         // in the worktree
  std::uint64_t object_bytes = 0;  // in git's store
};

std::optional<std::uint64_t> NumberOf(std::string_view text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc() || stop != end) return std::nullopt;
  return number;
}

bool HasAttributes(const Worktree& worktree) {
  const FileSystem& files = worktree.files;
  if (files.Inspect(JoinPath(worktree.place.worktree, ".gitattributes"))) return true;
  if (files.Inspect(JoinPath(worktree.place.common_folder, "info/attributes"))) return true;
  const auto index = files.Read(JoinPath(worktree.place.git_folder, "index"), kMostIndex);
  return index && index->find("/.gitattributes") != std::string::npos;
}

enum class Conversion {
  kNone,
  kSome,    // attributes may ask for one
  kToCrlf,  // every text file gets other line endings than its object has
};

Result<Conversion> FindConversion(const Worktree& worktree) {
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   worktree.git.Run({.arguments = {"config", "--get-regexp",
                                                   "^core\\.(autocrlf|eol|attributesfile)$"},
                                     .good_exits = {0, 1}}));
  for (const std::string_view line : Split(answer.out, '\n')) {
    if (line == "core.autocrlf true" || line == "core.eol crlf") return Conversion::kToCrlf;
  }
  const bool some = answer.exit_code == 0 || HasAttributes(worktree);
  return some ? Conversion::kSome : Conversion::kNone;
}

// Regular files of the index that git sees no change in.
Result<std::vector<TrackedFile>> UnchangedFiles(const Worktree& worktree, const GitStatus& status) {
  std::set<std::string_view> changed;
  for (const StatusEntry& entry : status.entries) changed.insert(entry.path);
  BELAY_TRY_ASSIGN(const std::string list, worktree.git.Ask({"ls-files", "-z", "--stage"}));
  std::vector<TrackedFile> tracked;
  Fields fields(list, "ls-files");
  while (!fields.AtEnd()) {
    TrackedFile file;
    BELAY_TRY_ASSIGN(const std::uint32_t mode, fields.ModeUntil(' '));
    BELAY_TRY_ASSIGN(file.id, fields.IdUntil(' '));
    BELAY_TRY(fields.Until('\t'));
    BELAY_TRY_ASSIGN(file.path, fields.Until('\0'));
    if ((mode != kFileMode && mode != kProgramMode) || changed.contains(file.path)) continue;
    const auto info = worktree.files.Inspect(JoinPath(worktree.place.worktree, file.path));
    if (!info || info->kind != FileKind::kFile) continue;  // not in a sparse checkout
    file.bytes = info->bytes;
    tracked.push_back(std::move(file));
  }
  return tracked;
}

// Takes down how long the objects are.
Result<void> AddObjectSizes(const Git& git, std::vector<TrackedFile>& tracked) {
  std::string ids;
  for (const TrackedFile& file : tracked) ids += file.id.text() + "\n";
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   git.Run({.arguments = {"cat-file", "--batch-check=%(objectsize)"},
                            .input = InputOf(std::move(ids))}));
  const std::vector<std::string_view> sizes = Split(answer.out, '\n');
  for (std::size_t i = 0; i < tracked.size() && i < sizes.size(); ++i) {
    tracked[i].object_bytes = NumberOf(sizes[i]).value_or(0);
  }
  return {};
}

// Leaves those that git may write otherwise: no filter program stands before them, and they have
// another length than their object, or shall have.
Result<void> KeepDoubtful(const Git& git, Conversion conversion,
                          std::vector<TrackedFile>& tracked) {
  std::string paths;
  for (const TrackedFile& file : tracked) paths += file.path + '\0';
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   git.Run({.arguments = {"check-attr", "-z", "--stdin", "filter", "eol"},
                            .input = InputOf(std::move(paths))}));
  std::set<std::string> filtered;
  std::set<std::string> crlf;
  Fields fields(answer.out, "check-attr");
  while (!fields.AtEnd()) {
    BELAY_TRY_ASSIGN(const std::string_view path, fields.Until('\0'));
    BELAY_TRY_ASSIGN(const std::string_view name, fields.Until('\0'));
    BELAY_TRY_ASSIGN(const std::string_view value, fields.Until('\0'));
    if (name == "eol" && value == "crlf") crlf.emplace(path);
    const bool none = value == "unspecified" || value == "unset";
    if (name == "filter" && !none) filtered.emplace(path);
  }
  std::erase_if(tracked, [&](const TrackedFile& file) {
    const bool converted = file.bytes != file.object_bytes || crlf.contains(file.path) ||
                           conversion == Conversion::kToCrlf;
    return !converted || filtered.contains(file.path);
  });
  return {};
}

// Leaves those that git would check out with another length. One with a newline in its name can't
// be asked about, and counts as such.
Result<void> KeepOdd(const Git& git, const std::string& mark, std::vector<TrackedFile>& tracked) {
  const auto can_ask = std::partition(tracked.begin(), tracked.end(), [](const TrackedFile& file) {
    return file.path.find('\n') == std::string::npos;
  });
  std::string names;
  for (auto file = tracked.begin(); file != can_ask; ++file) {
    names += file->id.text() + " " + file->path + "\n";
  }
  if (names.empty()) return {};
  MarkedSizes reader(mark);
  BELAY_TRY(git.Run({.arguments = {"cat-file", "--batch=" + mark, "--filters"},
                     .input = InputOf(std::move(names)),
                     .output = [&](std::string_view piece) {
                       reader.Add(piece);
                       return Result<void>();
                     }}));
  const std::vector<std::uint64_t> sizes = reader.Finish();
  if (sizes.size() != static_cast<std::size_t>(can_ask - tracked.begin())) return {};
  std::size_t next = 0;
  std::erase_if(tracked, [&](const TrackedFile& file) {
    const bool same = next < sizes.size() && sizes[next] == file.bytes;
    ++next;
    return same;
  });
  return {};
}

}  // namespace

void MarkedSizes::Add(std::string_view piece) {
  pending_ += piece;
  std::size_t at = 0;
  for (std::size_t found = 0; (found = pending_.find(mark_, at)) != std::string::npos;) {
    sizes_.push_back(passed_ + found - at);
    passed_ = 0;
    at = found + mark_.size();
  }
  // A mark may have begun in the last bytes.
  const std::size_t rest = pending_.size() - at;
  const std::size_t sure = rest - std::min(rest, mark_.size() - 1);
  passed_ += sure;
  pending_.erase(0, at + sure);
}

std::vector<std::uint64_t> MarkedSizes::Finish() {
  if (sizes_.empty()) return {};
  sizes_.push_back(passed_ + pending_.size());
  if (sizes_.back() > 0) --sizes_.back();  // the newline behind the last content
  sizes_.erase(sizes_.begin());
  return std::move(sizes_);
}

Result<std::vector<std::string>> FindOddBytes(const Worktree& worktree, const GitStatus& status) {
  std::vector<std::string> odd;
  BELAY_TRY_ASSIGN(const Conversion conversion, FindConversion(worktree));
  if (conversion == Conversion::kNone) return odd;
  BELAY_TRY_ASSIGN(std::vector<TrackedFile> tracked, UnchangedFiles(worktree, status));
  if (tracked.empty()) return odd;
  BELAY_TRY(AddObjectSizes(worktree.git, tracked));
  BELAY_TRY(KeepDoubtful(worktree.git, conversion, tracked));
  const auto now = worktree.clock.Wall().time_since_epoch().count();
  BELAY_TRY(KeepOdd(worktree.git, Sha256Hex(std::to_string(now) + status.head.text()), tracked));
  for (TrackedFile& file : tracked) odd.push_back(std::move(file.path));
  return odd;
}

}  // namespace belay
