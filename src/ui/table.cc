#include "ui/table.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "ui/width.h"

namespace belay {
namespace {

using Row = std::vector<Cell>;
using Layout = std::vector<ColumnLayout>;

void TrimEnd(std::string& text) { text.erase(text.find_last_not_of(' ') + 1); }

std::string Clean(std::string_view text) {
  std::string clean = Printable(text);
  TrimEnd(clean);
  return clean;
}

Row CleanRow(const Row& row, std::size_t size) {
  Row clean(size);
  for (std::size_t i = 0; i < std::min(size, row.size()); ++i) {
    clean[i] = {Clean(row[i].text), row[i].tone};
  }
  return clean;
}

// The same table with printable texts, and the same number of cells in every row.
Table CleanTable(const Table& table) {
  Table clean;
  clean.columns = table.columns;
  for (Column& column : clean.columns) column.title = Clean(column.title);
  for (const Row& row : table.rows) clean.rows.push_back(CleanRow(row, table.columns.size()));
  return clean;
}

std::size_t NaturalWidth(const Table& table, std::size_t index) {
  std::size_t width = DisplayWidth(table.columns[index].title);
  for (const Row& row : table.rows) width = std::max(width, DisplayWidth(row[index].text));
  return width;
}

Layout LayOut(const Table& table, std::optional<std::size_t> room) {
  Layout layout;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    const std::size_t natural = NaturalWidth(table, i);
    const bool fixed = column.fit == Fit::kFixed;
    layout.push_back({i, natural, fixed, column.min_width, column.drop_order, natural});
  }
  return room ? FitColumns(std::move(layout), *room) : layout;
}

// Wraps, and cuts words that are too long for a line.
std::vector<std::string> WrapAndCut(std::string_view text, std::size_t width) {
  const std::string collapsed = CollapseBlanks(text);
  std::vector<std::string> lines;
  for (const std::string_view line : WrapLines(collapsed, width, width)) {
    lines.push_back(Ellipsize(line, width));
  }
  return lines;
}

std::vector<std::string> CellLines(const std::string& text, Fit fit, std::size_t width) {
  const bool fits = DisplayWidth(text) <= width;
  switch (fit) {
    case Fit::kFixed:
      return {text};
    case Fit::kCut:
      return {Ellipsize(text, width)};
    case Fit::kWrap:
      return fits ? std::vector{text} : WrapAndCut(text, width);
  }
  __builtin_unreachable();
}

class Renderer {
 public:
  Renderer(const Table& table, const RenderOptions& options)
      : table_(table), options_(options), layout_(LayOut(table, options.columns)) {}

  std::string Run() && {
    AppendRow(HeaderRow());
    for (const Row& row : table_.rows) AppendRow(row);
    AppendDropped();
    return std::move(out_);
  }

 private:
  Row HeaderRow() const {
    Row row;
    for (const Column& column : table_.columns) {
      row.push_back({options_.style.color ? column.title : Capitals(column.title), Tone::kBold});
    }
    return row;
  }

  static std::string Capitals(std::string text) {
    for (char& c : text) {
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return text;
  }

  void AppendRow(const Row& row) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (const ColumnLayout& at : layout_) {
      cells.push_back(CellLines(row[at.index].text, table_.columns[at.index].fit, at.width));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t line = 0; line < height; ++line) AppendLine(row, cells, line);
  }

  void AppendLine(const Row& row, const std::vector<std::vector<std::string>>& cells,
                  std::size_t line) {
    std::string text;
    for (std::size_t i = 0; i < layout_.size(); ++i) {
      if (i > 0) text.append(kColumnGap, ' ');
      AppendCell(layout_[i], line < cells[i].size() ? cells[i][line] : std::string_view(),
                 row[layout_[i].index].tone, text);
    }
    TrimEnd(text);
    out_ += text;
    out_.push_back('\n');
  }

  void AppendCell(const ColumnLayout& at, std::string_view text, Tone tone,
                  std::string& line) const {
    const std::size_t width = DisplayWidth(text);
    const std::size_t padding = at.width > width ? at.width - width : 0;
    const bool right = table_.columns[at.index].align == Align::kRight;
    if (right) line.append(padding, ' ');
    line += options_.style.Paint(tone, text);
    if (!right) line.append(padding, ' ');
  }

  void AppendDropped() {
    if (layout_.size() == table_.columns.size()) return;
    const std::string text = "not shown: " + DroppedTitles() + " (terminal too narrow)";
    for (const std::string& line : WrapAndCut(text, *options_.columns)) {
      out_ += options_.style.Paint(Tone::kDim, line);
      out_.push_back('\n');
    }
  }

  std::string DroppedTitles() const {
    std::string titles;
    auto shown = layout_.begin();
    for (std::size_t i = 0; i < table_.columns.size(); ++i) {
      if (shown != layout_.end() && shown->index == i) {
        ++shown;
      } else {
        titles += (titles.empty() ? "" : ", ") + table_.columns[i].title;
      }
    }
    return titles;
  }

  const Table& table_;
  const RenderOptions& options_;
  Layout layout_;
  std::string out_;
};

}  // namespace

std::string Render(const Table& table, const RenderOptions& options) {
  if (table.rows.empty() || table.columns.empty()) return {};
  const Table clean = CleanTable(table);
  return Renderer(clean, options).Run();
}

namespace {

using Columns = std::vector<ColumnLayout>;

// Columns shrink to a common level: none is wider than it, except for its minimum width.
std::size_t WidthAt(const ColumnLayout& column, std::size_t level) {
  return column.fixed ? column.natural : std::min(column.natural, std::max(column.least, level));
}

std::size_t TotalAt(const Columns& columns, std::size_t level) {
  std::size_t total = kColumnGap * (columns.size() - 1);
  for (const ColumnLayout& column : columns) total += WidthAt(column, level);
  return total;
}

// The highest level that fits; level 0 always does.
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
  // The next level would need more than is left over, so each column gets at most one more.
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
