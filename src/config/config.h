// The settings in force, and where each comes from.
//
// Sources are given from the weakest to the strongest; the last one that sets a key wins. A key
// that no source sets has its default. A source with any error is refused as a whole, with every
// problem named by line and column: silently dropping a setting is worse than an error.

#ifndef BELAY_CONFIG_CONFIG_H_
#define BELAY_CONFIG_CONFIG_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "codec/json.h"
#include "config/schema.h"

namespace belay {

// `shared`: the file belongs to other programs too. Only kSharedSection counts, unknown keys in it
// are ignored, and a file that belay can't read is a warning: it may be right for them.
struct ConfigSource {
  std::string name;  // for messages and origins, like ".claude/belay.yml"
  std::string text;
  bool shared;
};

struct Setting {
  const ConfigKey* key;
  Json value;          // durations as text, gates as a list of objects, patterns as a list of texts
  std::string origin;  // "default", or "file:line"
};

class Config {
 public:
  // All settings, in the order of the schema.
  const std::vector<Setting>& settings() const { return settings_; }

  // `path` must be a key of the schema with that type, or the program aborts.
  bool Boolean(std::string_view path) const;
  std::int64_t Integer(std::string_view path) const;
  const std::string& Text(std::string_view path) const;  // also of choices
  Duration Length(std::string_view path) const;
  std::vector<std::string> Patterns(std::string_view path) const;
  const Json::Array& Gates(
      std::string_view path) const;  // objects: name, run, timeout, retries, quality_gate?

 private:
  friend struct ConfigOutcome ReadConfig(std::span<const ConfigSource> sources);
  const Json& Value(std::string_view path) const;

  std::vector<Setting> settings_;
};

struct ConfigOutcome {
  Config config;                // meaningful only without problems
  std::vector<Error> problems;  // kUsage each, in the order of sources and lines
  std::vector<Error> warnings;  // parts of a shared file that were ignored
};

ConfigOutcome ReadConfig(std::span<const ConfigSource> sources);

// The config, or its first problem, with the number of further ones in the hint.
Result<Config> Accept(ConfigOutcome outcome);

}  // namespace belay

#endif  // BELAY_CONFIG_CONFIG_H_
