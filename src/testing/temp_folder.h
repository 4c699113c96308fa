// A folder that lives as long as the test.

#ifndef BELAY_TESTING_TEMP_FOLDER_H_
#define BELAY_TESTING_TEMP_FOLDER_H_

#include <string>
#include <string_view>

namespace belay {

class TempFolder {
 public:
  TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder();

  const std::string& path() const { return path_; }  // absolute, without links
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

  // Files below it, with the folders they need; for setting up and for checking the outcome.
  void Write(std::string_view name, std::string_view bytes) const;
  std::string Read(std::string_view name) const;  // "(missing)" if it doesn't exist
  void MakeFolder(std::string_view name) const;

 private:
  std::string path_;
};

}  // namespace belay

#endif  // BELAY_TESTING_TEMP_FOLDER_H_
