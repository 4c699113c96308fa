#include "adapters/claude/settings.h"

#include <gmock/gmock.h>
#include <rapidcheck.h>

#include "adapters/claude/events.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

HooksWish Everything(std::string program = "/usr/bin/belay") {
  HooksWish wish{.program = std::move(program), .events = {}};
  for (const ClaudeEvent& event : ClaudeEvents()) wish.events.emplace_back(event.name);
  return wish;
}

struct Installed {
  std::string text;
  FoundBefore before;
};

Installed Install(std::string_view text, const HooksWish& wish, FoundBefore before = {}) {
  Result<ClaudeSettings> settings = ClaudeSettings::Open(text);
  EXPECT_TRUE(settings.ok()) << text;
  const Result<void> outcome = settings->Install(wish, before);
  EXPECT_TRUE(outcome.ok()) << text;
  return {settings->Text(), before};
}

std::string TakeOut(const Installed& installed) {
  Result<ClaudeSettings> settings = ClaudeSettings::Open(installed.text);
  const auto text = settings->TakeOut(FoundBefore::Parse(installed.before.Text()));
  EXPECT_TRUE(text.ok());
  return text->value_or("(no file)");
}

std::string Refusal(std::string_view text) {
  Result<ClaudeSettings> settings = ClaudeSettings::Open(text);
  FoundBefore before;
  const Result<void> outcome =
      settings ? settings->Install(Everything(), before) : Result<void>(settings.error());
  return outcome ? "(accepted)" : outcome.error().message;
}

TEST(ClaudeSettingsTest, WritesWhatClaudeCodeReads) {
  const HooksWish wish{.program = "/opt/it's/belay", .events = {"PreToolUse", "Stop"}};
  EXPECT_EQ(Install("{\"a\":1}", wish).text,
            R"({"a":1,"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command",)"
            R"("command":"'/opt/it'\\''s/belay' event PreToolUse","timeout":10}]}],)"
            R"("Stop":[{"hooks":[{"type":"command",)"
            R"("command":"'/opt/it'\\''s/belay' event Stop","timeout":10}]}]}})");
}

TEST(ClaudeSettingsTest, ASecondTimeChangesNothing) {
  for (const std::string text : {"{}", "", "{\"hooks\":{\"Stop\":[]}}", "{\n\t\"x\": []\n}\r\n"}) {
    const Installed first = Install(text, Everything());
    const Installed second = Install(first.text, Everything(), first.before);
    EXPECT_EQ(second.text, first.text);
    EXPECT_EQ(second.before, first.before);
  }
}

// Settings with unusual white space, hooks that aren't ours, and empty lists.
std::string SomeSettings() {
  const auto space = [] {
    return *rc::gen::element<std::string>("", " ", "\n", "\r\n  ", "\t", "\n\n    ");
  };
  const auto theirs = [&] {
    return *rc::gen::element<std::string>(
        R"({"hooks":[{"type":"command","command":"belay-like event Stop"}]})",
        R"({ "matcher" : "Bash", "hooks": [ ] , "odd": [1.0] })", "7",
        R"({"hooks":[{"type":"command","command":"/bin/belay event Stop | cat"}]})");
  };
  std::vector<std::string> members;
  if (*rc::gen::arbitrary<bool>()) members.push_back(R"("permissions":{"deny":["Bash"]})");
  if (*rc::gen::arbitrary<bool>()) {
    std::string hooks;
    for (const std::string event : {"Stop", "Unknown", "PreToolUse"}) {
      if (!*rc::gen::arbitrary<bool>()) continue;
      const int count = *rc::gen::element(0, 1, 2);
      std::string list = "[" + space();
      for (int i = 0; i < count; ++i) list += (i > 0 ? space() + "," + space() : "") + theirs();
      if (count > 0) list += space();
      hooks += (hooks.empty() ? "" : space() + "," + space()) + "\"" + event + "\"" + space() +
               ":" + space() + list + "]";
    }
    members.push_back("\"hooks\"" + space() + ":{" + space() + hooks +
                      (hooks.empty() ? "" : space()) + "}");
  }
  if (*rc::gen::arbitrary<bool>()) members.push_back("\"z\":[" + space() + "]");
  std::string text = *rc::gen::element<std::string>("", "\xEF\xBB\xBF") + space() + "{" + space();
  for (std::size_t i = 0; i < members.size(); ++i)
    text += (i > 0 ? "," + space() : "") + members[i];
  return text + (members.empty() ? "" : space()) + "}" + space();
}

TEST(ClaudeSettingsTest, WhatWasPutInGoesWithoutATrace) {
  EXPECT_TRUE(rc::check("every byte is as it was", [] {
    const std::string text = SomeSettings();
    const Installed installed = Install(text, Everything());
    RC_ASSERT(TakeOut(installed) == text);
    const ClaudeSettings settings = *ClaudeSettings::Open(installed.text);
    RC_ASSERT(settings.OurHooks().size() == ClaudeEvents().size());
    RC_ASSERT(Install(installed.text, Everything(), installed.before).text == installed.text);
  }));
}

TEST(ClaudeSettingsTest, AlsoWhenItCameInSeveralSteps) {
  EXPECT_TRUE(rc::check("two versions of Claude Code and a belay that moved", [] {
    const std::string text = SomeSettings();
    HooksWish some = Everything("/old place/belay");
    some.events.resize(*rc::gen::element<std::size_t>(1, 4, 9));
    const Installed first = Install(text, some);
    const Installed second = Install(first.text, Everything(), first.before);
    RC_ASSERT(second.text.find("old place") == std::string::npos);
    HooksWish fewer = Everything();
    fewer.unwanted = {fewer.events.back()};
    fewer.events.pop_back();
    const Installed third = Install(second.text, fewer, second.before);
    RC_ASSERT(ClaudeSettings::Open(third.text)->OurHooks().size() == fewer.events.size());
    RC_ASSERT(TakeOut(third) == text);
  }));
}

TEST(ClaudeSettingsTest, AFileOfWhiteSpaceCountsAsEmptySettings) {
  for (const std::string text : {"", "\n", " \r\n\t", "\xEF\xBB\xBF"}) {
    const Installed installed = Install(text, Everything());
    EXPECT_THAT(installed.text, HasSubstr("PreToolUse"));
    EXPECT_EQ(TakeOut(installed), text);
  }
}

TEST(ClaudeSettingsTest, RemovesAFileThatInitCreatedOnlyWhenItIsEmpty) {
  Installed installed = Install("", Everything(), {.no_file = true});
  EXPECT_EQ(TakeOut(installed), "(no file)");
  installed.text.insert(1, "\"mine\": 1,");
  EXPECT_EQ(TakeOut(installed), "{\"mine\": 1\n}\n");
}

TEST(ClaudeSettingsTest, ListsThatWereEmptyBeforeStayAndOthersGo) {
  const std::string text = R"({"hooks": {"Stop": [], "Mine": []}})";
  const Installed installed = Install(text, Everything());
  EXPECT_EQ(installed.before.empty, std::vector<std::string>{"Stop"});
  EXPECT_EQ(TakeOut(installed), text);
  EXPECT_EQ(TakeOut(Install("{\"hooks\":{ }}", Everything())), "{\"hooks\":{ }}");
  // The note is lost: the lists are taken for ours.
  EXPECT_EQ(TakeOut({installed.text, {}}), R"({"hooks": {"Mine": []}})");
}

TEST(ClaudeSettingsTest, LeavesAloneWhatAPersonChangedInOurs) {
  const std::string text =
      R"({"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"command":"belay event PreToolUse",)"
      R"("timeout":99},{"command":"mine"}]}]}})";
  const HooksWish wish{.program = "/usr/bin/belay", .events = {"PreToolUse"}};
  EXPECT_EQ(Install(text, wish).text, text);
  EXPECT_EQ(TakeOut({text, {}}),
            R"({"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"command":"mine"}]}]}})");
}

