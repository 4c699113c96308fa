#include "store/timeline.h"

#include <algorithm>

#include "base/path.h"
#include "store/layout.h"

namespace belay {
namespace {

std::optional<WallTime> TimeOf(const Json& record) {
  const Json* at = record.Find("at");
  if (at == nullptr || at->AsString() == nullptr) return std::nullopt;
  const Result<WallTime> time = ParseUtc(*at->AsString());
  return time ? std::optional<WallTime>(*time) : std::nullopt;
}

}  // namespace

Result<std::vector<std::string>> JournalNames(const FileSystem& files, const std::string& folder) {
  BELAY_TRY_ASSIGN(std::vector<std::string> names, files.List(folder));
  std::erase_if(names, [](const std::string& name) {
    return name.starts_with('.') || !name.ends_with(kJournalEnd);
  });
  for (std::string& name : names) name.resize(name.size() - kJournalEnd.size());
  return names;
}

Result<void> Timeline::FindSources() {
  const Result<std::vector<std::string>> names = JournalNames(files_, folder_);
  if (!names && names.error().code == ErrorCode::kNotFound) return {};
  if (!names) return names.error();
  for (const std::string& name : *names) {
    if (sources_.contains(name)) continue;
    const std::string path = JoinPath(folder_, name + std::string(kJournalEnd));
    sources_.emplace(name, Source{Journal(files_, path, name)});
  }
  return {};
}

void Timeline::Fill(const std::string& name, Source& source) {
  const JournalFollower follower = {.record = [&](std::uint64_t seq, const Json& record) {
    if (seq <= source.told) return;
    source.told = seq;
    source.last = TimeOf(record).value_or(source.last);
    source.waiting.push_back({name, seq, source.last, record});
  }};
  while (source.more && source.waiting.empty()) {
    const Result<bool> more = source.journal.CatchUpSome(follower);
    source.more = more && *more;
    if (!more) source.outcome = more.error();
  }
}

// Of those that have something to tell, the one whose next is the oldest.
Timeline::Source* Timeline::Earliest() {
  Source* earliest = nullptr;
  for (auto& [name, source] : sources_) {
    Fill(name, source);
    if (source.waiting.empty()) continue;
    const bool first =
        earliest == nullptr || source.waiting.front().at < earliest->waiting.front().at;
    if (first) earliest = &source;
  }
  return earliest;
}

Result<void> Timeline::CatchUp(const Sink& sink) {
  BELAY_TRY(FindSources());
  for (auto& [name, source] : sources_) {
    source.more = true;
    source.outcome = {};
  }
  while (Source* source = Earliest()) {
    const TimelineEntry entry = std::move(source->waiting.front());
    source->waiting.pop_front();
    BELAY_TRY(sink(entry));
  }
  for (const auto& [name, source] : sources_) BELAY_TRY(source.outcome);
  return {};
}

}  // namespace belay
