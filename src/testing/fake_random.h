// Random bytes that are the same in every run with the same seed.

#ifndef BELAY_TESTING_FAKE_RANDOM_H_
#define BELAY_TESTING_FAKE_RANDOM_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "os/random.h"

namespace belay {

class FakeRandom final : public Random {
 public:
  explicit FakeRandom(std::uint64_t seed = 1) : state_(seed) {}

  void Fill(std::span<std::byte> bytes) override {
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(Step() >> 56U);
  }

 private:
  // SplitMix64: small, and good from the first number on with any seed.
  std::uint64_t Step() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

  std::uint64_t state_;
};

}  // namespace belay

#endif  // BELAY_TESTING_FAKE_RANDOM_H_
