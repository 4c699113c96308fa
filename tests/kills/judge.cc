#include "kills/judge.h"

#include <fmt/core.h>

#include "base/path.h"
#include "kills/worker.h"
#include "store/durable_file.h"

namespace belay {
namespace {

using std::chrono::seconds;

void MoveInto(Problems& all, Problems some) {
  std::move(some.begin(), some.end(), std::back_inserter(all));
}

// Cleans as the next process would, which must take every lock at once.
Result<void> Clean(FileSystem& files, const std::string& folder, const std::string& lock) {
  BELAY_TRY_ASSIGN(const StateLock held, StateLock::Acquire(files, lock, seconds(0)));
  return RemoveLeftovers(files, folder);
}

Result<void> CleanAll(FileSystem& files, const std::string& folder) {
  BELAY_TRY(Clean(files, folder, JoinPath(folder, "shared.lock")));
  BELAY_TRY(Clean(files, folder, JoinPath(folder, "journal.lock")));
  const std::string inbox = JoinPath(folder, "inbox");
  BELAY_TRY(EnsureFolder(files, inbox));
  return Clean(files, inbox, JoinPath(inbox, "lock"));
}

Problems FindLeftovers(const FileSystem& files, const std::string& folder) {
  Problems problems;
  const Result<std::vector<std::string>> names = files.List(folder);
  if (!names) return {{Problem::Kind::kWrong, names.error().message}};
  for (const std::string& name : *names) {
    if (IsTemporaryName(name) || name.find(".damaged-") != std::string::npos) {
      problems.push_back({Problem::Kind::kWrong, fmt::format("{}/{} is left", folder, name)});
    }
    if (name == "dead") problems.push_back({Problem::Kind::kTorn, "a message was unreadable"});
  }
  return problems;
}

// One of each operation, as the next process would do it.
Result<void> GoOn(FileSystem& files, const std::string& folder) {
  SystemClock clock;
  SystemRandom random;
  const std::vector<Json> records = {MakeObject({{"last", true}})};
  BELAY_TRY_ASSIGN(const StateLock lock,
                   StateLock::Acquire(files, JoinPath(folder, "journal.lock"), seconds(0)));
  Journal journal(files, JoinPath(folder, "journal"), std::string(kJournalName));
  BELAY_TRY(journal.Append(lock, records, {}));
  BELAY_TRY(journal.Compact(lock, {}, [&] { return std::vector<Json>(records); }));
  BELAY_TRY(ReplaceFileKeepingPrevious(files, JoinPath(folder, "shared-kept"), "last"));
  Inbox inbox(files, clock, random, JoinPath(folder, "inbox"), seconds(0));
  BELAY_TRY_ASSIGN(const std::string id, inbox.Deliver("judge", records[0]));
  BELAY_TRY(inbox.Take(kLease));
  return inbox.Acknowledge(id);
}

}  // namespace

Problems JudgeFolder(FileSystem& files, const std::string& folder) {
  if (const Result<void> cleaned = CleanAll(files, folder); !cleaned) {
    return {{Problem::Kind::kWrong, cleaned.error().message}};
  }
  Problems problems = FindLeftovers(files, folder);
  MoveInto(problems, FindLeftovers(files, JoinPath(folder, "inbox")));
  if (const Result<void> went = GoOn(files, folder); !went) {
    problems.push_back({Problem::Kind::kWrong, "can't go on: " + went.error().message});
  }
  return problems;
}

Problems Judge(FileSystem& files, const std::string& folder, const Ledger& ledger) {
  Problems problems;
  for (const std::string& failure : ledger.failures()) {
    const bool torn = failure.find("torn") != std::string::npos;
    problems.push_back({torn ? Problem::Kind::kTorn : Problem::Kind::kWrong, failure});
  }
  MoveInto(problems, JudgeFiles(files, folder, ledger));
  MoveInto(problems, JudgeJournal(files, folder, ledger));
  MoveInto(problems, JudgeInbox(files, folder, ledger));
  // What is broken already must stay as it was found.
  if (problems.empty()) problems = JudgeFolder(files, folder);
  return problems;
}

}  // namespace belay
