// Takes what looks like a secret out of a command line that is kept: the value behind a name such
// as API_KEY=, TOKEN: or --password, behind Bearer, a password in an address, and words that begin
// as the tokens of known services do. It can't know every secret; what is kept stays in files that
// only the user may read.

#ifndef BELAY_ENGINE_EVENTS_MASK_SECRETS_H_
#define BELAY_ENGINE_EVENTS_MASK_SECRETS_H_

#include <string>
#include <string_view>

namespace belay {

std::string MaskSecrets(std::string_view text);

}  // namespace belay

#endif  // BELAY_ENGINE_EVENTS_MASK_SECRETS_H_
