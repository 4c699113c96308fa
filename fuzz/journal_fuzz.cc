// Any bytes as a journal: read, appended to, repaired, and appended to again. A repaired journal
// works and still has every record that could be read before.
//
// A line that begins with '+' is a JSON object that gets its checksum here, because the fuzzer
// would never find one.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "codec/json_lines.h"
#include "store/journal.h"
#include "testing/simulated_disk.h"

namespace {

using belay::Journal;
using belay::Json;
using belay::Result;

const std::string kPath = "/journal";

void AppendLine(std::string_view line, bool ended, std::string& out) {
  if (line.starts_with('+')) {
    const Result<Json> record = belay::ParseJson(line.substr(1));
    const bool fit = record && record->AsObject() != nullptr && !record->AsObject()->empty() &&
                     record->Find("crc") == nullptr;
    if (fit && belay::AppendJsonLine(*record, out)) return;
  }
  out += line;
  if (ended) out += '\n';
}

std::string WithChecksums(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const bool ended = end != std::string_view::npos;
    AppendLine(text.substr(0, end), ended, out);
    text.remove_prefix(ended ? end + 1 : text.size());
  }
  return out;
}

class Disk {
 public:
  explicit Disk(const std::string& text) {
    belay::File file = *files_.OpenForWriting(kPath, 0600);
    BELAY_CHECK(file.Write(text).ok());
  }

  // The records that a new reader gets, and whether it reached the end.
  bool Read(std::vector<Json>& seen) {
    std::uint64_t last = 0;
    Journal journal(files_, kPath, "test");
    const Result<void> read = journal.CatchUp({[&] { seen.clear(); },
                                               [&](std::uint64_t seq, const Json& record) {
                                                 BELAY_CHECK(seen.empty() || seq == last + 1);
                                                 last = seq;
                                                 seen.push_back(record);
                                               }});
    BELAY_CHECK(read || read.error().code == belay::ErrorCode::kDamaged);
    return read.ok();
  }

  bool Append(const Json& record) {
    Journal journal(files_, kPath, "test");
    const Result<std::uint64_t> appended = journal.Append(Lock(), {&record, 1}, {});
    BELAY_CHECK(appended || appended.error().code == belay::ErrorCode::kDamaged);
    return appended.ok();
  }

  // Nothing when it refused: the file of another journal, or a newer one.
  std::optional<std::uint64_t> Repair() {
    Journal journal(files_, kPath, "test");
    const Result<std::uint64_t> repaired = journal.Repair(Lock());
    if (repaired) return *repaired;
    BELAY_CHECK(repaired.error().code == belay::ErrorCode::kDamaged);
    return std::nullopt;
  }

  std::string Text() const { return *disk_.Content(kPath); }

 private:
  belay::StateLock Lock() {
    return *belay::StateLock::Acquire(files_, "/lock", std::chrono::seconds(0));
  }

  belay::SimulatedDisk disk_;
  belay::FileSystem files_{disk_};
};

void AppendAndExpect(Disk& disk, std::vector<Json>& records, const char* text) {
  records.push_back(belay::MakeObject({{"added", text}}));
  BELAY_CHECK(disk.Append(records.back()));
  std::vector<Json> seen;
  BELAY_CHECK(disk.Read(seen) && seen == records);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = WithChecksums({reinterpret_cast<const char*>(data), size});
  Disk disk(text);
  std::vector<Json> before;
  const bool whole = disk.Read(before);
  const Json record = belay::MakeObject({{"added", "at first"}});
  const bool appended = disk.Append(record);
  BELAY_CHECK(whole || !appended);
  if (appended) before.push_back(record);
  if (!appended) BELAY_CHECK(disk.Text() == text);

  if (!disk.Repair()) {
    BELAY_CHECK(!appended && disk.Text() == text);
    return 0;
  }
  std::vector<Json> after;
  BELAY_CHECK(disk.Read(after));
  BELAY_CHECK(after.size() >= before.size());
  BELAY_CHECK(std::equal(before.begin(), before.end(), after.begin()));
  AppendAndExpect(disk, after, "repaired");
  BELAY_CHECK(disk.Repair() == 0);
  AppendAndExpect(disk, after, "again");
  return 0;
}
