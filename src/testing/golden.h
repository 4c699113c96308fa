// Texts that are compared with files in tests/golden, byte by byte.

#ifndef BELAY_TESTING_GOLDEN_H_
#define BELAY_TESTING_GOLDEN_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "testing/places.h"

namespace belay {

// Compares with tests/golden/NAME; with BELAY_ACCEPT=1 in the environment writes it instead.
inline void ExpectGolden(const std::string& name, const std::string& text) {
  const std::string path = SourceFile("tests/golden/" + name);
  if (std::getenv("BELAY_ACCEPT") != nullptr) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  const std::string golden{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, golden) << "BELAY_ACCEPT=1 accepts the new text";
}

}  // namespace belay

#endif  // BELAY_TESTING_GOLDEN_H_
