#include "testing/source_tree.h"

namespace belay {

std::string SourceFile(const std::string& path) { return BELAY_SOURCE_TREE "/" + path; }

}  // namespace belay
