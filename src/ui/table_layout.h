// Which columns of a table are shown, and how wide: the arithmetic behind table.h, without any
// text.

#ifndef BELAY_UI_TABLE_LAYOUT_H_
#define BELAY_UI_TABLE_LAYOUT_H_

#include <cstddef>
#include <vector>

namespace belay {

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

#endif  // BELAY_UI_TABLE_LAYOUT_H_
