#ifndef BELAY_OS_CURRENT_FOLDER_H_
#define BELAY_OS_CURRENT_FOLDER_H_

#include <string>

namespace belay {

// Absolute; "." when it has been removed meanwhile, which every use of it will report.
std::string CurrentFolder();

}  // namespace belay

#endif  // BELAY_OS_CURRENT_FOLDER_H_
