#include "adapters/git/refs.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "adapters/git/fields.h"
#include "base/path.h"
#include "base/text.h"

namespace belay {
namespace {

struct NameAndId {
  std::string name;
  ObjectId id;
};

std::size_t DigitsAt(std::string_view text) {
  return std::min(text.find_first_not_of("0123456789"), text.size());
}

// By name, with numbers in numeric order. Not git's version sort, which depends on the user's
// configuration.
bool ComesBefore(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const std::string_view x = a.substr(0, std::max<std::size_t>(DigitsAt(a), 1));
    const std::string_view y = b.substr(0, std::max<std::size_t>(DigitsAt(b), 1));
    if (x.size() != y.size()) return x.size() < y.size();
    if (x != y) return x < y;
    a.remove_prefix(x.size());
    b.remove_prefix(y.size());
  }
  return a.size() < b.size();
}

// Doesn't read the objects: a ref whose object is missing must not hide the others.
Result<std::vector<NameAndId>> ReadNames(const Git& git, std::string_view prefix) {
  BELAY_TRY_ASSIGN(
      const std::string output,
      git.Ask({"for-each-ref", "--format=%(refname)%00%(objectname)%00", std::string(prefix)}));
  std::vector<NameAndId> refs;
  Fields fields(output, "for-each-ref");
  while (!fields.AtEnd()) {
    NameAndId ref;
    BELAY_TRY_ASSIGN(ref.name, fields.Until('\0'));
    BELAY_TRY_ASSIGN(ref.id, fields.IdUntil('\0'));
    BELAY_TRY(fields.Until('\n'));
    refs.push_back(std::move(ref));
  }
  std::sort(refs.begin(), refs.end(),
            [](const NameAndId& a, const NameAndId& b) { return ComesBefore(a.name, b.name); });
  return refs;
}

// Headers, one per line; a line that starts with a space continues the previous one. Then an empty
// line and the message.
Result<void> ReadCommit(std::string_view object, CommitRef& ref) {
  Fields fields(object, "cat-file");
  while (!fields.AtEnd()) {
    BELAY_TRY_ASSIGN(const std::string_view line, fields.Until('\n'));
    if (line.empty()) break;
    constexpr std::string_view kParentLine = "parent ";
    if (!line.starts_with(kParentLine)) continue;
    BELAY_TRY_ASSIGN(ObjectId parent, ObjectId::Parse(line.substr(kParentLine.size())));
    ref.parents.push_back(std::move(parent));
  }
  ref.message = fields.rest();
  return {};
}

// "ID TYPE SIZE", a newline, the object, a newline; or "ID missing". What is no commit: nothing.
Result<std::optional<CommitRef>> ReadAnswer(Fields& fields, const NameAndId& ref) {
  CommitRef commit{.name = ref.name, .commit = ref.id, .parents = {}, .message = {}};
  BELAY_TRY_ASSIGN(const std::string_view headline, fields.Until('\n'));
  const std::vector<std::string_view> words = Split(headline, ' ');
  if (words.size() < 2 || words[0] != ref.id.text()) return fields.Damaged("another object");
  if (words.size() == 2) return std::optional<CommitRef>();
  BELAY_TRY_ASSIGN(const std::string_view object, fields.Bytes(words[2]));
  BELAY_TRY(fields.Until('\n'));
  if (words[1] != "commit") return std::optional<CommitRef>();
  BELAY_TRY(ReadCommit(object, commit));
  return std::optional(std::move(commit));
}

Result<std::vector<CommitRef>> ReadCommits(const Git& git, std::span<const NameAndId> refs) {
  std::string input;
  for (const NameAndId& ref : refs) input += ref.id.text() + "\n";
  BELAY_TRY_ASSIGN(const GitAnswer answer, git.Run({.arguments = {"cat-file", "--batch"},
                                                    .input = InputOf(std::move(input))}));
  std::vector<CommitRef> commits;
  Fields fields(answer.out, "cat-file");
  for (const NameAndId& ref : refs) {
    BELAY_TRY_ASSIGN(std::optional<CommitRef> commit, ReadAnswer(fields, ref));
    if (commit) commits.push_back(*std::move(commit));
  }
  return commits;
}

// Names and commits in one call of git, which fails if any of them is damaged. Objects that aren't
// commits are left out.
Result<std::vector<CommitRef>> ReadAtOnce(const Git& git, std::string_view prefix) {
  BELAY_TRY_ASSIGN(
      const std::string output,
      git.Ask({"for-each-ref",
               "--format=%(refname)%00%(objecttype)%00%(objectname)%00%(parent)%00%(contents)%00",
               std::string(prefix)}));
  std::vector<CommitRef> refs;
  Fields fields(output, "for-each-ref");
  while (!fields.AtEnd()) {
    CommitRef ref;
    BELAY_TRY_ASSIGN(ref.name, fields.Until('\0'));
    BELAY_TRY_ASSIGN(const std::string_view type, fields.Until('\0'));
    BELAY_TRY_ASSIGN(ref.commit, fields.IdUntil('\0'));
    BELAY_TRY_ASSIGN(const std::string_view parents, fields.Until('\0'));
    for (const std::string_view parent : Split(parents, ' ')) {
      BELAY_TRY_ASSIGN(ObjectId id, ObjectId::Parse(parent));
      ref.parents.push_back(std::move(id));
    }
    BELAY_TRY_ASSIGN(ref.message, fields.Until('\0'));
    BELAY_TRY(fields.Until('\n'));
    if (type == "commit") refs.push_back(std::move(ref));
  }
  return refs;
}

bool IsNumbered(std::string_view name, std::string_view prefix) {
  return name.size() > prefix.size() &&
         DigitsAt(name.substr(prefix.size())) == name.size() - prefix.size();
}

}  // namespace

