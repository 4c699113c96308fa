#include "ui/table_layout.h"

#include <algorithm>

namespace belay {
namespace {

using Columns = std::vector<ColumnLayout>;

// Shrinking goes by a common level: no column is wider than it unless its least width is.
std::size_t WidthAt(const ColumnLayout& column, std::size_t level) {
  return column.fixed ? column.natural : std::min(column.natural, std::max(column.least, level));
}

std::size_t TotalAt(const Columns& columns, std::size_t level) {
  std::size_t total = kColumnGap * (columns.size() - 1);
  for (const ColumnLayout& column : columns) total += WidthAt(column, level);
  return total;
}

// The highest level that fits; level 0 is known to.
std::size_t HighestLevel(const Columns& columns, std::size_t room) {
  std::size_t fits = 0;
  std::size_t too_high = std::min(room, TotalAt(columns, room)) + 1;
  while (too_high - fits > 1) {
    const std::size_t middle = fits + (too_high - fits) / 2;
    (TotalAt(columns, middle) <= room ? fits : too_high) = middle;
  }
  return fits;
}

void SetWidths(Columns& columns, std::size_t level) {
  for (ColumnLayout& column : columns) column.width = WidthAt(column, level);
}

bool Shrink(Columns& columns, std::size_t room) {
  if (TotalAt(columns, 0) > room) return false;
  const std::size_t level = HighestLevel(columns, room);
  SetWidths(columns, level);
  // The next level would need more than is left over, so nobody gets more than one of these.
  std::size_t left_over = room - TotalAt(columns, level);
  for (ColumnLayout& column : columns) {
    if (left_over == 0 || column.width == column.natural) continue;
    ++column.width;
    --left_over;
  }
  return true;
}

bool GoesBefore(const ColumnLayout& a, const ColumnLayout& b) {
  if ((a.drop_order == 0) != (b.drop_order == 0)) return b.drop_order == 0;
  if (a.drop_order != b.drop_order) return a.drop_order < b.drop_order;
  return a.index > b.index;
}

bool DropOne(Columns& columns) {
  const auto first = std::min_element(columns.begin(), columns.end(), GoesBefore);
  if (columns.size() == 1 || first->drop_order == 0) return false;
  columns.erase(first);
  return true;
}

void ShrinkBelowLeast(Columns& columns, std::size_t room) {
  for (ColumnLayout& column : columns) column.least = 1;
  if (!Shrink(columns, room)) SetWidths(columns, 0);
}

}  // namespace

std::vector<ColumnLayout> FitColumns(std::vector<ColumnLayout> columns, std::size_t room) {
  if (columns.empty()) return columns;
  while (!Shrink(columns, room)) {
    if (DropOne(columns)) continue;
    ShrinkBelowLeast(columns, room);
    break;
  }
  return columns;
}

}  // namespace belay
