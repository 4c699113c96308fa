// A table as a value, and its rendering as aligned text.
//
//   Table table{.columns = {{.title = "agent"},
//                           {.title = "task", .fit = Fit::kCut, .min_width = 12},
//                           {.title = "host", .drop_order = 1}}};
//   table.rows.push_back({{"coder-login#3", Tone::kBold}, {"Repair the login page"}, {"ada"}});
//
// On a terminal a table gives way until it fits, one step after the other:
//
//   1. columns that may be cut or wrapped shrink, the widest first, down to their least widths;
//   2. columns with a drop order are left out, and named in a last line;
//   3. columns that may be cut or wrapped shrink below their least widths, to one column if need
//   be.
//
// What is fixed and never dropped stays as it is, even if the lines become wider than the terminal.
// Without a terminal nothing is cut, wrapped or dropped.

#ifndef BELAY_UI_TABLE_H_
#define BELAY_UI_TABLE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ui/style.h"

namespace belay {

enum class Align { kLeft, kRight };

// How the cells of a column behave when there is less room than they need.
enum class Fit {
  kFixed,  // they keep all of it
  kCut,    // they end in "…"
  kWrap,   // they go on in the next line, word by word
};

struct Column {
  std::string title = {};
  Align align = Align::kLeft;
  Fit fit = Fit::kFixed;
  std::size_t min_width = 8;  // of a column that is cut or wrapped; cells narrower still stay so
  int drop_order = 0;         // 0: never dropped; 1 goes first, on a tie the one further right
};

// Any bytes will do: they are made printable, and blanks at the end are taken off.
struct Cell {
  std::string text = {};
  Tone tone = Tone::kPlain;
};

// A row with fewer cells than there are columns is filled up with empty ones; cells too many are
// not shown.
struct Table {
  std::vector<Column> columns = {};
  std::vector<std::vector<Cell>> rows = {};
};

struct RenderOptions {
  std::optional<std::size_t> columns = {};  // width of the terminal, if it is one
  Style style = {};
};

// Titles (bold, or in capitals when there is no colour), then the rows; two spaces between columns,
// none at the end of a line; every line ends with "\n". A table without rows or without columns is
// the empty string: what that means is for the caller to say.
std::string Render(const Table& table, const RenderOptions& options);

// Which columns of a table are shown, and how wide: the arithmetic behind table.h, without any
// text.

inline constexpr std::size_t kColumnGap = 2;

struct ColumnLayout {
  std::size_t index;    // in the table
  std::size_t natural;  // what the widest cell needs
  bool fixed;           // never narrower than that
  std::size_t least;    // otherwise, never narrower than this while another may be dropped
  int drop_order;       // 0: never dropped
  std::size_t width;    // what it gets
};

// Sets the widths and takes out the columns for which there is no room, in the order of table.h.
// At least one column stays. The sum exceeds `room` only when nothing else can give way.
std::vector<ColumnLayout> FitColumns(std::vector<ColumnLayout> columns, std::size_t room);

}  // namespace belay

#endif  // BELAY_UI_TABLE_H_
