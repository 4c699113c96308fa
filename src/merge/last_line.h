// The last line of an output that goes on, for people who wait for it.

#ifndef BELAY_MERGE_LAST_LINE_H_
#define BELAY_MERGE_LAST_LINE_H_

#include <string>
#include <string_view>

namespace belay {

class LastLine {
 public:
  void Add(std::string_view bytes);

  // The last line that shows something, also one without an end; of progress bars, what they show
  // now. One line of valid UTF-8, at most 200 code points, that can't command a terminal: escape
  // sequences, control characters and bidirectional controls are left out.
  std::string Text() const;

 private:
  std::string end_;  // of what was added, as much as can matter
};

}  // namespace belay

#endif  // BELAY_MERGE_LAST_LINE_H_
