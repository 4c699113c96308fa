// Describes a family of records: a struct of static members, from which Ledger<F>
// (ledger/ledger.h) and the table of families (ledger/family_table.h) are made.
//
//   struct TaintFamily : FamilyDefaults {
//     using Book = TaintBook;           // Apply(record), Forget(), unreadable(), Snapshot(now)
//     using LedgerClass = TaintLedger;  // Ledger<TaintFamily> and what is done to taint only
//     static constexpr std::string_view kJournal = "taint";
//     // Where they differ from the defaults:
//     static Result<void> EachRendering(const Book&, const Layout&, const RenderingSink&);
//     static RecordText LogText(const Json& record);
//     static std::optional<RecordText> WhyText(const Json& record);
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
#include "ledger/state_file.h"
#include "store/layout.h"

namespace belay {

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

// A record that may be in any journal: a rendering was edited by hand, and is kept.
Json EditedNote(WallTime at, std::string_view file, std::string_view kept_as);
bool IsEditedNote(const Json& record);

// A file of the state root, and its required content.
struct Rendering {
  std::string path;
  std::function<Json()> record;  // only as long as the sink is called
};
using RenderingSink = std::function<Result<void>(const Rendering&)>;

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
concept HasRenderings = requires(const typename F::Book& book, const Layout& project,
                                 const RenderingSink& sink) {
  F::EachRendering(book, project, sink);
};

}  // namespace belay

#endif  // BELAY_LEDGER_FAMILY_H_
