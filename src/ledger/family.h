// Describes a family of records: a struct of static members, from which Ledger<F>
// (ledger/ledger.h) and the table of families (ledger/family_table.h) are made.
//
//   struct TaintFamily : FamilyDefaults {
//     using Book = TaintBook;           // Apply(record), Forget(), unreadable(), Snapshot(now)
//     using LedgerClass = TaintLedger;  // Ledger<TaintFamily> and what is done to taint only
//     static constexpr std::string_view kJournal = "taint";
//     // The version of its records, if they aren't in model/stored_record.h. Its golden files are
//     // made of the examples in ledger/test_families.h.
//     static constexpr const RecordFormat& kFormat = kTaintFormat;
//     // Where they differ from the defaults:
//     static Result<void> EachRendering(const Book&, const Layout&, const RenderingSink&);
//     static RecordText LogText(const Json& record);
//     static std::optional<RecordText> WhyText(const Json& record);
//     static void EachNamedSnapshot(const Book&, const SnapshotNameSink&);
//   };

#ifndef BELAY_LEDGER_FAMILY_H_
#define BELAY_LEDGER_FAMILY_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "codec/json.h"
#include "ledger/ledger_journal.h"
#include "os/file_system.h"
#include "store/layout.h"
#include "store/state_lock.h"

namespace belay {

// Updates one rendering of the state root. The state root may be wiped at any moment, so every
// missing folder above it is created.

enum class Previous { kGone, kKept };  // the version before, as PATH.prev

struct StateFileRules {
  Previous previous = Previous::kGone;
  // An edited file was kept at that path; called before it is replaced.
  std::function<Result<void>(const std::string& kept)> edited = [](const std::string&) {
    return Result<void>();
  };
};

// Writes `record` to the file. It is never torn, and its content is on the disk.
Result<void> UpdateStateFile(FileSystem& files, const StateLock& lock, const Layout& project,
                             const std::string& path, const Json& record,
                             const StateFileRules& rules);

// Removes a file that has no record any more; an edited one is kept first.
Result<void> RemoveStateFile(FileSystem& files, const StateLock& lock, const Layout& project,
                             const std::string& path, const StateFileRules& rules);

// Removes what a crash left of files that were being replaced, in a folder that is written only
// under this lock. A missing folder is fine.
Result<void> RemoveStateLeftovers(FileSystem& files, const StateLock& lock,
                                  const std::string& folder);

// Renderings that belay wrote are proof of records. If the journal doesn't have these records, they
// are lost, and the renderings are all that is left of them: so they are kept before anything else
// is done to them.

// Where the renderings of a family are: its own file in the state root, and its folders.
struct RenderingPlace {
  std::string file;
  std::vector<std::string> folders;
};

// kDamaged when the journal has no record at all, and belay has written a rendering of it.
Result<void> CheckRenderingsRecorded(FileSystem& files, const Layout& project,
                                     std::string_view journal, const RenderingPlace& place);
// A copy of every file there, in Layout::EditedFolder. Gives the path of each file and of its copy.
struct KeptRendering {
  std::string path;
  std::string kept_as;
};
Result<std::vector<KeptRendering>> KeepRenderings(FileSystem& files, const Layout& project,
                                                  const RenderingPlace& place);

// For a loop that goes on after a failure: `first` is the first one.
inline void KeepFirst(Result<void> outcome, Result<void>& first) {
  if (!outcome && first) first = std::move(outcome);
}

// A record of a journal in a few words: the agent it is about, what happened, and why.

// Includes text of other programs: make it printable before showing it.
struct RecordText {
  std::string who;            // "orchestrator-login#3"; empty: no agent
  std::string what;           // its kind
  std::string why;            // one line
  std::string identity = {};  // "orchestrator-login", for `belay why`; empty: as `who` says
};

// Its kind and its reason.
RecordText KindAndWhy(const Json& record);
// The same, with the record's single values as its reason.
RecordText PlainRecordText(const Json& record);
std::string SingleValues(const Json& record);

// EditedRecord (model/project.h) may be in any journal: a rendering was edited by hand, and is
// kept.
bool IsEditedNote(const Json& record);

// A file of the state root, and its required content.
struct Rendering {
  std::string path;
  std::function<Json()> record;  // only as long as the sink is called
};
using RenderingSink = std::function<Result<void>(const Rendering&)>;

// Called with the commit, or the id, of each snapshot that must be kept.
using SnapshotNameSink = std::function<void(std::string_view name)>;

// What the guardian does when others have recorded something.
enum class Following {
  kNot,
  kWhole,     // it renders the family again
  kEachAgent  // it looks at each agent that changed, and renders that one's
};

struct FamilyDefaults {
  // A shorter journal isn't compacted.
  static constexpr std::uint64_t kSmallestCompacted = LedgerJournal::kSmallestCompacted;
  // Before what happened, in `belay why AGENT`: "hook ".
  static constexpr std::string_view kWhyPrefix = "";
  static constexpr Following kFollow = Following::kNot;
  static constexpr Previous kPrevious = Previous::kGone;
  // Whether the book counts edits of renderings; else it never sees these records.
  static constexpr bool kCountsEdits = false;
  // Of its renderings; empty: they are in the state root itself.
  static std::vector<std::string> Folders(const Layout&) { return {}; }
};

template <class F>
concept HasFormat = requires {
  F::kFormat;
};

template <class F>
concept HasRenderings = requires(const typename F::Book& book, const Layout& project,
                                 const RenderingSink& sink) {
  F::EachRendering(book, project, sink);
};

}  // namespace belay

#endif  // BELAY_LEDGER_FAMILY_H_
