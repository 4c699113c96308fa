// The first byte is the size of the pieces: the verdict on a file must not depend on it.

#include <cstdint>
#include <string>

#include "base/check.h"
#include "codec/json_lines.h"

namespace {

struct Seen {
  std::string kept;
  belay::JsonLinesScanner::Summary summary;
};

Seen Scan(std::string_view text, std::size_t piece) {
  Seen seen;
  belay::JsonLinesScanner scanner(
      [&](const belay::JsonLine& line) {
        if (line.good) seen.kept.append(line.text).push_back('\n');
        const auto record = belay::ParseJsonLine(line.text);
        if (!record) return;
        BELAY_CHECK(line.good);
        std::string written;
        if (!record->AsObject()->empty() && record->Find("crc") == nullptr) {
          BELAY_CHECK(belay::AppendJsonLine(*record, written).ok());
          written.pop_back();
          BELAY_CHECK(*belay::ParseJsonLine(written) == *record);
        }
      },
      256);
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    scanner.Feed(text.substr(0, piece));
  }
  seen.summary = scanner.Finish();
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Seen whole = Scan(text, size);
  const Seen pieces = Scan(text, data[0] + 1U);
  BELAY_CHECK(whole.kept == pieces.kept);
  BELAY_CHECK(whole.summary.good_end == pieces.summary.good_end);
  BELAY_CHECK(whole.summary.damaged_lines == pieces.summary.damaged_lines);
  BELAY_CHECK(whole.summary.good_end + whole.summary.torn_bytes == text.size());
  return 0;
}
