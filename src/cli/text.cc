#include "cli/text.h"

#include <fmt/core.h>

#include "adapters/git/fields.h"
#include "base/text.h"
#include "base/utf8.h"

namespace belay {
namespace {

Json TextOrNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

constexpr std::uint32_t kMostSeconds = 1'000'000'000;

}  // namespace

std::string SizeText(std::uint64_t bytes) {
  constexpr std::string_view kUnits[] = {"KB", "MB", "GB", "TB"};
  constexpr std::uint64_t kStep = 1024;
  if (bytes < kStep) return fmt::format("{} B", bytes);
  std::size_t unit = 0;
  std::uint64_t scale = kStep;
  while (bytes / scale >= kStep && unit + 1 < std::size(kUnits)) {
    scale *= kStep;
    ++unit;
  }
  const double size = static_cast<double>(bytes) / static_cast<double>(scale);
  return size < 10 ? fmt::format("{:.1f} {}", size, kUnits[unit])
                   : fmt::format("{:.0f} {}", size, kUnits[unit]);
}

std::string TimeText(WallTime time) {
  std::string text = FormatUtc(time);
  text[text.find('T')] = ' ';
  text.pop_back();
  return text;
}

std::string CountText(std::uint64_t count, std::string_view of_what) {
  return fmt::format("{} {}{}", count, of_what, count == 1 ? "" : "s");
}

Json SnapshotJson(const SavedSnapshot& snapshot) {
  const SnapshotRecord& record = snapshot.record;
  const bool known = snapshot.readable;
  Json json = MakeObject({{"id", snapshot.id.text()}, {"agent_id", TextOrNull(record.agent_id)}});
  json.Set("at", known ? Json(FormatUtcMicros(record.at)) : Json());
  json.Set("reason", TextOrNull(record.message));
  json.Set("base_commit", record.has_base ? Json(snapshot.base.text()) : Json());
  json.Set("files", known ? Json(record.files) : Json());
  json.Set("bytes", known ? Json(record.bytes) : Json());
  json.Set("commit", snapshot.commit.text());
  json.Set("worktree", TextOrNull(QuotePath(record.worktree)));
  json.Set("branch", TextOrNull(QuotePath(record.branch)));
  json.Set("readable", known);
  return json;
}

Json SkippedJson(const std::vector<SkippedPath>& skipped) {
  return MakeArray(skipped, [](const SkippedPath& path) {
    return MakeObject({{"path", QuotePath(path.path)}, {"reason", SkipReasonName(path.reason)}});
  });
}

Json SignalsJson(std::span<const Signal> signals) {
  const auto signal_json = [](const Signal& signal) { return ToJson(signal); };
  return MakeObject({{"signals", MakeArray(signals, signal_json)}});
}

std::string SignalTable(std::span<const Signal> signals, const Screen& screen) {
  Table table{.columns = {{.title = "sent (UTC)"},
                          {.title = "type"},
                          {.title = "from"},
                          {.title = "what", .fit = Fit::kWrap, .min_width = 24}}};
  for (const Signal& signal : signals) {
    table.rows.push_back({{TimeText(signal.at), Tone::kDim},
                          {std::string(RuleOf(signal.type).name), Tone::kAccent},
                          {signal.from},
                          {SignalText(signal)}});
  }
  return Render(table, {screen.columns, screen.style});
}

Result<std::optional<Duration>> ParseTimeLimit(const std::optional<std::string>& text) {
  if (!text) return std::optional<Duration>();
  const auto seconds = ParseNumber<std::uint32_t>(*text);
  if (seconds && *seconds <= kMostSeconds) {
    return std::optional<Duration>(std::chrono::seconds(*seconds));
  }
  if (const Result<Duration> length = ParseDuration(*text)) return std::optional<Duration>(*length);
  return Error{ErrorCode::kUsage, fmt::format("--timeout {} is not a duration", Quote(*text)),
               "write it like 30, for seconds, or 5m"};
}

}  // namespace belay
