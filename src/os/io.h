// Whole reads and writes on a descriptor: interruptions and short counts are dealt with here.

#ifndef BELAY_OS_IO_H_
#define BELAY_OS_IO_H_

#include <chrono>
#include <string>
#include <string_view>

namespace belay {

// 0, or the errno of the call that failed.
[[nodiscard]] int WriteAll(int fd, std::string_view bytes);

// Appends to `out` until the end, or until it holds more than `limit` bytes. 0, or an errno.
[[nodiscard]] int ReadToEnd(int fd, std::size_t limit, std::string& out);

// The same from whoever may keep us waiting: ETIME when its time is up; what came is in `out`. What
// is beyond the limit is read too, and dropped, so that whoever writes gets rid of everything.
[[nodiscard]] int ReadInTime(int fd, std::size_t limit, std::chrono::milliseconds time,
                             std::string& out);

}  // namespace belay

#endif  // BELAY_OS_IO_H_