TEST(ClaudeSettingsTest, NamesThePlaceAndTheMistake) {
  EXPECT_EQ(Refusal("{\"a\": 1,}"), "line 1, column 9: '}' where a key in quotes should be");
  EXPECT_EQ(Refusal("{\n\"hooks\": {}, \"hooks\": {}}"),
            "line 2, column 14: duplicate key \"hooks\"");
  EXPECT_EQ(Refusal("[]"), "line 1, column 1: it is a list, not an object");
  EXPECT_EQ(Refusal("{\n  \"hooks\": []}"),
            "line 2, column 12: \"hooks\" is a list, not an object");
  EXPECT_EQ(Refusal("{\"hooks\": {\"Stop\": {}}}"),
            "line 1, column 20: \"Stop\" is an object, not a list");
  EXPECT_EQ(Refusal("{\"hooks\": {\"Mine\": {}}}"), "(accepted)");
}

TEST(ClaudeSettingsTest, KnowsEveryEventAndWhetherHooksAreOff) {
  const ClaudeSettings settings =
      *ClaudeSettings::Open(R"({"hooks":{"Odd":1,"Stop":[]},"disableAllHooks":true})");
  EXPECT_EQ(settings.Events(), (std::vector<std::string>{"Odd", "Stop"}));
  EXPECT_TRUE(settings.HooksAreOff());
  EXPECT_FALSE(ClaudeSettings::Open("{\"disableAllHooks\":0}")->HooksAreOff());
}

TEST(ClaudeSettingsTest, WhatWasFoundBeforeSurvivesBeingWritten) {
  for (const FoundBefore& before :
       {FoundBefore{}, FoundBefore{.no_file = true}, FoundBefore{.blank = ""},
        FoundBefore{.blank = "\xEF\xBB\xBF\r\n", .empty = {"hooks", "Stop"}}}) {
    EXPECT_EQ(FoundBefore::Parse(before.Text()), before);
  }
  for (const std::string text : {"", "[]", "{\"blank\":\"x\",\"empty\":1,\"no_file\":\"yes\"}"}) {
    EXPECT_FALSE(FoundBefore::Parse(text).SaysSomething()) << text;
  }
}

}  // namespace
}  // namespace belay
