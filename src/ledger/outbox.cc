#include "ledger/outbox.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <span>

#include "base/path.h"
#include "base/text.h"
#include "codec/json_lines.h"
#include "store/durable_file.h"
#include "store/vault.h"

namespace belay {
namespace {

constexpr std::size_t kLargest = std::size_t{8} << 20U;
constexpr std::string_view kTextEnd = ".md";

std::uint64_t MicrosOf(WallTime at) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(at.time_since_epoch()).count());
}

std::string PathOf(const Layout& project, const IdentityName& agent, std::string_view end) {
  return JoinPath(project.OutboxFolder(), fmt::format("{}.{}", agent.text(), end));
}

// More than any pid, start or microsecond; a time made of it doesn't overflow.
constexpr std::uint64_t kLargestNumber = std::uint64_t{1} << 53U;

// Digits up to the end of `text`, or up to `stop`, which is consumed.
std::optional<std::uint64_t> TakeNumber(std::string_view& text, char stop) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || number > kLargestNumber) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  if (stop == '\0') return text.empty() ? std::optional(number) : std::nullopt;
  if (text.empty() || text.front() != stop) return std::nullopt;
  text.remove_prefix(1);
  return number;
}

bool TakeStart(std::string_view& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
}

// Whether an event's name may be part of a file name.
bool IsPlain(std::string_view event) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  return !event.empty() && event.size() <= 64 &&
         event.find_first_not_of(kLetters) == std::string_view::npos;
}

WallTime TimeOf(std::uint64_t micros) { return WallTime(std::chrono::microseconds(micros)); }

bool ReadTaken(std::string_view rest, OutboxName& name) {
  const auto pid = TakeNumber(rest, '-');
  const auto start = pid ? TakeNumber(rest, '\0') : std::nullopt;
  if (!start) return false;
  name.taker = {static_cast<std::int64_t>(*pid), *start};
  return true;
}

bool ReadDone(std::string_view rest, OutboxName& name) {
  const auto micros = TakeNumber(rest, '-');
  if (!micros || !IsPlain(rest)) return false;
  name.at = TimeOf(*micros);
  name.event = std::string(rest);
  return true;
}

bool ReadText(std::string_view rest, OutboxName& name) {
  if (!rest.ends_with(kTextEnd)) return false;
  rest.remove_suffix(kTextEnd.size());
  const auto micros = TakeNumber(rest, '\0');
  if (micros) name.at = TimeOf(*micros);
  return micros.has_value();
}

}  // namespace

std::optional<OutboxName> ParseOutboxName(std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const Result<IdentityName> agent = IdentityName::Parse(name.substr(0, dot));
  if (!agent) return std::nullopt;
  OutboxName found{std::string(name), *agent, OutboxName::State::kWaiting};
  std::string_view rest = name.substr(dot + 1);
  if (rest == "json") return found;
  found.state = OutboxName::State::kWithdrawn;
  if (rest == "withdrawn") return found;
  found.state = OutboxName::State::kTaken;
  if (TakeStart(rest, "taken-"))
    return ReadTaken(rest, found) ? std::optional(found) : std::nullopt;
  found.state = OutboxName::State::kRest;
  if (TakeStart(rest, "rest-")) return ReadTaken(rest, found) ? std::optional(found) : std::nullopt;
  found.state = OutboxName::State::kDone;
  if (TakeStart(rest, "done-")) return ReadDone(rest, found) ? std::optional(found) : std::nullopt;
  found.state = OutboxName::State::kText;
  if (TakeStart(rest, "text-")) return ReadText(rest, found) ? std::optional(found) : std::nullopt;
  return std::nullopt;
}

Result<std::vector<OutboxName>> ListOutbox(const FileSystem& files, const Layout& project) {
  std::vector<OutboxName> found;
  BELAY_TRY_ASSIGN(const std::vector<std::string> names,
                   EmptyIfMissing(files.List(project.OutboxFolder())));
  for (const std::string& name : names) {
    if (auto parsed = ParseOutboxName(name)) found.push_back(*std::move(parsed));
  }
  return found;
}

