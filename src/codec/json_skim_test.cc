#include "codec/json_skim.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "codec/json.h"

namespace belay {
namespace {

std::vector<std::string> Keys(std::string_view text) {
  std::vector<std::string> keys;
  for (JsonSkimmer skimmer(text); skimmer.Next();) keys.emplace_back(skimmer.key());
  return keys;
}

TEST(JsonSkimmerTest, StepsOverValuesOfEveryKind) {
  const std::string text =
      R"({"a":1,"b":"x,}\"]","c":{"d":["}",{"e":"\\"}]},"f":null,"g":[],"h":-1.5e3,"i":true})";
  EXPECT_EQ(Keys(text), (std::vector<std::string>{"a", "b", "c", "f", "g", "h", "i"}));
}

TEST(JsonSkimmerTest, AgreesWithTheParser) {
  const std::string text = R"({"seq":12,"why":"a \"b\" c","agent":"x-y#1","in":{"n":7,"t":"u"}})";
  const Json parsed = *ParseJson(text);
  JsonSkimmer skimmer(text);
  ASSERT_TRUE(skimmer.Next());
  EXPECT_EQ(skimmer.Number(), 12U);
  EXPECT_EQ(skimmer.Text(), std::nullopt);
  ASSERT_TRUE(skimmer.Next());
  EXPECT_EQ(skimmer.Text(), std::nullopt) << "it has escapes";
  ASSERT_TRUE(skimmer.Next());
  EXPECT_EQ(skimmer.Text(), *parsed.Find("agent")->AsString());
  ASSERT_TRUE(skimmer.Next());
  std::optional<JsonSkimmer> inner = skimmer.Object();
  ASSERT_TRUE(inner && inner->Next());
  EXPECT_EQ(inner->Number(), 7U);
  ASSERT_TRUE(inner->Next());
  EXPECT_EQ(inner->Text(), "u");
  EXPECT_FALSE(inner->Next());
  EXPECT_FALSE(skimmer.Next());
}

TEST(JsonSkimmerTest, GivesValuesAsTheyAreSpelled) {
  JsonSkimmer skimmer(R"({"a":"x\"y","b":{"c":[1, 2]},"d":null} behind)");
  std::vector<std::string> values;
  while (skimmer.Next()) values.emplace_back(skimmer.Value());
  EXPECT_EQ(values, (std::vector<std::string>{R"("x\"y")", R"({"c":[1, 2]})", "null"}));
  EXPECT_TRUE(skimmer.Ended());
}

TEST(JsonSkimmerTest, DistinguishesTheEndFromUnreadableText) {
  const auto ends = [](std::string_view text) {
    JsonSkimmer skimmer(text);
    while (skimmer.Next()) {
    }
    return skimmer.Ended();
  };
  EXPECT_TRUE(ends("{}"));
  EXPECT_TRUE(ends(R"({"a":1})"));
  for (const char* text :
       {"", "{", R"({"a":1)", R"({"a":1,})", R"({"a":"b)", R"({"a":1])", R"({"a":[1})"}) {
    EXPECT_FALSE(ends(text)) << text;
  }
}

TEST(JsonSkimmerTest, HasNoMembersInWhatIsNoObject) {
  for (const char* text : {"", "{", "{}", "[1]", "\"a\"", "{1:2}", "{\"a\"", "{\"a", "x"}) {
    EXPECT_EQ(Keys(text), std::vector<std::string>()) << text;
  }
}

// Half of a line never comes here; but if it did, nothing behind it would be read.
TEST(JsonSkimmerTest, StaysInsideOfTextThatIsCutAnywhere) {
  const std::string whole = R"({"a":"b\\","c":{"d":[1,{"e":"f\""}]},"g":123})";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::vector<char> exact(whole.begin(), whole.begin() + static_cast<long>(length));
    JsonSkimmer skimmer(std::string_view(exact.data(), exact.size()));
    while (skimmer.Next()) {
      (void)skimmer.Text();
      (void)skimmer.Value();
      (void)skimmer.Number();
      if (auto inner = skimmer.Object()) (void)inner->Next();
    }
  }
}

}  // namespace
}  // namespace belay
