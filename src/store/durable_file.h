// The one way to replace a file: a temporary file in the same folder, written and synced, renamed
// over the old one, and the folder synced. At every moment, also after a crash, the path holds
// either all of the old content or all of the new; once this returns, the new.

#ifndef BELAY_STORE_DURABLE_FILE_H_
#define BELAY_STORE_DURABLE_FILE_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/file_system.h"

namespace belay {

constexpr std::uint32_t kPrivateFile = 0600;
constexpr std::uint32_t kPrivateFolder = 0700;
constexpr std::uint32_t kSharedFolder = 0755;  // of folders that other programs use too

// A path that is a link or a folder is kRefused and not changed. An existing file keeps its mode; a
// new one gets `mode`.
Result<void> ReplaceFile(FileSystem& files, const std::string& path, std::string_view bytes,
                         std::uint32_t mode = kPrivateFile);

struct FileContent {
  std::string path;
  std::string_view bytes;
};

// The same for several files in one folder, with one sync of the folder; a crash leaves each of
// them old or new.
Result<void> ReplaceFiles(FileSystem& files, const std::vector<FileContent>& contents);

// The same for content that can be made again: complete at every moment, but a power cut may bring
// back the old content.
Result<void> ReplaceFileLazily(FileSystem& files, const std::string& path, std::string_view bytes,
                               std::uint32_t mode = kPrivateFile);

// ReplaceFile that keeps the old content as `path`.prev, as durable as the new one.
Result<void> ReplaceFileKeepingPrevious(FileSystem& files, const std::string& path,
                                        std::string_view bytes, std::uint32_t mode = kPrivateFile);

// Removes the temporary files that a crash left in a folder. No process may be replacing a file
// there: the caller holds the lock of whatever lives in it.
Result<void> RemoveLeftovers(FileSystem& files, const std::string& folder);
// The same for a caller that has the list of names already.
Result<void> RemoveLeftovers(FileSystem& files, const std::string& folder,
                             const std::vector<std::string>& names);

// What a crash of ReplaceFile left of `path`, or of a file named after it (`path`.prev,
// `path`.damaged-1, `path`-1); for a folder that others write to as well. The caller holds the lock
// of that file. Empty for a missing folder.
Result<std::vector<std::string>> LeftoversOf(const FileSystem& files, const std::string& path);
Result<void> RemoveLeftoversOf(FileSystem& files, const std::string& path);

// Creates the folder if it is missing, and makes its name durable. Refuses a path that exists and
// isn't a folder. Other processes may create or remove it at the same time.
Result<void> EnsureFolder(FileSystem& files, const std::string& path,
                          std::uint32_t mode = kPrivateFolder);

// `stem`-1, or the first number that is free. The caller holds the lock under which such names are
// created.
Result<std::string> FreeName(const FileSystem& files, const std::string& stem);

}  // namespace belay

#endif  // BELAY_STORE_DURABLE_FILE_H_
