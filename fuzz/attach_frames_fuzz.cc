// Any bytes over an attach socket are parsed or refused, however they are split.

#include <cstdint>

#include "base/check.h"
#include "host/attach.h"

namespace {

// Parses the content too; it may be anything.
void Understand(const belay::Frame& frame) {
  BELAY_CHECK(frame.content.size() <= belay::kLongestFrame);
  (void)belay::ParseHello(frame.content).ok();
  (void)belay::ParseSize(frame.content).ok();
  (void)belay::ParseLost(frame.content).ok();
}

// The frames as bytes again, and whether it ended in an error.
std::pair<std::string, bool> ReadAll(std::string_view bytes, std::size_t piece) {
  belay::FrameReader reader;
  std::string again;
  while (!bytes.empty()) {
    reader.Add(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
    while (true) {
      const auto frame = reader.Next();
      if (!frame) return {again, true};
      if (!*frame) break;
      Understand(**frame);
      again += belay::EncodeFrame((*frame)->type, (*frame)->content);
    }
  }
  return {again, false};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto at_once = ReadAll(bytes, size + 1);
  BELAY_CHECK(bytes.starts_with(at_once.first));
  BELAY_CHECK(at_once == ReadAll(bytes, 1));
  BELAY_CHECK(at_once == ReadAll(bytes, 7));
  return 0;
}
