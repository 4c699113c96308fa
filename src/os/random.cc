#include "os/random.h"

#include <sys/random.h>

#include <cerrno>

#include "base/check.h"

namespace belay {

std::uint64_t Random::Next64() {
  std::uint64_t value = 0;
  Fill(std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

std::string Random::Hex(std::size_t digits) {
  std::string text(digits, '\0');
  Fill(std::as_writable_bytes(std::span(text)));
  for (char& c : text) c = "0123456789abcdef"[static_cast<unsigned char>(c) % 16];
  return text;
}

void SystemRandom::Fill(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = getrandom(bytes.data(), bytes.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    BELAY_CHECK(count > 0);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

}  // namespace belay
