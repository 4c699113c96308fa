#include "model/context_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>

#include "base/utf8.h"
#include "codec/hash.h"
#include "codec/json.h"
#include "testing/golden.h"

namespace belay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ContextFile Full() {
  ContextFile context{.task_id = *TaskId::Parse("bd-3.1")};
  context.worker = "worker-a#2";
  context.timestamp = *ParseUtc("2026-11-18T12:00:00Z");
  context.reason = SuspendReason::kWaveTimeout;
  context.files_modified = {"src/a.cc", "odd \"name\": x", "---"};
  context.files_pending = {"src/b.cc"};
  context.last_action = "resume_count: 0\n---\ncontent_sha256: \"\"";
  context.resume_count = 1;
  context.base_commit = std::string(40, 'a');
  context.snapshot = std::string(40, 'b');
  context.tainted = true;
  context.earlier_snapshots = {std::string(40, 'c')};
  context.body = "The parser is done.\n---\ncontent_sha256: \"\"\n<<<END 0>>>\n";
  return context;
}

std::string ReadGolden(const std::string& name) {
  std::ifstream file(SourceFile("tests/golden/" + name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Compares without the exact types: what is written and what is read.
void ExpectSame(const ContextFile& read, const ContextFile& written) {
  EXPECT_EQ(read.task_id, written.task_id);
  EXPECT_EQ(read.worker, written.worker);
  EXPECT_EQ(read.timestamp, written.timestamp);
  EXPECT_EQ(read.reason, written.reason);
  EXPECT_EQ(read.files_modified, written.files_modified);
  EXPECT_EQ(read.files_pending, written.files_pending);
  EXPECT_EQ(read.resume_count, written.resume_count);
  EXPECT_EQ(read.base_commit, written.base_commit);
  EXPECT_EQ(read.snapshot, written.snapshot);
  EXPECT_EQ(read.tainted, written.tainted);
  EXPECT_EQ(read.earlier_snapshots, written.earlier_snapshots);
}

TEST(ContextFileTest, IsWrittenAsTheGoldenFilesShow) {
  ExpectGolden("context/full.md", WriteContextFile(Full()));
  ContextFile least{.task_id = *TaskId::Parse("7")};
  least.worker = "worker-a";
  least.timestamp = *ParseUtc("2026-11-18T12:00:00Z");
  ExpectGolden("context/least.md", WriteContextFile(least));
}

TEST(ContextFileTest, SurvivesARoundTripWithValuesThatLookLikeMarkers) {
  const Result<ParsedContext> read = ParseContextFile(WriteContextFile(Full()));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(read->intact);
  EXPECT_EQ(read->status, "suspended");
  ExpectSame(read->context, Full());
  EXPECT_EQ(read->context.last_action, "resume_count: 0 --- content_sha256: \"\"");
  EXPECT_EQ(read->context.body + "\n", Full().body);
}

TEST(ContextFileTest, EveryChangedByteIsNoticed) {
  const std::string good = WriteContextFile(Full());
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = bad[at] == 'x' ? 'y' : 'x';
    const Result<ParsedContext> read = ParseContextFile(bad);
    EXPECT_FALSE(read.ok() && read->intact) << at;
  }
}

TEST(ContextFileTest, EveryTruncationIsNoticed) {
  const std::string good = WriteContextFile(Full());
  for (std::size_t size = 0; size < good.size(); ++size) {
    const Result<ParsedContext> read = ParseContextFile(good.substr(0, size));
    EXPECT_FALSE(read.ok() && read->intact) << size;
    EXPECT_TRUE(read.ok() || read.error().code == ErrorCode::kDamaged) << size;
  }
}

TEST(ContextFileTest, ARaisedCountIsHashedAgain) {
  ContextFile context = Full();
  for (std::uint32_t count = 0; count < 3; ++count) {
    context.resume_count = count;
    const Result<ParsedContext> read = ParseContextFile(WriteContextFile(context));
    ASSERT_TRUE(read.ok());
    EXPECT_TRUE(read->intact);
    EXPECT_EQ(read->context.resume_count, count);
    context = read->context;
  }
}

TEST(ContextFileTest, ReadsTheFilesOfOtherWritersAlsoAfterTheyRaisedTheCount) {
  for (const char* name : {"context/other-writer.md", "context/other-writer-resumed.md"}) {
    const Result<ParsedContext> read = ParseContextFile(ReadGolden(name));
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_TRUE(read->intact) << name;
    EXPECT_EQ(read->context.task_id.text(), "7");
    EXPECT_EQ(read->context.worker, "rune-smith-1");
    EXPECT_THAT(read->context.files_pending, ElementsAre("src/formatter.py"));
    EXPECT_EQ(read->context.body, "The parser is done. The formatter is next.");
    // Written again by us, it is ours.
    EXPECT_TRUE(ParseContextFile(WriteContextFile(read->context))->intact);
  }
  std::string lowered = ReadGolden("context/other-writer.md");
  lowered.replace(lowered.find("resume_count: 0"), 15, "resume_count: 5");
  lowered.replace(lowered.find("src/parser.py"), 13, "src/parser.pY");
  EXPECT_FALSE(ParseContextFile(lowered)->intact);
}

TEST(ContextFileTest, ANewerVersionIsRefused) {
  std::string text = WriteContextFile(Full());
  text.replace(text.find("schema v1"), 9, "schema v2");
  EXPECT_EQ(ParseContextFile(text).error().code, ErrorCode::kDamaged);
  EXPECT_THAT(ParseContextFile(text).error().message, HasSubstr("version 2"));
}

TEST(ContextFileTest, HostileFilesAreRefusedOrHarmless) {
  const std::string good = WriteContextFile(Full());
  std::string crlf = std::regex_replace(good, std::regex("\n"), "\r\n");
  std::string twice = good;
  twice.insert(twice.find("resume_count"), "resume_count: 0\n");
  std::string no_count = std::regex_replace(good, std::regex("resume_count: 1\n"), "");
  std::string nul = good;
  nul[nul.find("worker-a")] = '\0';
  std::string bytes = good;
  bytes[bytes.find("worker-a")] = '\xff';
  for (const std::string& bad :
       {crlf, twice, no_count, nul, bytes, std::string(), std::string("---"),
        std::string("---\n---\n"), std::string("---\ntask_id: 1\n---\n"), good.substr(4)}) {
    EXPECT_EQ(ParseContextFile(bad).error().code, ErrorCode::kDamaged) << bad.substr(0, 80);
  }
}

TEST(ContextFileTest, ABodyMayHoldAnythingAndIsCutByCodePoints) {
  ContextFile context = Full();
  context.body.clear();
  for (int i = 0; i < 300'000; ++i) context.body += "äöü\n"[i % 4] == '\n' ? "\n" : "ä";
  context.body += std::string(1, '\0') + "\xff---\n";
  const std::string whole = WriteContextFile(context, 10'000'000);
  const Result<ParsedContext> read = ParseContextFile(whole);
  ASSERT_TRUE(read.ok() && read->intact);
  EXPECT_GT(read->context.body.size(), 500'000U);
  const Result<ParsedContext> cut = ParseContextFile(WriteContextFile(context, 4'000));
  ASSERT_TRUE(cut.ok() && cut->intact);
  EXPECT_LE(CountCodePoints(cut->context.body), 4'000U);
  EXPECT_EQ(FindInvalidUtf8(cut->context.body), std::string::npos);
}

TEST(ContextFileTest, KeepsPlainValuesThatItDoesNotKnow) {
  std::string text = WriteContextFile(Full());
  text.insert(text.find("content_sha256: \"", text.find("taint: ")),
              "later: 5\nlist:\n  - a\n  - \"b c\"\nmap:\n  x: 1\n");
  const ContextFile read = ParseContextFile(text)->context;
  const std::string again = WriteContextFile(read);
  EXPECT_THAT(again, HasSubstr("later: 5\nlist:\n  - a\n  - \"b c\"\ncontent_sha256"));
}

TEST(ContextFileTest, FindsTheFilesOfATaskInItsDescription) {
  EXPECT_THAT(FileOwnership("Do it.\n\n**File Ownership:**\n- src/a.cc\n- `src/b c.cc`: the rest\n"
                            "* src/d.cc (new)\n\n- not/this\n"),
              ElementsAre("src/a.cc", "src/b c.cc", "src/d.cc"));
  EXPECT_THAT(FileOwnership("File Ownership: a.cc, b.cc"), ElementsAre("a.cc", "b.cc"));
  EXPECT_THAT(FileOwnership("no such list\n- a"), IsEmpty());
}

// As much of JSON Schema as schemas/context-file.json uses.
std::string CheckValue(const Json& schema, const YamlNode& node) {
  const bool null = node.kind == YamlNode::Kind::kNull;
  const bool whole = node.kind == YamlNode::Kind::kScalar && !node.quoted &&
                     node.text.find_first_not_of("0123456789") == std::string::npos;
  const Json* type = schema.Find("type");
  const auto has = [&](std::string_view name) {
    if (type->AsString() != nullptr) return *type->AsString() == name;
    return std::any_of(type->AsArray()->begin(), type->AsArray()->end(),
                       [&](const Json& one) { return *one.AsString() == name; });
  };
  if (null) return has("null") ? "" : "it is null";
  if (has("array")) {
    if (node.kind != YamlNode::Kind::kList) return "it is no list";
    for (const YamlNode& item : node.items) {
      if (const std::string bad = CheckValue(*schema.Find("items"), item); !bad.empty()) return bad;
    }
    return "";
  }
  if (node.kind != YamlNode::Kind::kScalar) return "it is no text";
  if (has("integer")) return whole ? "" : "it is no number";
  if (const Json* choices = schema.Find("enum")) {
    const bool known = std::any_of(choices->AsArray()->begin(), choices->AsArray()->end(),
                                   [&](const Json& one) { return *one.AsString() == node.text; });
    if (!known) return "it is none of the choices";
  }
  const Json* pattern = schema.Find("pattern");
  if (pattern != nullptr && !std::regex_search(node.text, std::regex(*pattern->AsString()))) {
    return "it doesn't match";
  }
  const Json* most = schema.Find("maxLength");
  return most != nullptr &&
                 CountCodePoints(node.text) > static_cast<std::size_t>(*most->AsInteger())
             ? "it is too long"
             : "";
}

TEST(ContextFileTest, TheGoldenFilesMatchTheSchema) {
  std::ifstream file(SourceFile("schemas/context-file.json"));
  const Result<Json> schema = ParseJson(std::string(std::istreambuf_iterator<char>(file), {}));
  ASSERT_TRUE(schema.ok());
  for (const char* name : {"full.md", "least.md", "other-writer.md", "other-writer-resumed.md"}) {
    const std::string text = ReadGolden(std::string("context/") + name);
    const std::size_t end = text.find("\n---\n");
    const Result<YamlNode> front = ParseYaml(text.substr(4, end - 4));
    ASSERT_TRUE(front.ok()) << name;
    for (const Json& key : *schema->Find("required")->AsArray()) {
      EXPECT_NE(front->Find(*key.AsString()), nullptr) << name << ": " << *key.AsString();
    }
    for (const YamlEntry& entry : front->entries) {
      const Json* known = schema->Find("properties")->Find(entry.key);
      ASSERT_NE(known, nullptr) << name << ": " << entry.key;
      EXPECT_EQ(CheckValue(*known, entry.value), "") << name << ": " << entry.key;
    }
  }
  YamlNode wrong;
  wrong.kind = YamlNode::Kind::kScalar;
  wrong.text = "other";
  EXPECT_NE(CheckValue(*schema->Find("properties")->Find("status"), wrong), "");
  EXPECT_NE(CheckValue(*schema->Find("properties")->Find("resume_count"), wrong), "");
}

}  // namespace
}  // namespace belay
