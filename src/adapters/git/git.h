// The git program, called in a way that nothing but its arguments decides what it does: no hooks,
// no prompts, no pager, no replaced objects, no grafts, no optional locks, no pathspec magic,
// nothing fetched, no settings that change what is printed, none of our own GIT_ variables. What a
// user configured about files stays (ignored files, line endings, filters, trusted folders):
// without it git would see other work.
//
// Each call runs in a process group of its own, with a time limit. What git writes is on the disk
// when the call returns, except for the names in folders, which git leaves to the file system.

#ifndef BELAY_ADAPTERS_GIT_GIT_H_
#define BELAY_ADAPTERS_GIT_GIT_H_

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "os/environment.h"
#include "os/program.h"

namespace belay {

struct GitCall {
  std::vector<std::string> arguments;      // "status", "-z", ...
  std::vector<std::string> settings = {};  // "core.fsync=none", stronger than all others
  ProgramRequest::Input input = {};
  bool converses = false;                   // as ProgramRequest has it
  ProgramRequest::Output output = {};       // gets the standard output instead of GitAnswer::out
  Environment::Variables environment = {};  // beside the usual ones, such as GIT_INDEX_FILE
  std::vector<int> good_exits = {0};
  Duration limit = std::chrono::minutes(10);
};

struct GitAnswer {
  int exit_code;
  std::string out;
  std::string warnings;  // what it said on the standard error
};

class Git {
 public:
  // Calls run in `folder`. `environment` is ours.
  Git(Programs& programs, const Environment& environment, std::string folder);

  const std::string& folder() const { return folder_; }
  // The same for another folder.
  Git In(std::string folder) const;

  // Of the environment that calls get; empty: it isn't set.
  std::string Variable(std::string_view name) const;

  // An exit code that isn't good is an error that says what git said: kBusy when somebody holds a
  // lock of git's, else kFailed. No git program: kNotFound.
  Result<GitAnswer> Run(const GitCall& call) const;
  // The standard output of a call that needs nothing else.
  Result<std::string> Ask(std::vector<std::string> arguments) const;

 private:
  Programs* programs_;
  Environment::Variables environment_;
  std::string folder_;
};

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_GIT_H_
