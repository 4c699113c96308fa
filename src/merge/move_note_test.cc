#include "merge/move_note.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

MoveNote Example() {
  CheckoutPlan plan{.folder = "/home/a b",
                    .git_folder = "/home/a b/.git",
                    .staging = "/s",
                    .files_folder = "/f",
                    .lock_text = "belay lands 12 here\n"};
  plan.index = {.inode = 1, .bytes = 2, .mode = 3, .modified = -4};
  plan.old_index = {.inode = 5};
  plan.old_copy = {.inode = 6};
  plan.moves = {{.path = "new\nline", .comes = {.inode = 7, .bytes = 8}},
                {.path = "no\xff utf", .goes = {.inode = 18446744073709551615U}}};
  return {.ref = "refs/heads/main",
          .from = *ObjectId::Parse(std::string(40, 'a')),
          .to = *ObjectId::Parse(std::string(40, 'b')),
          .reason = "belay: m1 lands a",
          .moves_ref = true,
          .checkouts = {plan, plan}};
}

TEST(MoveNoteTest, IsReadAsItWasWritten) {
  const Result<MoveNote> read = ParseMoveNote(WriteMoveNote(Example()));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, Example());
}

TEST(MoveNoteTest, ACutOneIsNeverTakenForWhole) {
  const std::string text = WriteMoveNote(Example());
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(ParseMoveNote(text.substr(0, size)).ok()) << size;
  }
  EXPECT_FALSE(ParseMoveNote(text + "x").ok());
}

}  // namespace
}  // namespace belay
