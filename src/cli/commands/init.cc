#include <fmt/core.h>

#include "app/find_program.h"
#include "app/initialiser.h"
#include "app/remove_protection.h"
#include "app/settings.h"
#include "cli/commands/commands.h"
#include "ui/width.h"

namespace belay {
namespace {

Tone ToneOf(std::string_view what) {
  if (what == "created" || what == "changed") return Tone::kGood;
  if (what == "removed") return Tone::kWarning;
  return Tone::kDim;
}

std::string Describe(const Layout& project, const std::vector<InitChange>& changes, bool dry_run,
                     const Screen& screen) {
  Table table{.columns = {{.title = dry_run ? "would be" : "now"},
                          {.title = "path"},
                          {.title = "about", .fit = Fit::kCut, .drop_order = 1}}};
  for (const InitChange& change : changes) {
    table.rows.push_back(
        {{change.what, ToneOf(change.what)}, {change.path}, {change.about, Tone::kDim}});
  }
  std::string text = fmt::format("project {}\n\n", Printable(project.Root()));
  text += Render(table, {screen.columns, screen.style});
  return text;
}

Json Record(const Layout& project, const std::vector<InitChange>& changes,
            const std::vector<std::string>& remarks, bool dry_run) {
  Json list = Json::EmptyArray();
  for (const InitChange& change : changes) {
    list.Append(
        MakeObject({{"path", change.path}, {"change", change.what}, {"about", change.about}}));
  }
  Json said = Json::EmptyArray();
  for (const std::string& remark : remarks) said.Append(remark);
  return MakeObject({{"root", project.Root()},
                     {"state_root", project.StateRoot()},
                     {"vault", project.Vault()},
                     {"dry_run", dry_run},
                     {"changes", std::move(list)},
                     {"remarks", std::move(said)}});
}

// Nothing without --agent. Of a kind that may get hooks later, but has none yet, kRefused.
Result<std::optional<AgentKind>> AskedAgent(const Invocation& invocation) {
  const std::optional<std::string> name = invocation.Value("--agent");
  if (!name) return std::optional<AgentKind>();
  const AgentKind kind = ParseAgentKind(*name).value();
  if (kind == AgentKind::kGeneric || HooksFor(kind) != nullptr) return std::optional(kind);
  return Error{ErrorCode::kRefused, fmt::format("this version can't install hooks for {}", *name),
               "belay init without --agent sets up everything else"};
}

// What there is to say beside the changes.
Result<std::string> SetUp(std::optional<AgentKind> agent, Initialiser& initialiser,
                          const Services& services) {
  std::string remark;
  if (agent && HooksFor(*agent) == nullptr) remark = "A generic agent has no hooks to install.";
  if (agent && HooksFor(*agent) != nullptr) {
    BELAY_TRY_ASSIGN(std::string program, OwnProgram(services));
    BELAY_TRY_ASSIGN(HooksWish wish, HooksFor(*agent)->Wish(std::move(program), services.programs));
    remark = wish.remark;
    initialiser.WantHooks(*agent, std::move(wish));
  }
  BELAY_TRY(initialiser.SetUp());
  return remark;
}

// Naming an agent means only its hooks.
Result<std::string> Remove(std::optional<AgentKind> agent, Initialiser& initialiser) {
  if (agent && HooksFor(*agent) == nullptr) {
    return std::string("A generic agent has no hooks, so nothing is taken out.");
  }
  BELAY_TRY(agent ? initialiser.RemoveHooks(*agent) : initialiser.Remove());
  return std::string();
}

}  // namespace

Result<int> RunInit(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const std::optional<AgentKind> agent, AskedAgent(invocation));
  BELAY_TRY_ASSIGN(const Layout project, LocateProject(services));
  const bool dry_run = invocation.Has("--dry-run");
  const bool remove = invocation.Has("--remove");
  Initialiser initialiser(services.files, services.clock, project, dry_run);
  std::vector<InitChange> changes;
  if (remove && !agent) changes = RemoveProtection(services, project, dry_run);
  BELAY_TRY_ASSIGN(const std::string remark,
                   remove ? Remove(agent, initialiser) : SetUp(agent, initialiser, services));
  std::vector<std::string> remarks = initialiser.remarks();
  if (!remark.empty()) remarks.push_back(remark);
  changes.insert(changes.end(), initialiser.changes().begin(), initialiser.changes().end());
  std::string text = Describe(project, changes, dry_run, services.io.screen);
  if (changes.empty() && !agent) text += "nothing of belay's is here\n";
  services.io.Show(Record(project, changes, remarks, dry_run), text);
  for (const std::string& line : remarks) services.io.Say(Printable(line));
  if (!dry_run && !remove) services.io.Say("belay doctor checks the rest of what belay needs.");
  return 0;
}

}  // namespace belay
