// Whether a command can be started, asked before anything is recorded about it.

#ifndef BELAY_APP_FIND_PROGRAM_H_
#define BELAY_APP_FIND_PROGRAM_H_

#include <string>

#include "app/env.h"
#include "base/result.h"
#include "os/environment.h"
#include "os/file_system.h"

namespace belay {

// As `belay exec` will look for it: a name with a slash as seen from `folder`, any other in PATH.
// Gives the path; kNotFound when there is no such program.
Result<std::string> FindProgram(const FileSystem& files, const Environment& environment,
                                const std::string& folder, const std::string& name);

// Where hooks will find this belay: as PATH has it, if that leads here, since that name outlives an
// update. One that isn't called `belay`, or whose path JSON can't say, is kRefused: its hooks
// couldn't be recognised or called.
Result<std::string> OwnProgram(const Env& env);

}  // namespace belay

#endif  // BELAY_APP_FIND_PROGRAM_H_
