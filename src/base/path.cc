#include "base/path.h"

namespace belay {

std::string JoinPath(std::string_view folder, std::string_view rest) {
  if (folder.empty() || rest.starts_with('/')) return std::string(rest);
  std::string joined(folder);
  if (!joined.ends_with('/')) joined.push_back('/');
  joined += rest;
  return joined;
}

std::string_view ParentPath(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return slash == 0 ? path.substr(0, 1) : path.substr(0, slash);
}

std::string_view FileName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string_view RelativeTo(std::string_view folder, std::string_view path) {
  if (folder.empty() || !path.starts_with(folder)) return path;
  const std::string_view rest = path.substr(folder.size());
  if (folder.ends_with('/')) return rest;
  return rest.starts_with('/') && rest.size() > 1 ? rest.substr(1) : path;
}

}  // namespace belay
