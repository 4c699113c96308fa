#include <gtest/gtest.h>

#include "codec/hash.h"

namespace belay {
namespace {

// What `git hash-object --stdin` prints, in repositories of both formats.
TEST(BlobHash, IsWhatGitSays) {
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

}  // namespace
}  // namespace belay
