// The files of the state root, compared with what the journals say.

#ifndef BELAY_APP_RENDERINGS_H_
#define BELAY_APP_RENDERINGS_H_

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

// Those of one family that are lost, edited or out of date. A path that is no file is kRefused, a
// journal that can't be read kDamaged.
Result<std::vector<OddRendering>> FindOddRenderings(const FileSystem& files, AnyLedger& ledger);

}  // namespace belay

#endif  // BELAY_APP_RENDERINGS_H_
