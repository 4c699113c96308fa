// Sets when a file was last written, for a copy that has to count as the file it was made from.

#ifndef BELAY_OS_FILE_TIMES_H_
#define BELAY_OS_FILE_TIMES_H_

#include <cstdint>
#include <string>

#include "base/result.h"

namespace belay {

// Nanoseconds since 1970, as FileInfo::modified. A link isn't followed.
Result<void> SetModifiedTime(const std::string& path, std::int64_t modified);

}  // namespace belay

#endif  // BELAY_OS_FILE_TIMES_H_
