// The floor of `belay resumption`, with nothing but libfyaml and the kernel.
//
//   resumption_floor check FILE            reads the file and builds the document once
//   resumption_floor update FILE JOURNAL   builds it twice, appends a line to the journal and syncs
//                                          it, and replaces the file durably

#include <fcntl.h>
#include <libfyaml.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

namespace {

bool ReadAll(const char* path, std::string& text) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat info {};
  if (file < 0 || fstat(file, &info) != 0) return false;
  text.resize(static_cast<std::size_t>(info.st_size));
  const bool all = read(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  (void)close(file);
  return all;
}

bool Build(const std::string& text) {
  fy_document* document = fy_document_build_from_string(nullptr, text.data(), text.size());
  const bool built = document != nullptr;
  fy_document_destroy(document);
  return built;
}

bool WriteSynced(const std::string& path, int flags, const std::string& text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);
  if (file < 0) return false;
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  return fsync(file) == 0 && close(file) == 0 && written;
}

bool ReplaceDurably(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".tmp";
  if (!WriteSynced(temporary, O_TRUNC, text)) return false;
  if (rename(temporary.c_str(), path.c_str()) != 0) return false;
  const int folder = open(path.substr(0, path.rfind('/')).c_str(), O_RDONLY | O_CLOEXEC);
  return folder >= 0 && fsync(folder) == 0 && close(folder) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string text;
  if (argc < 3 || !ReadAll(argv[2], text) || !Build(text)) return 1;
  if (argc == 3) return 0;
  if (!Build(text)) return 1;
  const std::string line = "{\"kind\":\"applied\",\"id\":\"" + std::string(200, 'x') + "\"}\n";
  if (!WriteSynced(argv[3], O_APPEND, line)) return 1;
  return ReplaceDurably(argv[2], text) ? 0 : 1;
}
