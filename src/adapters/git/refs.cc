#include "adapters/git/refs.h"

#include <fmt/core.h>

#include <algorithm>

#include "adapters/git/fields.h"
#include "base/split.h"

namespace belay {
namespace {

struct NameAndId {
  std::string name;
  ObjectId id;
};

std::size_t DigitsAt(std::string_view text) {
  return std::min(text.find_first_not_of("0123456789"), text.size());
}

// By name, with numbers in their order. Not git's version sort, which a user's configuration bends.
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

// Without a look at what they point to: one whose object is missing must not hide the others.
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

// Headers, each a line; a line that starts with a space goes on with the one before. Then, after an
// empty line, the message.
Result<void> ReadCommit(std::string_view object, CommitRef& ref) {
  Fields fields(object, "cat-file");
  while (!fields.AtEnd()) {
    BELAY_TRY_ASSIGN(const std::string_view line, fields.Until('\n'));
    if (line.empty()) break;
    constexpr std::string_view kParent = "parent ";
    if (!line.starts_with(kParent)) continue;
    BELAY_TRY_ASSIGN(ObjectId parent, ObjectId::Parse(line.substr(kParent.size())));
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

// Names and commits in one call of git's, which fails if a single one of them is damaged. What is
// no commit is left out.
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
  // One of them is damaged: the others count.
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
    if (ref.commit.IsNone()) {  // git would take it as: whatever it says
      return Error{ErrorCode::kFailed, fmt::format("delete {}: it says nothing", ref.name)};
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

}  // namespace belay
