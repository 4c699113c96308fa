#include <gtest/gtest.h>

#include "snapshot/restore_checkout.h"

namespace belay {
namespace {

GitEntry Entry(char digit, std::uint32_t mode = kFileMode) {
  return {mode, *ObjectId::Parse(std::string(40, digit))};
}

// With a newline for each NUL.
std::string Lines(std::string text) {
  for (char& c : text) c = c == '\0' ? '\n' : c;
  return text;
}

TEST(IndexInfoTest, EverythingGoesBeforeAnythingComes) {
  const std::vector<PlannedIndex> changes = {
      {"a", {.entry = Entry('1', kProgramMode)}},
      {"gone", {}},
      {"intent", {.intent_to_add = true}},
      {"unmerged", {.stages = {Entry('2'), {}, Entry('3')}}}};
  const std::string none(40, '0');
  EXPECT_EQ(Lines(IndexInfo(changes, ObjectFormat::kSha1)),
            "0 " + none + "\ta\n0 " + none + "\tgone\n0 " + none + "\tintent\n0 " + none +
                "\tunmerged\n100755 " + std::string(40, '1') + " 0\ta\n100644 " +
                std::string(40, '2') + " 1\tunmerged\n100644 " + std::string(40, '3') +
                " 3\tunmerged\n");
}

TEST(IndexInfoTest, NothingHasAsManyZerosAsTheRepositoryHasDigits) {
  EXPECT_EQ(Lines(IndexInfo({{"a", {}}}, ObjectFormat::kSha256)),
            "0 " + std::string(64, '0') + "\ta\n");
}

}  // namespace
}  // namespace belay
