// Whether a command can be started, asked before anything is recorded about it.

#ifndef BELAY_CLI_FIND_PROGRAM_H_
#define BELAY_CLI_FIND_PROGRAM_H_

#include <string>

#include "base/result.h"
#include "os/environment.h"
#include "os/file_system.h"

namespace belay {

// As `belay exec` will look for it: a name with a slash as seen from `folder`, any other in PATH.
// Gives the path; kNotFound when there is no such program.
Result<std::string> FindProgram(const FileSystem& files, const Environment& environment,
                                const std::string& folder, const std::string& name);

}  // namespace belay

#endif  // BELAY_CLI_FIND_PROGRAM_H_
