#include <fmt/core.h>

#include "cli/commands/commands.h"
#include "cli/initialiser.h"
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
  if (changes.empty()) text += "nothing of belay's is here\n";
  return text;
}

Json Record(const Layout& project, const Initialiser& initialiser, bool dry_run) {
  Json list = Json::EmptyArray();
  for (const InitChange& change : initialiser.changes()) {
    list.Append(
        MakeObject({{"path", change.path}, {"change", change.what}, {"about", change.about}}));
  }
  Json remarks = Json::EmptyArray();
  for (const std::string& remark : initialiser.remarks()) remarks.Append(remark);
  return MakeObject({{"root", project.Root()},
                     {"state_root", project.StateRoot()},
                     {"vault", project.Vault()},
                     {"dry_run", dry_run},
                     {"changes", std::move(list)},
                     {"remarks", std::move(remarks)}});
}

}  // namespace

Result<int> RunInit(const Invocation& invocation, Services& services) {
  const std::string agent = invocation.Value("--agent").value_or("generic");
  if (agent != "generic") {
    return Error{ErrorCode::kRefused, fmt::format("this version can't install hooks for {}", agent),
                 "belay init without --agent sets up everything else"};
  }
  BELAY_TRY_ASSIGN(const Layout project, LocateProject(invocation, services));
  const bool dry_run = invocation.Has("--dry-run");
  const bool remove = invocation.Has("--remove");
  Initialiser initialiser(services.files, services.clock, project, dry_run);
  BELAY_TRY(remove ? initialiser.Remove() : initialiser.SetUp());
  services.io.Show(Record(project, initialiser, dry_run),
                   Describe(project, initialiser.changes(), dry_run, services.io.screen));
  for (const std::string& remark : initialiser.remarks()) services.io.Say(Printable(remark));
  if (!dry_run && !remove) services.io.Say("belay doctor checks the rest of what belay needs.");
  return 0;
}

}  // namespace belay
