// Where the sources are that the tests were built from.

#ifndef BELAY_TESTING_SOURCE_TREE_H_
#define BELAY_TESTING_SOURCE_TREE_H_

#include <string>

namespace belay {

// A file of the source tree: SourceFile("docs/signals.md").
std::string SourceFile(const std::string& path);

}  // namespace belay

#endif  // BELAY_TESTING_SOURCE_TREE_H_
