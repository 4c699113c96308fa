#include "app/init.h"

#include <fmt/core.h>

#include "cli/commands/commands.h"
#include "ui/width.h"

namespace belay {
namespace {

Tone ToneOf(std::string_view what) {
  if (what == "created" || what == "changed") return Tone::kGood;
  if (what == "removed") return Tone::kWarning;
  return Tone::kDim;
}

std::string Describe(const InitOutcome& outcome, bool dry_run, const Screen& screen) {
  Table table{.columns = {{.title = dry_run ? "would be" : "now"},
                          {.title = "path"},
                          {.title = "about", .fit = Fit::kCut, .drop_order = 1}}};
  for (const InitChange& change : outcome.changes) {
    table.rows.push_back(
        {{change.what, ToneOf(change.what)}, {change.path}, {change.about, Tone::kDim}});
  }
  std::string text = fmt::format("project {}\n\n", Printable(outcome.project.Root()));
  text += Render(table, {screen.columns, screen.style});
  return text;
}

Json Record(const InitOutcome& outcome, bool dry_run) {
  const Layout& project = outcome.project;
  Json list = Json::EmptyArray();
  for (const InitChange& change : outcome.changes) {
    list.Append(
        MakeObject({{"path", change.path}, {"change", change.what}, {"about", change.about}}));
  }
  return MakeObject({{"root", project.Root()},
                     {"state_root", project.StateRoot()},
                     {"vault", project.Vault()},
                     {"dry_run", dry_run},
                     {"changes", std::move(list)},
                     {"remarks", MakeArray(outcome.remarks)}});
}

// Nothing without --agent. kRefused for a kind whose hooks aren't supported yet.
Result<std::optional<AgentKind>> AskedAgent(const Invocation& invocation) {
  const std::optional<std::string> name = invocation.Value("--agent");
  if (!name) return std::optional<AgentKind>();
  const AgentKind kind = ParseAgentKind(*name).value();
  if (kind == AgentKind::kGeneric || HooksFor(kind) != nullptr) return std::optional(kind);
  return Error{ErrorCode::kRefused, fmt::format("this version can't install hooks for {}", *name),
               "run belay init without --agent to set up everything else"};
}

}  // namespace

Result<int> RunInit(const Invocation& invocation, Services& services) {
  InitRequest request{.remove = invocation.Has("--remove"),
                      .dry_run = invocation.Has("--dry-run"),
                      .yes = invocation.Has("--yes"),
                      .force = invocation.Has("--force")};
  if (request.force && !request.remove) {
    return Error{ErrorCode::kUsage, "--force without --remove", "add --remove, or omit --force"};
  }
  BELAY_TRY_ASSIGN(request.agent, AskedAgent(invocation));
  BELAY_TRY_ASSIGN(const InitOutcome outcome, InitProject(services, request));
  std::string text = Describe(outcome, request.dry_run, services.io.screen);
  if (outcome.changes.empty() && !request.agent) text += "belay isn't set up here\n";
  services.io.Show(Record(outcome, request.dry_run), text);
  for (const std::string& line : outcome.remarks) services.io.Say(Printable(line));
  if (!request.dry_run && !request.remove) {
    services.io.Say("belay doctor checks everything else that belay needs.");
  }
  return 0;
}

}  // namespace belay
