// Any file gives either settings or problems that name the file and the position in it.

#include <cstdint>

#include "base/check.h"
#include "base/utf8.h"
#include "config/config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const bool shared : {false, true}) {
    const belay::ConfigSource source{"f.yml", text, shared};
    const belay::ConfigOutcome outcome = belay::ReadConfig({&source, 1});
    BELAY_CHECK(shared || outcome.warnings.empty());
    for (const belay::Error& problem : outcome.problems) {
      BELAY_CHECK(problem.message.starts_with("f.yml: line "));
      BELAY_CHECK(belay::FindInvalidUtf8(problem.message) == std::string::npos);
    }
    BELAY_CHECK(outcome.config.settings().size() == belay::ConfigKeys().size());
  }
  return 0;
}
