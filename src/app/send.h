// A person's words to an agent: a GUIDANCE signal in its inbox, which its next hook delivers.

#ifndef BELAY_APP_SEND_H_
#define BELAY_APP_SEND_H_

#include <optional>
#include <string>

#include "app/env.h"
#include "app/messages.h"
#include "base/result.h"
#include "model/delivery.h"
#include "model/identity.h"

namespace belay {

struct SendMessageRequest {
  std::string agent;  // as a command line names it
  std::string text;
  bool wait = false;  // until it is delivered or can't be any more
  std::optional<Duration> limit = {};
};

struct SendMessageOutcome {
  Identity to;
  std::string id;
  Reach reach;
  std::optional<Delivery> delivery = {};
  bool in_time = true;  // false: the limit is over, and it isn't delivered
};

// Durable before this returns. With `wait` it fails (kFailed) when the agent ends before delivery
// and isn't restarted, or when the message is dropped. An agent that has ended: kRefused.
Result<SendMessageOutcome> SendMessage(Env& env, const SendMessageRequest& request);

}  // namespace belay

#endif  // BELAY_APP_SEND_H_
