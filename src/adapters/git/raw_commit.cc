#include "adapters/git/raw_commit.h"

#include <fmt/core.h>

#include "adapters/git/fields.h"
#include "base/text.h"

namespace belay {
namespace {

constexpr std::string_view kTree = "tree ";
constexpr std::string_view kParent = "parent ";
constexpr std::string_view kCommitter = "committer ";
constexpr std::string_view kBound[] = {"gpgsig", "gpgsig-sha256", "mergetag"};

std::string_view NameOf(std::string_view header) { return header.substr(0, header.find(' ')); }

// Including its newline; the last line may have none.
std::string_view TakeLine(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end == std::string_view::npos ? end : end + 1);
  rest.remove_prefix(line.size());
  return line;
}

std::string_view WithoutNewline(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  return line;
}

}  // namespace

std::string AtTime(std::string_view person, WallTime time) {
  const std::size_t end = person.rfind('>');
  if (end == std::string_view::npos) return std::string(person);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
  return fmt::format("{} {} +0000", person.substr(0, end + 1), seconds);
}

Result<RawCommit> RawCommit::Parse(std::string_view bytes) {
  RawCommit commit;
  bool in_parents = true;  // they follow the tree; after them "parent" is an ordinary header
  if (!bytes.starts_with(kTree)) return Fields(bytes, "cat-file").Damaged("no tree");
  BELAY_TRY_ASSIGN(commit.tree_,
                   ObjectId::Parse(WithoutNewline(TakeLine(bytes)).substr(kTree.size())));
  while (!bytes.empty()) {
    const std::string_view line = TakeLine(bytes);
    if (line == "\n") {
      commit.has_end_ = true;
      break;
    }
    in_parents = in_parents && line.starts_with(kParent);
    if (in_parents) {
      BELAY_TRY_ASSIGN(ObjectId parent,
                       ObjectId::Parse(WithoutNewline(line).substr(kParent.size())));
      commit.parents_.push_back(std::move(parent));
    } else if (line.starts_with(' ') && !commit.headers_.empty()) {
      commit.headers_.back() += line;
    } else {
      commit.headers_.emplace_back(line);
    }
  }
  commit.message_ = bytes;
  return commit;
}

std::string_view RawCommit::Header(std::string_view name) const {
  for (const std::string_view header : headers_) {
    if (NameOf(header) != name || header.size() <= name.size()) continue;
    return WithoutNewline(header.substr(name.size() + 1));
  }
  return {};
}

std::string RawCommit::Elsewhere(const ObjectId& tree, std::span<const ObjectId> parents,
                                 std::optional<WallTime> committed_at) const {
  std::string bytes = fmt::format("tree {}\n", tree.text());
  for (const ObjectId& parent : parents) bytes += fmt::format("parent {}\n", parent.text());
  bool behind_parents = true;
  bool dated = !committed_at;
  for (const std::string& header : headers_) {
    if (IsIn(kBound, NameOf(header))) continue;
    // After a signature it was no parent, and without the signature it must not become one.
    if (behind_parents && header.starts_with(kParent)) continue;
    behind_parents = false;
    if (!dated && header.starts_with(kCommitter)) {
      dated = true;
      bytes += AtTime(WithoutNewline(header), *committed_at);
      if (header.ends_with('\n')) bytes += '\n';
      continue;
    }
    bytes += header;
  }
  if (has_end_) bytes += '\n';
  return bytes + message_;
}

Result<CommitMap> ReadRawCommits(const MergeRoom& room, std::span<const ObjectId> ids) {
  std::string questions;
  for (const ObjectId& id : ids) questions += id.text() + "\n";
  BELAY_TRY_ASSIGN(const GitAnswer answer, room.Run({.arguments = {"cat-file", "--batch"},
                                                     .input = InputOf(std::move(questions))}));
  CommitMap commits;
  Fields fields(answer.out, "cat-file");
  for (const ObjectId& id : ids) {
    BELAY_TRY_ASSIGN(const std::string_view headline, fields.Until('\n'));
    const std::vector<std::string_view> words = Split(headline, ' ');
    if (words.size() != 3 || words[0] != id.text()) {
      return Error{ErrorCode::kNotFound, fmt::format("commit {} is missing", id.Short())};
    }
    BELAY_TRY_ASSIGN(const std::string_view bytes, fields.Bytes(words[2]));
    BELAY_TRY(fields.Until('\n'));
    if (words[1] != "commit") {
      return Error{ErrorCode::kRefused,
                   fmt::format("{} is a {}, not a commit", id.Short(), words[1])};
    }
    Result<RawCommit> commit = RawCommit::Parse(bytes);
    if (!commit) return std::move(commit).error().In("commit " + id.Short());
    commits.insert_or_assign(id, *std::move(commit));
  }
  return commits;
}

std::string CommitBytes(const NewCommit& commit) {
  std::string bytes = fmt::format("tree {}\n", commit.tree.text());
  for (const ObjectId& parent : commit.parents) bytes += fmt::format("parent {}\n", parent.text());
  bytes += "author " + commit.author + "\ncommitter " + commit.committer + "\n\n";
  return bytes + commit.message;
}

}  // namespace belay
