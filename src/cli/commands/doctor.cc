#include <fmt/core.h>

#include "app/doctor_checks.h"
#include "cli/commands/commands.h"
#include "ui/width.h"

namespace belay {
namespace {

struct VerdictStyle {
  std::string_view word;
  Tone tone;
};

VerdictStyle StyleOf(Verdict verdict) {
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

std::string CheckTable(const std::vector<Check>& checks, const Screen& screen) {
  Table table{.columns = {{.title = "check"},
                          {.title = "state"},
                          {.title = "found", .fit = Fit::kWrap, .min_width = 20}}};
  for (const Check& check : checks) {
    const VerdictStyle style = StyleOf(check.verdict);
    table.rows.push_back({{check.name}, {std::string(style.word), style.tone}, {check.found}});
  }
  return Render(table, {screen.columns, screen.style});
}

// Below the table: the effect of each problem and how to fix it.
std::string Advice(const std::vector<Check>& checks, const Screen& screen) {
  std::string text;
  for (const Check& check : checks) {
    if (check.verdict == Verdict::kFine) continue;
    text += fmt::format("\n{}\n", screen.style.Paint(StyleOf(check.verdict).tone, check.name));
    text += Wrap(fmt::format("costs: {}", check.cost), screen.ProseColumns(), 2, 9);
    // In one piece: it may be a command to paste.
    if (!check.fix.empty()) text += fmt::format("  fix:   {}\n", Printable(check.fix));
  }
  return text;
}

std::string Summary(const std::vector<Check>& checks) {
  return fmt::format("\n{} checks: {} fine, {} lacking, {} broken\n", checks.size(),
                     CountChecks(checks, Verdict::kFine), CountChecks(checks, Verdict::kLacking),
                     CountChecks(checks, Verdict::kBroken));
}

Json Record(const std::vector<Check>& checks) {
  Json list = Json::EmptyArray();
  for (const Check& check : checks) {
    list.Append(MakeObject({{"name", check.name},
                            {"ok", check.verdict == Verdict::kFine},
                            {"state", StyleOf(check.verdict).word},
                            {"detail", check.found},
                            {"cost", check.cost},
                            {"fix", check.fix}}));
  }
  return MakeObject({{"checks", std::move(list)},
                     {"fine", CountChecks(checks, Verdict::kFine)},
                     {"lacking", CountChecks(checks, Verdict::kLacking)},
                     {"broken", CountChecks(checks, Verdict::kBroken)}});
}

Json RepairList(const std::vector<Repair>& repairs) {
  return MakeArray(repairs, [](const Repair& repair) {
    return MakeObject({{"path", repair.path},
                       {"what", repair.what},
                       {"done", !repair.failure},
                       {"hint", repair.hint}});
  });
}

std::string RepairText(const std::vector<Repair>& repairs, const std::vector<Check>& checks,
                       const Screen& screen) {
  if (repairs.empty() && CountChecks(checks, Verdict::kBroken) > 0) {
    return "belay can't repair anything here\n\n";
  }
  if (repairs.empty()) return "nothing needed repair\n\n";
  std::string text;
  for (const Repair& repair : repairs) {
    const Tone tone = repair.failure ? Tone::kBad : Tone::kGood;
    text += fmt::format("{} {}: {}\n",
                        screen.style.Paint(tone, repair.failure ? "not repaired" : "repaired"),
                        Printable(repair.path), Printable(repair.what));
    if (!repair.hint.empty()) text += fmt::format("  {}\n", Printable(repair.hint));
  }
  return text + "\n";
}

}  // namespace

Result<int> RunDoctor(const Invocation& invocation, Services& services) {
  const bool repair = invocation.Has("--repair");
  BELAY_TRY_ASSIGN(const DoctorOutcome outcome, RunChecks(services, {repair}));
  const std::vector<Check>& checks = outcome.checks;
  const Screen& screen = services.io.screen;
  std::string text = repair ? RepairText(outcome.repairs, checks, screen) : std::string();
  text += CheckTable(checks, screen) + Advice(checks, screen) + Summary(checks);
  Json record = Record(checks);
  if (repair) record.Set("repairs", RepairList(outcome.repairs));
  if (!outcome.failure) {
    services.io.Show(std::move(record), text);
    return 0;
  }
  services.io.ShowFailure(std::move(record), text, *outcome.failure);
  return ExitCode(outcome.failure->code);
}

}  // namespace belay
