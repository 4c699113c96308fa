// Detects a duplicate key while an object is read. Few keys are compared one by one; with many, a
// key whose hash is new can't be a duplicate.

#ifndef BELAY_CODEC_JSON_KEY_SET_H_
#define BELAY_CODEC_JSON_KEY_SET_H_

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <unordered_set>

#include "codec/json.h"

namespace belay {

class JsonKeySet {
 public:
  // Whether an earlier member has the key of the last one. Called after each member.
  bool LastIsDuplicate(const Json::Object& members) {
    const std::span<const JsonMember> before(members.data(), members.size() - 1);
    const std::string& key = members.back().key;
    if (before.size() < kFew) return Contains(before, key);
    if (hashes_.empty()) {
      for (const JsonMember& member : before) hashes_.insert(Hash(member.key));
    }
    return !hashes_.insert(Hash(key)).second && Contains(before, key);
  }

 private:
  static constexpr std::size_t kFew = 16;

  static std::size_t Hash(std::string_view key) { return std::hash<std::string_view>()(key); }
  static bool Contains(std::span<const JsonMember> members, std::string_view key) {
    for (const JsonMember& member : members) {
      if (member.key == key) return true;
    }
    return false;
  }

  std::unordered_set<std::size_t> hashes_;
};

}  // namespace belay

#endif  // BELAY_CODEC_JSON_KEY_SET_H_
