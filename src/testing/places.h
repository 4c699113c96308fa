// The paths that tests use. Only places.cc is compiled with paths, so that ccache works across
// checkouts.

#ifndef BELAY_TESTING_PLACES_H_
#define BELAY_TESTING_PLACES_H_

#include <string>

namespace belay {

// A file of the source tree: SourceFile("docs/signals.md").
std::string SourceFile(const std::string& path);
// A file of the build that the tests belong to: BuiltFile("tests/agents/scripted_model").
std::string BuiltFile(const std::string& path);
// The belay to test: $BELAY_BINARY, or the one of the same build.
const std::string& BelayBinary();

}  // namespace belay

#endif  // BELAY_TESTING_PLACES_H_
