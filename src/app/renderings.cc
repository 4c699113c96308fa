#include "app/renderings.h"

namespace belay {

Result<std::vector<OddRendering>> FindOddRenderings(const FileSystem& files, AnyLedger& ledger) {
  BELAY_TRY(ledger.CatchUp());
  std::vector<OddRendering> odd;
  BELAY_TRY(ledger.EachRendering([&](const Rendering& one) -> Result<void> {
    BELAY_TRY_ASSIGN(const RenderingState state, InspectRendering(files, one.path, one.record()));
    if (state != RenderingState::kCurrent) odd.push_back({one.path, state});
    return {};
  }));
  return odd;
}

}  // namespace belay
