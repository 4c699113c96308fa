#include <gtest/gtest.h>

#include "host/attach.h"

namespace belay {
namespace {

const std::string kStream = EncodeHello(AttachRole::kTerminal) + EncodeSize({24, 300}) +
                            EncodeFrame(FrameType::kKeys, std::string("a\0b", 3)) +
                            EncodeLost(std::uint64_t{1} << 40U) +
                            EncodeFrame(FrameType::kTaken, "");

std::vector<Frame> FramesOf(FrameReader& reader) {
  std::vector<Frame> frames;
  while (true) {
    const auto frame = reader.Next();
    EXPECT_TRUE(frame.ok());
    if (!frame.ok() || !*frame) return frames;
    frames.push_back(**frame);
  }
}

TEST(AttachProtocol, WhatIsWrittenIsReadHoweverItIsCut) {
  FrameReader at_once;
  at_once.Add(kStream);
  const std::vector<Frame> expected = FramesOf(at_once);
  ASSERT_EQ(expected.size(), 5u);
  EXPECT_EQ(*ParseHello(expected[0].content), AttachRole::kTerminal);
  EXPECT_EQ(*ParseSize(expected[1].content), (TerminalSize{24, 300}));
  EXPECT_EQ(expected[2].content, std::string("a\0b", 3));
  EXPECT_EQ(*ParseLost(expected[3].content), std::uint64_t{1} << 40U);
  for (std::size_t cut = 0; cut <= kStream.size(); ++cut) {
    FrameReader reader;
    reader.Add(kStream.substr(0, cut));
    std::vector<Frame> frames = FramesOf(reader);
    EXPECT_LE(frames.size(), expected.size());
    reader.Add(kStream.substr(cut));
    for (Frame& frame : FramesOf(reader)) frames.push_back(std::move(frame));
    EXPECT_EQ(frames, expected) << cut;
  }
}

TEST(AttachProtocol, MuchIsSentInSeveralFrames) {
  const std::string much(3 * kLongestFrame + 1, 'x');
  FrameReader reader;
  reader.Add(EncodeFrames(FrameType::kOutput, much));
  std::string together;
  for (const Frame& frame : FramesOf(reader)) together += frame.content;
  EXPECT_EQ(together, much);
  EXPECT_EQ(EncodeFrames(FrameType::kOutput, ""), "");
}

TEST(AttachProtocol, WhatMakesNoSenseIsRefusedForever) {
  const std::string unknown = "X";
  const std::string too_long("O\0\1\0\1", 5);
  for (const std::string& bytes : {unknown, too_long}) {
    FrameReader reader;
    reader.Add(bytes);
    EXPECT_EQ(reader.Next().error().code, ErrorCode::kDamaged);
    reader.Add(kStream);
    EXPECT_EQ(reader.Next().error().code, ErrorCode::kDamaged);
  }
}

TEST(AttachProtocol, AnotherVersionAndOtherContentsAreRefused) {
  for (const std::string_view hello :
       {"", "belay attach 2 terminal", "belay attach 1 ", "belay attach 1 guest", "hello"}) {
    EXPECT_FALSE(ParseHello(hello).ok()) << hello;
  }
  EXPECT_FALSE(ParseSize(std::string("\0\0\0\1", 4)).ok());
  EXPECT_FALSE(ParseSize(std::string("\0\1\0\0", 4)).ok());
  EXPECT_FALSE(ParseSize("abc").ok());
  EXPECT_FALSE(ParseLost("1234567").ok());
}

}  // namespace
}  // namespace belay
