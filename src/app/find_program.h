// Whether a command can be started, checked before anything is recorded about it.

#ifndef BELAY_APP_FIND_PROGRAM_H_
#define BELAY_APP_FIND_PROGRAM_H_

#include <string>

#include "app/env.h"
#include "base/result.h"
#include "os/environment.h"
#include "os/file_system.h"

namespace belay {

// Looks it up as `belay exec` will: a name with a slash relative to `folder`, any other in PATH.
// Returns the path; kNotFound when there is no such program.
Result<std::string> FindProgram(const FileSystem& files, const Environment& environment,
                                const std::string& folder, const std::string& name);

// The path under which hooks will find this belay: its name in PATH, if that leads here, since that
// survives an update. A program that isn't called `belay`, or whose path can't be written in JSON,
// is kRefused: its hooks couldn't be recognised or called.
Result<std::string> OwnProgram(const Env& env);

}  // namespace belay

#endif  // BELAY_APP_FIND_PROGRAM_H_
