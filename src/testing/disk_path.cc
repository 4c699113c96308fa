#include "testing/disk_path.h"

#include <sys/stat.h>

#include <cerrno>
#include <climits>
#include <deque>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace belay {
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
