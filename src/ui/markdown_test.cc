#include "ui/markdown.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "testing/nasty_text.h"
#include "ui/width.h"

namespace belay {
namespace {

constexpr std::string_view kPage = R"(# belay snapshot
Saves the work of an agent, **at once**, so that
nothing is lost. See `belay restore`.

## Options
- `--json`: the result as one JSON object, for scripts
- `--name`: 漢字 or any other
  - nested, and long enough to be wrapped

1. first

```sh
belay snapshot --name "before the merge"

	tabbed
```

| option | meaning |
|---|---|
| `--keep <n>` | how many are kept, like `--all` but fewer |
)";

TEST(MarkdownTest, RendersAPageWithoutColour) {
  EXPECT_EQ(RenderMarkdown(kPage, 40, {}),
            R"(belay snapshot
==============

Saves the work of an agent, at once, so
that nothing is lost. See `belay
restore`.

Options
-------

- `--json`: the result as one JSON
  object, for scripts
- `--name`: 漢字 or any other
  - nested, and long enough to be
    wrapped

1. first

    belay snapshot --name "before the merge"

        tabbed

OPTION      MEANING
--keep <n>  how many are kept, like
            `--all` but fewer
)");
}

TEST(MarkdownTest, RendersAPageInColour) {
  EXPECT_EQ(
      RenderMarkdown("# Name\n\nRun `ls` **now**.\n```\nls\n```\n|a|\n|-|\n|`b`|", 80, {true}),
      "\x1b[1mName\x1b[0m\n\n"
      "Run \x1b[36mls\x1b[0m \x1b[1mnow\x1b[0m.\n\n"
      "    \x1b[36mls\x1b[0m\n\n"
      "\x1b[1ma\x1b[0m\n\x1b[36mb\x1b[0m\n");
}

TEST(MarkdownTest, KeepsProseNarrowOnAWideTerminal) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "word ";
  for (const std::string& line : LinesOf(RenderMarkdown(text, 200, {}))) {
    EXPECT_LE(line.size(), kProseColumns);
  }
}

TEST(MarkdownTest, UnderlinesOnlyTheFirstTwoLevels) {
  EXPECT_EQ(RenderMarkdown("# 漢\n## b\n### c", 80, {}), "漢\n==\n\nb\n-\n\nc\n");
}

TEST(MarkdownTest, LeavesNoHoleWhereABlockHasNothingToShow) {
  EXPECT_EQ(RenderMarkdown("a\n\n** **\n\n```\n```\n\nb\n", 80, {}), "a\n\nb\n");
}

TEST(MarkdownTest, IsEmptyForAnEmptyPage) {
  EXPECT_EQ(RenderMarkdown("", 80, {}), "");
  EXPECT_EQ(RenderMarkdown(" \n\n\t\n", 80, {}), "");
}

TEST(MarkdownTest, ShowsControlCharacters) {
  EXPECT_EQ(RenderMarkdown("a \x1b[2J `\x07`\n```\n\x1b\n```", 80, {}),
            "a \\x1b[2J `\\x07`\n\n    \\x1b\n");
}

TEST(MarkdownTest, AnyInputGivesPrintableLinesWithoutTrailingBlanks) {
  EXPECT_TRUE(rc::check([](const std::string& bytes) {
    const std::size_t columns = *rc::gen::inRange<std::size_t>(0, 60);
    for (const std::string& text : {bytes, *NastyText()}) {
      RenderMarkdown(text, columns, {true});
      for (const std::string& line : LinesOf(RenderMarkdown(text, columns, {}))) {
        RC_ASSERT(Printable(line) == line);
        RC_ASSERT(!line.ends_with(' '));
      }
    }
  }));
}

TEST(MarkdownTest, ReadsAPageCutAtAnyByte) {
  for (std::size_t size = 0; size <= kPage.size(); ++size) {
    const std::string text = RenderMarkdown(kPage.substr(0, size), 30, {true});
    EXPECT_TRUE(text.empty() || text.ends_with('\n'));
  }
}

}  // namespace
}  // namespace belay
