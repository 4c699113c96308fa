#include "kills/contents.h"

#include <fmt/core.h>
#include <zlib.h>

#include <sstream>

namespace belay {
namespace {

// Often short, often across several pages.
std::string Padding(std::uint64_t number) {
  const std::uint64_t size = number % 3 == 0 ? 3000 + number * 997 % 6000 : number * 31 % 200;
  return std::string(size, 'x');
}

unsigned long Checksum(std::string_view text) {
  return crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size());
}

std::uint64_t NumberOf(const Json* value) {
  const std::int64_t* number = value == nullptr ? nullptr : value->AsInteger();
  return number == nullptr ? 0 : static_cast<std::uint64_t>(*number);
}

}  // namespace

// "LENGTH CHECKSUM BODY", where the body is "NUMBER WRITER PADDING".
std::string Seal(const Version& version) {
  const std::string body =
      fmt::format("{} {} {}", version.number, version.writer, Padding(version.number));
  return fmt::format("{} {:08x} {}", body.size(), Checksum(body), body);
}

Result<Version> ReadVersion(const FileSystem& files, const std::string& path) {
  constexpr std::size_t kLargest = 1'000'000;
  const Result<std::string> text = files.Read(path, kLargest);
  if (!text && text.error().code == ErrorCode::kNotFound) return Version{};
  if (!text) return text.error();
  std::istringstream in(*text);
  std::size_t size = 0;
  unsigned long checksum = 0;
  in >> size >> std::hex >> checksum >> std::dec;
  const std::string body = in && in.get() == ' ' ? text->substr(in.tellg()) : "";
  if (body.size() != size || size == 0 || Checksum(body) != checksum) {
    return Error{ErrorCode::kDamaged, fmt::format("{} is torn: \"{}\"", path, text->substr(0, 40))};
  }
  Version version;
  in >> version.number >> version.writer;
  return version;
}

std::string StreamName(std::uint32_t writer, std::uint32_t thread) {
  return fmt::format("{}.{}", writer, thread);
}

Json StreamRecord(std::string_view stream, std::uint64_t number) {
  return MakeObject({{"stream", stream}, {"number", number}, {"padding", Padding(number)}});
}

JournalFollower Tally::Follower() {
  return {[this] { Forget(); },
          [this](std::uint64_t seq, const Json& record) { Add(seq, record); }};
}

void Tally::Forget() {
  counts_.clear();
  seqs_.clear();
  snapshot_seq_ = 0;
}

void Tally::Add(std::uint64_t seq, const Json& record) {
  if (const Json* counts = record.Find("counts"); counts != nullptr && counts->AsObject()) {
    Forget();
    for (const JsonMember& member : *counts->AsObject()) {
      counts_[member.key] = NumberOf(&member.value);
    }
    snapshot_seq_ = seq;
    return;
  }
  const std::string stream = TextIn(record, "stream");
  const std::uint64_t number = NumberOf(record.Find("number"));
  if (number != CountOf(stream) + 1 || TextIn(record, "padding") != Padding(number)) {
    problem_ = fmt::format("journal: record {} is number {} of stream {}, where {} was expected",
                           seq, number, stream, CountOf(stream) + 1);
  }
  counts_[stream] = number;
  seqs_[{stream, number}] = seq;
}

Json Tally::Snapshot() const {
  Json counts = Json::EmptyObject();
  for (const auto& [stream, count] : counts_) counts.Set(stream, count);
  return MakeObject({{"counts", counts}});
}

std::uint64_t Tally::CountOf(const std::string& stream) const {
  const auto found = counts_.find(stream);
  return found == counts_.end() ? 0 : found->second;
}

std::uint64_t Tally::SeqOf(const std::string& stream, std::uint64_t number) const {
  const auto found = seqs_.find({stream, number});
  return found == seqs_.end() ? 0 : found->second;
}

std::string SenderName(std::uint32_t writer) { return fmt::format("w{}", writer); }

std::string MessageKey(std::string_view sender, std::uint64_t number) {
  return fmt::format("{}/{}", sender, number);
}

Json MessageBody(std::string_view key) {
  return MakeObject({{"key", key}, {"padding", Padding(key.size() * key.back())}});
}

std::string KeyOf(const Json& body) {
  const std::string key = TextIn(body, "key");
  return key.empty() || body != MessageBody(key) ? "" : key;
}

}  // namespace belay
