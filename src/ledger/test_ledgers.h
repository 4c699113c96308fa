// What the tests of the ledgers share.

#ifndef BELAY_LEDGER_TEST_LEDGERS_H_
#define BELAY_LEDGER_TEST_LEDGERS_H_

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>

#include "store/journal.h"
#include "testing/fake_clock.h"
#include "testing/simulated_disk.h"

namespace belay {

inline void MakeFolders(SimulatedDisk& disk) {
  for (const char* path : {"/r", "/r/.git", "/r/.git/belay"}) {
    ASSERT_EQ(disk.MakeFolder(path, 0700), 0);
  }
  disk.SyncEverything();
}

// The state root is wiped.
inline void Wipe(SimulatedDisk& disk) {
  FileSystem files(disk);
  ASSERT_TRUE(files.RemoveTree("/r/.claude").ok());
}

// A project on a simulated disk, as one process sees it.
template <class Ledger>
class LedgerWorld {
 public:
  explicit LedgerWorld(FileCalls& calls) : files_(calls) {}

  // A simulated disk can't be asked whether the vault is writable.
  auto Lock() { return Ledger::LockUnchecked(files_, layout_); }

  std::string Read(const std::string& path) const {
    const Result<std::string> text = files_.Read(path, std::size_t{1} << 24U);
    return text ? *text : text.error().message;
  }
  std::size_t CountIn(const std::string& folder) const {
    const auto names = files_.List(folder);
    return names ? names->size() : 0;
  }
  // "spawning|alive|": the kinds of the records, or what is wrong.
  std::string Kinds() {
    std::string text;
    const std::string name(ledger_.journal());
    Journal journal(files_, layout_.JournalFile(name), name);
    const Result<void> read = journal.CatchUp({.record = [&](std::uint64_t, const Json& record) {
      text += fmt::format("{}|", *record.Find("kind")->AsString());
    }});
    return read ? text : read.error().message;
  }

  FileSystem files_;
  FakeClock clock_;
  Layout layout_{"/r", "/r/.git"};
  Ledger ledger_{files_, clock_, layout_};
};

}  // namespace belay

#endif  // BELAY_LEDGER_TEST_LEDGERS_H_
