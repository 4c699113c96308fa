#include "codec/hash.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

// What `git hash-object --stdin` prints, in repositories of both formats.
TEST(BlobHash, EqualsGitsHash) {
  EXPECT_EQ(BlobIdOf(ObjectFormat::kSha1, ""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  EXPECT_EQ(BlobIdOf(ObjectFormat::kSha1, "hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
  EXPECT_EQ(BlobIdOf(ObjectFormat::kSha256, ""),
            "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813");
}

TEST(BlobHash, IsTheSameInPieces) {
  BlobHasher hasher(ObjectFormat::kSha1, 6);
  for (const std::string_view piece : {"he", "", "llo", "\n"}) hasher.Add(piece);
  EXPECT_EQ(hasher.Hex(), BlobIdOf(ObjectFormat::kSha1, "hello\n"));
}

// The examples of the standard (FIPS 180-4).
TEST(Sha256Test, AgreesWithTheStandard) {
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

}  // namespace
}  // namespace belay
