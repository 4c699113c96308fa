#include "codec/json_lines.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace belay {
namespace {

std::string Line(int n) {
  std::string out;
  (void)AppendJsonLine(MakeObject({{"seq", n}, {"note", "z\xC3\xBC\n"}}), out);
  return out;
}

struct Scan {
  std::vector<bool> good;
  std::string kept;
  JsonLinesScanner::Summary summary;
};

Scan ScanInPieces(std::string_view text, std::size_t piece, std::size_t longest = 1000) {
  Scan scan;
  JsonLinesScanner scanner(
      [&](const JsonLine& line) {
        scan.good.push_back(line.good);
        if (line.good) scan.kept.append(line.text).push_back('\n');
      },
      longest);
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    scanner.Feed(text.substr(0, piece));
  }
  scan.summary = scanner.Finish();
  return scan;
}

TEST(JsonLinesTest, EndsEveryLineWithTheChecksumOfWhatIsBefore) {
  std::string out;
  ASSERT_TRUE(AppendJsonLine(MakeObject({{"seq", 7}, {"kind", "spawned"}}), out).ok());
  EXPECT_EQ(out, "{\"seq\":7,\"kind\":\"spawned\",\"crc\":\"00f638ec\"}\n");
}

TEST(JsonLinesTest, GivesTheRecordBackWithoutItsChecksum) {
  std::string line = Line(7);
  line.pop_back();
  EXPECT_EQ(*ParseJsonLine(line), MakeObject({{"seq", 7}, {"note", "z\xC3\xBC\n"}}));
}

TEST(JsonLinesTest, WritesNothingThatItWouldNotReadBack) {
  Json deep = 1;
  for (int i = 0; i < 127; ++i) deep = Json(Json::Array{std::move(deep)});
  std::string out = "before\n";
  EXPECT_TRUE(AppendJsonLine(MakeObject({{"a", deep}}), out).ok());
  EXPECT_TRUE(ParseJsonLine(std::string_view(out).substr(7, out.size() - 8)).ok());
  out = "before\n";
  const Json deeper = Json::Array{deep};
  EXPECT_EQ(AppendJsonLine(MakeObject({{"a", deeper}}), out).error().code, ErrorCode::kRefused);
  const std::string large(kLongestJsonLine, 'x');
  EXPECT_EQ(AppendJsonLine(MakeObject({{"a", large}}), out).error().code, ErrorCode::kRefused);
  EXPECT_EQ(out, "before\n");
}

TEST(JsonLinesTest, NoticesEveryChangedByte) {
  std::string line = Line(7);
  line.pop_back();
  for (std::size_t at = 0; at < line.size(); ++at) {
    std::string changed = line;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_FALSE(ParseJsonLine(changed).ok()) << at;
  }
}

TEST(JsonLinesTest, RefusesBadJsonUnderAGoodChecksum) {
  // The checksum of `{"a":1,"a":2` is right; the record is still refused.
  const std::string line = "{\"a\":1,\"a\":2,\"crc\":\"e684c583\"}";
  ASSERT_TRUE(HasGoodChecksum(line));
  EXPECT_EQ(ParseJsonLine(line).error().message, "line 1, column 8: duplicate key \"a\"");
}

TEST(JsonLinesTest, DropsOnlyTheTornTailWhereverItWasCut) {
  const std::string text = Line(1) + Line(2) + Line(3);
  const std::size_t one = Line(1).size();
  for (std::size_t length = 0; length <= text.size(); ++length) {
    const Scan scan = ScanInPieces(std::string_view(text).substr(0, length), 7);
    const std::size_t whole = length / one;
    ASSERT_EQ(scan.summary.good_lines, whole) << length;
    EXPECT_EQ(scan.summary.good_end, whole * one);
    EXPECT_EQ(scan.summary.torn_bytes, length - whole * one);
    EXPECT_EQ(scan.summary.damaged_lines, 0u);
    EXPECT_EQ(scan.kept, text.substr(0, whole * one));
  }
}

TEST(JsonLinesTest, CallsABadLineWithAGoodOneBehindItDamage) {
  const Scan scan = ScanInPieces(Line(1) + "garbage\n\n" + Line(2) + "more garbage\n", 5);
  EXPECT_EQ(scan.good, (std::vector<bool>{true, false, false, true, false}));
  EXPECT_EQ(scan.summary.damaged_lines, 2u);
  ASSERT_TRUE(scan.summary.first_damage.has_value());
  EXPECT_EQ(scan.summary.first_damage->offset, Line(1).size());
  EXPECT_EQ(scan.summary.first_damage->number, 2u);
  EXPECT_EQ(scan.summary.torn_bytes, 13u);
}

TEST(JsonLinesTest, TakesZerosAndOldBlocksAtTheEndAsTorn) {
  const Scan scan =
      ScanInPieces(Line(1) + std::string(4096, '\0') + "\n" + std::string(9, '\0'), 64);
  EXPECT_EQ(scan.summary.good_end, Line(1).size());
  EXPECT_EQ(scan.summary.damaged_lines, 0u);
  EXPECT_EQ(scan.summary.torn_bytes, 4106u);
}

TEST(JsonLinesTest, RefusesCrLfAndByteOrderMarks) {
  std::string crlf = Line(1);
  crlf.insert(crlf.size() - 1, "\r");
  EXPECT_EQ(ScanInPieces(crlf, 64).summary.good_lines, 0u);
  EXPECT_EQ(ScanInPieces("\xEF\xBB\xBF" + Line(1), 64).summary.good_lines, 0u);
}

TEST(JsonLinesTest, PassesOverAnEndlessLineInBoundedMemory) {
  const Scan scan = ScanInPieces(Line(1) + std::string(100'000'000, 'x') + "\n" + Line(2), 1 << 16);
  EXPECT_EQ(scan.good, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(scan.summary.damaged_lines, 1u);
}

TEST(JsonLinesTest, JudgesTheSameWhateverThePieces) {
  EXPECT_TRUE(rc::check([](const std::vector<std::string>& parts, std::uint8_t piece) {
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      text += i % 2 == 0 ? Line(static_cast<int>(i)) : parts[i];
    }
    const Scan whole = ScanInPieces(text, text.size() + 1);
    const Scan pieces = ScanInPieces(text, piece + 1U);
    RC_ASSERT(whole.good == pieces.good);
    RC_ASSERT(whole.kept == pieces.kept);
    RC_ASSERT(whole.summary.good_end == pieces.summary.good_end);
    RC_ASSERT(whole.summary.good_end + whole.summary.torn_bytes == text.size());
  }));
}

TEST(JsonLinesTest, RefusesARecordInWhichAKeyStandsTwice) {
  const Json twice(Json::Object{{"a", 1}, {"a", 2}});
  const Json alike(Json::Object{{"\xff", 1}, {"\xfe", 2}});
  std::string out;
  for (const Json& record : {twice, alike, MakeObject({{"deep", Json::Array{1, twice}}})}) {
    EXPECT_EQ(AppendJsonLine(record, out).error().code, ErrorCode::kRefused);
  }
  EXPECT_EQ(out, "");
}

}  // namespace
}  // namespace belay
