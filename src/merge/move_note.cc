#include "merge/move_note.h"

#include <chrono>
#include <set>

#include "base/path.h"
#include "base/text.h"
#include "model/stored_record.h"
#include "os/clock.h"

namespace belay {
namespace {

constexpr std::string_view kFirst = "belay checkout-move ";  // and the version

std::string FirstText() {
  return std::string(kFirst) + std::to_string(NewestVersion(StoredRecord::kMoveNote));
}

// kDamaged for a note by a newer belay. A text without a version is not a note.
Result<void> CheckFirst(std::string_view text) {
  if (!text.starts_with(kFirst)) return {};
  text.remove_prefix(kFirst.size());
  const auto version = ParseNumber<std::int64_t>(text);
  return version ? CheckVersion(FormatOf(StoredRecord::kMoveNote), *version) : Result<void>();
}

class Writer {
 public:
  void Text(std::string_view text) {
    out_ += text;
    out_ += '\0';
  }
  template <class Number>
  void Count(Number number) {
    Text(std::to_string(number));
  }
  void Mark(const FileMark& mark) {
    Count(mark.inode);
    Count(mark.bytes);
    Count(mark.mode);
    Count(mark.modified);
  }
  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::string Text() {
    const std::size_t end = rest_.find('\0');
    if (end == std::string_view::npos) {
      ok_ = false;
      return {};
    }
    std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return text;
  }
  template <class Number>
  Number Count() {
    const auto number = ParseNumber<Number>(Text());
    ok_ = ok_ && number;
    return ok_ ? *number : 0;
  }
  ObjectId Id() {
    const Result<ObjectId> id = ObjectId::Parse(Text());
    if (!id || id->IsNone()) ok_ = false;
    return id ? *id : ObjectId();
  }
  FileMark Mark() {
    FileMark mark;
    mark.inode = Count<std::uint64_t>();
    mark.bytes = Count<std::uint64_t>();
    mark.mode = Count<std::uint32_t>();
    mark.modified = Count<std::int64_t>();
    return mark;
  }
  bool ok() const { return ok_; }
  bool AtEnd() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

CheckoutPlan ReadPlan(Reader& reader) {
  CheckoutPlan plan{.folder = reader.Text(),
                    .git_folder = reader.Text(),
                    .staging = reader.Text(),
                    .files_folder = reader.Text(),
                    .lock_text = reader.Text(),
                    .index = reader.Mark(),
                    .old_index = reader.Mark(),
                    .old_copy = reader.Mark()};
  const auto count = reader.Count<std::size_t>();
  for (std::size_t i = 0; i < count && reader.ok(); ++i) {
    plan.moves.push_back({reader.Text(), reader.Mark(), reader.Mark()});
  }
  return plan;
}

constexpr std::size_t kMostText = 4096;
constexpr int kChecks = 25;
constexpr Duration kBetweenChecks = std::chrono::milliseconds(40);

struct Lock {
  std::string path;
  std::uint64_t inode;

