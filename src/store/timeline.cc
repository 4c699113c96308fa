#include "store/timeline.h"

#include "store/archive.h"

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

// Most families mark it by the kind; older merge queues by the reason.
void MarkRepeated(Json& record) {
  if (!IsRepeated(record)) record.Set("compacted", true);
}

bool IsRepeated(const Json& record) {
  return record.Find("compacted") != nullptr || TextIn(record, "kind") == "compacted" ||
         TextIn(record, "why") == "snapshot";
}

// The modification time of an archived copy is that of its last record, or later.
std::deque<Journal> Timeline::SegmentsOf(const std::string& name) {
  std::deque<Journal> segments;
  const Result<std::vector<std::string>> archived = ArchivedJournals(files_, project_, name);
  for (const std::string& path : archived ? *archived : std::vector<std::string>()) {
    const Result<FileInfo> file = files_.Inspect(path);
    const auto since = std::chrono::nanoseconds(choice_.since.time_since_epoch()).count();
    if (file && file->modified >= since) segments.emplace_back(files_, path, name);
  }
  segments.emplace_back(files_, project_.JournalFile(name), name);
  return segments;
}

std::vector<Error> Timeline::MissingOf(const std::string& name) {
  std::vector<Error> errors;
  const Result<void> there = CheckNotLost(files_, project_, name);
  if (!there) errors.push_back(there.error());
  for (ArchiveFault& fault : MissingArchives(files_, project_, name)) {
    errors.push_back(std::move(fault.error));
  }
  return errors;
}

Result<void> Timeline::FindSources() {
  BELAY_TRY_ASSIGN(const std::vector<std::string> names, KnownJournals(files_, project_));
  for (const std::string& name : names) {
    const bool wanted = choice_.journal.empty() || name == choice_.journal;
    if (!wanted || sources_.contains(name)) continue;
    sources_.emplace(name, Source{.segments = SegmentsOf(name), .missing = MissingOf(name)});
  }
  return {};
}

void Timeline::Take(const std::string& name, Source& source, std::uint64_t seq,
                    const Json& record) {
  if (seq <= source.last_passed_on) return;
  source.last_passed_on = seq;
  source.only_repeated = source.only_repeated && IsRepeated(record);
  if (IsRepeated(record) && !source.only_repeated) return;
  source.last = TimeOf(record).value_or(source.last);
  source.waiting.push_back({name, seq, source.last, record});
}

// Of a file that was read to its end.
void Timeline::NoteEarlyEnd(const std::string& name, Source& source) const {
  const Journal& segment = source.segments.front();
  if (source.segments.size() == 1) {
    const Result<void> whole = CheckNotCut(project_, name, segment.last_seq(), source.noted);
    if (!whole && source.missing.empty()) source.errors.push_back(whole.error());
    return;
  }
  const std::uint64_t number = ArchivedNumber(segment.path(), name);
  if (segment.last_seq() == number) return;
  source.missing.push_back(EarlyEnd(segment.path(), segment.last_seq(), number));
  source.errors.push_back(source.missing.back());
}

void Timeline::Fill(const std::string& name, Source& source) {
  const JournalFollower follower = {
      .record = [&](std::uint64_t seq, const Json& record) { Take(name, source, seq, record); }};
  while (source.more && source.waiting.empty()) {
    const Result<bool> more = source.segments.front().CatchUpSome(follower);
    if (!more) source.errors.push_back(more.error());
    if (more && *more) continue;
    if (more) NoteEarlyEnd(name, source);
    source.more = source.segments.size() > 1;
    if (source.more) source.segments.pop_front();
  }
}

// The source whose next record is the oldest.
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
    source.errors = source.missing;
    source.noted = NotedEnd(files_, project_, name);
  }
  while (Source* source = Earliest()) {
    const TimelineEntry entry = std::move(source->waiting.front());
    source->waiting.pop_front();
    BELAY_TRY(sink(entry));
  }
  const std::vector<Error> errors = Errors();
  return errors.empty() ? Result<void>() : Result<void>(errors.front());
}

std::vector<Error> Timeline::Errors() const {
  std::vector<Error> errors;
  for (const auto& [name, source] : sources_) {
    errors.insert(errors.end(), source.errors.begin(), source.errors.end());
  }
  return errors;
}

}  // namespace belay
