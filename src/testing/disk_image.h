// What is on a disk: inodes by number, and the changes that lead from one image to the next.
//
// A SimulatedDisk keeps two images, what programs see and what is durable, and the list of changes
// between them. A crash is the durable image with some of these changes applied, each according to
// its Fate. Copies share their inodes until one of them changes.

#ifndef BELAY_TESTING_DISK_IMAGE_H_
#define BELAY_TESTING_DISK_IMAGE_H_

#include <sys/types.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace belay {

using InodeNumber = std::uint64_t;  // 0: none
inline constexpr InodeNumber kRootFolder = 1;

struct Inode {
  mode_t mode = 0;                                  // kind and permission bits, as st_mode
  std::string content = {};                         // of a file; the target of a link
  std::map<std::string, InodeNumber> entries = {};  // of a folder
};

// Entries of one folder that change together: two for a rename, else one. 0 removes the name.
struct NameChange {
  std::vector<std::pair<std::string, InodeNumber>> entries;
};
struct WriteChange {
  std::size_t offset;
  std::string bytes;  // not empty
};
struct LengthChange {
  std::size_t length;
};
struct ModeChange {
  mode_t mode;  // permission bits
};

struct Change {
  InodeNumber inode;  // the one to sync to make it durable
  std::variant<NameChange, WriteChange, LengthChange, ModeChange> what;
};

// How much of a change arrives. A write may arrive in part, and the file may have grown before the
// bytes arrived: then the missing bytes are zeros. All other changes arrive or don't, as `whole`
// states.
struct Fate {
  std::size_t bytes = 0;  // the first ones of a write
  bool whole = false;     // the file has the length it would have with all of it

  std::strong_ordering operator<=>(const Fate&) const = default;
};

// The fates of a change are FateAt(change, 0), lost, to FateAt(change, FateCount(change) - 1),
// kept.
std::size_t FateCount(const Change& change);
Fate FateAt(const Change& change, std::size_t index);
Fate Kept(const Change& change);

// For assertions: everything on a disk by absolute path, without the root folder.
struct SeenEntry {
  mode_t mode;          // kind and permission bits
  std::string content;  // of a file; the target of a link; empty for a folder

  bool operator==(const SeenEntry&) const = default;
};
using Snapshot = std::map<std::string, SeenEntry>;

class DiskImage {
 public:
  DiskImage();  // an empty root folder

  const Inode& Get(InodeNumber number) const { return *inodes_.at(number); }
  void Put(InodeNumber number, Inode inode);
  void Apply(const Change& change, Fate fate);

  std::size_t CountNames(InodeNumber number) const;
  std::set<InodeNumber> Reachable() const;  // from the root folder
  void KeepOnly(const std::set<InodeNumber>& numbers);

  Snapshot TakeSnapshot() const;
  // Equal for images with the same reachable inodes.
  std::size_t Fingerprint() const;

 private:
  Inode& Edit(InodeNumber number);

  std::map<InodeNumber, std::shared_ptr<Inode>> inodes_;
};

// Resolves a path on a disk image by the kernel's rules.

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

#endif  // BELAY_TESTING_DISK_IMAGE_H_
