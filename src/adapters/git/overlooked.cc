#include "adapters/git/overlooked.h"

#include <algorithm>
#include <cstdint>

#include "adapters/git/fields.h"

namespace belay {
namespace {

constexpr std::size_t kHeader = 12;
constexpr std::size_t kStat = 40;  // what git knows about a file
constexpr std::uint32_t kAssumeUnchanged = 0x8000;
constexpr std::uint32_t kExtended = 0x4000;
constexpr std::uint32_t kSkipWorktree = 0x4000;  // of the second flags

std::uint32_t Number(std::string_view bytes) {
  std::uint32_t number = 0;
  for (const char c : bytes) number = number << 8U | static_cast<unsigned char>(c);
  return number;
}

std::string Hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const char c : bytes) {
    hex += kDigits[static_cast<unsigned char>(c) >> 4U];
    hex += kDigits[static_cast<unsigned char>(c) & 15U];
  }
  return hex;
}

// One entry: stat data, object id, flags, maybe more flags, the path, and one to eight NULs.
class IndexReader {
 public:
  IndexReader(std::string_view index, ObjectFormat format)
      : index_(index), id_(format == ObjectFormat::kSha256 ? 32 : 20) {}

  // False when it makes no sense.
  bool Next(Overlooked& entry, bool& overlooked) {
    const std::size_t flags_at = at_ + kStat + id_;
    if (flags_at + 4 > index_.size()) return false;
    const std::uint32_t flags = Number(index_.substr(flags_at, 2));
    const bool extended = (flags & kExtended) != 0;
    const std::uint32_t more = extended ? Number(index_.substr(flags_at + 2, 2)) : 0;
    const std::size_t path_at = flags_at + (extended ? 4 : 2);
    const std::size_t end = index_.find('\0', path_at);
    if (end == std::string_view::npos || end == path_at) return false;
    entry.path = index_.substr(path_at, end - path_at);
    overlooked = (flags & kAssumeUnchanged) != 0 || (more & kSkipWorktree) != 0;
    if (overlooked) entry.id = *ObjectId::Parse(Hex(index_.substr(at_ + kStat, id_)));
    at_ += (end - at_ + 8) / 8 * 8;
    return true;
  }

  std::string_view rest() const { return index_.substr(std::min(at_, index_.size())); }

 private:
  std::string_view index_;
  std::size_t id_;
  std::size_t at_ = kHeader;
};

}  // namespace

std::optional<std::vector<Overlooked>> OverlookedInIndex(std::string_view index,
                                                         ObjectFormat format) {
  if (index.size() < kHeader || !index.starts_with("DIRC")) return std::nullopt;
  const std::uint32_t version = Number(index.substr(4, 4));
  if (version != 2 && version != 3) return std::nullopt;
  std::vector<Overlooked> paths;
  IndexReader reader(index, format);
  Overlooked entry;
  for (std::uint32_t count = Number(index.substr(8, 4)); count > 0; --count) {
    bool overlooked = false;
    if (!reader.Next(entry, overlooked)) return std::nullopt;
    if (overlooked) paths.push_back(entry);
  }
  // Extensions with small letters must be understood; "link" names a file with the other entries.
  const std::string_view extension = reader.rest().substr(0, 4);
  if (extension == "link" || extension == "sdir") return std::nullopt;
  return paths;
}

Result<std::vector<Overlooked>> FindOverlooked(const Git& git, std::string_view index,
                                               ObjectFormat format) {
  if (index.empty()) return std::vector<Overlooked>();
  if (auto paths = OverlookedInIndex(index, format)) return *std::move(paths);
  BELAY_TRY_ASSIGN(const std::string list, git.Ask({"ls-files", "-v", "--stage", "-z"}));
  std::vector<Overlooked> paths;
  Fields fields(list, "ls-files");
  while (!fields.AtEnd()) {  // "TAG MODE ID STAGE<tab>PATH<nul>"
    BELAY_TRY_ASSIGN(const std::string_view tag, fields.Until(' '));
    BELAY_TRY(fields.Until(' '));
    BELAY_TRY_ASSIGN(ObjectId id, fields.IdUntil(' '));
    BELAY_TRY(fields.Until('\t'));
    BELAY_TRY_ASSIGN(const std::string_view path, fields.Until('\0'));
    const bool assumed = !tag.empty() && tag[0] >= 'a' && tag[0] <= 'z';
    if (assumed || tag == "S") paths.push_back({std::string(path), std::move(id)});
  }
  return paths;
}

}  // namespace belay
