// SHA-256, by nettle: other libraries either start slowly or compute slowly.

#ifndef BELAY_CODEC_SHA256_H_
#define BELAY_CODEC_SHA256_H_

#include <string>
#include <string_view>

namespace belay {

// 64 lower-case hexadecimal digits.
std::string Sha256Hex(std::string_view bytes);

}  // namespace belay

#endif  // BELAY_CODEC_SHA256_H_