Result<std::vector<CommitRef>> ListRefs(const Git& git, std::string_view prefix) {
  BELAY_TRY_ASSIGN(const std::vector<NameAndId> refs, ReadNames(git, prefix));
  if (refs.empty()) return std::vector<CommitRef>();
  return ReadCommits(git, refs);
}

Result<std::optional<CommitRef>> LastRef(const Git& git, std::string_view prefix) {
  if (Result<std::vector<CommitRef>> all = ReadAtOnce(git, prefix)) {
    std::optional<CommitRef> last;
    for (CommitRef& ref : *all) {
      const bool later = !last || ComesBefore(last->name, ref.name);
      if (later && IsNumbered(ref.name, prefix)) last = std::move(ref);
    }
    return last;
  }
  // One of them is damaged: read the others.
  BELAY_TRY_ASSIGN(const std::vector<NameAndId> refs, ReadNames(git, prefix));
  for (auto ref = refs.rbegin(); ref != refs.rend(); ++ref) {
    if (!IsNumbered(ref->name, prefix)) continue;
    BELAY_TRY_ASSIGN(std::vector<CommitRef> commits, ReadCommits(git, {&*ref, 1}));
    if (!commits.empty()) return std::optional(std::move(commits[0]));
  }
  return std::optional<CommitRef>();
}

Result<bool> CreateRef(const Git& git, const std::string& name, const ObjectId& commit) {
  const auto created =
      git.Run({.arguments = {"update-ref", "--stdin", "-z"},
               .input = InputOf(fmt::format("create {}{}{}{}", name, '\0', commit.text(), '\0'))});
  if (created) return true;
  for (const char* const there : {"reference already exists", "reference broken"}) {
    if (created.error().message.find(there) != std::string::npos) return false;
  }
  return created.error();
}

Result<void> DeleteRefs(const Git& git, std::span<const RefAndValue> refs) {
  std::string input;
  for (const RefAndValue& ref : refs) {
    if (ref.commit.IsNone()) {  // git would take it as: any value
      return Error{ErrorCode::kFailed, fmt::format("delete {}: no value was given", ref.name)};
    }
    input += fmt::format("delete {}{}{}{}", ref.name, '\0', ref.commit.text(), '\0');
  }
  auto deleted =
      git.Run({.arguments = {"update-ref", "--stdin", "-z"}, .input = InputOf(std::move(input))});
  if (deleted) return {};
  Error error = std::move(deleted).error();
  for (const char* const changed : {"but expected", "unable to resolve reference"}) {
    if (error.message.find(changed) != std::string::npos) error.code = ErrorCode::kBusy;
  }
  return error;
}

namespace {

constexpr std::size_t kMostBytes = 4096;

}  // namespace

