// Every key that .claude/belay.yml may hold: one row each, with its type, its default and its
// meaning. Any other key is refused.

#ifndef BELAY_CONFIG_SCHEMA_H_
#define BELAY_CONFIG_SCHEMA_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace belay {

enum class ValueType {
  kBoolean,   // true or false
  kInteger,   // from `least` to `most`
  kDuration,  // 90s, 10m, 1h30m; from `least` to `most` milliseconds, any if `most` is 0
  kLine,      // a text of one line, not empty
  kChoice,    // one of `choices`, which are separated by |
  kGates,     // a list of {name, run, timeout, retries, quality_gate}
  kPatterns,  // a list of patterns of paths: *.pem, secrets/**
};

struct ConfigKey {
  std::string_view path;  // section.name
  ValueType type;
  // As written in the file; gates: empty for none; patterns: separated by |.
  std::string_view fallback;
  std::string_view meaning;
  bool in_use;  // false: read and checked, but nothing in this version acts on it yet
  std::string_view choices = {};
  std::int64_t least = 0;
  std::int64_t most = 0;
};

std::span<const ConfigKey> ConfigKeys();

// In the order of the documentation; some have no keys yet.
std::span<const std::string_view> ConfigSections();

// Integers that must each be greater than the one before.
std::span<const std::string_view> RisingKeys();

// The section that is also read from .claude/talisman.yml, a file shared with other programs.
constexpr std::string_view kSharedSection = "context_preservation";

}  // namespace belay

#endif  // BELAY_CONFIG_SCHEMA_H_
