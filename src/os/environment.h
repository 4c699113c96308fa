// The environment variables a process was started with, as a value.

#ifndef BELAY_OS_ENVIRONMENT_H_
#define BELAY_OS_ENVIRONMENT_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace belay {

class Environment {
 public:
  using Variables = std::map<std::string, std::string, std::less<>>;

  static Environment OfThisProcess();
  explicit Environment(Variables variables) : variables_(std::move(variables)) {}

  // Nothing when it is not set; an empty variable counts as not set.
  std::optional<std::string> Get(std::string_view name) const;
  const Variables& variables() const { return variables_; }

 private:
  Variables variables_;
};

}  // namespace belay

#endif  // BELAY_OS_ENVIRONMENT_H_