std::optional<ObjectId> ReadLooseRef(const FileSystem& files, const std::string& common_folder,
                                     const std::string& name) {
  if (name.find("..") != std::string::npos) return std::nullopt;  // not a valid ref name
  const std::string path = JoinPath(common_folder, name);
  const Result<FileInfo> info = files.Inspect(path);
  if (!info || info->kind != FileKind::kFile) return std::nullopt;
  const Result<std::string> text = files.Read(path, kMostBytes);
  if (!text || !text->ends_with('\n')) return std::nullopt;
  const Result<ObjectId> id = ObjectId::Parse(text->substr(0, text->size() - 1));
  if (!id || id->IsNone()) return std::nullopt;
  return *id;
}

Result<void> SyncRefFolders(FileSystem& files, const std::string& common_folder,
                            std::string_view name) {
  for (std::string_view folder = ParentPath(name); folder != "."; folder = ParentPath(folder)) {
    BELAY_TRY(EmptyIfMissing(files.SyncFolder(JoinPath(common_folder, folder))));
  }
  return files.SyncFolder(common_folder);
}

namespace {

// None: no such ref.
Result<ObjectId> ReadRef(const Git& git, const std::string& name) {
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   git.Run({.arguments = {"show-ref", "--verify", "--hash", "--", name},
                            .good_exits = {0, 1, 128}}));
  if (answer.exit_code != 0) return ObjectId();
  return ObjectId::Parse(answer.out.substr(0, answer.out.find('\n')));
}

// For a symbolic ref: changes the ref itself, never its target.
std::string Instruction(const RefMove& move) {
  std::string text = "option no-deref";
  text += '\0';
  text += fmt::format("{} {}", move.to.IsNone() ? "delete" : "update", move.name);
  text += '\0';
  if (!move.to.IsNone()) text += move.to.text() + '\0';
  text += move.from.text() + '\0';
  if (!move.drop.empty()) {
    text += std::string("option no-deref") + '\0' + "delete " + move.drop + '\0' + '\0';
  }
  return text;
}

bool SaysSomethingElse(const Error& error) {
  for (const char* const changed :
       {"but expected", "unable to resolve reference", "reference is missing"}) {
    if (error.message.find(changed) != std::string::npos) return true;
  }
  return false;
}

// Sends "prepare" to git, waits until git is ready, then sends the decision of `between`.
class Transaction {
 public:
  Transaction(std::string instruction, const BetweenLockAndMove& between)
      : text_(std::move(instruction)), between_(between) {}

  Result<bool> Next(std::string& piece) {
    if (stage_ == Stage::kEnd) return false;
    if (stage_ == Stage::kBegin) {
      piece = std::string("start") + '\0' + text_ + "prepare" + '\0';
      stage_ = Stage::kPrepare;
      return true;
    }
    if (said_.find("prepare: ok\n") == std::string::npos) return true;  // not yet
    stage_ = Stage::kEnd;
    decided_ = between_();  // git exits by itself after an error too, and releases its locks
    const bool moves = decided_ && *decided_;
    piece = std::string(moves ? "commit" : "abort") + '\0';
    return true;
  }
  void OnOutput(std::string_view piece) { said_ += piece; }
  const Result<bool>& decided() const { return decided_; }

 private:
  enum class Stage { kBegin, kPrepare, kEnd };

  std::string text_;
  const BetweenLockAndMove& between_;
  Stage stage_ = Stage::kBegin;
  std::string said_;
  Result<bool> decided_ = false;
};

}  // namespace

Result<bool> MoveRefAround(const Git& git, FileSystem& files, const std::string& common_folder,
                           const RefMove& move, const BetweenLockAndMove& between) {
  Transaction transaction(Instruction(move), between);
  auto moved = git.Run({.arguments = {"update-ref", "-m", move.reason, "--stdin", "-z"},
                        .settings = {"core.logAllRefUpdates=true"},
                        .input = [&](std::string& piece) { return transaction.Next(piece); },
                        .converses = true,
                        .output =
                            [&](std::string_view piece) {
                              transaction.OnOutput(piece);
                              return Result<void>();
                            }});
  if (!moved) {
    Error error = std::move(moved).error();
    if (SaysSomethingElse(error)) error.code = ErrorCode::kBusy;
    return error;
  }
  if (!transaction.decided() || !*transaction.decided()) return transaction.decided();
  BELAY_TRY(SyncRefFolders(files, common_folder, move.name));
  return true;
}

