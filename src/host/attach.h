// The other end of an exec's socket (Layout::RunSocket): a terminal for people, a keyboard for the
// guardian. The protocol is in attach_protocol.h and docs/formats/attach.md.

#ifndef BELAY_HOST_ATTACH_H_
#define BELAY_HOST_ATTACH_H_

#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "os/event_loop.h"
#include "store/layout.h"

namespace belay {

enum class AttachEnd {
  kDetached,
  kAgentEnded,
  kLostContact,  // the exec is gone without a word
};
struct Attached {
  AttachEnd end;
  std::string how = {};  // of kAgentEnded: "exit code 3"
};

// Connects the terminal at the standard input and output (raw, restored at the end, however it
// ends) with the agent's: what it wrote lately is shown first, sizes follow, until the detach key
// (below), a signal or the agent's end. kNotFound when nobody listens; kUsage without
// a terminal.
Result<Attached> AttachTerminal(EventLoop& loop, const Layout& project, const IdentityName& agent);

// Types the text into the agent's terminal, as if somebody had: without waiting beyond `limit`,
// then kBusy. Also kBusy when the agent hasn't read what was typed before, and kNotFound when
// nobody listens. At most kLongestFrame bytes (host/attach_protocol.h): more is kUsage.
Result<void> TypeInto(const Layout& project, const IdentityName& agent, std::string_view text,
                      Duration limit);

// The keys that a person keeps for belay while everything else goes to the agent: Ctrl-\ and then d
// detaches. Ctrl-\ twice types it once; before any other key it is typed as it is.

constexpr std::string_view kDetachKeyName = "Ctrl-\\ d";

class DetachKey {
 public:
  // Appends to `pass` what is for the agent. True when the person detaches; what was typed behind
  // that is dropped.
  bool Feed(std::string_view keys, std::string& pass);

 private:
  std::string begun_;  // Ctrl-\ as the terminal sent it, when the next key decides
};

}  // namespace belay

#endif  // BELAY_HOST_ATTACH_H_
