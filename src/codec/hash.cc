#include "codec/hash.h"

#include <fmt/core.h>

#include <array>

namespace belay {

std::string Sha256Hex(std::string_view bytes) {
  sha256_ctx context;
  sha256_init(&context);
  // nettle takes uint8_t; reading chars through it is allowed.
  sha256_update(&context, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
  std::uint8_t digest[SHA256_DIGEST_SIZE];
  sha256_digest(&context, sizeof(digest), digest);
  std::string hex;
  for (const std::uint8_t byte : digest) hex += fmt::format("{:02x}", byte);
  return hex;
}

namespace {

// nettle takes uint8_t; reading chars through it is allowed.
const std::uint8_t* Octets(std::string_view bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

template <std::size_t N>
std::string HexOf(const std::array<std::uint8_t, N>& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * N);
  for (const std::uint8_t byte : digest) {
    hex += kDigits[byte >> 4U];
    hex += kDigits[byte & 15U];
  }
  return hex;
}

}  // namespace

BlobHasher::BlobHasher(ObjectFormat format, std::uint64_t bytes) {
  if (format == ObjectFormat::kSha1) {
    sha1_init(&context_.emplace<sha1_ctx>());
  } else {
    sha256_init(&context_.emplace<sha256_ctx>());
  }
  const std::string head = fmt::format("blob {}", bytes);
  Add({head.c_str(), head.size() + 1});
}

void BlobHasher::Add(std::string_view bytes) {
  if (auto* sha1 = std::get_if<sha1_ctx>(&context_)) {
    sha1_update(sha1, bytes.size(), Octets(bytes));
  } else {
    sha256_update(&std::get<sha256_ctx>(context_), bytes.size(), Octets(bytes));
  }
}

std::string BlobHasher::Hex() {
  if (auto* sha1 = std::get_if<sha1_ctx>(&context_)) {
    std::array<std::uint8_t, SHA1_DIGEST_SIZE> digest{};
    sha1_digest(sha1, digest.size(), digest.data());
    return HexOf(digest);
  }
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
  sha256_digest(&std::get<sha256_ctx>(context_), digest.size(), digest.data());
  return HexOf(digest);
}

std::string BlobIdOf(ObjectFormat format, std::string_view content) {
  BlobHasher hasher(format, content.size());
  hasher.Add(content);
  return hasher.Hex();
}

}  // namespace belay