Result<void> MoveRef(const Git& git, FileSystem& files, const std::string& common_folder,
                     const RefMove& move) {
  if (move.from.IsNone()) {  // git would take it as: any value
    return Error{ErrorCode::kFailed, fmt::format("move {}: no old value was given", move.name)};
  }
  auto moved = git.Run({.arguments = {"update-ref", "-m", move.reason, "--stdin", "-z"},
                        .settings = {"core.logAllRefUpdates=true"},
                        .input = InputOf(Instruction(move))});
  if (!moved) {
    Error error = std::move(moved).error();
    if (!SaysSomethingElse(error)) return error;
    BELAY_TRY_ASSIGN(const ObjectId now, ReadRef(git, move.name));
    error.code = ErrorCode::kBusy;
    if (now != move.to) return error;
  }
  return SyncRefFolders(files, common_folder, move.name);
}

namespace {

constexpr std::string_view kIgnored = "warning: ignoring broken ref ";

struct FoundRefs {
  std::vector<RefAndValue> refs;
  std::vector<BrokenRef> unreadable;
};

Result<FoundRefs> ReadAll(const Git& git, std::string_view prefix) {
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   git.Run({.arguments = {"for-each-ref", "--format=%(objectname) %(refname)",
                                          std::string(prefix)}}));
  FoundRefs found;
  for (const std::string_view line : Split(std::string_view(answer.warnings), '\n')) {
    if (!line.starts_with(kIgnored)) continue;
    found.unreadable.push_back(
        {std::string(line.substr(kIgnored.size())), BrokenRef::Why::kUnreadable});
  }
  for (const std::string_view line : Split(std::string_view(answer.out), '\n')) {
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) continue;
    BELAY_TRY_ASSIGN(ObjectId id, ObjectId::Parse(line.substr(0, space)));
    found.refs.push_back({std::string(line.substr(space + 1)), std::move(id)});
  }
  return found;
}

std::string Lines(std::span<const RefAndValue> refs, std::string_view before = {}) {
  std::string text;
  for (const RefAndValue& ref : refs) text.append(before).append(ref.commit.text()).append("\n");
  return text;
}

// Removes those whose object is missing, and returns them.
Result<std::vector<RefAndValue>> TakeLost(const Git& git, std::vector<RefAndValue>& refs) {
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   git.Run({.arguments = {"cat-file", "--batch-check=%(objectname)"},
                            .input = InputOf(Lines(refs))}));
  std::set<std::string, std::less<>> missing;
  for (const std::string_view line : Split(std::string_view(answer.out), '\n')) {
    const std::size_t space = line.find(' ');  // "ID missing"
    if (space != std::string_view::npos) missing.emplace(line.substr(0, space));
  }
  std::vector<RefAndValue> lost;
  std::erase_if(refs, [&](const RefAndValue& ref) {
    const bool is_lost = missing.contains(ref.commit.text());
    if (is_lost) lost.push_back(ref);
    return is_lost;
  });
  return lost;
}

// The missing object, in git's words; empty: none.
std::string MissingOf(const Git& git, std::span<const RefAndValue> refs,
                      std::span<const RefAndValue> branches) {
  const Result<GitAnswer> whole =
      git.Run({.arguments = {"rev-list", "--objects", "--quiet", "--stdin"},
               .input = InputOf(Lines(refs) + Lines(branches, "^"))});
  return whole ? std::string() : whole.error().message;
}

}  // namespace

Result<RefHealth> InspectRefs(const Git& git, std::string_view prefix) {
  BELAY_TRY_ASSIGN(FoundRefs found, ReadAll(git, prefix));
  RefHealth health{found.refs.size() + found.unreadable.size(), std::move(found.unreadable)};
  if (found.refs.empty()) return health;
  BELAY_TRY_ASSIGN(const std::vector<RefAndValue> lost, TakeLost(git, found.refs));
  for (const RefAndValue& ref : lost) {
    health.broken.push_back({ref.name, BrokenRef::Why::kLost, ref.commit});
  }
  BELAY_TRY_ASSIGN(FoundRefs branches, ReadAll(git, "refs/heads/"));
  BELAY_TRY(TakeLost(git, branches.refs));
  if (found.refs.empty() || MissingOf(git, found.refs, branches.refs).empty()) return health;
  for (const RefAndValue& ref : found.refs) {
    std::string missing = MissingOf(git, {&ref, 1}, branches.refs);
    if (missing.empty()) continue;
    health.broken.push_back(
        {ref.name, BrokenRef::Why::kIncomplete, ref.commit, std::move(missing)});
  }
  return health;
}

}  // namespace belay
