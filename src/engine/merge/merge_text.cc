#include "engine/merge/merge_text.h"

#include <fmt/core.h>

#include "base/text.h"
#include "base/utf8.h"
#include "prompt/foreign_text.h"

namespace belay {
namespace {

constexpr std::size_t kNamedFiles = 3;  // in one line
constexpr std::size_t kLongestPath = 100;
constexpr std::size_t kDetailedFiles = 50;  // in a report

std::string Lines(const ConflictLines& lines) {
  if (lines.count == 0) return fmt::format("before line {}", lines.first);
  if (lines.count == 1) return fmt::format("line {}", lines.first);
  return fmt::format("lines {}-{}", lines.first, lines.first + lines.count - 1);
}

std::string Quoted(std::string_view text) { return QuotedLine(ForeignText(text)).text(); }

std::string FileDetails(const MergeEntry& entry, const ConflictFile& file) {
  std::string line = fmt::format("{} ({})", Quoted(file.path), file.what);
  for (const ConflictHunk& hunk : file.hunks) {
    line += fmt::format("; {} of {}, {} of {}", Lines(hunk.target), entry.target,
                        Lines(hunk.branch), entry.branch);
  }
  return line + "\n";
}

std::string ShortCommits(const std::vector<std::string>& commits) {
  if (commits.empty()) return "(none)";
  return Join(commits, ", ", [](const std::string& commit) { return commit.substr(0, 10); });
}

}  // namespace

std::string ConflictLine(const MergeEntry& entry) {
  const std::vector<ConflictFile>& files = entry.conflict.files;
  std::string line = fmt::format("conflict with {} in {} file{}", entry.target, files.size(),
                                 files.size() == 1 ? "" : "s");
  for (std::size_t i = 0; i < files.size() && i < kNamedFiles; ++i) {
    line += fmt::format("{}{}", i == 0 ? ": " : ", ", CutCodePoints(files[i].path, kLongestPath));
  }
  if (files.size() > kNamedFiles) line += ", ...";
  return line;
}

std::string GateLine(const GateResult& result) {
  return fmt::format("gate {}: {}", result.name, result.detail);
}

std::string ConflictDetails(const MergeEntry& entry) {
  std::string text;
  const std::vector<ConflictFile>& files = entry.conflict.files;
  for (std::size_t i = 0; i < files.size() && i < kDetailedFiles; ++i) {
    text += FileDetails(entry, files[i]);
  }
  if (files.size() > kDetailedFiles) {
    text += fmt::format("and {} more\n", files.size() - kDetailedFiles);
  }
  return text;
}

std::string ConflictSides(const MergeEntry& entry) {
  if (entry.conflict.files.empty()) return {};
  return fmt::format("commit {} of {} conflicts with these commits of {}: {}",
                     entry.conflict.commit.substr(0, 10), entry.branch, entry.target,
                     ShortCommits(entry.conflict.target));
}

std::string ShellWord(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./@%+=:,";
  const bool plain = !text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos;
  return plain ? std::string(text) : ShellQuoted(text);
}

bool WaitsForApproval(const MergeEntry& entry) {
  return entry.status == MergeStatus::kGateUnrunnable && entry.settings_allowed != entry.head &&
         entry.last_error.find(kApproveOption) != std::string::npos;
}

std::string RetryCommand(const MergeEntry& entry) {
  return fmt::format("belay merge-queue retry {}{}{}", entry.id(),
                     WaitsForApproval(entry) ? " " : "",
                     WaitsForApproval(entry) ? kApproveOption : std::string_view());
}

std::string AddCommand(const MergeEntry& entry) {
  return fmt::format("belay merge-queue add {} --target {}", ShellWord(entry.branch),
                     ShellWord(entry.target));
}

std::string MergedWhy(std::string_view target, std::string_view proof) {
  if (proof == "landed") return fmt::format("it landed on {}", target);
  if (proof == "ancestry") return fmt::format("{} has its commits already", target);
  return fmt::format("{} has its changes already ({})", target, proof);
}

std::string LostWaitLine(const MergeBook& book, const LostWait& lost) {
  const MergeEntry* other = book.Find(lost.waits_for);
  return fmt::format(
      "it depends on m{}{}, which won't land; {} lands it anyway", lost.waits_for,
      other != nullptr ? fmt::format(" ({}: {})", other->branch, other->last_error) : std::string(),
      AddCommand(*lost.entry));
}

std::string FixText(const MergeEntry& entry) {
  std::string text = fmt::format("Your branch {} could not land on {} ({}): {}.\n", entry.branch,
                                 entry.target, entry.id(), Quoted(entry.last_error));
  if (!entry.conflict.files.empty()) {
    text += fmt::format("Your commit {} conflicts with these commits of {}: {}.\n",
                        entry.conflict.commit.substr(0, 10), entry.target,
                        ShortCommits(entry.conflict.target));
    text += ConflictDetails(entry);
  }
  if (!entry.gate_results.empty()) {
    text += fmt::format("The output is in {}.\n", entry.gate_results.back().log);
  }
  text += fmt::format(
      "Bring {0} up to date with {1} (git rebase {1}), fix it, commit, and send MERGE_READY again: "
      "belay signal send MERGE_READY --to guardian. Don't merge into {1} yourself.\n",
      entry.branch, entry.target);
  return text;
}

std::string PersonText(const MergeEntry& entry) {
  std::string text = fmt::format("{} could not land on {} ({}): {}.\n", entry.branch, entry.target,
                                 entry.id(), Quoted(entry.last_error));
  if (!entry.conflict.files.empty()) {
    text += fmt::format("{}.\n{}", ConflictSides(entry), ConflictDetails(entry));
    text += fmt::format("To fix it: run git rebase {} on {}, then {}.\n", entry.target,
                        entry.branch, RetryCommand(entry));
  } else if (WaitsForApproval(entry)) {
    text += fmt::format("To approve it: {}.\n", RetryCommand(entry));
  } else {
    if (!entry.gate_results.empty()) {
      text += fmt::format("The output is in {}.\n", entry.gate_results.back().log);
    }
    text += fmt::format("Once the cause is fixed: {}.\n", RetryCommand(entry));
  }
  return text + fmt::format("To drop it: belay merge-queue remove {}.\n", entry.id());
}

}  // namespace belay
