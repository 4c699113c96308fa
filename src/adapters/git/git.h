// Runs git so that only the arguments decide what it does: no hooks, no prompts, no pager, no
// replaced objects, no grafts, no optional locks, no pathspec magic, nothing fetched, no settings
// that change the output, none of our own GIT_ variables. The user's configuration of files stays
// (ignored files, line endings, filters, trusted folders): without it git would see different work.
//
// Each call runs in its own process group, with a time limit. What git writes is on the disk when
// the call returns, except for names in folders, which git leaves to the file system.

#ifndef BELAY_ADAPTERS_GIT_GIT_H_
#define BELAY_ADAPTERS_GIT_GIT_H_

#include <chrono>
#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "codec/hash.h"
#include "os/environment.h"
#include "os/program.h"

namespace belay {

struct GitCall {
  std::vector<std::string> arguments;      // "status", "-z", ...
  std::vector<std::string> settings = {};  // "core.fsync=none", stronger than all others
  ProgramRequest::Input input = {};
  bool converses = false;                   // as in ProgramRequest
  ProgramRequest::Output output = {};       // gets the standard output instead of GitAnswer::out
  Environment::Variables environment = {};  // in addition to the usual ones, such as GIT_INDEX_FILE
  std::vector<int> good_exits = {0};
  Duration limit = std::chrono::minutes(10);
};

struct GitAnswer {
  int exit_code;
  std::string out;
  std::string warnings;  // its standard error
};

class Git {
 public:
  // Calls run in `folder`. `environment` is ours.
  Git(Programs& programs, const Environment& environment, std::string folder);

  const std::string& folder() const { return folder_; }
  // The same for another folder.
  Git In(std::string folder) const;

  // From the environment of the calls; empty: not set.
  std::string Variable(std::string_view name) const;

  // A bad exit code is an error with git's message: kBusy when another process holds a git lock,
  // else kFailed. No git program: kNotFound.
  Result<GitAnswer> Run(const GitCall& call) const;
  // The standard output of a simple call.
  Result<std::string> Ask(std::vector<std::string> arguments) const;

 private:
  Programs* programs_;
  Environment::Variables environment_;
  std::string folder_;
};

// The id of a git object as a type: once parsed, it is hexadecimal digits of one of the two
// lengths.

class ObjectId {
 public:
  ObjectId() = default;  // no object
  // 40 or 64 lower-case digits; all zeros mean no object. Anything else: kDamaged.
  static Result<ObjectId> Parse(std::string_view text);

  bool IsNone() const { return text_.empty(); }
  const std::string& text() const { return text_; }  // empty: no object
  std::string Short() const { return text_.substr(0, 10); }
  ObjectFormat format() const {
    return text_.size() > 40 ? ObjectFormat::kSha256 : ObjectFormat::kSha1;
  }

  bool operator==(const ObjectId&) const = default;
  std::strong_ordering operator<=>(const ObjectId& other) const { return text_ <=> other.text_; }

 private:
  std::string text_;
};

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_GIT_H_
