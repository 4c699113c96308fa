#include "app/explain.h"

#include <set>

#include "base/text.h"
#include "cli/commands/commands.h"
#include "ui/width.h"

namespace belay {
namespace {

Json EffectJson(const ShellEffect& effect) {
  Json record = MakeObject({{"effect", EffectKindName(effect.kind)},
                            {"certainty", CertaintyName(effect.certainty)},
                            {"what", ShownText(effect.what)}});
  if (effect.kind == EffectKind::kRun) {
    Json words = Json::EmptyArray();
    for (const std::string& word : effect.words) words.Append(ShownText(word));
    record.Set("arguments", std::move(words));
    record.Set("listed", effect.listed);
  } else {
    record.Set("by", ShownText(effect.by));
  }
  return record;
}

// The arguments of a program; for the others, the program that does it.
std::string DetailOf(const ShellEffect& effect) {
  if (effect.kind != EffectKind::kRun) return "by " + ShownText(effect.by);
  std::string text;
  for (std::size_t i = 1; i < effect.words.size(); ++i) {
    text += (text.empty() ? "" : " ") + ShownText(effect.words[i]);
  }
  return text;
}

// Programs that aren't in belay's table.
std::string NamesOfUnlisted(const std::vector<ShellEffect>& effects) {
  std::set<std::string> names;
  for (const ShellEffect& effect : effects) {
    const bool program = effect.kind == EffectKind::kRun && effect.certainty != Certainty::kUnknown;
    if (program && !effect.listed) names.insert(Printable(ShownText(effect.what)));
  }
  return Join(names, ", ");
}

Tone ToneOf(const ShellEffect& effect) {
  if (effect.certainty == Certainty::kUnknown) return Tone::kWarning;
  return effect.certainty == Certainty::kSure ? Tone::kBold : Tone::kPlain;
}

std::string EffectsTable(const std::vector<ShellEffect>& effects, const Screen& screen) {
  Table table{.columns = {{.title = "effect"},
                          {.title = "certainty"},
                          {.title = "what", .fit = Fit::kWrap, .min_width = 20},
                          {.title = "detail", .fit = Fit::kWrap, .min_width = 20}}};
  for (const ShellEffect& effect : effects) {
    table.rows.push_back({{std::string(EffectKindName(effect.kind)), ToneOf(effect)},
                          {std::string(CertaintyName(effect.certainty)), Tone::kDim},
                          {Printable(ShownText(effect.what))},
                          {Printable(DetailOf(effect)), Tone::kDim}});
  }
  return Render(table, {screen.columns, screen.style});
}

}  // namespace

Result<int> RunExplain(const Invocation& invocation, Services& services) {
  const ExplainOutcome outcome = ExplainLine(services, invocation.operands());
  Json effects = Json::EmptyArray();
  for (const ShellEffect& effect : outcome.effects) effects.Append(EffectJson(effect));
  Io& io = services.io;
  if (outcome.effects.empty()) io.Say("it runs no program, and reads and writes no file");
  const std::string others = NamesOfUnlisted(outcome.effects);
  if (!others.empty()) io.Say("belay doesn't know what these do with their arguments: " + others);
  io.Show(MakeObject({{"line", outcome.line}, {"effects", std::move(effects)}}),
          outcome.effects.empty() ? "" : EffectsTable(outcome.effects, io.screen));
  return 0;
}

}  // namespace belay
