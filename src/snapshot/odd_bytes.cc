#include "snapshot/odd_bytes.h"

#include <algorithm>
#include <set>

#include "adapters/git/fields.h"
#include "base/path.h"
#include "base/text.h"
#include "codec/hash.h"

namespace belay {
namespace {

constexpr std::size_t kMostOddIndex = std::size_t{1} << 30U;

struct TrackedFile {
  std::string path;
  ObjectId id;
  std::uint64_t bytes = 0;         // in the worktree
  std::uint64_t object_bytes = 0;  // in git's store
  bool encoded = false;            // its length can't be compared
};

bool Exists(const Worktree& worktree, const std::string& path) {
  return worktree.files.Inspect(path).ok();
}

bool IsAttributes(const StatusEntry& entry) { return entry.path.ends_with(".gitattributes"); }

// An index contains names literally, unless it has version 4 or is split.
bool IndexNamesAttributes(const Worktree& worktree) {
  constexpr std::size_t kVersion = 7;  // its last byte
  const auto names = worktree.files.List(worktree.place.git_folder);
  const auto index =
      worktree.files.Read(JoinPath(worktree.place.git_folder, "index"), kMostOddIndex);
  if (!index || !names) return false;
  const bool split = std::any_of(names->begin(), names->end(), [](const std::string& name) {
    return name.starts_with("sharedindex.");
  });
  return split || (index->size() > kVersion && (*index)[kVersion] == 4) ||
         index->find("/.gitattributes") != std::string::npos;
}

bool HasAttributes(const Worktree& worktree, const GitStatus& status) {
  if (Exists(worktree, JoinPath(worktree.place.worktree, ".gitattributes"))) return true;
  if (Exists(worktree, JoinPath(worktree.place.common_folder, "info/attributes"))) return true;
  if (Exists(worktree, "/etc/gitattributes")) return true;
  const std::string home = worktree.git.Variable("HOME");
  const std::string config = worktree.git.Variable("XDG_CONFIG_HOME");
  const std::string users = config.empty() ? JoinPath(home, ".config") : config;
  if (Exists(worktree, JoinPath(users, "git/attributes"))) return true;
  return std::any_of(status.entries.begin(), status.entries.end(), IsAttributes) ||
         IndexNamesAttributes(worktree);
}

enum class Conversion {
  kNone,
  kSome,    // attributes may require one
  kToCrlf,  // every text file gets line endings that differ from its object
};

bool SaysYes(std::string_view value) {
  return value == "true" || value == "yes" || value == "on" || value == "1";
}

Result<Conversion> FindConversion(const Worktree& worktree, const GitStatus& status) {
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   worktree.git.Run({.arguments = {"config", "--get-regexp",
                                                   "^core\\.(autocrlf|eol|attributesfile)$"},
                                     .good_exits = {0, 1}}));
  for (const std::string_view line : Split(answer.out, '\n')) {
    const std::string_view value = line.substr(std::min(line.size(), line.find(' ') + 1));
    if (line.starts_with("core.autocrlf ") && SaysYes(value)) return Conversion::kToCrlf;
    if (line.starts_with("core.eol ") && value != "lf") return Conversion::kToCrlf;
  }
  const bool some = answer.exit_code == 0 || HasAttributes(worktree, status);
  return some ? Conversion::kSome : Conversion::kNone;
}

// Regular files of the index without a change in git's view.
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
    if (!info || info->kind != FileKind::kFile) continue;  // outside of a sparse checkout
    file.bytes = info->bytes;
    tracked.push_back(std::move(file));
  }
  return tracked;
}

// Records the lengths of the objects.
Result<void> AddObjectSizes(const Git& git, std::vector<TrackedFile>& tracked) {
  std::string ids;
  for (const TrackedFile& file : tracked) ids += file.id.text() + "\n";
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   git.Run({.arguments = {"cat-file", "--batch-check=%(objectsize)"},
                            .input = InputOf(std::move(ids))}));
  const std::vector<std::string_view> sizes = Split(answer.out, '\n');
  for (std::size_t i = 0; i < tracked.size() && i < sizes.size(); ++i) {
    tracked[i].object_bytes = ParseNumber<std::uint64_t>(sizes[i]).value_or(0);
  }
  return {};
}

struct Attributes {
  bool crlf = false;
  bool encoded = false;
  std::string filter = {};
};

