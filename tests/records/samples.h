// One row for each record that is stored: samples, written as today's belay writes them, and what
// is read out of a golden file of any version.

#ifndef BELAY_TESTS_RECORDS_SAMPLES_H_
#define BELAY_TESTS_RECORDS_SAMPLES_H_

#include <functional>
#include <string>
#include <vector>

#include "codec/json.h"
#include "model/stored_record.h"

namespace belay {

struct GoldenRecord {
  GoldenRecord(StoredRecord record, std::string end, std::vector<std::string> samples,
               std::function<std::string(const std::string&)> reader,
               std::vector<std::string> says = {})
      : GoldenRecord(FormatOf(record), std::move(end), std::move(samples), std::move(reader),
                     std::move(says)) {}
  GoldenRecord(const RecordFormat& its_format, std::string end, std::vector<std::string> samples,
               std::function<std::string(const std::string&)> reader,
               std::vector<std::string> says = {})
      : format(its_format),
        file_end(std::move(end)),
        written(std::move(samples)),
        read(std::move(reader)),
        expected(std::move(says)) {}

  RecordFormat format;
  std::string file_end;  // ".jsonl": lines with checksums; ".json", ".txt", ".bin": a file each
  // The bytes that we write: the record with every member set, then those with the least.
  std::vector<std::string> written;
  // What the sample with that number says to its reader, in the newest version: the bytes that we
  // would write for it, or the values that it is made of. An error is its message.
  std::function<std::string(const std::string& bytes)> read;
  std::vector<std::string> expected = {};  // of `read`, for each of them; empty: what is written
};

std::vector<GoldenRecord> GoldenRecords();
// Those of the families that name their format themselves (ledger/family.h).
void AddFamilyRecords(std::vector<GoldenRecord>& rows);

// A line with its checksum, as in an inbox; as the journal numbers it; and its record.
std::string Line(const Json& record);
std::string JournalLine(const Json& record);
Json ParsedLine(const std::string& line);

// The renderings in the state root, which are never read: name and bytes.
struct GoldenRendering {
  std::string name;
  std::string bytes;
};
std::vector<GoldenRendering> GoldenRenderings();

}  // namespace belay

#endif  // BELAY_TESTS_RECORDS_SAMPLES_H_
