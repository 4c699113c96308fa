#include "engine/messages/message_text.h"

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"
#include "engine/merge/merge_text.h"

namespace belay {
namespace {

constexpr std::size_t kLongestPart = 8'000;  // code points of the user's text in one answer

struct Place {
  std::size_t number;
  std::size_t of;
  CommandWord mark;
};

bool IsOfUser(const Signal& signal) { return signal.from == "person"; }

std::string WordsOf(const Signal& signal) {
  return ForeignText(TextIn(signal.payload, "text")).text();
}

// Only the user's text is given in full; everything else is cut to fit.
std::uint64_t PartsOf(const Signal& signal) {
  if (!IsOfUser(signal)) return 1;
  const std::size_t length = CountCodePoints(WordsOf(signal));
  return length <= kLongestPart ? 1 : (length + kLongestPart - 1) / kLongestPart;
}

std::string PartOf(const Signal& signal, std::uint64_t part) {
  const std::string words = WordsOf(signal);
  std::string_view rest = words;
  for (std::uint64_t i = 0; i < part; ++i) {
    rest.remove_prefix(CutCodePoints(rest, kLongestPart).size());
  }
  return std::string(CutCodePoints(rest, kLongestPart));
}

CommandWord MarkOf(const Signal& signal) {
  const auto mark = CommandWord::From(MessageMark(signal.id));
  return mark ? *mark : *CommandWord::From("unmarked");
}

void SayUsers(const Signal& signal, const Place& place, PromptBuilder& text) {
  if (signal.type == SignalType::kInputResponse) {
    text.Say("Message {} of {} ({}), sent at {}. The user answers your question:", place.number,
             place.of, place.mark, signal.at);
  } else {
    text.Say("Message {} of {} ({}), sent at {}. The user says:", place.number, place.of,
             place.mark, signal.at);
  }
  text.Quote({Speaker::kUser, ForeignText(TextIn(signal.payload, "text"))});
}

void SayBelays(const Signal& signal, const Place& place, PromptBuilder& text) {
  text.Say("Message {} of {} ({}), sent at {}. belay, which supervises you, says:", place.number,
           place.of, place.mark, signal.at);
  text.Quote({Speaker::kBelay, ForeignText(TextIn(signal.payload, "text"))});
  const ForeignText data(TextIn(signal.payload, "data"));
  if (data.empty()) return;
  text.Show(
      {.label = "data of the message", .text = data, .shown_by = OwnWords("belay log"), .rank = 1});
}

void SayOthers(const Signal& signal, const Place& place, PromptBuilder& text) {
  text.Say("Message {} of {} ({}), sent at {}.", place.number, place.of, place.mark, signal.at);
  text.Show({.label = "message from another process",
             .text = ForeignText(TextIn(signal.payload, "text")),
             .shown_by = OwnWords("belay log"),
             .rank = 2});
}

void SayOne(const Signal& signal, const Place& place, PromptBuilder& text) {
  const bool landing =
      signal.type == SignalType::kMergeConflict || signal.type == SignalType::kMergeFailed;
  if (landing && signal.from == "guardian") {
    text.Say("Message {} of {} ({}), sent at {}. The merge queue reports:", place.number, place.of,
             place.mark, signal.at);
    SayLandingProblem(signal.payload, text);
  } else if (IsOfUser(signal)) {
    SayUsers(signal, place, text);
  } else if (signal.from == "guardian") {
    SayBelays(signal, place, text);
  } else {
    SayOthers(signal, place, text);
  }
}

std::string TextOf(std::span<const Signal> messages, Random& random) {
  PromptBuilder text(kLongestAnswer);
  SayMessages(messages, text);
  return text.Build(random);
}

std::string PartText(const Signal& signal, std::uint64_t part, std::uint64_t parts,
                     Random& random) {
  PromptBuilder text(kLongestAnswer);
  text.Say("The user sent you a long message ({}) at {}. This is part {} of {}:", MarkOf(signal),
           signal.at, part + 1, parts);
  text.Quote({Speaker::kUser, ForeignText(PartOf(signal, part))});
  if (part + 1 < parts) {
    text.Say(
        "You get the next part with your next tool call, or when you end your turn. Act on the\n"
        "message when you have all of it.");
  } else {
    text.Say("That was the last part. Act on the message, then continue your work.");
  }
  return text.Build(random);
}

bool IsLater(const Delivery& given, const AgentEvent& event) {
  const bool same =
      given.session.empty() || event.session.empty() || given.session == event.session;
  return same && !event.nested && given.delivered_at && event.at > *given.delivered_at;
}

Reading ReadOr(bool read, bool ended) {
  if (read) return Reading::kRead;
  return ended ? Reading::kUnread : Reading::kUnknown;
}

}  // namespace

void SayMessages(std::span<const Signal> messages, PromptBuilder& text) {
  text.Say("You have new messages: {}, oldest first. Each is delivered once.", messages.size());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    SayOne(messages[i], {i + 1, messages.size(), MarkOf(messages[i])}, text);
  }
  text.Say("Act on them, then continue your work.");
}

