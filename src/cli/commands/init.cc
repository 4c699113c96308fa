#include <fmt/core.h>

#include "cli/claude_wish.h"
#include "cli/commands/commands.h"
#include "cli/initialiser.h"
#include "cli/remove_protection.h"
#include "cli/settings.h"
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

enum class Agent { kNone, kGeneric, kClaude };

Result<Agent> AskedAgent(const Invocation& invocation) {
  const std::optional<std::string> name = invocation.Value("--agent");
  if (!name) return Agent::kNone;
  if (*name == "generic") return Agent::kGeneric;
  if (*name == "claude") return Agent::kClaude;
  return Error{ErrorCode::kRefused, fmt::format("this version can't install hooks for {}", *name),
               "belay init without --agent sets up everything else"};
}

// What there is to say beside the changes.
Result<std::string> SetUp(Agent agent, Initialiser& initialiser, const Services& services) {
  std::string remark;
  if (agent == Agent::kGeneric) remark = "A generic agent has no hooks to install.";
  if (agent == Agent::kClaude) {
    BELAY_TRY_ASSIGN(ClaudeWish wish, WishForInstalledClaude(services));
    initialiser.WantHooks(std::move(wish.hooks));
    remark = std::move(wish.remark);
  }
  BELAY_TRY(initialiser.SetUp());
  return remark;
}

// Naming an agent means only its hooks.
Result<std::string> Remove(Agent agent, Initialiser& initialiser) {
  if (agent == Agent::kGeneric) {
    return std::string("A generic agent has no hooks, so nothing is taken out.");
  }
  BELAY_TRY(agent == Agent::kClaude ? initialiser.RemoveHooks() : initialiser.Remove());
  return std::string();
}

}  // namespace

Result<int> RunInit(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const Agent agent, AskedAgent(invocation));
  BELAY_TRY_ASSIGN(const Layout project, LocateProject(invocation, services));
  const bool dry_run = invocation.Has("--dry-run");
  const bool remove = invocation.Has("--remove");
  Initialiser initialiser(services.files, services.clock, project, dry_run);
  std::vector<InitChange> changes;
  if (remove && agent == Agent::kNone) changes = RemoveProtection(services, project, dry_run);
  BELAY_TRY_ASSIGN(const std::string remark,
                   remove ? Remove(agent, initialiser) : SetUp(agent, initialiser, services));
  std::vector<std::string> remarks = initialiser.remarks();
  if (!remark.empty()) remarks.push_back(remark);
  changes.insert(changes.end(), initialiser.changes().begin(), initialiser.changes().end());
  std::string text = Describe(project, changes, dry_run, services.io.screen);
  if (changes.empty() && agent == Agent::kNone) text += "nothing of belay's is here\n";
  services.io.Show(Record(project, changes, remarks, dry_run), text);
  for (const std::string& line : remarks) services.io.Say(Printable(line));
  if (!dry_run && !remove) services.io.Say("belay doctor checks the rest of what belay needs.");
  return 0;
}

}  // namespace belay
