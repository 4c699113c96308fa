#include "adapters/git/broken_refs.h"

#include <set>
#include <span>

#include "adapters/git/fields.h"
#include "adapters/git/refs.h"
#include "base/split.h"

namespace belay {
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

// Takes those out whose object is missing, and gives them.
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

// What is missing of them, in git's words; empty: nothing.
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
