#include "testing/places.h"

#include <cstdlib>

namespace belay {

std::string SourceFile(const std::string& path) { return BELAY_SOURCE_TREE "/" + path; }

std::string BuiltFile(const std::string& path) { return BELAY_BUILD_TREE "/" + path; }

const std::string& BelayBinary() {
  static const std::string path = [] {
    const char* given = std::getenv("BELAY_BINARY");
    return given != nullptr && *given != '\0' ? std::string(given) : BuiltFile("belay");
  }();
  return path;
}

}  // namespace belay
