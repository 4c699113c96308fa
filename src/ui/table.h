// A table as a value, and its rendering as aligned text.
//
//   Table table{.columns = {{.title = "agent"},
//                           {.title = "task", .fit = Fit::kCut, .min_width = 12},
//                           {.title = "host", .drop_order = 1}}};
//   table.rows.push_back({{"coder-login#3", Tone::kBold}, {"Repair the login page"}, {"ada"}});
//
// To fit the terminal, a table gives way step by step:
//
//   1. columns that may be cut or wrapped shrink, the widest first, down to their minimum widths;
//   2. columns with a drop order are dropped, and named in a last line;
//   3. columns that may be cut or wrapped shrink below their minimum widths, if necessary to 1.
//
// Fixed columns that are never dropped keep their width, even if the lines become wider than the
// terminal. Without a terminal nothing is cut, wrapped or dropped.

#ifndef BELAY_UI_TABLE_H_
#define BELAY_UI_TABLE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ui/style.h"

namespace belay {

enum class Align { kLeft, kRight };

// What happens to the cells of a column when there is too little room.
enum class Fit {
  kFixed,  // they keep their width
  kCut,    // they end in "…"
  kWrap,   // they wrap at words
};

struct Column {
  std::string title = {};
  Align align = Align::kLeft;
  Fit fit = Fit::kFixed;
  std::size_t min_width = 8;  // of a column that is cut or wrapped; narrower cells stay narrow
  int drop_order = 0;         // 0: never dropped; 1 is dropped first, on a tie the rightmost
};

// Any bytes: they are made printable, and trailing blanks are removed.
struct Cell {
  std::string text = {};
  Tone tone = Tone::kPlain;
};

// A row with too few cells is filled up with empty ones; extra cells are not shown.
struct Table {
  std::vector<Column> columns = {};
  std::vector<std::vector<Cell>> rows = {};
};

struct RenderOptions {
  std::optional<std::size_t> columns = {};  // width of the terminal, if it is one
  Style style = {};
};

// Titles (bold, or in capitals without colour), then the rows; two spaces between columns, none at
// the end of a line; every line ends with "\n". A table without rows or without columns is
// the empty string: the caller explains what that means.
std::string Render(const Table& table, const RenderOptions& options);

// Which columns of a table are shown, and how wide: the arithmetic of table.h, without any text.

inline constexpr std::size_t kColumnGap = 2;

struct ColumnLayout {
  std::size_t index;    // in the table
  std::size_t natural;  // width of the widest cell
  bool fixed;           // never narrower than that
  std::size_t least;    // else never narrower than this while another can be dropped
  int drop_order;       // 0: never dropped
  std::size_t width;    // the result
};

// Sets the widths and removes the columns that don't fit, in the order of table.h. At least one
// column stays. The sum exceeds `room` only when nothing else can give way.
std::vector<ColumnLayout> FitColumns(std::vector<ColumnLayout> columns, std::size_t room);

}  // namespace belay

#endif  // BELAY_UI_TABLE_H_
