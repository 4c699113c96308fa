#include "adapters/git/move_ref.h"

#include <fmt/core.h>

#include "base/path.h"
#include "base/split.h"

namespace belay {
namespace {

// Git syncs the file of a ref, but no folder. One that isn't there: the ref is packed, in a file of
// the common folder.
Result<void> SyncFolders(FileSystem& files, const std::string& common_folder,
                         std::string_view name) {
  for (std::string_view folder = ParentPath(name); folder != "."; folder = ParentPath(folder)) {
    Result<void> synced = files.SyncFolder(JoinPath(common_folder, folder));
    if (!synced && synced.error().code != ErrorCode::kNotFound) return synced;
  }
  return files.SyncFolder(common_folder);
}

// None: there is no such ref.
Result<ObjectId> ReadRef(const Git& git, const std::string& name) {
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   git.Run({.arguments = {"show-ref", "--verify", "--hash", "--", name},
                            .good_exits = {0, 1, 128}}));
  if (answer.exit_code != 0) return ObjectId();
  return ObjectId::Parse(answer.out.substr(0, answer.out.find('\n')));
}

// Of a symbolic ref, only itself is meant, never the one it stands for.
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

// Says "prepare" to git, waits until git has prepared, then what `between` decides.
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
    decided_ = between_();  // git ends by itself also after trouble, and frees its locks
    const bool moves = decided_ && *decided_;
    piece = std::string(moves ? "commit" : "abort") + '\0';
    return true;
  }
  void Hear(std::string_view piece) { said_ += piece; }
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
                              transaction.Hear(piece);
                              return Result<void>();
                            }});
  if (!moved) {
    Error error = std::move(moved).error();
    if (SaysSomethingElse(error)) error.code = ErrorCode::kBusy;
    return error;
  }
  if (!transaction.decided() || !*transaction.decided()) return transaction.decided();
  BELAY_TRY(SyncFolders(files, common_folder, move.name));
  return true;
}

Result<void> MoveRef(const Git& git, FileSystem& files, const std::string& common_folder,
                     const RefMove& move) {
  if (move.from.IsNone()) {  // git would take it as: whatever it says
    return Error{ErrorCode::kFailed, fmt::format("move {}: from nowhere", move.name)};
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
  return SyncFolders(files, common_folder, move.name);
}

}  // namespace belay
