#ifndef BELAY_STORE_FREE_NAME_H_
#define BELAY_STORE_FREE_NAME_H_

#include <string>

#include "base/result.h"
#include "os/file_system.h"

namespace belay {

// `stem`-1, or the first number that is free. Whoever asks holds the lock under which such names
// are made.
Result<std::string> FreeName(const FileSystem& files, const std::string& stem);

}  // namespace belay

#endif  // BELAY_STORE_FREE_NAME_H_
