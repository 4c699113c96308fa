#include "testing/disk_image.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <deque>
#include <functional>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace belay {
namespace {

void ApplyTo(Inode& folder, const NameChange& change, Fate) {
  for (const auto& [name, number] : change.entries) {
    if (number == 0) {
      folder.entries.erase(name);
    } else {
      folder.entries[name] = number;
    }
  }
}

void ApplyTo(Inode& file, const WriteChange& change, Fate fate) {
  const std::size_t reach = fate.whole ? change.bytes.size() : fate.bytes;
  file.content.resize(std::max(file.content.size(), change.offset + reach));
  file.content.replace(change.offset, fate.bytes, change.bytes, 0, fate.bytes);
}

void ApplyTo(Inode& file, const LengthChange& change, Fate) { file.content.resize(change.length); }

void ApplyTo(Inode& inode, const ModeChange& change, Fate) {
  inode.mode = (inode.mode & S_IFMT) | change.mode;
}

std::size_t Mix(std::size_t sum, std::size_t value) {
  return (sum ^ value) * 0x9E3779B97F4A7C15u + (sum >> 29);
}

}  // namespace

std::size_t FateCount(const Change& change) {
  const auto* write = std::get_if<WriteChange>(&change.what);
  return write ? 2 * write->bytes.size() + 1 : 2;
}

Fate FateAt(const Change& change, std::size_t index) {
  if (index + 1 == FateCount(change)) return Kept(change);
  return {.bytes = index / 2, .whole = index % 2 == 1};
}

Fate Kept(const Change& change) {
  const auto* write = std::get_if<WriteChange>(&change.what);
  return {.bytes = write ? write->bytes.size() : 0, .whole = true};
}

DiskImage::DiskImage() { Put(kRootFolder, {.mode = S_IFDIR | 0755}); }

void DiskImage::Put(InodeNumber number, Inode inode) {
  inodes_[number] = std::make_shared<Inode>(std::move(inode));
}

void DiskImage::Apply(const Change& change, Fate fate) {
  if (fate == Fate{}) return;
  Inode& inode = Edit(change.inode);
  std::visit([&](const auto& what) { ApplyTo(inode, what, fate); }, change.what);
}

Inode& DiskImage::Edit(InodeNumber number) {
  std::shared_ptr<Inode>& inode = inodes_.at(number);
  if (inode.use_count() > 1) inode = std::make_shared<Inode>(*inode);
  return *inode;
}

std::size_t DiskImage::CountNames(InodeNumber number) const {
  std::size_t count = 0;
  for (const auto& [folder, inode] : inodes_) {
    for (const auto& [name, below] : inode->entries) count += below == number ? 1 : 0;
  }
  return count;
}

std::set<InodeNumber> DiskImage::Reachable() const {
  std::set<InodeNumber> reached{kRootFolder};
  std::vector<InodeNumber> todo{kRootFolder};
  while (!todo.empty()) {
    const Inode& folder = Get(todo.back());
    todo.pop_back();
    for (const auto& [name, number] : folder.entries) {
      if (reached.insert(number).second) todo.push_back(number);
    }
  }
  return reached;
}

void DiskImage::KeepOnly(const std::set<InodeNumber>& numbers) {
  std::erase_if(inodes_, [&](const auto& item) { return !numbers.contains(item.first); });
}

// A crash in the middle of moves between folders can leave a folder inside itself: it is listed
// under each of its names, but entered once.
Snapshot DiskImage::TakeSnapshot() const {
  Snapshot seen;
  std::set<InodeNumber> entered{kRootFolder};
  std::vector<std::pair<std::string, InodeNumber>> todo{{"", kRootFolder}};
  while (!todo.empty()) {
    const auto [path, folder] = todo.back();
    todo.pop_back();
    for (const auto& [name, number] : Get(folder).entries) {
      const std::string below = path + "/" + name;
      seen[below] = {Get(number).mode, Get(number).content};
      if (entered.insert(number).second) todo.emplace_back(below, number);
    }
  }
  return seen;
}

std::size_t DiskImage::Fingerprint() const {
  const std::hash<std::string_view> hash;
  std::size_t sum = Get(kRootFolder).mode;
  for (const InodeNumber number : Reachable()) {
    const Inode& inode = Get(number);
    sum = Mix(Mix(Mix(sum, number), inode.mode), hash(inode.content));
    for (const auto& [name, below] : inode.entries) sum = Mix(Mix(sum, hash(name)), below);
  }
  return sum;
}

namespace {

constexpr int kMostLinks = 40;

class Walk {
 public:
  Walk(const DiskImage& image, Follow follow) : image_(image), follow_(follow) {}

  Place Go(const std::string& path) {
    if (path.empty()) return {.error = ENOENT};
    if (path.size() >= PATH_MAX) return {.error = ENAMETOOLONG};
    Enter(path);
    while (place_.error == 0 && !parts_.empty()) Step();
    return std::move(place_);
  }

 private:
  // Puts the parts of a path, or of a link's target, before the remaining ones.
  void Enter(std::string_view path) {
    if (path.starts_with('/') || place_.folders.empty()) {
      place_.folders = {kRootFolder};
      Arrive(LastPart::kRoot, kRootFolder);
    }
    if (parts_.empty()) place_.slash = place_.slash || path.ends_with('/');
    std::deque<std::string> parts;
    for (const std::string_view part : Split(path, '/')) {
      if (!part.empty()) parts.emplace_back(part);
    }
    parts_.insert(parts_.begin(), parts.begin(), parts.end());
  }

  void Step() {
    const std::string part = std::move(parts_.front());
    parts_.pop_front();
    if (part == "." || part == "..") return Dots(part == "..");
    if (part.size() > NAME_MAX) return Fail(ENAMETOOLONG);
    const auto& entries = image_.Get(place_.folders.back()).entries;
    const auto entry = entries.find(part);
    const bool is_last = parts_.empty();
    if (entry == entries.end()) return is_last ? Arrive(LastPart::kName, 0, part) : Fail(ENOENT);
    const Inode& inode = image_.Get(entry->second);
    if (S_ISLNK(inode.mode) && Follows(is_last)) return GoThrough(inode);
    if (is_last) return Arrive(LastPart::kName, entry->second, part);
    if (!S_ISDIR(inode.mode)) return Fail(ENOTDIR);
    place_.folders.push_back(entry->second);
  }

  void Dots(bool up) {
    if (up && place_.folders.size() > 1) place_.folders.pop_back();
    Arrive(up ? LastPart::kDotDot : LastPart::kDot, place_.folders.back());
  }

  bool Follows(bool is_last) const {
    return !is_last || follow_ == Follow::kAlways ||
           (follow_ == Follow::kBeforeSlash && place_.slash);
  }

  void GoThrough(const Inode& link) {
    if (++links_ > kMostLinks) return Fail(ELOOP);
    Enter(link.content);
  }

  void Arrive(LastPart last, InodeNumber inode, std::string name = {}) {
    place_.last = last;
    place_.inode = inode;
    place_.name = std::move(name);
  }

  void Fail(int error) { place_.error = error; }

  const DiskImage& image_;
  const Follow follow_;
  std::deque<std::string> parts_;
  Place place_;
  int links_ = 0;
};

}  // namespace

Place FindPlace(const DiskImage& image, const std::string& path, Follow follow) {
  return Walk(image, follow).Go(path);
}

}  // namespace belay
