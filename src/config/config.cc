#include "config/config.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "base/utf8.h"
#include "codec/yaml.h"
#include "config/value.h"

namespace belay {
namespace {

constexpr std::size_t kMostShown = 60;  // code points of a wrong key, in a message

// The names of the keys in a section.
std::vector<std::string_view> KeysIn(std::string_view section) {
  std::vector<std::string_view> names;
  for (const ConfigKey& key : ConfigKeys()) {
    const std::size_t dot = key.path.find('.');
    if (key.path.substr(0, dot) == section) names.push_back(key.path.substr(dot + 1));
  }
  return names;
}

// For an unknown name at the top level: a misspelt section, or a key without its section.
std::string SectionHint(std::string_view typed) {
  std::string near = DidYouMean(typed, ConfigSections(), "");
  if (!near.empty()) return near;
  for (const ConfigKey& key : ConfigKeys()) {
    if (key.path.substr(key.path.find('.') + 1) == typed) {
      return fmt::format("did you mean {}?", key.path);
    }
  }
  return fmt::format("the sections are {}", fmt::join(ConfigSections(), ", "));
}

std::string KeyHint(std::string_view section, std::string_view typed) {
  const std::vector<std::string_view> known = KeysIn(section);
  if (known.empty()) return fmt::format("{} has no keys in this version", section);
  if (const auto nearest = Nearest(typed, known)) {
    return fmt::format("did you mean {}.{}?", section, *nearest);
  }
  return fmt::format("{} has {}", section, fmt::join(known, ", "));
}

// Reads one source into the settings.
class SourceReader {
 public:
  SourceReader(const ConfigSource& source, std::vector<Setting>& settings, ConfigOutcome& outcome)
      : source_(source),
        settings_(settings),
        problems_(source.name, outcome.problems),
        unreadable_(source.name, source.shared ? outcome.warnings : outcome.problems) {}

  void Read() {
    Result<YamlNode> root = ParseYaml(source_.text);
    if (!root) return unreadable_.Add(std::move(root).error());
    if (root->kind == YamlNode::Kind::kNull) return;
    if (root->kind != YamlNode::Kind::kMap) {
      return unreadable_.Add(root->position, "the file must be a map of sections");
    }
    for (const YamlEntry& entry : root->entries) Section(entry);
  }

 private:
  void Section(const YamlEntry& section) {
    if (source_.shared && section.key != kSharedSection) return;
    if (std::ranges::find(ConfigSections(), section.key) == ConfigSections().end()) {
      return problems_.Add(
          section.key_position,
          fmt::format("unknown section {}", CutCodePoints(section.key, kMostShown)),
          SectionHint(section.key));
    }
    if (section.value.kind == YamlNode::Kind::kNull) return;
    if (section.value.kind != YamlNode::Kind::kMap) {
      return problems_.Add(section.value.position,
                           fmt::format("{} must be a map of keys", section.key));
    }
    for (const YamlEntry& entry : section.value.entries) Key(section.key, entry);
  }

  void Key(const std::string& section, const YamlEntry& entry) {
    const std::string path = fmt::format("{}.{}", section, entry.key);
    const auto setting = std::ranges::find_if(
        settings_, [&](const Setting& candidate) { return candidate.key->path == path; });
    if (setting == settings_.end()) {
      if (source_.shared) return;
      return problems_.Add(
          entry.key_position,
          fmt::format("unknown key {}.{}", section, CutCodePoints(entry.key, kMostShown)),
          KeyHint(section, entry.key));
    }
    if (std::optional<Json> value = ReadValue(*setting->key, entry.value, problems_)) {
      setting->value = *std::move(value);
      setting->origin = fmt::format("{}:{}", source_.name, entry.key_position.line);
    }
  }

  const ConfigSource& source_;
  std::vector<Setting>& settings_;
  ConfigProblems problems_;
  ConfigProblems unreadable_;  // about the file as a whole
};

const Setting& SettingOf(std::string_view path, const std::vector<Setting>& settings) {
  const auto setting = std::ranges::find_if(
      settings, [&](const Setting& candidate) { return candidate.key->path == path; });
  BELAY_CHECK(setting != settings.end());
  return *setting;
}

// Reported where one of the two was set; the defaults are in order.
void CheckRising(const Setting& before, const Setting& after, std::vector<Error>& problems) {
  const std::int64_t less = *before.value.AsInteger();
  const std::int64_t more = *after.value.AsInteger();
  if (less < more) return;
  const std::string& place = after.origin == "default" ? before.origin : after.origin;
  problems.push_back(
      {ErrorCode::kUsage, fmt::format("{}: {} is {} and must be more than {}, which is {}", place,
                                      after.key->path, more, before.key->path, less)});
}

}  // namespace

ConfigOutcome ReadConfig(std::span<const ConfigSource> sources) {
  ConfigOutcome outcome;
  std::vector<Setting>& settings = outcome.config.settings_;
  for (const ConfigKey& key : ConfigKeys())
    settings.push_back({&key, FallbackValue(key), "default"});
  for (const ConfigSource& source : sources) {
    SourceReader(source, settings, outcome).Read();
  }
  const std::span<const std::string_view> rising = RisingKeys();
  for (std::size_t i = 1; i < rising.size(); ++i) {
    CheckRising(SettingOf(rising[i - 1], settings), SettingOf(rising[i], settings),
                outcome.problems);
  }
  return outcome;
}

Result<Config> Accept(ConfigOutcome outcome) {
  if (outcome.problems.empty()) return std::move(outcome.config);
  Error first = std::move(outcome.problems.front());
  if (outcome.problems.size() > 1) {
    first.hint += fmt::format("{}belay config check lists {} more", first.hint.empty() ? "" : "; ",
                              outcome.problems.size() - 1);
  }
  return first;
}

const Json& Config::Value(std::string_view path) const { return SettingOf(path, settings_).value; }

bool Config::Boolean(std::string_view path) const {
  const bool* value = Value(path).AsBool();
  BELAY_CHECK(value != nullptr);
  return *value;
}

std::int64_t Config::Integer(std::string_view path) const {
  const std::int64_t* value = Value(path).AsInteger();
  BELAY_CHECK(value != nullptr);
  return *value;
}

const std::string& Config::Text(std::string_view path) const {
  const std::string* value = Value(path).AsString();
  BELAY_CHECK(value != nullptr);
  return *value;
}

Duration Config::Length(std::string_view path) const {
  const Result<Duration> length = ParseDuration(Text(path));
  BELAY_CHECK(length.ok());
  return *length;
}

std::vector<std::string> Config::Patterns(std::string_view path) const {
  const Json::Array* values = Value(path).AsArray();
  BELAY_CHECK(values != nullptr);
  std::vector<std::string> patterns;
  for (const Json& value : *values) {
    BELAY_CHECK(value.AsString() != nullptr);
    patterns.push_back(*value.AsString());
  }
  return patterns;
}

const Json::Array& Config::Gates(std::string_view path) const {
  const Json::Array* gates = Value(path).AsArray();
  BELAY_CHECK(gates != nullptr);
  return *gates;
}

}  // namespace belay
