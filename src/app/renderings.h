// The files of the state root, compared with what the journals say.

#ifndef BELAY_APP_RENDERINGS_H_
#define BELAY_APP_RENDERINGS_H_

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "ledger/ledger.h"
#include "os/file_system.h"
#include "store/rendering.h"

namespace belay {

struct OddRendering {
  std::string path;
  RenderingState state;  // never kCurrent
};

// Those of one family that are lost, edited or out of date. A journal that can't be read is
// kDamaged.
Result<std::vector<OddRendering>> FindOddRenderings(const FileSystem& files, AnyLedger& ledger);

struct StrayFile {
  std::string path;
  bool ours;  // belay wrote it, of something that isn't recorded any more
};

// What lies among the renderings and is none.
Result<std::vector<StrayFile>> FindStrays(const FileSystem& files, const Layout& project,
                                          std::span<AnyLedger* const> ledgers);

}  // namespace belay

#endif  // BELAY_APP_RENDERINGS_H_
