// Texts and parsers that several commands share.

#ifndef BELAY_CLI_TEXT_H_
#define BELAY_CLI_TEXT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "cli/services.h"
#include "codec/json.h"
#include "model/signal.h"
#include "snapshot/saved_snapshot.h"

namespace belay {

std::string SizeText(std::uint64_t bytes);  // "12 KB", of 1024 bytes each
std::string TimeText(WallTime time);        // "2026-11-15 06:36:00", UTC
std::string CountText(std::uint64_t count, std::string_view of_what);  // "1 file", "2 files"

// The fields of a snapshot: id, agent_id, at, reason, base_commit, files, bytes, and more. Unknown
// values are null.
Json SnapshotJson(const SavedSnapshot& snapshot);
Json SkippedJson(const std::vector<SkippedPath>& skipped);  // [{path, reason}]

Json SignalsJson(std::span<const Signal> signals);  // {"signals": [...]}
std::string SignalTable(std::span<const Signal> signals, const Screen& screen);

constexpr int kTimeLimitExit = 124;  // as timeout(1) does

// "30" seconds, or "5m"; nothing: no limit.
Result<std::optional<Duration>> ParseTimeLimit(const std::optional<std::string>& text);

}  // namespace belay

#endif  // BELAY_CLI_TEXT_H_
