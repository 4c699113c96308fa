#include "merge/merge_env.h"

#include <fmt/core.h>

#include "base/utf8.h"
#include "ledger/signal_box.h"

namespace belay {

std::string BranchRef(std::string_view branch) { return fmt::format("refs/heads/{}", branch); }

std::string EntryRef(const MergeEntry& entry, std::string_view what) {
  return fmt::format("refs/belay/merge/{}/{}", entry.id(), what);
}

void NotifyPerson(const MergeEnv& env, const std::string& reason) {
  SignalBox box(env.files, env.clock, env.random, env.project, Recipient::Person());
  const Signal signal{.type = SignalType::kEscalate,
                      .from = "guardian",
                      .to = "person",
                      .at = env.clock.Wall(),
                      .payload = MakeObject({{"reason", ReplaceInvalidUtf8(reason)}})};
  if (const Result<std::string> sent = box.Send(signal); !sent) env.say(sent.error().message);
}

}  // namespace belay
