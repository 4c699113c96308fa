#include "ui/table.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "testing/nasty_text.h"
#include "ui/width.h"

namespace belay {
namespace {

Table Agents() {
  return {.columns = {{.title = "agent"},
                      {.title = "up", .align = Align::kRight},
                      {.title = "task", .fit = Fit::kCut, .min_width = 10},
                      {.title = "host", .drop_order = 1}},
          .rows = {{{"coder-login#3"}, {"1h30m"}, {"Repair the login page"}, {"ada"}},
                   {{"coder-漢字#1", Tone::kBold}, {"9s", Tone::kGood}, {"e\u0301te\u0301 👍"}}}};
}

TEST(TableTest, AlignsByDisplayColumnsWithoutATerminal) {
  EXPECT_EQ(Render(Agents(), {}),
            "AGENT             UP  TASK                   HOST\n"
            "coder-login#3  1h30m  Repair the login page  ada\n"
            "coder-漢字#1      9s  e\u0301te\u0301 👍\n");
}

TEST(TableTest, CutsFlexibleColumnsOnANarrowTerminal) {
  EXPECT_EQ(Render(Agents(), {.columns = 40}),
            "AGENT             UP  TASK          HOST\n"
            "coder-login#3  1h30m  Repair the…   ada\n"
            "coder-漢字#1      9s  e\u0301te\u0301 👍\n");
}

TEST(TableTest, DropsAColumnAndReportsIt) {
  EXPECT_EQ(Render(Agents(), {.columns = 35}),
            "AGENT             UP  TASK\n"
            "coder-login#3  1h30m  Repair the l…\n"
            "coder-漢字#1      9s  e\u0301te\u0301 👍\n"
            "not shown: host (terminal too\n"
            "narrow)\n");
}

TEST(TableTest, CutsEvenBelowTheLeastWidthBeforeItBreaksTheLine) {
  EXPECT_EQ(Render(Agents(), {.columns = 25}),
            "AGENT             UP  TA…\n"
            "coder-login#3  1h30m  Re…\n"
            "coder-漢字#1      9s  e\u0301t…\n"
            "not shown: host (terminal\n"
            "too narrow)\n");
}

TEST(TableTest, NeverCutsWhatIsFixed) {
  const Table table{.columns = {{.title = "name"}}, .rows = {{{"orchestrator-fix-login#3"}}}};
  EXPECT_EQ(Render(table, {.columns = 5}), "NAME\norchestrator-fix-login#3\n");
}

TEST(TableTest, PaintsTitlesBoldAndCellsInTheirTonesOutsideThePadding) {
  EXPECT_EQ(Render(Agents(), {.columns = 30, .style = {.color = true}}),
            "\x1b[1magent\x1b[0m             \x1b[1mup\x1b[0m  \x1b[1mtask\x1b[0m\n"
            "coder-login#3  1h30m  Repair…\n"
            "\x1b[1mcoder-漢字#1\x1b[0m      \x1b[32m9s\x1b[0m  e\u0301te\u0301 👍\n"
            "\x1b[2mnot shown: host (terminal too\x1b[0m\n"
            "\x1b[2mnarrow)\x1b[0m\n");
}

TEST(TableTest, NamesDroppedColumnsInTheOrderOfTheTable) {
  const Table table{
      .columns = {{.title = "a", .drop_order = 2}, {.title = "b"}, {.title = "c", .drop_order = 1}},
      .rows = {{{"12345678901234567890"}, {"12345678901234567890"}, {"3"}}}};
  EXPECT_EQ(Render(table, {.columns = 41}),
            "B\n12345678901234567890\nnot shown: a, c (terminal too narrow)\n");
}

TEST(TableTest, WrapsCellsOverSeveralLines) {
  const Table table{
      .columns = {{.title = "option"}, {.title = "meaning", .fit = Fit::kWrap}},
      .rows = {{{"--all"}, {"also those that ended long ago"}}, {{"--json"}, {"as JSON"}}}};
  EXPECT_EQ(Render(table, {.columns = 23}),
            "OPTION  MEANING\n"
            "--all   also those that\n"
            "        ended long ago\n"
            "--json  as JSON\n");
}

TEST(TableTest, ShowsHostileCellsHarmlessly) {
  const Table table{.columns = {{.title = "task"}}, .rows = {{{"a\nb\x1b[2J\u202e\xff  "}}}};
  EXPECT_EQ(Render(table, {}), "TASK\na\\nb\\x1b[2J\\u202e\ufffd\n");
}

TEST(TableTest, FillsShortRowsAndIgnoresCellsTooMany) {
  const Table table{.columns = {{.title = "a"}, {.title = "b"}},
                    .rows = {{{"1"}}, {}, {{"1"}, {"2"}, {"3"}}}};
  EXPECT_EQ(Render(table, {}), "A  B\n1\n\n1  2\n");
}

TEST(TableTest, IsEmptyWithoutRowsOrColumns) {
  EXPECT_EQ(Render({.columns = {{.title = "a"}}}, {}), "");
  EXPECT_EQ(Render({.rows = {{{"a"}}}}, {}), "");
}

Column ArbitraryColumn() {
  return {.title = *NastyText(),
          .align = *rc::gen::element(Align::kLeft, Align::kRight),
          .fit = *rc::gen::element(Fit::kFixed, Fit::kCut, Fit::kWrap),
          .min_width = *rc::gen::inRange<std::size_t>(0, 12),
          .drop_order = *rc::gen::inRange(0, 4)};
}

Table ArbitraryTable() {
  Table table;
  const int columns = *rc::gen::inRange(1, 6);
  for (int i = 0; i < columns; ++i) table.columns.push_back(ArbitraryColumn());
  const int rows = *rc::gen::inRange(1, 5);
  for (int i = 0; i < rows; ++i) {
    std::vector<Cell>& row = table.rows.emplace_back();
    const int cells = *rc::gen::inRange(0, 7);
    for (int j = 0; j < cells; ++j) row.push_back({*NastyText(), Tone::kGood});
  }
  return table;
}

TEST(TableTest, NoLineEndsInABlankAndNoneHasAControlCharacter) {
  EXPECT_TRUE(rc::check([] {
    const std::size_t columns = *rc::gen::inRange<std::size_t>(0, 100);
    for (const std::string& line : LinesOf(Render(ArbitraryTable(), {.columns = columns}))) {
      RC_ASSERT(!line.ends_with(' '));
      RC_ASSERT(Printable(line) == line);
    }
  }));
}

TEST(TableTest, NoLineIsWiderThanTheTerminalUnlessColumnsAreFixed) {
  EXPECT_TRUE(rc::check([] {
    Table table = ArbitraryTable();
    for (Column& column : table.columns) {
      if (column.fit == Fit::kFixed) column.fit = Fit::kCut;
    }
    // One column each and the gaps between them: what even the narrowest terminal must have.
    const std::size_t least = 3 * table.columns.size();
    const std::size_t columns = *rc::gen::inRange<std::size_t>(least, 100);
    for (const std::string& line : LinesOf(Render(table, {.columns = columns}))) {
      RC_ASSERT(DisplayWidth(line) <= columns);
    }
  }));
}

TEST(TableTest, ColourChangesNothingButTheCapitalsOfTheTitles) {
  EXPECT_TRUE(rc::check([] {
    Table table = ArbitraryTable();
    for (Column& column : table.columns) column.title = "T";
    const std::size_t columns = *rc::gen::inRange<std::size_t>(0, 100);
    std::string painted = Render(table, {.columns = columns, .style = {.color = true}});
    for (const std::string_view mark : {"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[32m"}) {
      for (std::size_t at; (at = painted.find(mark)) != std::string::npos;) {
        painted.erase(at, mark.size());
      }
    }
    RC_ASSERT(painted == Render(table, {.columns = columns}));
  }));
}

}  // namespace
}  // namespace belay