  bool operator==(const Lock&) const = default;
};

// The lock at `path`, if it exists, is not older than the move, and holds a prefix of `text`: git
// may have been killed while it wrote it.
std::optional<Lock> LockWith(const FileSystem& files, const std::string& path,
                             std::string_view text, std::int64_t since) {
  const Result<FileInfo> info = files.Inspect(path);
  if (!info || info->kind != FileKind::kFile || info->modified < since) {
    return std::nullopt;
  }
  const Result<std::string> found = files.Read(path, kMostText);
  if (!found || !text.starts_with(*found)) return std::nullopt;
  return Lock{path, info->inode};
}

std::vector<Lock> OurLocks(const FileSystem& files, const std::string& common_folder,
                           const MoveNote& note, std::int64_t since) {
  std::vector<Lock> locks;
  const std::string ref = JoinPath(common_folder, note.ref + ".lock");
  const std::optional<Lock> of_ref = LockWith(files, ref, note.to.text() + "\n", since);
  // Another git is moving the target: the other locks are that git's too.
  if (!of_ref && files.Inspect(ref)) return locks;
  if (of_ref) locks.push_back(*of_ref);
  std::set<std::string> folders = {common_folder};
  for (const CheckoutPlan& plan : note.checkouts) folders.insert(plan.git_folder);
  for (const std::string& folder : folders) {
    if (const auto lock = LockWith(files, JoinPath(folder, "HEAD.lock"), "", since)) {
      locks.push_back(*lock);
    }
  }
  return locks;
}

}  // namespace

std::string CheckoutPlan::Lock() const { return JoinPath(git_folder, "index.lock"); }
std::string CheckoutPlan::Index() const { return JoinPath(git_folder, "index"); }
std::string CheckoutPlan::ReadyLock() const { return JoinPath(staging, "lock"); }
std::string CheckoutPlan::ReadyIndex() const { return JoinPath(staging, "index"); }
std::string CheckoutPlan::OldIndex() const { return JoinPath(staging, "index.old"); }
std::string CheckoutPlan::InCheckout(const PathMove& move) const {
  return JoinPath(folder, move.path);
}
std::string CheckoutPlan::Ready(const PathMove& move) const {
  return JoinPath(JoinPath(files_folder, "new"), move.path);
}
std::string CheckoutPlan::Aside(std::size_t number) const {
  return JoinPath(JoinPath(files_folder, "old"), std::to_string(number));
}

std::string WriteMoveNote(const MoveNote& note) {
  Writer writer;
  writer.Text(FirstText());
  writer.Text(note.ref);
  writer.Text(note.from.text());
  writer.Text(note.to.text());
  writer.Text(note.reason);
  writer.Count(note.moves_ref ? 1 : 0);
  writer.Count(note.checkouts.size());
  for (const CheckoutPlan& plan : note.checkouts) {
    for (const std::string& text :
         {plan.folder, plan.git_folder, plan.staging, plan.files_folder, plan.lock_text}) {
      writer.Text(text);
    }
    writer.Mark(plan.index);
    writer.Mark(plan.old_index);
    writer.Mark(plan.old_copy);
    writer.Count(plan.moves.size());
    for (const PathMove& move : plan.moves) {
      writer.Text(move.path);
      writer.Mark(move.comes);
      writer.Mark(move.goes);
    }
  }
  return writer.Take();
}

Result<MoveNote> ParseMoveNote(std::string_view text) {
  Reader reader(text);
  const std::string first = reader.Text();
  BELAY_TRY(CheckFirst(first));
  const bool known = first == FirstText();
  MoveNote note{
      .ref = reader.Text(), .from = reader.Id(), .to = reader.Id(), .reason = reader.Text()};
  note.moves_ref = reader.Count<int>() != 0;
  const auto count = reader.Count<std::size_t>();
  for (std::size_t i = 0; i < count && reader.ok(); ++i) note.checkouts.push_back(ReadPlan(reader));
  if (!known || !reader.ok() || !reader.AtEnd()) {
    return Error{ErrorCode::kDamaged, "the note about moved checkouts can't be parsed",
                 "belay doctor checks it"};
  }
  return note;
}

bool FreeRefLocks(FileSystem& files, const std::string& common_folder, const MoveNote& note,
                  std::int64_t since) {
  if (!note.moves_ref) return false;
  const std::vector<Lock> seen = OurLocks(files, common_folder, note, since);
  if (seen.empty()) return false;
  std::vector<Lock> left = seen;
  for (int checks = 0; checks < kChecks && !left.empty(); ++checks) {
    SleepFor(kBetweenChecks);  // a lock that stays is no event
    const std::vector<Lock> now = OurLocks(files, common_folder, note, since);
    std::erase_if(left, [&](const Lock& lock) {
      return std::find(now.begin(), now.end(), lock) == now.end();
    });
  }
  for (const Lock& lock : left) (void)files.RemoveFile(lock.path);
  return !left.empty();
}

}  // namespace belay
