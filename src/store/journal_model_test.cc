// The journal against a model: a list of numbered records. Several processes, each with a journal
// and a follower of its own, act at random; after catching up, a process must know exactly the
// model, whatever it missed.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <optional>

#include "codec/json_lines.h"
#include "store/journal.h"
#include "testing/simulated_disk.h"

namespace belay {
namespace {

using Records = std::vector<std::pair<std::uint64_t, std::string>>;

const std::string kPath = "/journal";

Json RecordOf(const std::string& text) { return MakeObject({{"text", text}}); }
std::string TextOf(const Json& record) { return *record.Find("text")->AsString(); }

class JournalAndModel {
 public:
  void Append(std::size_t who, std::size_t count) {
    Process& process = processes_[who];
    const std::vector<Json> records = NewRecords(count);
    const auto last = process.journal->Append(Lock(), records, process.Follower());
    RC_ASSERT(last.ok());
    RC_ASSERT(process.seen == model_);  // caught up before it wrote
    Add(records);
    RC_ASSERT(*last == last_);
    process.seen = model_;
  }

  void CatchUp(std::size_t who) {
    Process& process = processes_[who];
    RC_ASSERT(process.journal->CatchUp(process.Follower()).ok());
    RC_ASSERT(process.seen == model_);
    RC_ASSERT(process.journal->last_seq() == last_);
  }

  void Compact(std::size_t who, std::size_t count) {
    const std::vector<Json> snapshot = NewRecords(count);
    RC_ASSERT(processes_[who].journal->Compact(Lock(), {}, [&] { return snapshot; }).ok());
    model_.clear();
    Add(snapshot);
    processes_[who].seen = model_;
  }

  void Restart(std::size_t who) { processes_[who].Restart(files_); }

  // A writer is killed in the middle of its write: the first bytes of it are there, and its
  // complete records count.
  void Tear(std::size_t count, std::size_t bytes) {
    if (!Text()) return;
    const std::vector<Json> records = NewRecords(count);
    std::string lines;
    for (std::size_t i = 0; i < count; ++i) {
      Json numbered = records[i];
      numbered.Set("seq", last_ + 1 + i);
      RC_ASSERT(AppendJsonLine(numbered, lines).ok());
    }
    lines.resize(bytes % lines.size());
    const auto whole = std::count(lines.begin(), lines.end(), '\n');
    // The next writer cuts an older tail off, and so must the model.
    RC_ASSERT(processes_[0].journal->Append(Lock(), {}, processes_[0].Follower()).ok());
    Overwrite(*Text() + lines);
    Add({records.begin(), records.begin() + whole});
  }

  // One byte of one line goes bad; then the journal is repaired.
  void DamageAndRepair(std::size_t who, std::size_t line, std::size_t byte) {
    if (!Text()) return;
    line %= model_.size() + 1;
    const bool last = line == model_.size();
    Overwrite(Flip(*Text(), line, byte));
    ExpectReaderStopsBefore(line, last);
    RC_ASSERT(*processes_[who].journal->Repair(Lock()) == 1u);
    // The numbers continue after the highest readable one, and after the unreadable one.
    const std::uint64_t header = model_.empty() ? last_ : model_.front().first - 1;
    std::uint64_t highest = line == 0 ? 0 : header;
    if (line > 0) model_.erase(model_.begin() + static_cast<std::ptrdiff_t>(line) - 1);
    if (!model_.empty()) highest = model_.back().first;
    last_ = highest + 1;
    for (auto& [seq, text] : model_) seq = ++last_;
  }

  std::size_t processes() const { return processes_.size(); }

 private:
  struct Process {
    std::optional<Journal> journal;
    Records seen;

    void Restart(FileSystem& files) {
      journal.emplace(files, kPath, "test");
      seen.clear();
    }
    JournalFollower Follower() {
      return {[this] { seen.clear(); },
              [this](std::uint64_t seq, const Json& record) {
                seen.emplace_back(seq, TextOf(record));
              }};
    }
  };

  StateLock Lock() { return *StateLock::Acquire(files_, "/lock", std::chrono::seconds(0)); }
  std::optional<std::string> Text() const { return disk_.Content(kPath); }

  std::vector<Json> NewRecords(std::size_t count) {
    std::vector<Json> records;
    for (std::size_t i = 0; i < count; ++i) {
      ++texts_;
      records.push_back(RecordOf(std::to_string(texts_) + std::string(texts_ % 5 * 40, 'x')));
    }
    return records;
  }
  void Add(const std::vector<Json>& records) {
    for (const Json& record : records) model_.emplace_back(++last_, TextOf(record));
  }

  // In place, as a disk does it: the file stays the same one.
  void Overwrite(const std::string& text) {
    File file = *files_.OpenForWriting(kPath, 0600);
    RC_ASSERT(file.Truncate(0).ok());
    RC_ASSERT(file.Write(text).ok());
  }

  static std::string Flip(std::string text, std::size_t line, std::size_t byte) {
    std::size_t start = 0;
    for (; line > 0; --line) start = text.find('\n', start) + 1;
    const std::size_t length = text.find('\n', start) - start;
    text[start + byte % length] ^= 1;  // this turns no byte into a line end
    return text;
  }

  // Damage at the end looks like a torn tail.
  void ExpectReaderStopsBefore(std::size_t line, bool last) {
    Process reader;
    reader.Restart(files_);
    const Result<void> read = reader.journal->CatchUp(reader.Follower());
    // Near the end it looks like what a crash leaves.
    const bool torn = read.ok() && reader.journal->bad_tail_lines() > 0;
    const bool damaged = !read.ok() && read.error().code == ErrorCode::kDamaged;
    RC_ASSERT((line == 0 ? damaged : last ? torn : torn || damaged));
    const std::size_t good = std::max<std::size_t>(line, 1) - 1;
    RC_ASSERT(reader.seen == Records(model_.begin(), model_.begin() + good));
  }

  SimulatedDisk disk_;
  FileSystem files_{disk_};
  std::array<Process, 3> processes_ = [this] {
    std::array<Process, 3> processes;
    for (Process& process : processes) process.Restart(files_);
    return processes;
  }();
  Records model_;
  std::uint64_t last_ = 0;
  std::size_t texts_ = 0;
};

// What is done, by which process, and how much of it.
using Step = std::tuple<int, std::size_t, std::size_t>;

void Take(JournalAndModel& both, const Step& step) {
  const auto [what, who, amount] = step;
  switch (what) {
    case 0:
    case 1:
    case 2:
      return both.Append(who, 1 + amount % 4);
    case 3:
    case 4:
      return both.CatchUp(who);
    case 5:
      return both.Compact(who, amount % 3);
    case 6:
      return both.Restart(who);
    case 7:
      return both.Tear(1 + who, amount);
    default:
      return both.DamageAndRepair(who, amount, amount / 7);
  }
}

// At its full range from the first test on.
rc::Gen<Step> AnyStep() {
  return rc::gen::resize(rc::kNominalSize,
                         rc::gen::tuple(rc::gen::inRange(0, 9), rc::gen::inRange<std::size_t>(0, 3),
                                        rc::gen::inRange<std::size_t>(0, 2000)));
}

TEST(JournalModel, AReaderThatCatchesUpMatchesTheModel) {
  EXPECT_TRUE(rc::check([] {
    JournalAndModel both;
    const auto steps = *rc::gen::container<std::vector<Step>>(AnyStep());
    for (const Step& step : steps) Take(both, step);
    for (std::size_t who = 0; who < both.processes(); ++who) both.CatchUp(who);
  }));
}

}  // namespace
}  // namespace belay