Result<std::map<std::string, Attributes>> ReadAttributes(const Git& git,
                                                         const std::vector<TrackedFile>& tracked) {
  std::string paths;
  for (const TrackedFile& file : tracked) paths += file.path + '\0';
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   git.Run({.arguments = {"check-attr", "-z", "--stdin", "filter", "eol", "ident",
                                          "working-tree-encoding"},
                            .input = InputOf(std::move(paths))}));
  std::map<std::string, Attributes> all;
  Fields fields(answer.out, "check-attr");
  while (!fields.AtEnd()) {
    BELAY_TRY_ASSIGN(const std::string_view path, fields.Until('\0'));
    BELAY_TRY_ASSIGN(const std::string_view name, fields.Until('\0'));
    BELAY_TRY_ASSIGN(const std::string_view value, fields.Until('\0'));
    if (value == "unspecified" || value == "unset") continue;
    Attributes& attributes = all[std::string(path)];
    attributes.crlf = attributes.crlf || (name == "eol" && value == "crlf");
    attributes.encoded = attributes.encoded || name == "working-tree-encoding" || name == "ident";
    if (name == "filter") attributes.filter = value;
  }
  return all;
}

// The filters that run as a process of their own.
Result<std::set<std::string>> ProcessFilters(const Git& git) {
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   git.Run({.arguments = {"config", "-z", "--name-only", "--get-regexp",
                                          "^filter\\..*\\.process$"},
                            .good_exits = {0, 1}}));
  std::set<std::string> filters;
  constexpr std::size_t kAround = std::string_view("filter..process").size();
  for (const std::string_view name : Split(answer.out, '\0')) {
    if (name.size() > kAround) filters.emplace(name.substr(7, name.size() - kAround));
  }
  return filters;
}

// Keeps the files that git may write differently: their length differs from their object's, or
// should.
Result<void> KeepDoubtful(const Git& git, Conversion conversion,
                          std::vector<TrackedFile>& tracked) {
  BELAY_TRY_ASSIGN(const auto all, ReadAttributes(git, tracked));
  BELAY_TRY_ASSIGN(const std::set<std::string> processes, ProcessFilters(git));
  std::erase_if(tracked, [&](TrackedFile& file) {
    const auto found = all.find(file.path);
    const Attributes attributes = found == all.end() ? Attributes() : found->second;
    file.encoded = attributes.encoded;
    const bool converted = file.bytes != file.object_bytes || attributes.crlf ||
                           attributes.encoded || !attributes.filter.empty() ||
                           conversion == Conversion::kToCrlf;
    return !converted || processes.contains(attributes.filter);
  });
  return {};
}

// Keeps the files that git would check out with another length: no conversion of line endings
// produces other bytes of the same length. A file with a newline in its name can't be queried, and
// is kept.
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
    const bool same = next < sizes.size() && sizes[next] == file.bytes && !file.encoded;
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
  // A mark may start in the last bytes.
  const std::size_t rest = pending_.size() - at;
  const std::size_t sure = rest - std::min(rest, mark_.size() - 1);
  passed_ += sure;
  pending_.erase(0, at + sure);
}

std::vector<std::uint64_t> MarkedSizes::Finish() {
  if (sizes_.empty()) return {};
  sizes_.push_back(passed_ + pending_.size());
  if (sizes_.back() > 0) --sizes_.back();  // the newline after the last content
  sizes_.erase(sizes_.begin());
  return std::move(sizes_);
}

Result<OddBytes> FindOddBytes(const Worktree& worktree, const GitStatus& status) {
  OddBytes odd;
  BELAY_TRY_ASSIGN(const Conversion conversion, FindConversion(worktree, status));
  odd.converts = conversion != Conversion::kNone;
  if (!odd.converts) return odd;
  BELAY_TRY_ASSIGN(std::vector<TrackedFile> tracked, UnchangedFiles(worktree, status));
  if (tracked.empty()) return odd;
  BELAY_TRY(AddObjectSizes(worktree.git, tracked));
  BELAY_TRY(KeepDoubtful(worktree.git, conversion, tracked));
  const auto now = worktree.clock.Wall().time_since_epoch().count();
  BELAY_TRY(KeepOdd(worktree.git, Sha256Hex(std::to_string(now) + status.head.text()), tracked));
  for (TrackedFile& file : tracked) odd.files.emplace(std::move(file.path), std::move(file.id));
  return odd;
}

}  // namespace belay
