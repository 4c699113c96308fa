#include <fmt/core.h>

#include "app/settings.h"
#include "cli/commands/commands.h"
#include "ui/width.h"

namespace belay {
namespace {

std::string GateText(const Json& gate) {
  return fmt::format("{}: {} ({}, retries {})", *gate.Find("name")->AsString(),
                     *gate.Find("run")->AsString(), *gate.Find("timeout")->AsString(),
                     *gate.Find("retries")->AsInteger());
}

// As many per line as fit.
std::vector<std::string> PatternLines(const Json::Array& patterns) {
  constexpr std::size_t kLongestLine = 20;
  std::vector<std::string> lines = {""};
  for (const Json& pattern : patterns) {
    const std::string& text = *pattern.AsString();
    if (!lines.back().empty() && lines.back().size() + text.size() + 2 > kLongestLine) {
      lines.back() += ",";
      lines.emplace_back();
    }
    if (!lines.back().empty()) lines.back() += ", ";
    lines.back() += text;
  }
  return lines;
}

// A value as a user would write it, one line for each gate.
std::vector<std::string> ValueLines(const Json& value) {
  const Json::Array* items = value.AsArray();
  if (items == nullptr) return {value.AsString() ? *value.AsString() : WriteJson(value)};
  if (items->empty()) return {"none"};
  if (items->front().AsString() != nullptr) return PatternLines(*items);
  std::vector<std::string> lines;
  for (const Json& gate : *items) lines.push_back(GateText(gate));
  return lines;
}

// Whether this version uses the key; if not, its row is marked.
std::string KeyLabel(const ConfigKey& key) {
  return key.in_use ? std::string(key.path) : fmt::format("{} *", key.path);
}

Table SettingsTable(const Config& config) {
  Table table{
      .columns = {{.title = "key", .fit = Fit::kCut, .min_width = 24},
                  {.title = "value", .fit = Fit::kCut, .min_width = 10},
                  {.title = "from", .fit = Fit::kCut, .min_width = 10},
                  {.title = "meaning", .fit = Fit::kCut, .min_width = 20, .drop_order = 1}}};
  for (const Setting& setting : config.settings()) {
    const bool changed = setting.origin != "default";
    const std::vector<std::string> lines = ValueLines(setting.value);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const bool first = i == 0;
      table.rows.push_back({{first ? KeyLabel(*setting.key) : "", Tone::kAccent},
                            {lines[i], changed ? Tone::kBold : Tone::kPlain},
                            {first ? setting.origin : "", changed ? Tone::kPlain : Tone::kDim},
                            {first ? std::string(setting.key->meaning) : "", Tone::kDim}});
    }
  }
  return table;
}

Json SettingsRecord(const Config& config) {
  return MakeArray(config.settings(), [](const Setting& setting) {
    return MakeObject({{"key", setting.key->path},
                       {"value", setting.value},
                       {"from", setting.origin},
                       {"in_use", setting.key->in_use}});
  });
}

Json SourceNames(const std::vector<ConfigSource>& sources) {
  return MakeArray(sources, [](const ConfigSource& source) { return source.name; });
}

// What was ignored in a file that other tools share.
void Warn(const ConfigOutcome& outcome, Io& io) {
  for (const Error& warning : outcome.warnings) {
    io.Say(fmt::format("not used: {}", Printable(warning.message)));
  }
}

}  // namespace

Result<int> RunConfigShow(const Invocation&, Services& services) {
  BELAY_TRY_ASSIGN(ConfigRead read, ReadConfigHere(services));
  Io& io = services.io;
  Warn(read.outcome, io);
  BELAY_TRY_ASSIGN(const Config config, Accept(std::move(read.outcome)));
  std::string text = Render(SettingsTable(config), {io.screen.columns, io.screen.style});
  text += io.screen.style.Paint(Tone::kDim, "* checked, but not used by this version");
  text += "\n";
  io.Show(MakeObject({{"settings", SettingsRecord(config)}, {"files", SourceNames(read.sources)}}),
          text);
  return 0;
}

Result<int> RunConfigCheck(const Invocation&, Services& services) {
  BELAY_TRY_ASSIGN(const ConfigRead read, ReadConfigHere(services));
  const auto& [sources, outcome] = read;
  Io& io = services.io;
  Warn(outcome, io);
  if (outcome.problems.empty()) {
    std::string text = {};
    for (const ConfigSource& source : sources) {
      text += fmt::format("{}: fine\n", Printable(source.name));
    }
    if (sources.empty()) text = "no configuration file; using the defaults\n";
    io.Show(MakeObject({{"files", SourceNames(sources)}, {"problems", Json::EmptyArray()}}), text);
    return 0;
  }
  Json problems = Json::EmptyArray();
  for (const Error& problem : outcome.problems) {
    problems.Append(MakeObject({{"message", problem.message}, {"hint", problem.hint}}));
    if (!io.json) io.ShowError(problem);
  }
  io.ShowFailure(
      MakeObject({{"files", SourceNames(sources)}, {"problems", std::move(problems)}}), "",
      {ErrorCode::kUsage, fmt::format("{} mistakes in the configuration", outcome.problems.size()),
       "problems lists them"});
  return ExitCode(ErrorCode::kUsage);
}

}  // namespace belay
