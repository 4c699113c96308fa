#include "adapters/git/loose_ref.h"

#include "base/path.h"

namespace belay {
namespace {

constexpr std::size_t kMostBytes = 4096;

}  // namespace

std::optional<ObjectId> ReadLooseRef(const FileSystem& files, const std::string& common_folder,
                                     const std::string& name) {
  if (name.find("..") != std::string::npos) return std::nullopt;  // no name of a ref
  const std::string path = JoinPath(common_folder, name);
  const Result<FileInfo> info = files.Inspect(path);
  if (!info || info->kind != FileKind::kFile) return std::nullopt;
  const Result<std::string> text = files.Read(path, kMostBytes);
  if (!text || !text->ends_with('\n')) return std::nullopt;
  const Result<ObjectId> id = ObjectId::Parse(text->substr(0, text->size() - 1));
  if (!id || id->IsNone()) return std::nullopt;
  return *id;
}

}  // namespace belay
