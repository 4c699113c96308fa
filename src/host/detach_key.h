// The keys that a person keeps for belay while everything else goes to the agent: Ctrl-\ and then d
// detaches. Ctrl-\ twice types it once; before any other key it is typed as it is.

#ifndef BELAY_HOST_DETACH_KEY_H_
#define BELAY_HOST_DETACH_KEY_H_

#include <string>
#include <string_view>

namespace belay {

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

#endif  // BELAY_HOST_DETACH_KEY_H_
