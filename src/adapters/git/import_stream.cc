#include "adapters/git/import_stream.h"

#include <fmt/core.h>

#include "adapters/git/fields.h"

namespace belay {
namespace {

std::string Text(const ImportRef& ref) {
  return ref.id ? ref.id->text() : fmt::format(":{}", ref.mark);
}

// A path that starts with a quote is taken as quoted, and one with a newline has to be.
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

// The tree is that of the first parent only if it is given with "from".
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

// A commit needs the name of a branch: one of its own, since nothing reads it again.
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
