#include "adapters/git/refs.h"

#include <fmt/core.h>

#include "adapters/git/fields.h"
#include "base/split.h"

namespace belay {
namespace {

// NUL ends each field: a message holds anything else.
constexpr std::string_view kFormat =
    "--format=%(refname)%00%(objecttype)%00%(objectname)%00%(parent)%00%(contents)%00";

Result<CommitRef> ReadRef(Fields& fields, bool& is_commit) {
  CommitRef ref;
  BELAY_TRY_ASSIGN(ref.name, fields.Until('\0'));
  BELAY_TRY_ASSIGN(const std::string_view type, fields.Until('\0'));
  is_commit = type == "commit";
  BELAY_TRY_ASSIGN(ref.commit, fields.IdUntil('\0'));
  BELAY_TRY_ASSIGN(const std::string_view parents, fields.Until('\0'));
  for (const std::string_view parent : Split(parents, ' ')) {
    BELAY_TRY_ASSIGN(ObjectId id, ObjectId::Parse(parent));
    ref.parents.push_back(std::move(id));
  }
  BELAY_TRY_ASSIGN(ref.message, fields.Until('\0'));
  BELAY_TRY(fields.Until('\n'));
  return ref;
}

Result<std::vector<CommitRef>> ForEachRef(const Git& git, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"for-each-ref", std::string(kFormat)});
  BELAY_TRY_ASSIGN(const std::string output, git.Ask(std::move(arguments)));
  std::vector<CommitRef> refs;
  Fields fields(output, "for-each-ref");
  while (!fields.AtEnd()) {
    bool is_commit = false;
    BELAY_TRY_ASSIGN(CommitRef ref, ReadRef(fields, is_commit));
    if (is_commit) refs.push_back(std::move(ref));
  }
  return refs;
}

Result<bool> IsThere(const Git& git, const std::string& name) {
  BELAY_TRY_ASSIGN(
      const GitAnswer answer,
      git.Run({.arguments = {"show-ref", "--verify", "--quiet", name}, .good_exits = {0, 1}}));
  return answer.exit_code == 0;
}

}  // namespace

Result<std::vector<CommitRef>> ListRefs(const Git& git, std::string_view prefix) {
  return ForEachRef(git, {"--sort=version:refname", std::string(prefix)});
}

Result<std::optional<CommitRef>> LastRef(const Git& git, std::string_view prefix) {
  BELAY_TRY_ASSIGN(std::vector<CommitRef> refs,
                   ForEachRef(git, {"--sort=-version:refname", "--count=1", std::string(prefix)}));
  if (refs.empty()) return std::optional<CommitRef>();
  return std::optional(std::move(refs[0]));
}

Result<bool> CreateRef(const Git& git, const std::string& name, const ObjectId& commit) {
  const auto created =
      git.Run({.arguments = {"update-ref", "--stdin", "-z"},
               .input = InputOf(fmt::format("create {}{}{}{}", name, '\0', commit.text(), '\0'))});
  if (created) return true;
  BELAY_TRY_ASSIGN(const bool there, IsThere(git, name));
  if (there) return false;
  return created.error();
}

Result<void> DeleteRefs(const Git& git, std::span<const RefAndValue> refs) {
  std::string input;
  for (const RefAndValue& ref : refs) {
    input += fmt::format("delete {}{}{}{}", ref.name, '\0', ref.commit.text(), '\0');
  }
  auto deleted =
      git.Run({.arguments = {"update-ref", "--stdin", "-z"}, .input = InputOf(std::move(input))});
  if (deleted) return {};
  Error error = std::move(deleted).error();
  if (error.message.find("but expected") != std::string::npos) error.code = ErrorCode::kBusy;
  return error;
}

}  // namespace belay
