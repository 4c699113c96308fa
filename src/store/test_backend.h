// Short ways to write to a Backend and to show what it says; for its tests.

#ifndef BELAY_STORE_TEST_BACKEND_H_
#define BELAY_STORE_TEST_BACKEND_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/backend.h"
#include "store/journal.h"
#include "store/state_lock.h"

namespace belay {

inline Json Value(std::string_view text) { return MakeObject({{"text", text}}); }

// "a=1 b=2"; of changes also what is gone: "a=1 b=2 -c".
inline std::string Show(const std::vector<BackendEntry>& entries) {
  std::string text;
  for (const BackendEntry& entry : entries) {
    text += (text.empty() ? "" : " ") + entry.key + "=" + *entry.value.Find("text")->AsString();
  }
  return text;
}

inline std::string Show(const Result<BackendChanges>& changes) {
  if (!changes) return "error: " + changes.error().message;
  std::string text = Show(changes->put);
  for (const std::string& key : changes->gone) text += " -" + key;
  return text;
}

// 0 when it was lost.
inline Revision Put(Backend& backend, const std::string& key, std::string_view text,
                    Revision expected = 0, std::optional<LeaseId> lease = {}) {
  const Result<WriteOutcome> put = backend.Put(key, Value(text), expected, lease);
  EXPECT_TRUE(put.ok()) << put.error().message;
  return put && put->written ? put->now->version : 0;
}

inline std::string List(Backend& backend, const std::string& prefix = "") {
  const Result<BackendListing> listing = backend.List(prefix);
  return listing ? Show(listing->entries) : "error: " + listing.error().message;
}

// As another belay would.
inline void AddToJournal(FileSystem& files, const std::string& folder, const Json& record) {
  const Result<StateLock> lock = StateLock::Acquire(files, folder + "/lock", Duration(0));
  ASSERT_TRUE(lock.ok());
  const std::vector<Json> records = {record};
  ASSERT_TRUE(Journal(files, folder + "/journal", "backend").Append(*lock, records, {}).ok());
}

}  // namespace belay

#endif  // BELAY_STORE_TEST_BACKEND_H_
