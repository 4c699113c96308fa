#include "app/task_context_file.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/path.h"
#include "engine/task/task_context.h"

namespace belay {

namespace {

// What is there can't be a context file: a link, a folder, far too much text.
bool IsUnusable(const Error& error) {
  return error.code == ErrorCode::kRefused || error.code == ErrorCode::kDamaged;
}

}  // namespace

Document ContextDocument(const Layout& project, const std::string& name) {
  return {.root = project.Root(), .name = name, .copy = project.DocumentCopy(name)};
}

Result<FoundContext> FindContext(Env& env, const Layout& project, const StateLock& lock,
                                 const Task& task) {
  FoundContext found;
  if (!IsContextPathOf(task, task.context_path)) {
    found.read = Error{ErrorCode::kRefused, "its context path isn't one of this task"};
    return found;
  }
  const auto fits = [&](std::string_view bytes) {
    const Result<ParsedContext> copy = ParseContextFile(bytes);
    return copy && copy->intact && copy->context.task_id == task.id;
  };
  Result<DocumentText> text =
      ReadOrRestoreDocument(env.files, lock, ContextDocument(project, task.context_path), fits);
  if (!text) {
    if (!IsUnusable(text.error())) return std::move(text).error();
    found.read = std::move(text).error();
  } else if (text->bytes) {
    found.read = ParseContextFile(*text->bytes);
    found.stamp = text->stamp;
    found.restored = text->restored;
  }
  return found;
}

Result<void> WriteContext(Env& env, const StateLock& lock, const Layout& project,
                          const std::string& name, const std::string& bytes) {
  constexpr int kMostWrites = 3;
  const Document document = ContextDocument(project, name);
  for (int i = 0; i < kMostWrites; ++i) {
    BELAY_TRY_ASSIGN(const DocumentText before, ReadDocument(env.files, document));
    BELAY_TRY_ASSIGN(const DocumentChange change,
                     ReplaceDocument(env.files, lock, document, before.stamp, bytes));
    if (change == DocumentChange::kReplaced) return {};
  }
  return Error{ErrorCode::kBusy, fmt::format("{}: another program keeps changing it", name),
               "try again in a moment"};
}

std::string RunForContext(const Env& env, const Layout& project, Task task, WallTime now) {
  constexpr int kMostRuns = 10;
  const auto is_taken = [&] {
    const auto read = ReadDocument(env.files, ContextDocument(project, ContextPath(task)));
    return !read && IsUnusable(read.error());
  };
  for (int i = 0; i < kMostRuns && (task.run.empty() || is_taken()); ++i) {
    task.run = RunName(now + std::chrono::seconds(i));
  }
  return task.run;
}

std::uint32_t CountOfEarlierContexts(const Env& env, const Layout& project, const Task& task) {
  std::uint32_t count = 0;
  const Result<std::vector<std::string>> runs =
      env.files.List(JoinPath(project.Root(), "tmp/work"));
  if (!runs) return count;
  for (const std::string& run : *runs) {
    Task there = task;
    there.run = run;
    const std::string name = ContextPath(there);
    if (!IsContextPathOf(task, name)) continue;
    const Result<DocumentText> text = ReadDocument(env.files, ContextDocument(project, name));
    if (!text || !text->bytes) continue;
    const Result<ParsedContext> read = ParseContextFile(*text->bytes);
    const bool its = read && read->intact && read->context.task_id == task.id;
    const bool over = its && task.reopened_at && read->context.timestamp <= *task.reopened_at;
    if (its && !over) count = std::max(count, read->context.resume_count);
  }
  return count;
}

}  // namespace belay
