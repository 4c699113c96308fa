// The plugin says what the table in the code says.

#include <gtest/gtest.h>

#include "adapters/claude/events.h"
#include "codec/json.h"
#include "os/file_system.h"
#include "testing/places.h"

namespace belay {
namespace {

Json Read(const std::string& name) {
  RealFileCalls calls;
  const Result<std::string> text = FileSystem(calls).Read(SourceFile("plugin/" + name), 1U << 20U);
  EXPECT_TRUE(text.ok()) << name;
  const Result<Json> value = ParseJson(text ? *text : "null");
  EXPECT_TRUE(value.ok()) << name;
  return value ? *value : Json();
}

TEST(ClaudePluginTest, AsksForTheSameEventsAsInit) {
  const Json record = Read("hooks/hooks.json");
  const Json::Object& hooks = *record.Find("hooks")->AsObject();
  ASSERT_EQ(hooks.size(), ClaudeEvents().size());
  for (std::size_t i = 0; i < hooks.size(); ++i) {
    const ClaudeEvent& event = ClaudeEvents()[i];
    const Json hook = MakeObject({{"type", "command"},
                                  {"command", "belay event " + std::string(event.name)},
                                  {"timeout", 10}});
    Json group = MakeObject({{"hooks", Json::Array{hook}}});
    if (event.has_matcher()) group = MakeObject({{"matcher", "*"}, {"hooks", Json::Array{hook}}});
    EXPECT_EQ(hooks[i].key, event.name);
    EXPECT_EQ(hooks[i].value, Json(Json::Array{group})) << event.name;
  }
}

TEST(ClaudePluginTest, HasAManifest) {
  EXPECT_EQ(*Read(".claude-plugin/plugin.json").Find("name")->AsString(), "belay");
}

}  // namespace
}  // namespace belay
