// The peer of `belay agents`: opens, reads and parses every identity file of a folder, by the same
// codec. read_identities FOLDER COUNT; exit 1 when there are not that many.

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "codec/json.h"

namespace {

bool ReadOne(int folder, const char* name, std::string& text) {
  const int file = openat(folder, name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  text.resize(std::size_t{64} << 10U);
  const ssize_t got = read(file, text.data(), text.size());
  (void)close(file);
  if (got <= 0) return false;
  text.resize(static_cast<std::size_t>(got));
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  DIR* folder = opendir(argv[1]);
  if (folder == nullptr) return 1;
  std::string text;
  long count = 0;
  while (const dirent* entry = readdir(folder)) {
    if (!std::string_view(entry->d_name).ends_with(".json")) continue;
    if (!ReadOne(dirfd(folder), entry->d_name, text)) return 1;
    const auto json = belay::ParseJson(text);
    if (!json || json->Find("agent_id") == nullptr) return 1;
    ++count;
  }
  (void)closedir(folder);
  return count == atol(argv[2]) ? 0 : 1;
}