Result<OutboxBatch> ReadOutbox(const FileSystem& files, const std::string& path) {
  BELAY_TRY_ASSIGN(GivenBatch read, ReadGiven(files, path));
  return std::move(read.batch);
}

Result<GivenBatch> ReadGiven(const FileSystem& files, const std::string& path) {
  BELAY_TRY_ASSIGN(const std::string bytes, files.Read(path, kLargest));
  const std::vector<std::string_view> lines = Split(bytes, '\n');
  BELAY_TRY_ASSIGN(const Json record, ParseJsonLine(lines.front()));
  BELAY_TRY_ASSIGN(OutboxBatch batch, OutboxBatchFromJson(record));
  OutboxReceipt receipt{.given = batch.messages.size()};
  // The last one counts: a hook that could not print leaves one, too.
  for (const std::string_view line : std::span(lines).subspan(1)) {
    const Result<Json> later = ParseJsonLine(line);
    Result<OutboxReceipt> read = later ? OutboxReceiptFromJson(*later) : later.error();
    if (read) receipt = *std::move(read);
  }
  receipt.given = std::min<std::uint64_t>(receipt.given, batch.messages.size());
  return GivenBatch{std::move(batch), std::move(receipt)};
}

Result<std::optional<TakenBatch>> TakeOutbox(
    FileSystem& files, const Layout& project, const IdentityName& agent, const ProcessMark& taker,
    const std::function<bool(const OutboxBatch&)>& may_take) {
  const std::string path = project.OutboxFile(agent);
  BELAY_TRY_ASSIGN(const std::optional<OutboxBatch> offered, IfThere(ReadOutbox(files, path)));
  if (!offered) return std::nullopt;
  if (!may_take(*offered)) return std::nullopt;
  BELAY_TRY(CheckIsFolder(files, project.OutboxFolder()));
  const std::string taken =
      PathOf(project, agent, fmt::format("taken-{}-{}", taker.pid, taker.start));
  const Result<void> moved = files.Rename(path, taken);
  if (IsMissing(moved)) return std::nullopt;
  if (!moved) return moved.error();
  // The dispatcher may have replaced it since it was read: the content of the taken file counts.
  Result<OutboxBatch> batch = ReadOutbox(files, taken);
  if (!batch) return batch.error();
  TakenBatch result{*std::move(batch), taken};
  if (may_take(result.batch)) return result;
  PutBack(files, project, result);
  return std::nullopt;
}

Result<void> WriteReceipt(FileSystem& files, const TakenBatch& taken,
                          const OutboxReceipt& receipt) {
  std::string line = "\n";  // ends anything that an earlier hook has left there
  BELAY_TRY(AppendJsonLine(ToJson(receipt), line));
  BELAY_TRY_ASSIGN(File file, files.OpenForAppending(taken.path));
  return file.Write(line);
}

Result<void> OfferRest(FileSystem& files, const Layout& project, const OutboxBatch& rest,
                       const ProcessMark& taker) {
  const IdentityName& agent = rest.agent.identity();
  const std::string path =
      PathOf(project, agent, fmt::format("rest-{}-{}", taker.pid, taker.start));
  std::string line;
  BELAY_TRY(AppendJsonLine(ToJson(rest), line));
  Result<void> offered = [&]() -> Result<void> {
    BELAY_TRY_ASSIGN(File file, files.OpenForWriting(path, kPrivateFile));
    BELAY_TRY(file.Write(line));
    return files.RenameNew(path, project.OutboxFile(agent));
  }();
  if (!offered) (void)files.RemoveFile(path);
  return offered;
}

Result<void> MarkGiven(FileSystem& files, const Layout& project, const TakenBatch& taken,
                       WallTime at, std::string_view event) {
  const std::string end =
      fmt::format("done-{}-{}", MicrosOf(at), IsPlain(event) ? event : std::string_view("hook"));
  return files.Rename(taken.path, PathOf(project, taken.batch.agent.identity(), end));
}

void PutBack(FileSystem& files, const Layout& project, const TakenBatch& taken) {
  // If that fails, the dispatcher offers the messages again once this process has ended.
  (void)files.RenameNew(taken.path, project.OutboxFile(taken.batch.agent.identity()));
}

}  // namespace belay
