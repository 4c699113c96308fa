#include "engine/resumption/orientation.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "prompt/prompt_builder.h"

namespace belay {
namespace {

using enum ResumptionPart;

// Updates have whole seconds.
WallTime WholeSeconds(WallTime time) {
  return std::chrono::time_point_cast<Duration>(
      std::chrono::time_point_cast<std::chrono::seconds>(time));
}

OwnWords LevelWords(Staleness level) {
  switch (level) {
    case Staleness::kFresh:
      return OwnWords("FRESH");
    case Staleness::kStale:
      return OwnWords("STALE");
    case Staleness::kCritical:
      return OwnWords("CRITICAL");
  }
  __builtin_unreachable();
}

OwnWords TierWords(std::optional<ContextTier> tier) {
  if (!tier) return OwnWords("unknown");
  switch (*tier) {
    case ContextTier::kNominal:
      return OwnWords("NOMINAL");
    case ContextTier::kLow:
      return OwnWords("LOW");
    case ContextTier::kWarning:
      return OwnWords("WARNING");
    case ContextTier::kCritical:
      return OwnWords("CRITICAL");
    case ContextTier::kEmergency:
      return OwnWords("EMERGENCY");
  }
  __builtin_unreachable();
}

std::string PlainText(const Json& value) {
  if (value.is_null()) return "not known";
  if (const std::string* text = value.AsString()) return *text;
  return WriteJson(value);
}

ForeignText StateLines(const Resumption& section) {
  std::vector<std::string> lines;
  const auto add = [&](std::string_view label, std::string_view field) {
    lines.push_back(fmt::format("{}: {}", label, PlainText(section.State(field))));
  };
  add("status", "workflow_status");
  lines.push_back(fmt::format("phase: {} ({})", PlainText(section.State("current_phase")),
                              PlainText(section.State("current_phase_name"))));
  add("activity", "current_activity");
  add("next step", "next_step");
  add("last checkpoint", "last_checkpoint");
  return ForeignText::Lines(lines);
}

std::string ListText(const Json& list) {
  std::string text;
  for (const Json& item : ItemsOf(list)) text += (text.empty() ? "" : ", ") + PlainText(item);
  return text.empty() ? "none" : text;
}

// By priority, as far as the order says nothing else.
ForeignText FileLines(const Resumption& section) {
  std::vector<Json> files(ItemsOf(section[kFilesToRead]).begin(),
                          ItemsOf(section[kFilesToRead]).end());
  const auto priority = [](const Json& file) {
    const std::int64_t* number = MemberOf(file, "priority").AsInteger();
    return number == nullptr ? 1 : *number;
  };
  std::ranges::stable_sort(files, {}, priority);
  std::vector<std::string> lines;
  for (const Json& file : files) {
    if (file.AsString() != nullptr) {
      lines.push_back(*file.AsString());
      continue;
    }
    std::string line = TextIn(file, "path");
    const std::string purpose = TextIn(file, "purpose");
    if (!purpose.empty()) line += ": " + purpose;
    const Json& sections = MemberOf(file, "sections");
    if (!ItemsOf(sections).empty()) line += fmt::format(" (sections: {})", ListText(sections));
    lines.push_back(std::move(line));
  }
  return ForeignText::Lines(lines);
}

ForeignText QualityLines(const Resumption& section) {
  const Json& quality = section[kQualityTrajectory];
  const Json& defects = section[kDefectSummary];
  std::vector<std::string> lines = {
      fmt::format("gates completed: {}", ListText(MemberOf(quality, "gates_completed"))),
      fmt::format("gates remaining: {}", ListText(MemberOf(quality, "gates_remaining"))),
  };
  if (!MemberOf(quality, "current_gate").is_null()) {
    lines.push_back(fmt::format("current gate: {}, iteration {}",
                                PlainText(MemberOf(quality, "current_gate")),
                                PlainText(MemberOf(quality, "current_gate_iteration"))));
  }
  for (const JsonMember& gate : MembersOf(MemberOf(quality, "score_history"))) {
    lines.push_back(fmt::format("scores of {}: {}", gate.key, ListText(gate.value)));
  }
  if (!MemberOf(quality, "lowest_dimension").is_null()) {
    lines.push_back("lowest dimension: " + PlainText(MemberOf(quality, "lowest_dimension")));
  }
  lines.push_back(
      fmt::format("unresolved defects: {}", ListText(MemberOf(defects, "unresolved_defects"))));
  for (const Json& pattern : ItemsOf(MemberOf(defects, "recurring_patterns"))) {
    if (!MemberOf(pattern, "resolution").is_null()) continue;
    lines.push_back("recurring: " + TextIn(pattern, "pattern"));
  }
  return ForeignText::Lines(lines);
}

ForeignText DecisionLines(const Resumption& section) {
  std::vector<std::string> lines;
  for (const Json& one : ItemsOf(section[kDecisionLog])) {
    if (MemberOf(one, "applied") == Json(true)) continue;
    lines.push_back(fmt::format("{} (phases {}): {}", TextIn(one, "id"),
                                ListText(MemberOf(one, "affects_phases")),
                                TextIn(one, "decision")));
  }
  return ForeignText::Lines(lines);
}

// The latest first: text is cut at the end.
ForeignText AgentLines(const Resumption& section) {
  std::vector<std::string> lines;
  const Json::Object& agents = MembersOf(section[kAgentSummaries]);
  for (auto one = agents.rbegin(); one != agents.rend(); ++one) {
    lines.push_back(fmt::format("{}: {}", one->key, PlainText(one->value)));
  }
  return ForeignText::Lines(lines);
}

ForeignText CompactionLines(const Resumption& section) {
  std::vector<std::string> lines;
  for (const Json& one : ItemsOf(MemberOf(section[kCompactionEvents], "events"))) {
    if (MemberOf(one, "acknowledged") == Json(true)) continue;
    lines.push_back(fmt::format("{} at {}, checkpoint {}", TextIn(one, "id"),
                                TextIn(one, "timestamp"),
                                PlainText(MemberOf(one, "checkpoint_file"))));
  }
  return ForeignText::Lines(lines);
}

std::string BuildBrief(const Resumption& section, Staleness level, std::size_t most,
                       Random& random) {
  PromptBuilder text(most);
  const Result<WallTime> at = ParseUtc(PlainText(section.State("updated_at")));
  if (at) {
    text.Say("Where the workflow stands, as of {} ({}).", *at, LevelWords(level));
  } else {
    text.Say("Where the workflow stands ({}).", LevelWords(level));
  }
  const auto show = [&](Label label, ForeignText lines, int rank, std::size_t longest) {
    if (lines.empty()) return;
    text.Show({.label = label,
               .text = std::move(lines),
               .shown_by = OwnWords("belay resumption show"),
               .rank = rank,
               .least = 80,
               .most = longest});
  };
  show("state", StateLines(section), 1, 900);
  show("files to read", FileLines(section), 2, 500);
  show("decisions not applied yet", DecisionLines(section), 3, 400);
  show("quality", QualityLines(section), 4, 400);
  show("compactions not acknowledged", CompactionLines(section), 5, 200);
  show("agents from newest to oldest", AgentLines(section), 6, 300);
  text.Say("Read those files first. `belay resumption show` prints the whole section.");
  return text.Build(random);
}

}  // namespace

std::string_view StalenessName(Staleness level) {
  switch (level) {
    case Staleness::kFresh:
      return "FRESH";
    case Staleness::kStale:
      return "STALE";
    case Staleness::kCritical:
      return "CRITICAL";
  }
  __builtin_unreachable();
}

StalenessReport JudgeStaleness(const Resumption& section, const StalenessFacts& facts) {
  StalenessReport report;
  const auto raise = [&](Staleness level, std::string reason) {
    report.level = std::max(report.level, level);
    report.reasons.push_back(std::move(reason));
  };
  const std::optional<WallTime> at = [&]() -> std::optional<WallTime> {
    const Json updated = section.State("updated_at");
    if (updated.AsString() == nullptr) return std::nullopt;
    const Result<WallTime> parsed = ParseUtc(*updated.AsString());
    return parsed ? std::optional(*parsed) : std::nullopt;
  }();
  if (!at) {
    raise(Staleness::kCritical, "it was never updated");
    return report;
  }
  if (facts.other_session) raise(Staleness::kCritical, "the last update came from another session");
  if (facts.session_start && *at < WholeSeconds(*facts.session_start)) {
    raise(Staleness::kCritical,
          fmt::format("it was updated at {}, before this session started at {}", FormatUtc(*at),
                      FormatUtc(*facts.session_start)));
  }
  // A phase that begins in the future is from before the clock went back.
  const bool began = facts.phase_began && *facts.phase_began <= facts.now;
  if (began && *at < WholeSeconds(*facts.phase_began)) {
    raise(Staleness::kStale,
          fmt::format("it was updated at {}, before the current phase began at {}", FormatUtc(*at),
                      FormatUtc(*facts.phase_began)));
  }
  if (*at > facts.now) {
    raise(Staleness::kStale,
          fmt::format("updated_at is {}, which is in the future", FormatUtc(*at)));
  } else if (facts.now - *at > facts.stale_after) {
    raise(Staleness::kStale, fmt::format("it was updated at {}, more than {} ago", FormatUtc(*at),
                                         FormatDuration(facts.stale_after)));
  }
  return report;
}

// The builder counts code points; the budget is in bytes.
std::string ResumptionBrief(const Resumption& section, Staleness level, Random& random) {
  constexpr std::size_t kLeast = 900;
  for (std::size_t most = kMostBriefBytes; most >= kLeast; most = most * 3 / 4) {
    std::string text = BuildBrief(section, level, most, random);
    if (text.size() <= kMostBriefBytes) return text;
  }
  return BuildBrief(section, level, kLeast, random);
}

std::string ContextMonitor(const StalenessReport& report, std::optional<ContextTier> tier) {
  std::string text = fmt::format("<context-monitor>\nContext tier: {}\nResumption staleness: {}\n",
                                 TierWords(tier).text(), LevelWords(report.level).text());
  if (report.level != Staleness::kFresh) {
    text +=
        "Reminder: the resumption section of ORCHESTRATION.yaml is out of date. Update it now: "
        "belay resumption update T1 (phase start), T2 (phase complete), T4 (agent done) or T8 "
        "(after reading it), with --set next_step=... and --set current_activity=...\n";
  }
  return text + "</context-monitor>";
}

std::string_view ReinjectMarker() {
  return "<!-- L2-REINJECT: rank=9, tokens=25, content=\"Resumption update: MUST update "
         "ORCHESTRATION.yaml resumption section at every state transition "
         "(phase/QG/agent/compaction).\" -->";
}

std::int64_t ReinjectTokens(std::string_view text) {
  constexpr std::string_view kMarker = "L2-REINJECT:";
  constexpr std::string_view kTokens = "tokens=";
  std::int64_t total = 0;
  for (std::size_t at = text.find(kMarker); at != text.npos; at = text.find(kMarker, at + 1)) {
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    const std::size_t field = line.find(kTokens);
    if (field == line.npos) continue;
    std::int64_t tokens = 0;
    const char* digits = line.data() + field + kTokens.size();
    if (std::from_chars(digits, line.data() + line.size(), tokens).ec == std::errc() &&
        tokens > 0) {
      total += std::min<std::int64_t>(tokens, 1'000'000);
    }
  }
  return total;
}

}  // namespace belay
