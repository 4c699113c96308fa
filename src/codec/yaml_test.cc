#include "codec/yaml.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "testing/cpu_time.h"

namespace belay {
namespace {

using Kind = YamlNode::Kind;

YamlNode Parse(std::string_view text, const YamlLimits& limits = {}) {
  const auto result = ParseYaml(text, limits);
  EXPECT_TRUE(result) << testing::PrintToString(text) << ": " << result.error().message;
  return result ? *result : YamlNode{};
}

// Takes `word` and a number from the front of `text`.
bool Consume(std::string_view word, std::string_view& text) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || text[0] == '0') return false;
  text.remove_prefix(digits);
  return true;
}

// Holds for every error, whatever the text was.
bool IsWellFormed(const Error& error) {
  std::string_view rest = error.message;
  if (error.code != ErrorCode::kUsage) return false;
  if (!Consume("line ", rest) || !Consume(", column ", rest)) return false;
  if (!rest.starts_with(": ") || rest.size() < 3) return false;
  const bool one_line = std::none_of(rest.begin(), rest.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
  return one_line && FindInvalidUtf8(rest) == std::string::npos;
}

std::string Refusal(std::string_view text, const YamlLimits& limits = {}) {
  const auto result = ParseYaml(text, limits);
  EXPECT_FALSE(result) << testing::PrintToString(text);
  if (result) return "accepted";
  EXPECT_TRUE(IsWellFormed(result.error())) << result.error().message;
  return result.error().message;
}

std::string Place(TextPosition at) {
  return std::to_string(at.line) + ":" + std::to_string(at.column);
}

// The tree as one line: every value with its position, so that a test can check both.
std::string Show(const YamlNode& node) {
  std::string out;
  switch (node.kind) {
    case Kind::kNull:
      out = "null";
      break;
    case Kind::kScalar:
      out = node.quoted ? "'" + node.text + "'" : node.text;
      break;
    case Kind::kMap:
      for (const YamlEntry& entry : node.entries) {
        out += (out.empty() ? "" : ", ") + entry.key + "@" + Place(entry.key_position) + ": " +
               Show(entry.value);
      }
      out = "{" + out + "}";
      break;
    case Kind::kList:
      for (const YamlNode& item : node.items) out += (out.empty() ? "" : ", ") + Show(item);
      out = "[" + out + "]";
      break;
  }
  return out + "@" + Place(node.position);
}

std::string Repeat(std::string_view unit, std::size_t count) {
  std::string out;
  out.reserve(unit.size() * count);
  for (std::size_t i = 0; i < count; ++i) out += unit;
  return out;
}

constexpr std::string_view kRich =
    "# belay\n"
    "merge:\n"
    "  gate: \"make \\\"check\\\" \\u00fc\"\n"
    "  tries: 3\n"
    "agents:\n"
    "  - name: 'it''s'\n"
    "    prompt: |\n"
    "      first\n"
    "        second\n"
    "  - {name: z\xC3\xBC, tags: [a, \"b\", ~]}\n"
    "  -\n"
    "note: >-\n"
    "  folded\n"
    "  text\n"
    "? explicit\n"
    ": null\n"
    "last:\n";

TEST(YamlTest, ReadsMapsListsAndScalarsInTheOrderOfTheFile) {
  EXPECT_EQ(
      Show(Parse(kRich)),
      "{merge@2:1: {gate@3:3: 'make \"check\" \xC3\xBC'@3:9, tries@4:3: 3@4:10}@3:3, "
      "agents@5:1: [{name@6:5: 'it's'@6:11, prompt@7:5: 'first\n  second\n'@7:13}@6:5, "
      "{name@10:6: z\xC3\xBC@10:12, tags@10:16: [a@10:23, 'b'@10:26, null@10:31]@10:22}@10:5, "
      "null@11:3]@6:3, "
      "note@12:1: 'folded text'@12:7, explicit@15:3: null@16:3, last@17:1: null@17:1}@2:1");
}

TEST(YamlTest, FindsAValueByItsKeyInMapsOnly) {
  const YamlNode node = Parse("a: 1\nb: [a]\n");
  ASSERT_NE(node.Find("b"), nullptr);
  EXPECT_EQ(node.Find("b")->kind, Kind::kList);
  EXPECT_EQ(node.Find("c"), nullptr);
  EXPECT_EQ(node.Find("b")->Find("a"), nullptr);
}

TEST(YamlTest, TakesATextWithoutContentForAnEmptyMap) {
  for (const std::string_view text :
       {"", "\n\n", "# only\n  # this", "---\n", "\xEF\xBB\xBF", "..."}) {
    EXPECT_EQ(Show(Parse(text)), "{}@1:1") << testing::PrintToString(text);
  }
}

TEST(YamlTest, KeepsEmptyCollectionsAndNullsApart) {
  EXPECT_EQ(Show(Parse("{a: {}, b: [], c: '', d: ~, e}")),
            "{a@1:2: {}@1:5, b@1:9: []@1:12, c@1:16: ''@1:19, d@1:23: null@1:26, e@1:29: "
            "null@1:29}@1:1");
  EXPECT_EQ(Show(Parse("~")), "null@1:1");
}

TEST(YamlTest, TakesOnlyUnquotedNullsForNull) {
  EXPECT_EQ(Show(Parse("- null\n- 'null'\n- \"~\"\n- Null\n- |\n  null\n")),
            "[null@1:3, 'null'@2:3, '~'@3:3, Null@4:3, 'null\n'@5:3]@1:1");
}

TEST(YamlTest, ReadsTextsOfManyPieces) {
  EXPECT_EQ(Parse("'" + Repeat("''", 500) + "'").text, Repeat("'", 500));
  EXPECT_EQ(Parse("\"" + Repeat("\\t\\u00fc", 500) + "\"").text, Repeat("\t\xC3\xBC", 500));
  EXPECT_EQ(Parse("--- |\n" + Repeat(" x\n\n", 500)).text, Repeat("x\n\n", 499) + "x\n");
}

TEST(YamlTest, ReadsQuotesInSingleQuotes) {
  EXPECT_EQ(Parse("'a''''b'").text, "a''b");
  EXPECT_EQ(Parse("'it''s ''''x'''' y'").text, "it's ''x'' y");
  EXPECT_EQ(Parse("''''").text, "'");
  EXPECT_EQ(Parse("''").text, "");
}

TEST(YamlTest, FoldsTheLinesOfQuotedText) {
  for (const std::string quote : {"'", "\""}) {
    EXPECT_EQ(Parse(quote + " a \n  b\t\n\n\n  c \n  d " + quote).text, " a b\n\nc d ");
    EXPECT_EQ(Parse(quote + "\n a\n " + quote).text, " a ");
    EXPECT_EQ(Parse(quote + " \n\n " + quote).text, "\n");
  }
}

TEST(YamlTest, KeepsOrDropsTheLastLineEndsOfABlockAsItsHeaderSays) {
  const YamlNode node = Parse("a: |\n  x\n\nb: |-\n  x\n\nc: |+\n  x\n\nd: >+\n\ne: >-\n\n  x\n");
  EXPECT_EQ(node.Find("a")->text, "x\n");
  EXPECT_EQ(node.Find("b")->text, "x");
  EXPECT_EQ(node.Find("c")->text, "x\n\n");
  EXPECT_EQ(node.Find("d")->text, "\n");
  EXPECT_EQ(node.Find("e")->text, "\nx");
}

TEST(YamlTest, FoldsTheLinesOfABlockButForIndentedOnes) {
  EXPECT_EQ(Parse("--- >\n a\n b\n\n c\n   d\n e\n\n\n \tf\n").text, "a b\nc\n  d\ne\n\n\n\tf\n");
}

TEST(YamlTest, TakesTheIndentationOfABlockFromItsHeader) {
  EXPECT_EQ(Parse("- a: |2\n      x\n    y\n").items[0].Find("a")->text, "  x\ny\n");
}

TEST(YamlTest, ReadsEscapesInDoubleQuotes) {
  EXPECT_EQ(Parse(R"("\x41\u00fc\U0001F600\\\"\/\_\ ")").text,
            "A\xC3\xBC\xF0\x9F\x98\x80\\\"/\xC2\xA0 ");
  EXPECT_EQ(Parse("\"\\\\\\\n  \\ w\"").text, "\\ w");
  EXPECT_EQ(Parse("\"a \\\n\n  b\\t \n  c\"").text, "a \nb\t c");
  Refusal("\"\\q\"");
  Refusal("\"\\x4\"");
}

TEST(YamlTest, ReadsABlockThatTheTextEndsIn) {
  for (const std::string_view text : {"a: |", "a: |\n", "a: >\n", "a: |-\n\n", "a: |\n  "}) {
    EXPECT_EQ(Show(Parse(text)), "{a@1:1: ''@1:4}@1:1") << testing::PrintToString(text);
  }
  EXPECT_EQ(Parse("a: |\n  x").Find("a")->text, "x\n");
  EXPECT_EQ(Parse("a: |+\n  x\n\n").Find("a")->text, "x\n\n");
}

TEST(YamlTest, LeavesNumbersAndTruthValuesAsText) {
  EXPECT_EQ(Show(Parse("[yes, 0x1F, 1.10, 2026-11-15, 'true']")),
            "[yes@1:2, 0x1F@1:7, 1.10@1:13, 2026-11-15@1:19, 'true'@1:31]@1:1");
}

TEST(YamlTest, PlacesAbsentItemsAtTheirDash) {
  EXPECT_EQ(Show(Parse("-\n- # one - two\n- 'x-'\n-\n- a: \n- - -\n-\n")),
            "[null@1:1, null@2:1, 'x-'@3:3, null@4:1, {a@5:3: null@5:3}@5:3, "
            "[[null@6:5]@6:5]@6:3, null@7:1]@1:1");
}

TEST(YamlTest, PlacesABlockAtItsHeader) {
  EXPECT_EQ(Show(Parse("a: |  # not > here\n  x\n'b':\n  # nor |\n  >-\n  y\nc:\n- |\n")),
            "{a@1:1: 'x\n'@1:4, b@3:1: 'y'@5:3, c@7:1: [''@8:3]@8:1}@1:1");
}

TEST(YamlTest, RefusesABlockThatWouldSwallowTheNextKey) {
  const std::string what =
      "the text of a block must be deeper than its key; an empty one is written \"\"";
  EXPECT_EQ(Refusal("a:\n  b: |\n  c: d\n"), "line 2, column 6: " + what);
  EXPECT_EQ(Refusal("a:\n- - >\n  - x\n"), "line 2, column 5: " + what);
  EXPECT_EQ(Show(Parse("b: |\nc: d\n")), "{b@1:1: ''@1:4, c@2:1: d@2:4}@1:1");
}

TEST(YamlTest, PlacesAPairInAListAtItsKey) {
  EXPECT_EQ(Show(Parse("[a: b, 'c' : d]")), "[{a@1:2: b@1:5}@1:2, {c@1:8: d@1:14}@1:8]@1:1");
}

TEST(YamlTest, CountsColumnsInCodePointsOnLongLinesToo) {
  const std::string text = "[" + Repeat("\xC3\xBC,", 2000) + "last]";
  EXPECT_EQ(Place(Parse(text).items.back().position), "1:4002");
}

TEST(YamlTest, PassesOverAByteOrderMarkAtTheStart) {
  EXPECT_EQ(Show(Parse("\xEF\xBB\xBF"
                       "a: 1\nb: 2\n")),
            "{a@1:1: 1@1:4, b@2:1: 2@2:4}@1:1");
  EXPECT_EQ(Refusal("a: \xEF\xBB\xBF"), "line 1, column 4: the character U+FEFF is not allowed");
  EXPECT_EQ(Refusal("\xEF\xBB\xBF"
                    "a: \xFF"),
            "line 1, column 4: this is not valid UTF-8");
}

TEST(YamlTest, ReadsEveryKindOfLineEndAlike) {
  const std::string expected = Show(Parse(kRich));
  for (const std::string_view end : {"\r\n", "\r"}) {
    std::string text;
    for (const char c : kRich) text += c == '\n' ? std::string(end) : std::string(1, c);
    EXPECT_EQ(Show(Parse(text)), expected);
  }
}

TEST(YamlTest, RefusesADuplicateKeyAtAnyLevelWhereItStandsAgain) {
  EXPECT_EQ(Refusal("a: 1\nmerge: 2\n\"merge\": 3\n"), "line 3, column 1: duplicate key \"merge\"");
  EXPECT_EQ(Refusal("a:\n  - {b: 1, c: 2, b: 3}\n"), "line 2, column 18: duplicate key \"b\"");
  EXPECT_EQ(Refusal("\"x\\n\\t\": 1\n\"x\\n\\t\": 1\n"),
            "line 2, column 1: duplicate key \"x\\n\\t\"");
}

TEST(YamlTest, QuotesOnlyTheBeginningOfALongKey) {
  const std::string key = Repeat("\xC3\xBC", 100);
  EXPECT_EQ(Refusal(key + ": 1\n" + key + ": 2\n"),
            "line 2, column 1: duplicate key \"" + Repeat("\xC3\xBC", 60) + "...\"");
}

TEST(YamlTest, RefusesKeysThatAreNotText) {
  const std::string complex = "a key must be a word or a string, not a map or a list";
  EXPECT_EQ(Refusal("? [a]\n: b\n"), "line 1, column 3: " + complex);
  EXPECT_EQ(Refusal("a: {{b: c}: d}\n"), "line 1, column 5: " + complex);
  const std::string empty = "a key must not be empty or null";
  EXPECT_EQ(Refusal(": b\n"), "line 1, column 1: " + empty);
  EXPECT_EQ(Refusal("a: 1\n: b\n"), "line 2, column 1: " + empty);
  EXPECT_EQ(Refusal("a:\n: b\n"), "line 2, column 1: " + empty);
  EXPECT_EQ(Refusal("{a: 1, : b}\n"), "line 1, column 8: " + empty);
  EXPECT_EQ(Refusal("~: b\n"), "line 1, column 1: " + empty);
  EXPECT_EQ(Refusal("a:\n  null: b\n"), "line 2, column 3: " + empty);
  EXPECT_EQ(Refusal("'': b\n"), "line 1, column 1: " + empty);
  EXPECT_EQ(Show(Parse("'null': b\n")), "{null@1:1: b@1:9}@1:1");
}

TEST(YamlTest, RefusesWhatItsConfigurationDoesNotUse) {
  const std::string unused = " are not used in belay's configuration";
  EXPECT_EQ(Refusal("a: &x 1\n"), "line 1, column 4: anchors (\"&\")" + unused);
  EXPECT_EQ(Refusal("&x a: 1\n"), "line 1, column 1: anchors (\"&\")" + unused);
  EXPECT_EQ(Refusal("a: &x\n  - 1\n"), "line 1, column 4: anchors (\"&\")" + unused);
  EXPECT_EQ(Refusal("a: &x\n"), "line 1, column 4: anchors (\"&\")" + unused);
  EXPECT_EQ(Refusal("a: *x\n"), "line 1, column 4: aliases (\"*\")" + unused);
  EXPECT_EQ(Refusal("*x : 1\n"), "line 1, column 1: aliases (\"*\")" + unused);
  EXPECT_EQ(Refusal("a: !!str 1\n"), "line 1, column 4: tags (\"!\")" + unused);
  EXPECT_EQ(Refusal("a: !mine\n  b: 1\n"), "line 1, column 4: tags (\"!\")" + unused);
  EXPECT_EQ(Refusal("a: !<" + Repeat("x", 500'000)), "line 1, column 4: tags (\"!\")" + unused);
  EXPECT_EQ(Refusal("a: !<x> 1\n"), "line 1, column 4: tags (\"!\")" + unused);
  EXPECT_EQ(Refusal("a: !\n"), "line 1, column 4: tags (\"!\")" + unused);
  EXPECT_EQ(Refusal("a:\n  <<: {b: 1}\n"), "line 2, column 3: merge keys (\"<<\")" + unused);
  EXPECT_EQ(Show(Parse("'<<': 1\n")), "{<<@1:1: 1@1:7}@1:1");
}

TEST(YamlTest, RefusesDirectivesWhereverTheyStand) {
  const std::string what =
      "directives (lines that begin with \"%\") are not used in belay's configuration";
  EXPECT_EQ(Refusal("# x\n%YAML 1.2\n---\na: 1\n"), "line 2, column 1: " + what);
  EXPECT_EQ(Refusal("%TAG ! x\n---\na: 1\n"), "line 1, column 1: " + what);
  EXPECT_EQ(Refusal("a: 1\n%FOO\n"), "line 2, column 1: " + what);
  EXPECT_EQ(Refusal("a: 1\n...\n%FOO\n"), "line 3, column 1: " + what);
}

TEST(YamlTest, RefusesASecondDocument) {
  const std::string what = "a second document begins here; a configuration file holds one";
  EXPECT_EQ(Refusal("a: 1\n---\nb: 2\n"), "line 2, column 1: " + what);
  EXPECT_EQ(Refusal("a: 1\n---"), "line 2, column 1: " + what);
  EXPECT_EQ(Refusal("---\n---\n"), "line 2, column 1: " + what);
  EXPECT_EQ(Refusal("a: 1\n...\n# x\nb: 2\n"), "line 4, column 1: " + what);
  EXPECT_EQ(Show(Parse("---\na: 1\n...\n")), "{a@2:1: 1@2:4}@2:1");
}

TEST(YamlTest, RefusesInvalidUtf8AndControlCharacters) {
  EXPECT_EQ(Refusal("a: 1\n\xC3\xBC: \xC3(\n"), "line 2, column 4: this is not valid UTF-8");
  EXPECT_EQ(Refusal(std::string_view("a: \0", 4)),
            "line 1, column 4: the character U+0000 is not allowed");
  EXPECT_EQ(Refusal("a: 1\n# \x1B[2J\n"), "line 2, column 3: the character U+001B is not allowed");
  EXPECT_EQ(Refusal("a: \x7F"), "line 1, column 4: the character U+007F is not allowed");
  EXPECT_EQ(Refusal("a: \xC2\x85"), "line 1, column 4: the character U+0085 is not allowed");
  EXPECT_EQ(Refusal("a: \xE2\x80\xA8"), "line 1, column 4: the character U+2028 is not allowed");
}

TEST(YamlTest, RefusesEscapesThatStandForWhatMayNotBeWritten) {
  const std::string what = "an escape stands for a character that is not allowed";
  EXPECT_EQ(Refusal("a: \"x\\0\"\n"), "line 1, column 4: " + what);
  EXPECT_EQ(Refusal("\"\\e\": 1\n"), "line 1, column 1: " + what);
  EXPECT_EQ(Refusal("a: \"\\uD800\"\n").substr(0, 18), "line 1, column 5: ");
  EXPECT_EQ(Show(Parse("a: \"\\t\\n\\uD83D\\uDE00\"\n")),
            "{a@1:1: '\t\n\xF0\x9F\x98\x80'@1:4}@1:1");
}

TEST(YamlTest, RefusesIndentationByTabs) {
  const std::string what = "a line must not begin with a tab; indent with spaces";
  EXPECT_EQ(Refusal("a:\n\tb: 1\n"), "line 2, column 1: " + what);
  EXPECT_EQ(Refusal("a: x\n\ty\n"), "line 2, column 1: " + what);
  EXPECT_EQ(Refusal("a:\n \tb: 1\n").substr(0, 18), "line 2, column 2: ");
  EXPECT_EQ(Refusal("a:\n  - b: 1\n  \tc: 1\n").substr(0, 18), "line 3, column 4: ");
  EXPECT_EQ(Show(Parse("a:\t1\t# x\n\t\n")), "{a@1:1: 1@1:4}@1:1");
}

TEST(YamlTest, ReportsSyntaxErrorsWithTheirPlace) {
  EXPECT_EQ(Refusal("a: \"x\n  b: 1\n"),
            "line 1, column 5: double-quoted scalar without closing quote");
  EXPECT_EQ(Refusal("a: b: c\n"),
            "line 1, column 5: invalid nested block mapping on the same line");
  EXPECT_EQ(Refusal("a: 1\nb\n"), "line 2, column 1: invalid value after mapping");
  EXPECT_EQ(Refusal("a: @x\n"), "line 1, column 4: plain scalar cannot start with '@'");
  EXPECT_EQ(Refusal("a: [1,"), "line 1, column 7: did not find expected node content");
  EXPECT_EQ(Refusal("a: [1,\n"), "line 1, column 7: did not find expected node content");
  EXPECT_EQ(Refusal("[a]]"), "line 1, column 4: flow sequence with invalid extra closing bracket");
}

TEST(YamlTest, RefusesMoreBytesThanAllowedBeforeReadingThem) {
  EXPECT_EQ(Refusal("a: 12", {.max_bytes = 4}),
            "line 1, column 1: the file has 5 bytes, more than the 4 allowed");
  EXPECT_EQ(Show(Parse("a: 1", {.max_bytes = 4})), "{a@1:1: 1@1:4}@1:1");
  const std::string huge(100'000'000, '[');
  EXPECT_LT(CpuTime([&] { Refusal(huge); }), std::chrono::milliseconds(100));
}

TEST(YamlTest, RefusesMoreDepthThanAllowedWhereItBegins) {
  EXPECT_EQ(Show(Parse("[[1]]", {.max_depth = 2})), "[[1@1:3]@1:2]@1:1");
  EXPECT_EQ(Refusal("[[[1]]]", {.max_depth = 2}),
            "line 1, column 3: nested more than 2 levels deep");
  EXPECT_EQ(Refusal("a:\n  b:\n    - 1\n", {.max_depth = 2}),
            "line 3, column 5: nested more than 2 levels deep");
  EXPECT_EQ(Refusal("a: 1", {.max_depth = 0}), "line 1, column 1: nested more than 0 levels deep");
}

TEST(YamlTest, RefusesVeryDeepTextsQuickly) {
  const std::string deep = "nested more than 32 levels deep";
  EXPECT_EQ(Refusal(Repeat("[", 200'000)), "line 1, column 33: " + deep);
  EXPECT_EQ(Refusal(Repeat("[", 200'000) + Repeat("]", 200'000)), "line 1, column 33: " + deep);
  EXPECT_EQ(Refusal(Repeat("{a: ", 200'000)), "line 1, column 129: " + deep);
  EXPECT_EQ(Refusal(Repeat("- ", 200'000)), "line 1, column 65: " + deep);
  EXPECT_EQ(Refusal(Repeat("? ", 200'000)),
            "line 1, column 3: a key must be a word or a string, not a map or a list");
}

TEST(YamlTest, RefusesDeepBlockMapsQuickly) {
  std::string text;
  for (std::size_t depth = 0; depth < 250; ++depth) text += std::string(depth, ' ') + "a:\n";
  EXPECT_EQ(Refusal(text), "line 33, column 33: nested more than 32 levels deep");
  // As deep as 200 MB of text allow: the limit of bytes applies first, then that of blanks.
  for (std::size_t depth = 250; depth < 1000; ++depth) text += std::string(depth, ' ') + "a:\n";
  EXPECT_EQ(Refusal(text), "line 258, column 1: more than 256 blanks in a row");
}

TEST(YamlTest, ReadsAFullFileOfAnyShapeInReasonableTime) {
  std::string keys;
  for (int i = 0; keys.size() < 1'000'000; ++i) keys += "k" + std::to_string(i) + ":\n";
  EXPECT_GT(Parse(keys).entries.size(), 100'000U);
  EXPECT_EQ(Parse("[" + Repeat("1,", 500'000) + "]").items.size(), 500'000U);
  EXPECT_EQ(Parse(Repeat("-\n", 500'000)).items.size(), 500'000U);
  EXPECT_EQ(Refusal("-" + Repeat(" ", 500'000)), "line 1, column 2: more than 256 blanks in a row");
}

TEST(YamlTest, PrintsNothing) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  for (const std::string_view text : {"a: [", "a: \"", "!x!y z", "a: b: c", "a: |x"}) Refusal(text);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(YamlTest, GivesAValueOrAnErrorForEveryTruncation) {
  for (std::size_t length = 0; length <= kRich.size(); ++length) {
    // A copy of its own, so that a sanitizer sees a read past the end.
    const std::vector<char> cut(kRich.begin(), kRich.begin() + static_cast<std::ptrdiff_t>(length));
    const auto result = ParseYaml({cut.data(), cut.size()});
    EXPECT_TRUE(result || IsWellFormed(result.error())) << length;
  }
}

TEST(YamlTest, TruncatingAFlowCollectionIsAlwaysAnError) {
  const std::string_view text = "{a: [1, 'b', {c: \"d\"}], e: f}";
  for (std::size_t length = 1; length < text.size(); ++length) Refusal(text.substr(0, length));
}

TEST(YamlTest, GivesAValueOrAnErrorForAnyBytes) {
  EXPECT_TRUE(rc::check([](const std::string& bytes) {
    const auto result = ParseYaml(bytes);
    RC_ASSERT(result || IsWellFormed(result.error()));
  }));
}

TEST(YamlTest, GivesAValueOrAnErrorForAnyMixtureOfIndicators) {
  const auto piece = rc::gen::element<std::string>("a", "b", ": ", "- ", "? ", "\n", " ", "  ", "[",
                                                   "]", "{", "}", ", ", "\"", "'", "|", ">", "#",
                                                   "&x ", "*x", "!t ", "%", "---\n", "...\n", "\t",
                                                   "\r", "\\", "~", "<<", "\xC3\xBC", "\xFF", "@");
  EXPECT_TRUE(rc::check([&] {
    std::string text;
    for (const std::string& part : *rc::gen::container<std::vector<std::string>>(piece))
      text += part;
    const auto result = ParseYaml(text);
    RC_ASSERT(result || IsWellFormed(result.error()));
  }));
}

// The words between quotes, with `escape` before each character of `special`.
std::string Quoted(std::string_view words, char quote, std::string_view special, char escape) {
  std::string out(1, quote);
  for (const char c : words) {
    if (special.find(c) != std::string_view::npos) out.push_back(escape);
    out.push_back(c);
  }
  return out + quote;
}

TEST(YamlTest, ReadsBackAnyTextInQuotes) {
  EXPECT_TRUE(rc::check([] {
    const auto character =
        rc::gen::element('a', 'b', ' ', '\'', '"', '\\', ':', '#', '-', '{', '%');
    const auto words = *rc::gen::container<std::string>(character);
    for (const auto& quoted : {Quoted(words, '"', "\"\\", '\\'), Quoted(words, '\'', "'", '\'')}) {
      const auto result = ParseYaml("a: " + quoted + "\n");
      RC_ASSERT(result.ok());
      RC_ASSERT(result->Find("a")->text == words);
    }
  }));
}

TEST(YamlTest, RefusesAValueThatIsNotDeeperThanItsKeyOrDash) {
  for (const std::string_view text :
       {"merge:\n  target:\n  squash\n", "a:\nb\n", "a:\n  - x\n  -\n  y\n", "a:\n  b:\n  'c'\n"}) {
    EXPECT_FALSE(ParseYaml(text).ok()) << text;
  }
  for (const std::string_view text :
       {"a:\n b\n", "a:\n- b\n- c\n", "a: {b:\n  c}\n", "a:\n  -\n    y\n", "a: |\n  x\nb: c\n"}) {
    EXPECT_TRUE(ParseYaml(text).ok()) << text << ParseYaml(text).error().message;
  }
}

}  // namespace
}  // namespace belay
