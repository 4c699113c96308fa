#include "engine/messages/landing_problem.h"

#include <charconv>

#include "codec/json_member.h"
#include "engine/merge/merge_text.h"

namespace belay {
namespace {

constexpr std::size_t kShortCommit = 10;

QuotedLine Quoted(const Json& problem, std::string_view key) {
  return QuotedLine(ForeignText(TextIn(problem, key)));
}

// "m7" is 7.
std::optional<std::uint64_t> EntryNumber(const Json& problem) {
  const std::string id = TextIn(problem, "entry_id");
  std::uint64_t number = 0;
  if (!id.starts_with('m')) return std::nullopt;
  const char* const end = id.data() + id.size();
  const auto read = std::from_chars(id.data() + 1, end, number);
  return read.ec == std::errc() && read.ptr == end ? std::optional(number) : std::nullopt;
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
    text.Say("Your MERGE_READY was not accepted: nothing is queued.");
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
        "1. Commit what you have.\n"
        "2. `git rebase {}`; resolve each conflict so that both sides keep their meaning,\n"
        "   then `git add FILE` and `git rebase --continue`.\n"
        "3. Run the tests.\n"
        "4. Hand it in again: `belay signal send MERGE_READY --to guardian`.\n"
        "Never merge into the target or push to it yourself.",
        *target);
  } else if (target) {
    text.Say(
        "To fix it, in your worktree:\n"
        "1. Read the output, if a file is named for it, and find the cause.\n"
        "2. Commit what you have, then `git rebase {}`: the failure may come from work that\n"
        "   landed before yours.\n"
        "3. Fix the cause, run the tests, commit.\n"
        "4. Hand it in again: `belay signal send MERGE_READY --to guardian`.\n"
        "Never merge into the target or push to it yourself.",
        *target);
  } else {
    text.Say(
        "Fix the cause in your worktree (bring the branch up to date with its target by\n"
        "git rebase where that is the cause), run the tests, commit, and hand it in again:\n"
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
                             {"text", MendText(entry)}});
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
        "A person was asked about it: you can't fix this by yourself. Don't hand it in again\n"
        "until the person has answered.");
  } else {
    SayFix(problem, text);
  }
}

}  // namespace belay