MessageAnswer AnswerWithMessages(std::span<const Signal> messages, std::uint64_t part,
                                 Random& random) {
  const Signal& first = messages.front();
  const std::uint64_t parts = PartsOf(first);
  if (parts > 1) {
    const std::uint64_t now = std::min(part, parts - 1);
    const bool last = now + 1 == parts;
    return {PartText(first, now, parts, random), last ? std::size_t{1} : 0, last ? 0 : now + 1};
  }
  MessageAnswer answer{TextOf(messages.first(1), random), 1};
  while (answer.given < messages.size() && PartsOf(messages[answer.given]) == 1) {
    std::string longer = TextOf(messages.first(answer.given + 1), random);
    if (CountCodePoints(longer) > kLongestAnswer) break;
    answer.text = std::move(longer);
    ++answer.given;
  }
  return answer;
}

namespace {

constexpr std::size_t kShortCommit = 10;

QuotedLine Quoted(const Json& problem, std::string_view key) {
  return QuotedLine(ForeignText(TextIn(problem, key)));
}

// "m7" is 7.
std::optional<std::uint64_t> EntryNumber(const Json& problem) {
  const std::string id = TextIn(problem, "entry_id");
  if (!id.starts_with('m')) return std::nullopt;
  return ParseNumber<std::uint64_t>(std::string_view(id).substr(1));
}

std::string ShortList(const Json& problem, std::string_view key) {
  const Json* list = problem.Find(key);
  std::string text;
  if (list == nullptr || list->AsArray() == nullptr) return text;
  for (const Json& one : *list->AsArray()) {
    if (one.AsString() == nullptr) continue;
    text += (text.empty() ? "" : ", ") + one.AsString()->substr(0, kShortCommit);
  }
  return text;
}

bool Flag(const Json& problem, std::string_view key) {
  const Json* value = problem.Find(key);
  return value != nullptr && value->AsBool() != nullptr && *value->AsBool();
}

bool IsConflict(const Json& problem) { return !TextIn(problem, "details").empty(); }

OwnWords ShownBy(const Json& problem) {
  if (const auto number = EntryNumber(problem)) return OwnWords("belay why m{}", *number);
  return OwnWords("belay merge-queue list --all");
}

void SayWhat(const Json& problem, PromptBuilder& text) {
  const auto number = EntryNumber(problem);
  if (!number) {
    text.Say("Your MERGE_READY was not accepted: your work is not queued.");
  } else if (IsConflict(problem)) {
    text.Say(
        "Your branch {} could not land on {} (queue entry m{}): it conflicts with work that\n"
        "landed before it. Your branch is unchanged.",
        Quoted(problem, "branch"), Quoted(problem, "target"), *number);
  } else {
    text.Say("Your branch {} could not land on {} (queue entry m{}). It is unchanged.",
             Quoted(problem, "branch"), Quoted(problem, "target"), *number);
  }
}

void ShowData(const Json& problem, PromptBuilder& text) {
  const OwnWords shown_by = ShownBy(problem);
  const ForeignText reason(TextIn(problem, "reason"));
  if (!reason.empty()) {
    text.Show({.label = "reason as recorded", .text = reason, .shown_by = shown_by, .rank = 1});
  }
  const ForeignText log(TextIn(problem, "gate_log"));
  if (!log.empty()) {
    text.Show({.label = "file with the output", .text = log, .shown_by = shown_by, .rank = 1});
  }
  if (!IsConflict(problem)) return;
  text.Show({.label = "files in conflict",
             .text = ForeignText(TextIn(problem, "details")),
             .shown_by = shown_by,
             .rank = 1});
  const std::string sides = "your commit: " + ShortList(problem, "theirs") +
                            "\ncommits of the target: " + ShortList(problem, "ours");
  text.Show({.label = "commits", .text = ForeignText(sides), .shown_by = shown_by, .rank = 2});
}

void SayFix(const Json& problem, PromptBuilder& text) {
  const auto target = CommandWord::From(TextIn(problem, "target"));
  if (target && IsConflict(problem)) {
    text.Say(
        "To fix it, in your worktree:\n"
        "1. Commit your changes.\n"
        "2. `git rebase {}`; resolve each conflict so that both sides keep their meaning,\n"
        "   then `git add FILE` and `git rebase --continue`.\n"
        "3. Run the tests.\n"
        "4. Submit it again: `belay signal send MERGE_READY --to guardian`.\n"
        "Never merge into the target or push to it yourself.",
        *target);
  } else if (target) {
    text.Say(
        "To fix it, in your worktree:\n"
        "1. Read the output file, if one is named above, and find the cause.\n"
        "2. Commit your changes, then `git rebase {}`: the failure may come from work that\n"
        "   landed before yours.\n"
        "3. Fix the cause, run the tests, commit.\n"
        "4. Submit it again: `belay signal send MERGE_READY --to guardian`.\n"
        "Never merge into the target or push to it yourself.",
        *target);
  } else {
    text.Say(
        "Fix the cause in your worktree (if the branch is out of date, git rebase it onto its\n"
        "target), run the tests, commit, and submit it again:\n"
        "`belay signal send MERGE_READY --to guardian`.\n"
        "Never merge into the target or push to it yourself.");
  }
}

}  // namespace

