// The client end of an exec's socket (Layout::RunSocket): a terminal for people, a keyboard for the
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
  kLostContact,  // the exec disappeared without an answer
};
struct Attached {
  AttachEnd end;
  std::string how = {};  // of kAgentEnded: "exit code 3"
};

// Connects the terminal at standard input and output (raw; restored in every case) with the
// agent's: shows recent output first and follows size changes, until the detach key (below), a
// signal or the agent's end. kNotFound when no exec listens; kUsage without a terminal.
Result<Attached> AttachTerminal(EventLoop& loop, const Layout& project, const IdentityName& agent);

// Types the text into the agent's terminal. Waits at most `limit`, then kBusy. Also kBusy when the
// agent hasn't read earlier input, and kNotFound when no exec listens. More than kLongestFrame
// bytes (host/attach_protocol.h) is kUsage.
Result<void> TypeInto(const Layout& project, const IdentityName& agent, std::string_view text,
                      Duration limit);

// The keys that belay keeps while everything else goes to the agent: Ctrl-\ and then d detaches.
// Ctrl-\ twice types it once; before any other key it is typed unchanged.

constexpr std::string_view kDetachKeyName = "Ctrl-\\ d";

class DetachKey {
 public:
  // Appends the agent's part to `pass`. True when the user detaches; keys after that are dropped.
  bool Feed(std::string_view keys, std::string& pass);

 private:
  std::string begun_;  // Ctrl-\ as the terminal sent it, until the next key decides
};

}  // namespace belay

#endif  // BELAY_HOST_ATTACH_H_
