// The one place that writes hooks: the journal "hooks", and its renderings in the state root,
// hooks/{role}-{name}.json, each with the version before it as .json.prev.

#ifndef BELAY_LEDGER_HOOK_LEDGER_H_
#define BELAY_LEDGER_HOOK_LEDGER_H_

#include <functional>
#include <string>

#include "base/result.h"
#include "ledger/ledger.h"
#include "model/hook.h"
#include "os/file_system.h"
#include "store/layout.h"

namespace belay {

class HookLedger;
struct HookFamily : FamilyDefaults {
  using Book = HookBook;
  using LedgerClass = HookLedger;
  static constexpr std::string_view kJournal = "hooks";
  static constexpr std::string_view kWhyPrefix = "hook ";
  static constexpr Following kFollow = Following::kEachAgent;
  static constexpr Previous kPrevious = Previous::kKept;
  static std::vector<std::string> Folders(const Layout& project) { return {project.HooksFolder()}; }
  static Result<void> EachRendering(const Book& book, const Layout& project,
                                    const RenderingSink& sink);
  static RecordText LogText(const Json& record);
};
using HookLock = FamilyLock<HookFamily>;

class HookLedger : public Ledger<HookFamily> {
 public:
  using Ledger::book;
  using Ledger::Ledger;
  using Ledger::Render;
  HookBook& book() { return book_; }

  // Like CatchUp, but only for HookBook::Summary: a fraction of the work for very many hooks.
  Result<void> Skim() { return journal_.CatchUp(Follower()); }

  // On the disk when it returns. kRefused for an incarnation earlier than the book's.
  Result<void> Record(const HookLock& lock, std::string_view kind, std::string_view why,
                      const Hook& hook);
  // Catches up, lets `edit` change the hook, and records it if it did. kNotFound when there is
  // none. `incarnation`: the writer's; one earlier than the hook's is kRefused (the fence), and
  // nothing is changed. None: the user or the guardian.
  Result<Hook> Change(const HookLock& lock, const IdentityName& name,
                      std::optional<std::uint32_t> incarnation, std::string_view kind,
                      std::string_view why, const std::function<void(Hook&)>& edit);

  Result<void> Render(const HookLock& lock, const IdentityName& name);
  std::vector<RenderJob> RenderJobs() override;
  RenderJob RenderJobOf(const IdentityName& name);
};

}  // namespace belay

#endif  // BELAY_LEDGER_HOOK_LEDGER_H_
