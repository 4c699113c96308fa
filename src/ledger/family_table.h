// The table of all families of records, and one ledger of each: operations on every family loop
// over one of these two.

#ifndef BELAY_LEDGER_FAMILY_TABLE_H_
#define BELAY_LEDGER_FAMILY_TABLE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/delivery_ledger.h"
#include "ledger/family.h"
#include "ledger/hook_ledger.h"
#include "ledger/identity_ledger.h"
#include "ledger/merge_ledger.h"
#include "ledger/project_ledger.h"
#include "ledger/resumption_ledger.h"
#include "ledger/snapshot_ledger.h"
#include "ledger/taint_ledger.h"
#include "ledger/task_ledger.h"

namespace belay {

struct Family {
  std::string_view journal;
  bool rendered;                                       // it has files in the state root
  Following follow;                                    // what the guardian does as it grows
  std::uint64_t smallest_compacted;                    // bytes
  std::vector<std::string> (*folders)(const Layout&);  // of its renderings, beside the state root
  RecordText (*log_text)(const Json& record);          // for `belay log`
  // For `belay why AGENT`, with the identity that it is about, if any. Nothing: not shown.
  std::optional<RecordText> (*why_text)(const Json& record);
};

std::span<const Family> Families();
const Family* FindFamily(std::string_view journal);
// Of any journal; for an unknown one, the record's single values.
RecordText ReadRecordText(std::string_view journal, const Json& record);
// Where the renderings of any journal are.
RenderingPlace RenderingPlaceOf(const Layout& project, std::string_view journal);
// The journals without a record of which there are renderings (CheckRenderingsRecorded).
struct UnrecordedRenderings {
  std::string_view journal;
  Error error;
};
std::vector<UnrecordedRenderings> FindUnrecordedRenderings(FileSystem& files,
                                                           const Layout& project);
// The folders in which there are renderings, the state root first.
std::vector<std::string> RenderingFolders(const Layout& project);

// The ledger of one family, and of all of them.
template <class F>
struct LedgerHolder {
  typename F::LedgerClass ledger;
};

template <class List>
class LedgerPack;

template <class... F>
class LedgerPack<FamilyNames<F...>> : private LedgerHolder<F>... {
 public:
  LedgerPack(FileSystem& files, const Clock& clock, const Layout& project)
      : LedgerHolder<F>{{files, clock, project}}... {}
  LedgerPack(const LedgerPack&) = delete;
  LedgerPack& operator=(const LedgerPack&) = delete;

  template <class One>
  typename One::LedgerClass& Get() {
    return LedgerHolder<One>::ledger;
  }
  std::span<AnyLedger* const> all() const { return all_; }

 private:
  AnyLedger* all_[sizeof...(F)] = {&static_cast<LedgerHolder<F>*>(this)->ledger...};
};

using Ledgers = LedgerPack<FamilyList>;

}  // namespace belay

#endif  // BELAY_LEDGER_FAMILY_TABLE_H_
