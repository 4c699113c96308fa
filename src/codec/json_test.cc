#include "codec/json.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <nlohmann/json.hpp>

#include "base/utf8.h"

namespace belay {
namespace {

constexpr std::string_view kSample =
    "{\"name\":\"z\\u00fc\\ud83d\\ude00\\n\",\"n\":[-0,0,-9223372036854775808,1.10,2e+3],"
    "\"deep\":{\"a\":{\"b\":[[],{}]}},\"t\":true,\"f\":false,\"x\":null}";

std::string MessageOf(std::string_view text) {
  const Result<Json> result = ParseJson(text);
  return result.ok() ? "(accepted)" : result.error().message;
}

TEST(JsonTest, ReadsEveryKindOfValue) {
  const Result<Json> result = ParseJson(kSample);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(*result->Find("name")->AsString(), "z\xC3\xBC\xF0\x9F\x98\x80\n");
  EXPECT_EQ((*result->Find("n")->AsArray())[1], Json(0));
  EXPECT_EQ((*result->Find("n")->AsArray())[2], Json(std::numeric_limits<std::int64_t>::min()));
  EXPECT_TRUE(result->Find("x")->is_null());
  EXPECT_TRUE(*result->Find("t")->AsBool());
}

TEST(JsonTest, KeepsOrderUnknownMembersAndTheSpellingOfNumbers) {
  const std::string text = R"({"z":1.10,"a":{"unknown":[1E5,-0,0.0]},"m":"é"})";
  EXPECT_EQ(WriteJson(*ParseJson(text)), text);
}

TEST(JsonTest, NamesThePlaceAndTheMistake) {
  EXPECT_EQ(MessageOf("{\n  \"a\": 1,\n  \"a\": 2\n}"), "line 3, column 3: duplicate key \"a\"");
  EXPECT_EQ(MessageOf(""), "line 1, column 1: ends where a value should be");
  EXPECT_EQ(MessageOf("[1,]"), "line 1, column 4: ']' where a value should be");
  EXPECT_EQ(MessageOf("[1 2]"), "line 1, column 4: '2' where ',' or ']' should be");
  EXPECT_EQ(MessageOf("{1:2}"), "line 1, column 2: '1' where a key in quotes should be");
  EXPECT_EQ(MessageOf("{} {}"), "line 1, column 4: '{' where the end after the value should be");
  EXPECT_EQ(MessageOf("[9223372036854775808]"),
            "line 1, column 2: an integer of more than 64 bits");
  EXPECT_EQ(MessageOf("1e999"), "line 1, column 1: a number too large for a double");
  EXPECT_EQ(MessageOf("\"\xC3\xBC\n\""),
            "line 1, column 3: a control character in a string must be escaped");
  EXPECT_EQ(MessageOf("[\"\xFF\"]"), "line 1, column 3: invalid UTF-8");
  EXPECT_EQ(MessageOf("\xEF\xBB\xBF{}"), "line 1, column 1: a byte order mark is not JSON");
  EXPECT_EQ(MessageOf("\"\\ud800x\""), "line 1, column 2: a lone surrogate");
  EXPECT_EQ(MessageOf("\"\\q\""), "line 1, column 2: unknown escape in a string");
  EXPECT_EQ(MessageOf(std::string_view("[\0]", 3)),
            "line 1, column 2: byte 0x00 where a value should be");
}

TEST(JsonTest, RefusesWhatOnlyLooksLikeJson) {
  for (const std::string_view bad : {"01",
                                     "-",
                                     "+1",
                                     ".5",
                                     "1.",
                                     "1e",
                                     "1e+",
                                     "nul",
                                     "NaN",
                                     "Infinity",
                                     "'a'",
                                     "{a:1}",
                                     "[1",
                                     "{\"a\"}",
                                     "{\"a\":}",
                                     "{\"a\":1,}",
                                     "\"abc",
                                     "\"\\u12\"",
                                     "\"\\udc00\"",
                                     "// c\n1",
                                     "--1",
                                     "\"\\ud83d\\u0041\"",
                                     "0x10",
                                     "True",
                                     "[\"\\u12g4\"]",
                                     "\"\t\"",
                                     "\"\x7F",
                                     "- 1"}) {
    EXPECT_NE(MessageOf(bad), "(accepted)") << bad;
  }
}

TEST(JsonTest, AcceptsCrLfAsSpace) { EXPECT_EQ(*ParseJson("{\r\n}\r\n"), Json::EmptyObject()); }

TEST(JsonTest, FindsADuplicateAmongThousandsOfKeys) {
  std::string text = "{";
  for (int i = 0; i < 5000; ++i) text += "\"key" + std::to_string(i) + "\":0,";
  EXPECT_TRUE(ParseJson(text + "\"last\":0}").ok());
  EXPECT_EQ(MessageOf(text + "\"key4000\":0}"), "line 1, column 58892: duplicate key \"key4000\"");
  EXPECT_EQ(MessageOf(R"({"a":1,"\u0061":2})"), R"(line 1, column 8: duplicate key "\u0061")");
}

TEST(JsonTest, AcceptsWhatItsOptionsAllow) {
  const JsonLimits forgiving = {.forgiving = true};
  EXPECT_EQ(*ParseJson(R"({"a":1,"b":2,"a":{"c":3,"c":4}})", forgiving),
            MakeObject({{"a", MakeObject({{"c", 4}})}, {"b", 2}}));
  EXPECT_EQ(*ParseJson(R"("\ud800x\udc00\ud800\u0041\ud83d\ude00")", forgiving),
            Json("\xEF\xBF\xBDx\xEF\xBF\xBD\xEF\xBF\xBD"
                 "A\xF0\x9F\x98\x80"));
  for (const char* bad : {R"({"a":1,"a":})", R"("\ud800\uzzzz")", "{\"a\":\"\n\"}", "[1,]"}) {
    EXPECT_FALSE(ParseJson(bad, forgiving).ok()) << bad;
  }
  std::string many = "{";
  for (int i = 0; i < 50; ++i)
    many += "\"k" + std::to_string(i % 20) + "\":" + std::to_string(i) + ",";
  const Json last = *ParseJson(many + "\"k3\":7}", forgiving);
  EXPECT_EQ(last.AsObject()->size(), 20U);
  EXPECT_EQ(*last.Find("k3"), Json(7));
  EXPECT_EQ(*last.Find("k19"), Json(39));
}

TEST(JsonTest, RefusesDepthWithoutUsingTheStack) {
  for (const char* open : {"[", "{\"a\":"}) {
    std::string text;
    for (int i = 0; i < 200'000; ++i) text += open;
    EXPECT_NE(MessageOf(text).find("nested more than 128 deep"), std::string::npos);
  }
  EXPECT_TRUE(ParseJson(std::string(128, '[') + std::string(128, ']')).ok());
  EXPECT_FALSE(ParseJson(std::string(129, '[') + std::string(129, ']')).ok());
}

TEST(JsonTest, RefusesMoreBytesThanAllowed) {
  const std::string text(100'000'000, ' ');
  EXPECT_EQ(MessageOf(text),
            "line 1, column 1: 100000000 bytes are more than the 67108864 allowed");
}

TEST(JsonTest, RefusesEveryTruncation) {
  for (std::size_t length = 0; length < kSample.size(); ++length) {
    const Result<Json> result = ParseJson(kSample.substr(0, length));
    ASSERT_FALSE(result.ok()) << length;
    EXPECT_EQ(result.error().message.substr(0, 13), "line 1, colum") << length;
  }
}

TEST(JsonTest, AgreesWithTheReferenceOnChangedSamples) {
  EXPECT_TRUE(rc::check([](std::vector<std::pair<std::uint16_t, char>> edits) {
    std::string text(kSample);
    for (const auto& [at, c] : edits) text[at % text.size()] = c;
    const bool reference = nlohmann::json::accept(text);
    const Result<Json> result = ParseJson(text);
    // Our parser may refuse more (duplicates, range, depth), never less, and never gives another
    // value.
    if (result.ok()) {
      RC_ASSERT(reference);
      RC_ASSERT(nlohmann::ordered_json::parse(WriteJson(*result)) ==
                nlohmann::ordered_json::parse(text));
      RC_ASSERT(*ParseJson(WriteJson(*result)) == *result);
    }
  }));
}

TEST(JsonTest, WritesOnlyWhatItReadsBack) {
  EXPECT_TRUE(rc::check([](const std::string& key, const std::string& text, std::int64_t number) {
    const Json value =
        MakeObject({{key, text}, {key + "2", number}, {key + "3", Json::Array{text}}});
    for (const JsonStyle style : {JsonStyle::kCompact, JsonStyle::kIndented}) {
      const Result<Json> back = ParseJson(WriteJson(value, style));
      RC_ASSERT(back.ok());
      RC_ASSERT(*back->Find(ReplaceInvalidUtf8(key))->AsString() == ReplaceInvalidUtf8(text));
    }
  }));
}

TEST(JsonTest, EscapesEveryControlCharacter) {
  const std::string text = WriteJson(std::string_view("\0\x1B\x7F\xC2\x9B\"\\\n", 8));
  EXPECT_EQ(text, "\"\\u0000\\u001b\\u007f\\u009b\\\"\\\\\\n\"");
}

TEST(JsonTest, IndentsForPeople) {
  const Json value =
      MakeObject({{"a", 1}, {"b", Json::Array{true, nullptr}}, {"c", Json::EmptyArray()}});
  EXPECT_EQ(WriteJson(value, JsonStyle::kIndented),
            "{\n  \"a\": 1,\n  \"b\": [\n    true,\n    null\n  ],\n  \"c\": []\n}\n");
}

TEST(JsonTest, DoublesReadBackAsDecimals) {
  EXPECT_EQ(WriteJson(Json::FromDouble(1)), "1.0");
  EXPECT_EQ(WriteJson(Json::FromDouble(0.1)), "0.1");
  EXPECT_EQ(WriteJson(Json::FromDouble(1e300)), "1e+300");
}

TEST(JsonTest, SetsInPlaceAndAtTheEnd) {
  Json value = *ParseJson(R"({"a":1,"b":2})");
  value.Set("a", "x");
  value.Set("c", 3);
  EXPECT_TRUE(value.Remove("b"));
  EXPECT_EQ(WriteJson(value), R"({"a":"x","c":3})");
}

}  // namespace
}  // namespace belay
