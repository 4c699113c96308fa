#include "config/config.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "base/utf8.h"
#include "codec/yaml.h"

namespace belay {
namespace {

// One value, as the schema requires it.

// Collects the problems of one file: "NAME: line 3, column 5: ...".
class ConfigProblems {
 public:
  ConfigProblems(std::string file, std::vector<Error>& problems)
      : file_(std::move(file)), problems_(problems) {}

  void Add(TextPosition position, std::string_view what, std::string hint = {}) {
    problems_.push_back(
        {ErrorCode::kUsage,
         fmt::format("{}: line {}, column {}: {}", file_, position.line, position.column, what),
         std::move(hint)});
  }
  // With its position already in the message.
  void Add(Error error) { problems_.push_back(std::move(error).In(file_)); }

 private:
  std::string file_;
  std::vector<Error>& problems_;
};

constexpr std::string_view kGateTimeout = "10m";
constexpr std::int64_t kMostRetries = 100;

// One value to read: its name, its position, and where to report problems.
struct Reading {
  std::string_view path;
  const YamlNode& node;
  ConfigProblems& problems;

  std::nullopt_t Wrong(std::string_view wanted, std::string hint = {}) const {
    const std::string what = fmt::format("{} must be {}, not {}", path, wanted, Found());
    problems.Add(node.position, what, std::move(hint));
    return std::nullopt;
  }

  std::string Found() const {
    switch (node.kind) {
      case YamlNode::Kind::kNull:
        return "empty";
      case YamlNode::Kind::kMap:
        return "a map";
      case YamlNode::Kind::kList:
        return "a list";
      case YamlNode::Kind::kScalar:
        break;
    }
    return Quote(node.text);
  }

  bool IsScalar() const { return node.kind == YamlNode::Kind::kScalar; }
  bool IsPlain() const { return IsScalar() && !node.quoted; }
};

std::optional<Json> ReadBoolean(const Reading& reading) {
  const std::string& text = reading.node.text;
  if (reading.IsPlain() && (text == "true" || text == "false")) return Json(text == "true");
  return reading.Wrong("true or false");
}

std::optional<Json> ReadInteger(const Reading& reading, std::int64_t least, std::int64_t most) {
  const std::string& text = reading.node.text;
  const auto value = reading.IsPlain() ? ParseNumber<std::int64_t>(text) : std::nullopt;
  if (value && *value >= least && *value <= most) return Json(*value);
  return reading.Wrong(fmt::format("a whole number from {} to {}", least, most));
}

// In milliseconds; any length if `most` is 0.
std::optional<Json> ReadDuration(const Reading& reading, std::int64_t least = 0,
                                 std::int64_t most = 0) {
  const std::chrono::milliseconds from(least);
  const std::chrono::milliseconds to(most);
  if (reading.IsScalar()) {
    const Result<Duration> value = ParseDuration(reading.node.text);
    if (value && (most == 0 || (*value >= from && *value <= to))) {
      return Json(FormatDuration(*value));
    }
  }
  std::string wanted = "a duration";
  if (most != 0) wanted += fmt::format(" from {} to {}", FormatDuration(from), FormatDuration(to));
  return reading.Wrong(wanted, "write it like 90s, 10m or 1h30m");
}

std::optional<Json> ReadLine(const Reading& reading) {
  const std::string& text = reading.node.text;
  const bool one_line = text.find_first_of("\n\t") == std::string::npos;
  if (reading.IsScalar() && !text.empty() && one_line) return Json(text);
  return reading.Wrong("a single line of text");
}

std::optional<Json> ReadText(const Reading& reading) {
  if (reading.IsScalar() && !reading.node.text.empty()) return Json(reading.node.text);
  return reading.Wrong("a text");
}

std::optional<Json> ReadChoice(const Reading& reading, std::string_view choices) {
  const std::vector<std::string_view> allowed = Split(choices, '|');
  const std::string& text = reading.node.text;
  const bool known = std::find(allowed.begin(), allowed.end(), text) != allowed.end();
  if (reading.IsScalar() && known) return Json(text);
  std::string wanted;
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    wanted += i == 0 ? "" : i + 1 == allowed.size() ? " or " : ", ";
    wanted += allowed[i];
  }
  return reading.Wrong(wanted, DidYouMean(text, allowed, ""));
}

// The fields of a gate, in display order.
constexpr std::string_view kGateFields[] = {"name", "run", "timeout", "retries", "quality_gate"};

std::optional<Json> ReadGateField(std::string_view field, const Reading& reading) {
  if (field == "timeout") return ReadDuration(reading);
  if (field == "retries") return ReadInteger(reading, 0, kMostRetries);
  return ReadText(reading);
}

void RefuseUnknownFields(const Reading& gate) {
  for (const YamlEntry& entry : gate.node.entries) {
    if (std::ranges::find(kGateFields, entry.key) != std::end(kGateFields)) continue;
    gate.problems.Add(
        entry.key_position, fmt::format("{} has an unknown key {}", gate.path, Quote(entry.key)),
        DidYouMean(entry.key, kGateFields, "a gate has name, run, timeout, retries, quality_gate"));
  }
}

std::optional<Json> ReadGate(const Reading& gate) {
  if (gate.node.kind != YamlNode::Kind::kMap) return gate.Wrong("a map with name and run");
  RefuseUnknownFields(gate);
  Json value =
      MakeObject({{"name", nullptr}, {"run", nullptr}, {"timeout", kGateTimeout}, {"retries", 0}});
  for (const std::string_view field : kGateFields) {
    const std::string path = fmt::format("{}.{}", gate.path, field);
    const YamlNode* node = gate.node.Find(field);
    if (node != nullptr) {
      if (auto read = ReadGateField(field, {path, *node, gate.problems})) value.Set(field, *read);
    } else if (const Json* preset = value.Find(field); preset != nullptr && preset->is_null()) {
      gate.problems.Add(gate.node.position, fmt::format("{} is missing", path));
    }
  }
  return value;
}

std::optional<Json> ReadGates(const Reading& reading) {
  if (reading.node.kind != YamlNode::Kind::kList) return reading.Wrong("a list of gates");
  Json gates = Json::EmptyArray();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < reading.node.items.size(); ++i) {
    const std::string path = fmt::format("{}[{}]", reading.path, i);
    const Reading gate{path, reading.node.items[i], reading.problems};
    std::optional<Json> value = ReadGate(gate);
    if (!value) continue;
    const std::string* name = value->Find("name")->AsString();
    if (name != nullptr && std::ranges::find(names, *name) != names.end()) {
      reading.problems.Add(gate.node.position,
                           fmt::format("{}.name is the name of an earlier gate", path));
    }
    if (name != nullptr) names.push_back(*name);
    gates.Append(*std::move(value));
  }
  return gates;
}

