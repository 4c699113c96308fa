// Digests: SHA-256 and git's blob ids, with nettle: other libraries either start slowly or hash
// slowly.

#ifndef BELAY_CODEC_HASH_H_
#define BELAY_CODEC_HASH_H_

#include <nettle/sha1.h>
#include <nettle/sha2.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace belay {

// 64 lower-case hexadecimal digits.
std::string Sha256Hex(std::string_view bytes);

// git's id of a file's content: a digest of its length and its bytes.

enum class ObjectFormat { kSha1, kSha256 };

class BlobHasher {
 public:
  // `bytes` is the total length of what will be added.
  BlobHasher(ObjectFormat format, std::uint64_t bytes);

  void Add(std::string_view bytes);
  std::string Hex();  // once, at the end

 private:
  std::variant<sha1_ctx, sha256_ctx> context_;
};

std::string BlobIdOf(ObjectFormat format, std::string_view content);

}  // namespace belay

#endif  // BELAY_CODEC_HASH_H_
