// Any bytes as a transcript: the result doesn't depend on the size of the pieces, and an appended
// answer is found. The first byte chooses the size of the pieces.

#include <cstdint>
#include <string>

#include "adapters/claude/transcript.h"
#include "base/check.h"
#include "testing/simulated_disk.h"

namespace {

const std::string kPath = "/t.jsonl";
constexpr std::string_view kAnswer =
    "\n{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"usage\":{\"input_tokens\":5}}}\n";

belay::ConversationEnd Read(const std::string& text, const belay::BackwardLimits& limits) {
  belay::SimulatedDisk disk;
  belay::FileSystem files(disk);
  belay::File file = *files.OpenForWriting(kPath, 0600);
  BELAY_CHECK(file.Write(text).ok());
  return *belay::ReadClaudeTranscript(files, kPath, limits);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t piece = data[0] + std::size_t{1};
  const belay::BackwardLimits small{.first_piece = piece, .largest_piece = 2 * piece};
  BELAY_CHECK(Read(text, small) == Read(text, {}));
  text += kAnswer;
  const belay::ConversationEnd end = Read(text, small);
  BELAY_CHECK(end.context && end.context->tokens == 5);
  BELAY_CHECK(end.has_messages && end.failure == belay::ApiFailure::kNone);
  return 0;
}
