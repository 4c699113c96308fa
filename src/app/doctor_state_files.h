// Whether the files in the state root say what the journals say.

#ifndef BELAY_APP_DOCTOR_STATE_FILES_H_
#define BELAY_APP_DOCTOR_STATE_FILES_H_

#include "app/doctor_checks.h"
#include "store/layout.h"

namespace belay {

// Of every family. One that is only out of date is no finding while a guardian
// runs, which is about to write it.
Check CheckStateFiles(const Layout& project, const Env& env);

}  // namespace belay

#endif  // BELAY_APP_DOCTOR_STATE_FILES_H_
