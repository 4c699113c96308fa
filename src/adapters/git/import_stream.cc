#include "adapters/git/import_stream.h"

#include <fmt/core.h>

#include "adapters/git/fields.h"

namespace belay {
namespace {

std::string Text(const ImportRef& ref) {
  return ref.id ? ref.id->text() : fmt::format(":{}", ref.mark);
}

// A path that starts with a quote is read as quoted, and one with a newline must be quoted.
std::string PathText(std::string_view path) { return QuotePath(path); }

std::string Removals(const std::vector<ImportFile>& files) {
  std::string text;
  for (const ImportFile& file : files) {
    if (file.mode == 0) text += fmt::format("D {}\n", PathText(file.path));
  }
  return text;
}

std::string Additions(const std::vector<ImportFile>& files) {
  std::string text;
  for (const ImportFile& file : files) {
    if (file.mode == 0) continue;
    text += fmt::format("M {:o} {} {}\n", file.mode, Text(file.content), PathText(file.path));
  }
  return text;
}

// The tree starts as the first parent's only if that is given with "from".
std::string Parents(const ImportCommit& commit) {
  std::string text;
  for (const ImportRef& parent : commit.parents) {
    const bool first = text.empty() && commit.on_first_parent;
    text += fmt::format("{} {}\n", first ? "from" : "merge", Text(parent));
  }
  return text;
}

}  // namespace

std::string ImportBlobHead(std::uint64_t mark, std::uint64_t bytes) {
  return fmt::format("blob\nmark :{}\ndata {}\n", mark, bytes);
}

// A commit needs a branch name: each gets its own, which is never read again.
std::string ImportCommitText(const ImportCommit& commit) {
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(commit.at.time_since_epoch()).count();
  return fmt::format(
             "commit refs/import/{}\nmark :{}\ncommitter belay <belay@localhost> {} +0000\ndata "
             "{}\n{}\n",
             commit.mark, commit.mark, seconds, commit.message.size(), commit.message) +
         Parents(commit) + Removals(commit.files) + Additions(commit.files) + "\n";
}

std::string ImportQuestion(std::uint64_t mark) { return fmt::format("get-mark :{}\n", mark); }

}  // namespace belay
