#include "config/value.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/check.h"
#include "base/text.h"
#include "base/time.h"

namespace belay {
namespace {

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
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  const bool number = reading.IsPlain() && status == std::errc() && stop == end;
  if (number && value >= least && value <= most) return Json(value);
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
  return reading.Wrong("a text of one line");
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
constexpr std::string_view kGateFields[] = {"name", "run", "timeout", "retries"};

std::optional<Json> ReadGateField(std::string_view field, const Reading& reading) {
  if (field == "timeout") return ReadDuration(reading);
  if (field == "retries") return ReadInteger(reading, 0, kMostRetries);
  return ReadText(reading);
}

void RefuseUnknownFields(const Reading& gate) {
  for (const YamlEntry& entry : gate.node.entries) {
    if (std::ranges::find(kGateFields, entry.key) != std::end(kGateFields)) continue;
    gate.problems.Add(entry.key_position,
                      fmt::format("{} has an unknown key {}", gate.path, Quote(entry.key)),
                      DidYouMean(entry.key, kGateFields, "a gate has name, run, timeout, retries"));
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
    } else if (value.Find(field)->is_null()) {
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
                           fmt::format("{}.name is already the name of an earlier gate", path));
    }
    if (name != nullptr) names.push_back(*name);
    gates.Append(*std::move(value));
  }
  return gates;
}

// Empty: this part of a pattern is valid.
std::string_view WrongInPart(std::string_view part) {
  if (part.empty()) return "write it like *.pem, or secrets/** for a folder";
  if (part == "." || part == "..") return "leave . and .. out: it matches anywhere in a path";
  if (part != "**" && part.find("**") != std::string_view::npos) {
    return "use ** only between slashes, for any number of folders; inside a name write *";
  }
  return {};
}

// Refuses patterns that could never match, or that mean something else in .gitignore and the shell.
// Returns a hint, or an empty text.
std::string_view WrongInPattern(std::string_view pattern) {
  if (pattern.starts_with('/')) return "leave the first / out: it matches anywhere in a path";
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

Json PatternsOf(std::string_view separated) {
  Json patterns = Json::EmptyArray();
  for (const std::string_view pattern : Split(separated, '|')) patterns.Append(pattern);
  return patterns;
}

}  // namespace

void ConfigProblems::Add(TextPosition position, std::string_view what, std::string hint) {
  problems_.push_back(
      {ErrorCode::kUsage,
       fmt::format("{}: line {}, column {}: {}", file_, position.line, position.column, what),
       std::move(hint)});
}

void ConfigProblems::Add(Error error) { problems_.push_back(std::move(error).In(file_)); }

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

}  // namespace belay
