#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "app/doctor_checks.h"
#include "app/doctor_landing.h"
#include "app/doctor_refs.h"
#include "app/repairer.h"
#include "app/settings.h"
#include "cli/commands/commands.h"
#include "ui/width.h"

namespace belay {
namespace {

struct DoctorLook {
  std::string_view word;
  Tone tone;
};

DoctorLook LookOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kFine:
      return {"fine", Tone::kGood};
    case Verdict::kLacking:
      return {"lacking", Tone::kWarning};
    case Verdict::kBroken:
      return {"broken", Tone::kBad};
  }
  __builtin_unreachable();
}

std::size_t Count(const std::vector<Check>& checks, Verdict verdict) {
  return static_cast<std::size_t>(std::count_if(
      checks.begin(), checks.end(), [&](const Check& check) { return check.verdict == verdict; }));
}

std::string CheckTable(const std::vector<Check>& checks, const Screen& screen) {
  Table table{.columns = {{.title = "check"},
                          {.title = "state"},
                          {.title = "found", .fit = Fit::kWrap, .min_width = 20}}};
  for (const Check& check : checks) {
    const DoctorLook look = LookOf(check.verdict);
    table.rows.push_back({{check.name}, {std::string(look.word), look.tone}, {check.found}});
  }
  return Render(table, {screen.columns, screen.style});
}

// What each lack costs and how to mend it, below the table.
std::string Advice(const std::vector<Check>& checks, const Screen& screen) {
  std::string text;
  for (const Check& check : checks) {
    if (check.verdict == Verdict::kFine) continue;
    text += fmt::format("\n{}\n", screen.style.Paint(LookOf(check.verdict).tone, check.name));
    text += Wrap(fmt::format("costs: {}", check.cost), screen.ProseColumns(), 2, 9);
    // In one piece: it may be a command to paste.
    if (!check.fix.empty()) text += fmt::format("  mend:  {}\n", Printable(check.fix));
  }
  return text;
}

std::string Summary(const std::vector<Check>& checks) {
  return fmt::format("\n{} checks: {} fine, {} lacking, {} broken\n", checks.size(),
                     Count(checks, Verdict::kFine), Count(checks, Verdict::kLacking),
                     Count(checks, Verdict::kBroken));
}

Json Record(const std::vector<Check>& checks) {
  Json list = Json::EmptyArray();
  for (const Check& check : checks) {
    list.Append(MakeObject({{"name", check.name},
                            {"ok", check.verdict == Verdict::kFine},
                            {"state", LookOf(check.verdict).word},
                            {"detail", check.found},
                            {"cost", check.cost},
                            {"fix", check.fix}}));
  }
  return MakeObject({{"checks", std::move(list)},
                     {"fine", Count(checks, Verdict::kFine)},
                     {"lacking", Count(checks, Verdict::kLacking)},
                     {"broken", Count(checks, Verdict::kBroken)}});
}

Json RepairList(const std::vector<Repair>& repairs) {
  Json list = Json::EmptyArray();
  for (const Repair& repair : repairs) {
    list.Append(MakeObject({{"path", repair.path},
                            {"what", repair.what},
                            {"done", !repair.failure},
                            {"hint", repair.hint}}));
  }
  return list;
}

std::string RepairText(const std::vector<Repair>& repairs, const std::vector<Check>& checks,
                       const Screen& screen) {
  if (repairs.empty() && Count(checks, Verdict::kBroken) > 0) {
    return "nothing was found that could be mended here\n\n";
  }
  if (repairs.empty()) return "nothing needed mending\n\n";
  std::string text;
  for (const Repair& repair : repairs) {
    const Tone tone = repair.failure ? Tone::kBad : Tone::kGood;
    text += fmt::format("{} {}: {}\n",
                        screen.style.Paint(tone, repair.failure ? "not mended" : "mended"),
                        Printable(repair.path), Printable(repair.what));
    if (!repair.hint.empty()) text += fmt::format("  {}\n", Printable(repair.hint));
  }
  return text + "\n";
}

// What couldn't be mended decides how it ends, then what is broken.
std::optional<Error> Failure(const std::vector<Repair>& repairs, const std::vector<Check>& checks) {
  for (const Repair& repair : repairs) {
    if (!repair.failure) continue;
    return Error{
        *repair.failure, fmt::format("{} is not mended: {}", repair.path, repair.what),
        repair.hint.empty() ? "repairs says what was mended and what wasn't" : repair.hint};
  }
  const auto broken = std::ranges::find(checks, Verdict::kBroken, &Check::verdict);
  if (broken == checks.end()) return std::nullopt;
  return Error{broken->code,
               fmt::format("{} of the checks are broken, the first is {}",
                           Count(checks, Verdict::kBroken), broken->name),
               "checks says what each costs and how to mend it"};
}

Result<std::vector<Repair>> RepairProject(Services& services) {
  BELAY_TRY_ASSIGN(const Layout project, LocateProject(services));
  BELAY_TRY_ASSIGN(std::vector<Repair> repairs,
                   Repairer(services.files, services.clock, project).Run());
  if (std::optional<Repair> landing = EndCutOffLanding(project, services)) {
    repairs.push_back(*std::move(landing));
  }
  if (!project.InRepository()) return repairs;
  Result<std::vector<Repair>> refs = RepairOwnRefs(project, services);
  if (!refs) {
    repairs.push_back({"refs/belay/", refs.error().message, refs.error().code, refs.error().hint});
    return repairs;
  }
  std::ranges::move(*refs, std::back_inserter(repairs));
  return repairs;
}

}  // namespace

Result<int> RunDoctor(const Invocation& invocation, Services& services) {
  const bool repair = invocation.Has("--repair");
  std::vector<Repair> repairs;
  if (repair) {
    BELAY_TRY_ASSIGN(repairs, RepairProject(services));
  }
  BELAY_TRY_ASSIGN(std::vector<Check> project, CheckProject(services));
  std::vector<Check> checks = CheckPrograms(services.programs);
  std::ranges::move(CheckKernel(services.probe_kernel()), std::back_inserter(checks));
  std::ranges::move(project, std::back_inserter(checks));
  const Screen& screen = services.io.screen;
  std::string text = repair ? RepairText(repairs, checks, screen) : std::string();
  text += CheckTable(checks, screen) + Advice(checks, screen) + Summary(checks);
  Json record = Record(checks);
  if (repair) record.Set("repairs", RepairList(repairs));
  const std::optional<Error> failure = Failure(repairs, checks);
  if (!failure) {
    services.io.Show(std::move(record), text);
    return 0;
  }
  services.io.ShowFailure(std::move(record), text, *failure);
  return ExitCode(failure->code);
}

}  // namespace belay
