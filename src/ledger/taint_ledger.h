// The one place that writes taint: the journal "taint", and its rendering taint.json.

#ifndef BELAY_LEDGER_TAINT_LEDGER_H_
#define BELAY_LEDGER_TAINT_LEDGER_H_

#include <optional>
#include <string_view>

#include "base/result.h"
#include "ledger/ledger.h"
#include "model/taint.h"
#include "store/layout.h"

namespace belay {

class TaintLedger;
struct TaintFamily : FamilyDefaults {
  using Book = TaintBook;
  using LedgerClass = TaintLedger;
  static constexpr std::string_view kJournal = "taint";
  static constexpr std::string_view kWhyPrefix = "taint ";
  static constexpr Following kFollow = Following::kWhole;
  static Result<void> EachRendering(const Book& book, const Layout& project,
                                    const RenderingSink& sink);
  static RecordText LogText(const Json& record);
};
using TaintLock = FamilyLock<TaintFamily>;

// An unreadable journal is an error: then every session must be treated as tainted.
class TaintLedger : public Ledger<TaintFamily> {
 public:
  using Ledger::Ledger;

  // A session starts: clean without a predecessor; with one, it inherits that one's taint
  // (TaintBook::OfKnown). A session that is already recorded gets what is missing. Durable.
  Result<Taint> Begin(const TaintLock& lock, std::string_view session,
                      std::optional<std::string_view> predecessor);
  // Durable when it returns. An unknown session is begun by it.
  Result<Taint> Mark(const TaintLock& lock, std::string_view session, TaintSource source);
};

}  // namespace belay

#endif  // BELAY_LEDGER_TAINT_LEDGER_H_
