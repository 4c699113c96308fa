#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "adapters/claude/settings.h"
#include "testing/real_process.h"

namespace belay {
namespace {

std::string ProgramIn(std::string_view command) {
  const auto found = ReadHookCommand(command);
  return found ? found->program + " " + found->event + (found->by_hand ? " by hand" : "") : "-";
}

TEST(HookCommandTest, RecognisesOursHoweverItIsSpelled) {
  EXPECT_EQ(ProgramIn("'/usr/bin/belay' event Stop"), "/usr/bin/belay Stop");
  EXPECT_EQ(ProgramIn("/usr/bin/belay event Stop"), "/usr/bin/belay Stop");
  EXPECT_EQ(ProgramIn("  \"/a b/belay\"\tevent  Stop "), "/a b/belay Stop");
  EXPECT_EQ(ProgramIn(R"(/a\ b/'be'"lay" event PreToolUse)"), "/a b/belay PreToolUse");
  EXPECT_EQ(ProgramIn("belay event Stop"), "belay Stop by hand");
  EXPECT_EQ(ProgramIn("\"$HOME\"/bin/belay event Stop"), "$HOME/bin/belay Stop by hand");
}

TEST(HookCommandTest, EverythingElseBelongsToAnother) {
  for (const std::string command : {"",
                                    "belay",
                                    "belay event",
                                    "belay event Stop x",
                                    "belay event Stop|cat",
                                    "belay event Stop; rm x",
                                    "belay events Stop",
                                    "notbelay event Stop",
                                    "/usr/bin/belay2 event Stop",
                                    "/usr/bin/belay/ event Stop",
                                    "'belay event Stop",
                                    "\"belay event Stop",
                                    "belay\\",
                                    "echo belay event Stop",
                                    "$(belay) event Stop",
                                    "`x`/belay event Stop",
                                    "\"$(x)\"/belay event Stop",
                                    "A=1 belay event Stop",
                                    "x;belay event Stop",
                                    "x&&/bin/belay event Stop",
                                    "belay event St0p",
                                    "belay\nevent Stop",
                                    "~/bin/belay event Stop",
                                    "/*/belay event Stop"}) {
    EXPECT_EQ(ProgramIn(command), "-") << command;
  }
}

TEST(HookCommandTest, WhatIsWrittenIsRecognisedAndReadTheSameByAShell) {
  EXPECT_TRUE(rc::check([](const std::string& bytes) {
    std::string folder = "/x" + bytes;
    std::erase(folder, '\0');
    const std::string program = folder + "/belay";
    const auto found = ReadHookCommand(WriteHookCommand(program, "Stop"));
    RC_ASSERT(found.has_value());
    RC_ASSERT(found->program == program);
    RC_ASSERT(found->event == "Stop");
    RC_ASSERT(!found->by_hand);
    RC_ASSERT(found->word + found->rest == WriteHookCommand(program, "Stop"));
  }));
  for (const std::string program : {"/a b/it's \"$HOME\" `x`\\/belay", "/-\n*/belay"}) {
    const std::string command = "printf '%s|' " + WriteHookCommand(program, "Stop");
    EXPECT_EQ(RunReal({"sh", "-c", command}).out, program + "|event|Stop|");
  }
}

}  // namespace
}  // namespace belay
