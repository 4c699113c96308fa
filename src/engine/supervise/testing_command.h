// Whether a process of an agent is a run of tests, judged by its arguments.

#ifndef BELAY_ENGINE_SUPERVISE_TESTING_COMMAND_H_
#define BELAY_ENGINE_SUPERVISE_TESTING_COMMAND_H_

#include <span>
#include <string>

namespace belay {

// Whether a program with these arguments is a test command: ctest, pytest, `npm test`, `cargo
// test`, `go test`, `make test|check`, ./belay-test and their like; also as the script of an
// interpreter, `python -m pytest`, and the first command of `sh -c`.
bool IsTestCommand(std::span<const std::string> arguments);

}  // namespace belay

#endif  // BELAY_ENGINE_SUPERVISE_TESTING_COMMAND_H_
