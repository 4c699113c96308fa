// Any bytes as a commit: parsed or refused, and a commit moved elsewhere is otherwise the same.

#include <cstdint>

#include "adapters/git/objects.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto commit = belay::RawCommit::Parse({reinterpret_cast<const char*>(data), size});
  if (!commit) {
    BELAY_CHECK(commit.error().code == belay::ErrorCode::kDamaged);
    return 0;
  }
  const belay::ObjectId tree = *belay::ObjectId::Parse(std::string(40, 'a'));
  const std::vector<belay::ObjectId> parents = {*belay::ObjectId::Parse(std::string(40, 'b')),
                                                *belay::ObjectId::Parse(std::string(40, 'c'))};
  const std::string elsewhere = commit->Elsewhere(tree, parents);
  const auto there = belay::RawCommit::Parse(elsewhere);
  BELAY_CHECK(there.ok());
  BELAY_CHECK(there->tree() == tree && there->parents() == parents);
  BELAY_CHECK(there->message() == commit->message());
  for (const char* const name : {"author", "committer", "encoding"}) {
    BELAY_CHECK(there->Header(name) == commit->Header(name));
  }
  BELAY_CHECK(there->Header("gpgsig").empty() && there->Header("mergetag").empty());
  BELAY_CHECK(there->Elsewhere(tree, parents) == elsewhere);
  return 0;
}
