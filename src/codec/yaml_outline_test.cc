#include "codec/yaml_outline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belay {
namespace {

using testing::HasSubstr;

YamlOutline Outline(std::string bytes) {
  YamlRefusal refusal{};
  Result<YamlOutline> outline = OutlineYaml(std::move(bytes), "resumption", refusal);
  EXPECT_TRUE(outline.ok()) << (outline ? "" : outline.error().message);
  return outline ? *std::move(outline) : YamlOutline{};
}

std::string SectionOf(const std::string& bytes) {
  const YamlOutline outline = Outline(bytes);
  return outline.section ? std::string(outline.Lines(*outline.section)) : "none";
}

struct Refused {
  YamlRefusal refusal{};
  std::string message;
};
bool IsShortKey(std::string_view key) { return key.size() == 1; }
Refused RefusalFor(std::string bytes) {
  Refused refused;
  Result<YamlOutline> outline = OutlineYaml(std::move(bytes), "resumption", refused.refusal);
  if (!outline) {
    refused.message = outline.error().message;
    return refused;
  }
  const Result<YamlNode> value = ParseSection(*outline, "resumption", IsShortKey, refused.refusal);
  refused.message = value ? "not refused" : value.error().message;
  return refused;
}

TEST(YamlOutlineTest, TheSectionIsItsLinesWithoutWhatFollows) {
  EXPECT_EQ(SectionOf("a: 1\nresumption:\n  x: 1\n  # inside\n  y: 2\n\n# behind\nb: 2\n"),
            "resumption:\n  x: 1\n  # inside\n  y: 2\n");
  EXPECT_EQ(SectionOf("resumption:\n  x: 1"), "resumption:\n  x: 1");
  EXPECT_EQ(SectionOf("resumption:\nb: 2\n"), "resumption:\n");
  EXPECT_EQ(SectionOf("a: 1\n"), "none");
}

TEST(YamlOutlineTest, LineEndsOfAllKindsCount) {
  EXPECT_EQ(SectionOf("a: 1\r\nresumption:\r\n  x: 1\r\nb: 2\r\n"), "resumption:\r\n  x: 1\r\n");
  EXPECT_EQ(SectionOf("a: 1\rresumption:\r  x: 1\rb: 2\r"), "resumption:\r  x: 1\r");
  EXPECT_EQ(Outline("a: 1\r\nresumption:\r\n  x: 1\r\n").line_end, "\r\n");
}

TEST(YamlOutlineTest, AnchorsTagsMergeKeysAndDirectivesElsewhereAreFine) {
  EXPECT_EQ(SectionOf("%YAML 1.2\n---\nbase: &b {x: 1}\nuse:\n  <<: *b\n  t: !!str 5\n"
                      "? [complex, key]\n: value\nresumption:\n  x: 1\nlast: *b\n...\n# end\n"),
            "resumption:\n  x: 1\n");
}

TEST(YamlOutlineTest, ABlockWithoutTextDoesNotSwallowTheSection) {
  EXPECT_EQ(SectionOf("a: |\nresumption:\n  x: 1\nb: >-\nc: 3\n"), "resumption:\n  x: 1\n");
}

TEST(YamlOutlineTest, ABlockAtItsEndBelongsToTheSection) {
  EXPECT_EQ(SectionOf("resumption:\n  x: |\n    text\n    # text too\n\nb: 1\n"),
            "resumption:\n  x: |\n    text\n    # text too\n");
}

TEST(YamlOutlineTest, ChildrenHaveTheirCommentsAndColumns) {
  const YamlOutline outline =
      Outline("resumption:\n    # first\n    a: 1\n    b:\n      - 1\n\n    # third\n    c: 3\n");
  ASSERT_EQ(outline.children.size(), 3);
  EXPECT_EQ(outline.children[0].comments, 1);
  EXPECT_EQ(outline.children[0].lines.first, 2);
  EXPECT_EQ(outline.children[0].column, 4);
  EXPECT_EQ(outline.children[1].lines.end, 5);
  EXPECT_EQ(outline.children[2].comments, 6);
}

TEST(YamlOutlineTest, AMissingSectionGoesToTheEndOfTheDocument) {
  EXPECT_EQ(Outline("a: 1\n# end\n").insert_at, 2);
  EXPECT_EQ(Outline("a: 1\n...\n# end\n").insert_at, 1);
  EXPECT_EQ(Outline("").insert_at, 0);
  // Otherwise the text of b would end in a line break.
  EXPECT_EQ(Outline("a: 1\n# of b\nb: |\n  text").insert_at, 1);
  EXPECT_EQ(Outline("a: 1\nb: text").insert_at, 2);
}

TEST(YamlOutlineTest, RefusesEachForItsReason) {
  const auto expect = [](const std::string& bytes, YamlRefusal refusal, std::string_view says) {
    const Refused refused = RefusalFor(bytes);
    EXPECT_EQ(YamlRefusalName(refused.refusal), YamlRefusalName(refusal)) << bytes;
    EXPECT_THAT(refused.message, HasSubstr(says)) << bytes;
  };
  expect("a: 1\na: 2\n", YamlRefusal::kDuplicateKeys, "line 2, column 1: duplicate key");
  expect("a:\n  b: 1\n  \"b\": 2\n", YamlRefusal::kDuplicateKeys, "duplicate key");
  expect("a: 1\n---\nb: 2\n", YamlRefusal::kSeveralDocuments, "second document");
  expect("resumption: {x: 1}\n", YamlRefusal::kFlowStyle, "block style");
  expect("{resumption: {x: 1}}\n", YamlRefusal::kFlowStyle, "block style");
  expect("- a\n", YamlRefusal::kFlowStyle, "isn't a map");
  expect("a: &x {y: 1}\nresumption: *x\n", YamlRefusal::kAliased, "alias");
  expect("resumption:\n  a: &x 1\n", YamlRefusal::kAliased, "anchors");
  expect("a: [1\n", YamlRefusal::kSyntax, "line ");
  expect("a: \"\x01\"\n", YamlRefusal::kSyntax, "not allowed");
  expect("a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> other\n", YamlRefusal::kConflictMarkers,
         "merge conflict");
}

TEST(YamlOutlineTest, NamesWhatIsLeftOfAMergeConflict) {
  EXPECT_EQ(RefusalFor("a: 1\n=======\nb: 2\n>>>>>>> x\n").refusal, YamlRefusal::kConflictMarkers);
  EXPECT_EQ(RefusalFor("<<<<<<< HEAD\na: 1\n").refusal, YamlRefusal::kConflictMarkers);
  EXPECT_EQ(SectionOf("a: |\n  <<<<<<< x\n  >>>>>>> y\nresumption:\n  x: 1\n"),
            "resumption:\n  x: 1\n");
}

TEST(YamlOutlineTest, KeysThatAreNotStrictMayHoldAnyYaml) {
  const YamlOutline outline =
      Outline("a: &x 1\nresumption:\n  long: *x\n  b: 2\n  other: &y [*x]\n");
  YamlRefusal refusal{};
  const Result<YamlNode> value = ParseSection(outline, "resumption", IsShortKey, refusal);
  ASSERT_TRUE(value.ok()) << value.error().message;
  ASSERT_EQ(value->entries.size(), 3U);
  EXPECT_EQ(value->entries[0].value.text, "*x");
  EXPECT_EQ(value->entries[1].value.text, "2");
  EXPECT_EQ(RefusalFor("a: &x {b: 1}\nresumption:\n  <<: *x\n").refusal, YamlRefusal::kAliased);
}

TEST(YamlOutlineTest, AClosingBracketMayBeAsDeepAsItsKey) {
  EXPECT_EQ(
      SectionOf("a: [\n  1,\n  {b: 2\n}\n]\nresumption:\n  x: [\n    1\n  ]\n  y: {\n  a: 1\n  "
                "}\nc: {\n}\n"),
      "resumption:\n  x: [\n    1\n  ]\n  y: {\n  a: 1\n  }\n");
  // A key in brackets is no section.
  EXPECT_FALSE(Outline("a: [\nresumption: 1\n]\n").section.has_value());
}

TEST(YamlOutlineTest, NumbersAndTextsAreDifferentKeys) {
  EXPECT_EQ(SectionOf("1: a\n\"1\": b\nresumption:\n  x: 1\n"), "resumption:\n  x: 1\n");
}

TEST(YamlOutlineTest, ErrorsInTheSectionNameTheLineOfTheFile) {
  EXPECT_THAT(RefusalFor("a: 1\n\nresumption:\n  x: *y\n").message, HasSubstr("line 4"));
}

TEST(YamlOutlineTest, EveryPrefixGivesAnOutlineOrAnError) {
  const std::string whole =
      "\xEF\xBB\xBF# c\r\na: &x\r\n  - |\r\n   t\r\n\r\nresumption: # k\r\n  b: 'c'\r\n  d: "
      "[1]\r\ne: *x";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    YamlRefusal refusal{};
    const Result<YamlOutline> outline = OutlineYaml(whole.substr(0, size), "resumption", refusal);
    if (!outline) continue;
    EXPECT_LE(outline->Lines({0, 100}).size(), size);
  }
}

}  // namespace
}  // namespace belay
