#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>

#include "ui/table.h"

namespace belay {
namespace {

constexpr ColumnLayout Fixed(std::size_t natural, int drop_order = 0) {
  return {0, natural, true, 0, drop_order, 0};
}
constexpr ColumnLayout Flexible(std::size_t natural, std::size_t least, int drop_order = 0) {
  return {0, natural, false, least, drop_order, 0};
}

// The widths of the columns that stay, by index; 0 for those that went.
std::vector<std::size_t> Widths(std::vector<ColumnLayout> columns, std::size_t room) {
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i].index = i;
  std::vector<std::size_t> widths(columns.size());
  for (const ColumnLayout& column : FitColumns(columns, room)) widths[column.index] = column.width;
  return widths;
}

using Sizes = std::vector<std::size_t>;

TEST(TableLayoutTest, GivesEveryColumnWhatItNeedsWhenThereIsRoom) {
  EXPECT_EQ(Widths({Fixed(5), Flexible(20, 3)}, 27), (Sizes{5, 20}));
  EXPECT_EQ(Widths({Fixed(5), Flexible(20, 3)}, SIZE_MAX), (Sizes{5, 20}));
}

TEST(TableLayoutTest, TakesFromTheWidestFlexibleColumnFirst) {
  EXPECT_EQ(Widths({Fixed(5), Flexible(20, 3), Flexible(8, 3)}, 27), (Sizes{5, 10, 8}));
}

TEST(TableLayoutTest, GivesTheOddColumnToTheLeft) {
  EXPECT_EQ(Widths({Flexible(20, 3), Flexible(20, 3)}, 23), (Sizes{11, 10}));
}

TEST(TableLayoutTest, StopsAtTheLeastWidthsWhileSomethingMayBeDropped) {
  EXPECT_EQ(Widths({Flexible(20, 10), Fixed(5, 1)}, 17), (Sizes{10, 5}));
  EXPECT_EQ(Widths({Flexible(20, 10), Fixed(5, 1)}, 16), (Sizes{16, 0}));
}

TEST(TableLayoutTest, DropsByOrderAndFromTheRightOnATie) {
  EXPECT_EQ(Widths({Fixed(5), Fixed(5, 2), Fixed(5, 1), Fixed(5, 2)}, 19), (Sizes{5, 5, 0, 5}));
  EXPECT_EQ(Widths({Fixed(5), Fixed(5, 2), Fixed(5, 1), Fixed(5, 2)}, 12), (Sizes{5, 5, 0, 0}));
}

TEST(TableLayoutTest, NeverDropsTheLastColumn) {
  EXPECT_EQ(Widths({Fixed(5, 1), Fixed(5, 2)}, 3), (Sizes{0, 5}));
}

TEST(TableLayoutTest, ShrinksBelowTheLeastWidthWhenNothingElseIsLeft) {
  EXPECT_EQ(Widths({Fixed(5), Flexible(20, 10)}, 12), (Sizes{5, 5}));
  EXPECT_EQ(Widths({Fixed(5), Flexible(20, 90)}, 12), (Sizes{5, 5}));
  EXPECT_EQ(Widths({Fixed(5), Flexible(20, 10)}, 0), (Sizes{5, 1}));
}

TEST(TableLayoutTest, HasNothingToFitWithoutColumns) { EXPECT_TRUE(FitColumns({}, 10).empty()); }

std::vector<ColumnLayout> ArbitraryColumns() {
  std::vector<ColumnLayout> columns(*rc::gen::inRange<std::size_t>(1, 8));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns[i] = {.index = i,
                  .natural = *rc::gen::inRange<std::size_t>(0, 40),
                  .fixed = *rc::gen::arbitrary<bool>(),
                  .least = *rc::gen::inRange<std::size_t>(0, 20),
                  .drop_order = *rc::gen::inRange(0, 4),
                  .width = 0};
  }
  return columns;
}

std::size_t TotalWidth(const std::vector<ColumnLayout>& columns) {
  std::size_t total = kColumnGap * (columns.size() - 1);
  for (const ColumnLayout& column : columns) total += column.width;
  return total;
}

bool CanGiveWay(const ColumnLayout& column) { return !column.fixed && column.width > 1; }

TEST(TableLayoutTest, IsTooWideOnlyWhenNothingElseCanGiveWay) {
  EXPECT_TRUE(rc::check([] {
    const std::size_t room = *rc::gen::inRange<std::size_t>(0, 150);
    const std::vector<ColumnLayout> shown = FitColumns(ArbitraryColumns(), room);
    RC_ASSERT(!shown.empty());
    if (TotalWidth(shown) <= room) return;
    RC_ASSERT(std::ranges::none_of(shown, CanGiveWay));
    RC_ASSERT(shown.size() == 1 || std::ranges::all_of(shown, [](const ColumnLayout& column) {
                return column.drop_order == 0;
              }));
  }));
}

TEST(TableLayoutTest, LeavesNoRoomUnusedWhileAColumnIsNarrowerThanItNeeds) {
  EXPECT_TRUE(rc::check([] {
    const std::size_t room = *rc::gen::inRange<std::size_t>(0, 150);
    const std::vector<ColumnLayout> shown = FitColumns(ArbitraryColumns(), room);
    const bool shrunk = std::ranges::any_of(
        shown, [](const ColumnLayout& column) { return column.width < column.natural; });
    RC_ASSERT(!shrunk || TotalWidth(shown) >= room);
  }));
}

}  // namespace
}  // namespace belay
