// What a snapshot is called: "main/7", the seventh one that was kept for the main worktree.
//
//   refs/belay/keep/main/7            the main worktree
//   refs/belay/keep/login-fix/3       a linked worktree, by the name that git has for it
//   refs/belay/keep/agent-orchestrator-login/2   an agent, whichever worktree it works in
//
// A linked worktree that git calls "main", or something that starts with "wt-" or "agent-", gets
// "wt-" before it, so that no two have the same name. What can't stand in a ref is written %XX;
// what gets too long by that is cut, with a digest of it behind "%x".

#ifndef BELAY_SNAPSHOT_SNAPSHOT_ID_H_
#define BELAY_SNAPSHOT_SNAPSHOT_ID_H_

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "store/repository.h"

namespace belay {

constexpr std::string_view kKeepRefs = "refs/belay/keep/";

// Whose snapshots they are.
class KeepName {
 public:
  static KeepName OfWorktree(const Repository& repository);
  static KeepName OfAgent(const IdentityName& agent);
  // As it stands in a ref; anything that can't: kUsage.
  static Result<KeepName> Parse(std::string_view text);

  const std::string& text() const { return text_; }
  std::string Refs() const;  // "refs/belay/keep/main/"

  bool operator==(const KeepName&) const = default;
  std::strong_ordering operator<=>(const KeepName& other) const { return text_ <=> other.text_; }

 private:
  explicit KeepName(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

struct SnapshotId {
  KeepName keep;
  std::uint64_t number;  // the first is 1

  // "main/7"; also "refs/belay/keep/main/7". Anything else: kUsage.
  static Result<SnapshotId> Parse(std::string_view text);

  std::string text() const;
  std::string Ref() const;

  bool operator==(const SnapshotId&) const = default;
};

}  // namespace belay

#endif  // BELAY_SNAPSHOT_SNAPSHOT_ID_H_
