// The only source of unpredictable bytes; tests seed them (testing/fake_random.h).

#ifndef BELAY_OS_RANDOM_H_
#define BELAY_OS_RANDOM_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace belay {

class Random {
 public:
  virtual ~Random() = default;

  virtual void Fill(std::span<std::byte> bytes) = 0;

  std::uint64_t Next64();
  // "3f0a91": lower-case hexadecimal digits, four random bits in each.
  std::string Hex(std::size_t digits);
};

// The kernel's. May be used by any thread; doesn't fail.
class SystemRandom final : public Random {
 public:
  void Fill(std::span<std::byte> bytes) override;
};

}  // namespace belay

#endif  // BELAY_OS_RANDOM_H_
