// Any bytes as a context file: refused as damaged, or what is read can be written, is intact, and
// says the same when it is read again. Also the list of files in a description.

#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "model/context_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)belay::FileOwnership(text);
  const auto read = belay::ParseContextFile(text);
  if (!read) {
    BELAY_CHECK(read.error().code == belay::ErrorCode::kDamaged);
    return 0;
  }
  const std::string written = belay::WriteContextFile(read->context, 1'000'000);
  const auto again = belay::ParseContextFile(written);
  BELAY_CHECK(again.ok() && again->intact && again->status == "suspended");
  BELAY_CHECK(again->context.task_id == read->context.task_id);
  BELAY_CHECK(again->context.resume_count == read->context.resume_count);
  BELAY_CHECK(again->context.files_modified.size() == read->context.files_modified.size());
  BELAY_CHECK(belay::WriteContextFile(again->context, 1'000'000) == written);
  return 0;
}
