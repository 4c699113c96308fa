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
  StoredRecord record;
  std::string file_end;  // ".jsonl": lines with checksums; ".json", ".txt", ".bin": a file each
  // The bytes that we write: the record with every member set, then those with the least.
  std::vector<std::string> written;
  // What the sample with that number says to its reader, in the newest version: the bytes that we
  // would write for it, or the values that it is made of. An error is its message.
  std::function<std::string(const std::string& bytes)> read;
  std::vector<std::string> expected = {};  // of `read`, for each of them; empty: what is written
};

std::vector<GoldenRecord> GoldenRecords();

// The renderings in the state root, which are never read: name and bytes.
struct GoldenRendering {
  std::string name;
  std::string bytes;
};
std::vector<GoldenRendering> GoldenRenderings();

}  // namespace belay

#endif  // BELAY_TESTS_RECORDS_SAMPLES_H_
