// Resolves a path on a disk image by the kernel's rules.

#ifndef BELAY_TESTING_DISK_PATH_H_
#define BELAY_TESTING_DISK_PATH_H_

#include <string>
#include <vector>

#include "testing/disk_image.h"

namespace belay {

// Whether a link as the last part of the path is followed.
enum class Follow { kNever, kBeforeSlash, kAlways };

enum class LastPart { kName, kRoot, kDot, kDotDot };

struct Place {
  int error = 0;                          // errno: a part of the path doesn't exist
  std::vector<InodeNumber> folders = {};  // from the root to its parent, which may not contain it
  LastPart last = LastPart::kRoot;
  std::string name = {};  // in the last of `folders`, when `last` is kName
  InodeNumber inode = 0;  // what is there; 0: nothing
  bool slash = false;     // the path ends with one: only a folder is accepted
};

// The working folder is the root.
Place FindPlace(const DiskImage& image, const std::string& path, Follow follow);

}  // namespace belay

#endif  // BELAY_TESTING_DISK_PATH_H_
