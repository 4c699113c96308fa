#include "app/hosted_agent.h"
#include "base/text.h"
#include "cli/commands/commands.h"

namespace belay {
namespace {

constexpr std::size_t kMostTail = std::size_t{128} << 10U;
constexpr std::size_t kMostLines = 200;  // with --json

Json LastLines(std::string_view tail) {
  std::vector<std::string_view> lines = Split(tail, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  const std::size_t first = lines.size() > kMostLines ? lines.size() - kMostLines : 0;
  Json list = Json::EmptyArray();
  for (std::size_t i = first; i < lines.size(); ++i) {
    if (lines[i].ends_with('\r')) lines[i].remove_suffix(1);
    list.Append(lines[i]);
  }
  return list;
}

}  // namespace

Result<int> RunLogs(const Invocation& invocation, Services& services) {
  Io& io = services.io;
  std::string tail;
  const AgentLogRequest request{.agent = invocation.operands().front(),
                                .follow = invocation.Has("--follow") && !io.json,
                                .out_pipe = io.out_pipe,
                                .take = [&](std::string_view piece) -> Result<void> {
                                  (io.json ? tail : io.out) += piece;
                                  if (!io.json) return io.Flush();
                                  if (tail.size() > 2 * kMostTail)
                                    tail.erase(0, tail.size() - kMostTail);
                                  return {};
                                }};
  BELAY_TRY(ReadAgentLog(services, request));
  if (io.json) io.Show(MakeObject({{"lines", LastLines(tail)}}), "");
  return 0;
}

}  // namespace belay
