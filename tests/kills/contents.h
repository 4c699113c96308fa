// What the workers write, made so that a reader can judge it without knowing who wrote it.

#ifndef BELAY_KILLS_CONTENTS_H_
#define BELAY_KILLS_CONTENTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "codec/json.h"
#include "os/file_system.h"
#include "store/journal.h"

namespace belay {

// A file carries its own length and checksum, so that a torn or mixed one can't pass.
struct Version {
  std::uint64_t number = 0;  // 0: there is no file
  std::uint32_t writer = 0;
  bool operator==(const Version&) const = default;
};
std::string Seal(const Version& version);  // of a length that depends on the version
// kDamaged when it isn't whole.
Result<Version> ReadVersion(const FileSystem& files, const std::string& path);

// A stream is the records of one thread of one worker, numbered from 1.
std::string StreamName(std::uint32_t writer, std::uint32_t thread);
Json StreamRecord(std::string_view stream, std::uint64_t number);

// A journal of such records as a follower reads it. A snapshot says how many of each stream
// there were.
class Tally {
 public:
  JournalFollower Follower();
  void Add(std::uint64_t seq, const Json& record);
  void Forget();  // but not a problem that was found
  Json Snapshot() const;

  std::uint64_t CountOf(const std::string& stream) const;
  const std::map<std::string, std::uint64_t>& counts() const { return counts_; }
  // Where a record stands; 0 when it is only in the snapshot, or not at all.
  std::uint64_t SeqOf(const std::string& stream, std::uint64_t number) const;
  std::uint64_t snapshot_seq() const { return snapshot_seq_; }
  // What was found out of order, twice or not understood; empty when all was well.
  const std::string& problem() const { return problem_; }

 private:
  std::map<std::string, std::uint64_t> counts_;
  std::map<std::pair<std::string, std::uint64_t>, std::uint64_t> seqs_;
  std::uint64_t snapshot_seq_ = 0;
  std::string problem_;
};

// Messages of a sender are numbered from 1; "w12/5" is the fifth of writer 12.
std::string SenderName(std::uint32_t writer);
std::string MessageKey(std::string_view sender, std::uint64_t number);
Json MessageBody(std::string_view key);
std::string KeyOf(const Json& body);  // "" when it is no message of ours

}  // namespace belay

#endif  // BELAY_KILLS_CONTENTS_H_