// Empty: this part of a pattern is valid.
std::string_view WrongInPart(std::string_view part) {
  if (part.empty()) return "write it like *.pem, or secrets/** for a folder";
  if (part == "." || part == "..") return "remove . and ..: a pattern matches anywhere in a path";
  if (part != "**" && part.find("**") != std::string_view::npos) {
    return "use ** only between slashes, for any number of folders; inside a name write *";
  }
  return {};
}

// Refuses patterns that could never match, or that mean something else in .gitignore and the shell.
// Returns a hint, or an empty text.
std::string_view WrongInPattern(std::string_view pattern) {
  if (pattern.starts_with('/')) return "remove the leading /: a pattern matches anywhere in a path";
  if (pattern.starts_with('!')) return "there are no exceptions: list only what should match";
  if (pattern.find_first_of("[]{}\\") != std::string_view::npos) {
    return "only *, ? and ** are special: write a pattern for each case instead of [ ] { } \\";
  }
  for (const std::string_view part : Split(pattern, '/')) {
    if (const std::string_view wrong = WrongInPart(part); !wrong.empty()) return wrong;
  }
  return {};
}

std::optional<Json> ReadPattern(const Reading& reading) {
  std::optional<Json> line = ReadLine(reading);
  if (!line) return line;
  const std::string_view wrong = WrongInPattern(*line->AsString());
  if (!wrong.empty()) return reading.Wrong("a pattern", std::string(wrong));
  return line;
}

std::optional<Json> ReadPatterns(const Reading& reading) {
  if (reading.node.kind != YamlNode::Kind::kList) return reading.Wrong("a list of patterns");
  Json patterns = Json::EmptyArray();
  bool good = true;
  for (std::size_t i = 0; i < reading.node.items.size(); ++i) {
    const std::string path = fmt::format("{}[{}]", reading.path, i);
    const Reading item{path, reading.node.items[i], reading.problems};
    std::optional<Json> pattern = ReadPattern(item);
    good = good && pattern;
    if (pattern) patterns.Append(*std::move(pattern));
  }
  if (!good) return std::nullopt;
  return patterns;
}

Json PatternsOf(std::string_view separated) { return MakeArray(Split(separated, '|')); }

// Nothing, with a problem added, when the node doesn't fit the key.
std::optional<Json> ReadValue(const ConfigKey& key, const YamlNode& node,
                              ConfigProblems& problems) {
  const Reading reading{key.path, node, problems};
  switch (key.type) {
    case ValueType::kBoolean:
      return ReadBoolean(reading);
    case ValueType::kInteger:
      return ReadInteger(reading, key.least, key.most);
    case ValueType::kDuration:
      return ReadDuration(reading, key.least, key.most);
    case ValueType::kLine:
      return ReadLine(reading);
    case ValueType::kChoice:
      return ReadChoice(reading, key.choices);
    case ValueType::kGates:
      return ReadGates(reading);
    case ValueType::kPatterns:
      return ReadPatterns(reading);
  }
  __builtin_unreachable();
}

// The default of a key.
Json FallbackValue(const ConfigKey& key) {
  if (key.type == ValueType::kGates) return Json::EmptyArray();
  if (key.type == ValueType::kPatterns) return PatternsOf(key.fallback);
  YamlNode node;
  node.kind = YamlNode::Kind::kScalar;
  node.text = key.fallback;
  std::vector<Error> none;
  ConfigProblems problems("default", none);
  std::optional<Json> value = ReadValue(key, node, problems);
  BELAY_CHECK(value.has_value());
  return *std::move(value);
}

// A whole file.

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
      {ErrorCode::kUsage, fmt::format("{}: {} is {}, but must be more than {}, which is {}", place,
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
