#include "app/taint.h"

#include <fmt/core.h>

#include "cli/commands/commands.h"
#include "cli/text.h"
#include "ui/width.h"

namespace belay {
namespace {

// {"session", "state", "sources", ..., "enforcement"}; nothing is enforced yet, so "enforcement" is
// empty.
Json TaintJson(const Taint& taint, const std::string& session) {
  Json record = MakeObject({{"session", session}});
  const Json said = ToJson(taint);
  for (const JsonMember& member : *said.AsObject()) record.Set(member.key, member.value);
  record.Set("enforcement", Json::EmptyObject());
  return record;
}

std::string TaintText(const Taint& taint, const std::string& session, const Style& style) {
  const bool tainted = taint.state == TaintState::kTainted;
  std::string text =
      fmt::format("{}  {}\n", Printable(session),
                  style.Paint(tainted ? Tone::kWarning : Tone::kGood, TaintStateName(taint.state)));
  if (!taint.because.empty()) text += fmt::format("  because {}\n", Printable(taint.because));
  if (!taint.inherited_from.empty()) {
    text += fmt::format("  inherited from {}\n", Printable(taint.inherited_from));
  }
  for (const TaintSource& source : taint.sources) {
    text += fmt::format("  {}  {}  {}\n", style.Paint(Tone::kDim, TimeText(source.at)),
                        Printable(source.tool), Printable(source.path));
  }
  return text;
}

int ShowTaint(Services& services, const Taint& taint, const std::string& session) {
  Io& io = services.io;
  io.Show(TaintJson(taint, session), TaintText(taint, session, io.screen.style));
  return 0;
}

constexpr std::size_t kLongestSource = 4096;

Result<MarkTaintRequest> ParseMarkRequest(const Invocation& invocation) {
  MarkTaintRequest request{.agent = invocation.Value("--agent"),
                           .source = invocation.Value("--source").value_or(""),
                           .tool = invocation.Value("--tool").value_or("")};
  if (request.source.empty())
    return Error{ErrorCode::kUsage, "--source is missing",
                 "name the file that was read with --source PATH"};
  if (request.source.size() > kLongestSource || request.tool.size() > kLongestSource) {
    return Error{ErrorCode::kUsage, "--source and --tool take at most 4096 bytes"};
  }
  return request;
}

}  // namespace

Result<int> RunTaintMark(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const MarkTaintRequest request, ParseMarkRequest(invocation));
  BELAY_TRY_ASSIGN(const TaintOutcome marked, MarkTaint(services, request));
  return ShowTaint(services, marked.taint, marked.session);
}

Result<int> RunTaintStatus(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const TaintOutcome found, ReadTaint(services, invocation.Value("--agent")));
  return ShowTaint(services, found.taint, found.session);
}

}  // namespace belay
