// Reads one value of a configuration file as the schema requires.

#ifndef BELAY_CONFIG_VALUE_H_
#define BELAY_CONFIG_VALUE_H_

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/utf8.h"
#include "codec/json.h"
#include "codec/yaml.h"
#include "config/schema.h"

namespace belay {

// Collects the problems of one file: "NAME: line 3, column 5: ...".
class ConfigProblems {
 public:
  ConfigProblems(std::string file, std::vector<Error>& problems)
      : file_(std::move(file)), problems_(problems) {}

  void Add(TextPosition position, std::string_view what, std::string hint = {});
  void Add(Error error);  // with its position already in the message

 private:
  std::string file_;
  std::vector<Error>& problems_;
};

// Nothing, with a problem added, when the node doesn't fit the key.
std::optional<Json> ReadValue(const ConfigKey& key, const YamlNode& node, ConfigProblems& problems);

// The default of a key.
Json FallbackValue(const ConfigKey& key);

}  // namespace belay

#endif  // BELAY_CONFIG_VALUE_H_