Json LandingProblem(const MergeEntry& entry, bool for_agent) {
  Json::Array files;
  for (const ConflictFile& file : entry.conflict.files) files.push_back(file.path);
  Json::Array ours;
  for (const std::string& commit : entry.conflict.target) ours.push_back(commit);
  const std::string theirs = entry.conflict.commit.empty() ? entry.head : entry.conflict.commit;
  if (ours.empty()) ours.push_back(entry.base);
  Json problem = MakeObject({{"entry_id", entry.id()},
                             {"branch", entry.branch},
                             {"target", entry.target},
                             {"head", entry.head},
                             {"attempts", std::int64_t{entry.attempts}},
                             {"reason", entry.last_error},
                             {"files", std::move(files)},
                             {"ours", std::move(ours)},
                             {"theirs", Json::Array{theirs}},
                             {"for_agent", for_agent},
                             {"text", FixText(entry)}});
  if (!entry.conflict.files.empty()) problem.Set("details", ConflictDetails(entry));
  if (!entry.gate_results.empty()) problem.Set("gate_log", entry.gate_results.back().log);
  return problem;
}

void SayLandingProblem(const Json& problem, PromptBuilder& text) {
  SayWhat(problem, text);
  ShowData(problem, text);
  const bool asked = problem.Find("for_agent") != nullptr && !Flag(problem, "for_agent");
  if (asked) {
    text.Say(
        "You can't fix this yourself, so belay asked a person. Don't submit it again until the\n"
        "person has answered.");
  } else {
    SayFix(problem, text);
  }
}

bool EventsShowReading(const Delivery& given, std::optional<EventKind> by,
                       std::span<const AgentEvent> events) {
  const bool at_call = by && IsToolCall(*by);
  const bool in_text = given.by == kByResumeText;
  for (const AgentEvent& event : events) {
    if (!IsLater(given, event)) continue;
    const bool answers =
        event.kind == EventKind::kTurnEnded || event.kind == EventKind::kToolStarting;
    if (answers || (IsToolCall(event.kind) && !at_call)) return true;
    if (event.kind == EventKind::kPromptSubmitted && !in_text) return false;
  }
  return false;
}

Reading JudgeReading(const Delivery& given, std::optional<EventKind> by,
                     const ReadingEvidence& evidence) {
  const bool shown = evidence.answered || evidence.event;
  if (given.by == kByResumeText) {
    const bool finished = evidence.ended && !evidence.hooks && evidence.clean;
    return ReadOr(shown || finished, evidence.ended);
  }
  if (!evidence.readable) return ReadOr(evidence.event, evidence.ended);
  const bool kept =
      evidence.ended && evidence.last && evidence.written && by != EventKind::kTurnEnded;
  return ReadOr(evidence.answered || kept, evidence.ended);
}

}  // namespace belay
