// Every record that is stored, against its golden files: tests/golden/records/RECORD/vN.*, one for
// each version. An older one must always be read; what we write must equal the newest byte by byte.
// BELAY_ACCEPT=1 takes what we write as the newest; golden files of older versions never change.

#include <fmt/core.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "base/text.h"
#include "records/samples.h"
#include "store/vault.h"
#include "testing/golden.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

std::string Bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string NameOf(const GoldenRecord& row) { return std::string(row.format.name); }

// "records/hook/v1.jsonl", or for files of their own "records/run/v1-2.json".
std::string FileOf(const GoldenRecord& row, int version, std::size_t sample) {
  const std::string start = "records/" + NameOf(row) + "/v" + std::to_string(version);
  const bool lines = row.file_end == ".jsonl";
  return start + (lines ? "" : "-" + std::to_string(sample + 1)) + row.file_end;
}

// The golden samples of one version.
std::vector<std::string> Samples(const GoldenRecord& row, int version) {
  std::vector<std::string> samples;
  if (row.file_end == ".jsonl") {
    const std::string text = Bytes(SourceFile("tests/golden/" + FileOf(row, version, 0)));
    for (const std::string_view line : Split(text, '\n')) {
      if (!line.empty()) samples.push_back(std::string(line) + "\n");
    }
    return samples;
  }
  for (std::size_t i = 0; i < row.written.size(); ++i) {
    samples.push_back(Bytes(SourceFile("tests/golden/" + FileOf(row, version, i))));
  }
  return samples;
}

TEST(GoldenRecordsTest, EveryStoredRecordHasItsRow) {
  std::set<std::string> rows;
  for (const GoldenRecord& row : GoldenRecords()) {
    EXPECT_TRUE(rows.insert(NameOf(row)).second) << NameOf(row) << " stands twice";
    EXPECT_FALSE(row.written.empty()) << NameOf(row);
    // A family that names its format; the others have values of their own as expectation.
    for (const std::string& says : row.expected) {
      EXPECT_TRUE(!says.ends_with(" unreadable") || says.ends_with("0 unreadable")) << NameOf(row);
    }
  }
  for (const RecordFormat& format : kStoredRecords) {
    EXPECT_TRUE(rows.contains(std::string(format.name)))
        << format.name << " is stored and has no golden files: tests/records/samples.cc";
  }
}

TEST(GoldenRecordsTest, WhatWeWriteEqualsTheGoldenFilesOfTheNewestVersion) {
  for (const GoldenRecord& row : GoldenRecords()) {
    const int newest = row.format.newest;
    std::string all;
    for (std::size_t i = 0; i < row.written.size(); ++i) {
      all += row.written[i];
      if (row.file_end != ".jsonl") ExpectGolden(FileOf(row, newest, i), row.written[i]);
    }
    if (row.file_end == ".jsonl") ExpectGolden(FileOf(row, newest, 0), all);
  }
}

TEST(GoldenRecordsTest, EveryVersionIsReadWithoutLoss) {
  for (const GoldenRecord& row : GoldenRecords()) {
    const std::vector<std::string>& expected = row.expected.empty() ? row.written : row.expected;
    ASSERT_EQ(expected.size(), row.written.size()) << NameOf(row);
    for (int version = 1; version <= row.format.newest; ++version) {
      const std::vector<std::string> samples = Samples(row, version);
      ASSERT_EQ(samples.size(), expected.size()) << NameOf(row) << " version " << version;
      for (std::size_t i = 0; i < samples.size(); ++i) {
        EXPECT_EQ(row.read(samples[i]), expected[i]) << FileOf(row, version, i);
      }
    }
  }
}

// What is left over would never be checked.
TEST(GoldenRecordsTest, EveryGoldenFileBelongsToARecord) {
  std::set<std::string> known;
  for (const GoldenRecord& row : GoldenRecords()) {
    for (int version = 1; version <= row.format.newest; ++version) {
      for (std::size_t i = 0; i < row.written.size(); ++i) known.insert(FileOf(row, version, i));
    }
  }
  for (const GoldenRendering& one : GoldenRenderings()) {
    known.insert("records/renderings/" + one.name + ".json");
  }
  const std::filesystem::path golden = SourceFile("tests/golden");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(golden / "records")) {
    if (entry.is_directory()) continue;
    const std::string name = std::filesystem::relative(entry.path(), golden);
    EXPECT_TRUE(known.erase(name) == 1) << name << " belongs to no record";
  }
  for (const std::string& name : known) ADD_FAILURE() << name << " is missing";
}

TEST(GoldenRecordsTest, RenderingsEqualTheirGoldenFiles) {
  for (const GoldenRendering& one : GoldenRenderings()) {
    ExpectGolden("records/renderings/" + one.name + ".json", one.bytes);
  }
}

TEST(GoldenRecordsTest, TheDocumentNamesEveryRecordWithItsVersion) {
  const std::string document = Bytes(SourceFile("docs/formats/records.md"));
  for (const RecordFormat& format : kStoredRecords) {
    EXPECT_THAT(document, HasSubstr(fmt::format("\n| `{}` | {} | ", format.name, format.newest)));
  }
  EXPECT_THAT(document, HasSubstr("\n| the vault | " + std::to_string(kVaultVersion) + " | "));
}

}  // namespace
}  // namespace belay
