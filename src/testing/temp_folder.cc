#include "testing/temp_folder.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/check.h"

namespace belay {

namespace fs = std::filesystem;

TempFolder::TempFolder() {
  std::string pattern = fs::canonical(fs::temp_directory_path()) / "belay-test-XXXXXX";
  BELAY_CHECK(mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void TempFolder::Write(std::string_view name, std::string_view bytes) const {
  const fs::path path(*this / name);
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<long>(bytes.size()));
}

std::string TempFolder::Read(std::string_view name) const {
  std::ifstream file(*this / name, std::ios::binary);
  if (!file) return "(missing)";
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void TempFolder::MakeFolder(std::string_view name) const { fs::create_directories(*this / name); }

}  // namespace belay
