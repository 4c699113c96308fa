// The cost of finding out how full an agent's context is after one more line in a transcript of 200
// MB, against reading the same file from its beginning; the two alternate.

#include <fmt/core.h>

#include "adapters/claude/adapter.h"
#include "base/check.h"
#include "row.h"
#include "store/measure.h"

namespace {

using belay::bench::Median;
using belay::bench::Samples;

constexpr std::size_t kFileBytes = 200'000'000;
constexpr double kMostMicros = 5'000;

// What a turn appends: the answer, then the tool's output.
std::string Turn(int number, std::size_t output) {
  return fmt::format(
             R"({{"parentUuid":"u","isSidechain":false,"type":"assistant","message":{{"id":"m{0}",)"
             R"("role":"assistant","model":"claude-x","content":[{{"type":"text","text":"next"}}],)"
             R"("usage":{{"input_tokens":{0},"cache_creation_input_tokens":0,)"
             R"("cache_read_input_tokens":0}}}},"uuid":"a"}})",
             number) +
         "\n" +
         fmt::format(R"({{"isSidechain":false,"type":"user","message":{{"role":"user","content":)"
                     R"([{{"type":"tool_result","content":"{}"}}]}},"uuid":"u"}})",
                     std::string(output, 'x')) +
         "\n";
}

// The number of the last answer, found by going through all lines.
std::size_t ReadAll(const belay::FileSystem& files, const std::string& path) {
  const belay::File file = *files.OpenForReading(path);
  std::string piece(std::size_t{1} << 20U, '\0');
  std::string line;
  std::size_t answers = 0;
  std::size_t count = 0;
  for (std::uint64_t at = 0; (count = *file.ReadAt(at, piece.data(), piece.size())) > 0;
       at += count) {
    std::string_view rest = std::string_view(piece).substr(0, count);
    for (std::size_t end = 0; (end = rest.find('\n')) != std::string_view::npos;
         rest.remove_prefix(end + 1)) {
      line.append(rest.substr(0, end));
      if (line.find(R"("type":"assistant")") != std::string::npos) ++answers;
      line.clear();
    }
    line.append(rest);
  }
  return answers;
}

}  // namespace

int main(int argc, char** argv) {
  BELAY_CHECK(argc == 2);
  belay::bench::ScratchFolder scratch(argv[1]);
  belay::RealFileCalls calls;
  belay::FileSystem files(calls);
  const std::string path = scratch.NewPath("transcript");
  (void)*files.OpenForWriting(path, 0600);
  belay::File file = *files.OpenForAppending(path);
  int turns = 0;
  for (std::size_t written = 0; written < kFileBytes;) {
    const std::string turn = Turn(++turns, 20'000);
    BELAY_CHECK(file.Write(turn).ok());
    written += turn.size();
  }
  const belay::AgentAdapter& claude = belay::ClaudeAdapter();
  const Samples samples = belay::bench::TakeTurns(
      5e6,
      [&] {
        BELAY_CHECK(file.Write(Turn(++turns, 20'000)).ok());
        const auto use = claude.ReadContext(files, path);
        BELAY_CHECK(use && use->tokens == static_cast<std::uint64_t>(turns));
      },
      [&] { BELAY_CHECK(ReadAll(files, path) == static_cast<std::size_t>(turns)); });
  const double ours = Median(samples.ours);
  const bool reached =
      Print({"context fill of a 200 MB transcript after one more turn",
             fmt::format("{:.2f} ms", ours / 1e3),
             fmt::format("{:.0f} ms, reading all of it", Median(samples.floor) / 1e3),
             fmt::format("{:.4f}", samples.Ratio()), "under 5 ms", ours < kMostMicros});
  return reached ? 0 : 1;
}
