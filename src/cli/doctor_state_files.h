// Whether the files in the state root say what the journals say.

#ifndef BELAY_CLI_DOCTOR_STATE_FILES_H_
#define BELAY_CLI_DOCTOR_STATE_FILES_H_

#include "cli/doctor_checks.h"
#include "store/layout.h"

namespace belay {

// Of the project, and of all agents. One that is only out of date is no finding while a guardian
// runs, which is about to write it.
Check CheckStateFiles(const Layout& project, const Services& services);

}  // namespace belay

#endif  // BELAY_CLI_DOCTOR_STATE_FILES_H_
