#include "merge/tell_person.h"

#include "base/utf8.h"
#include "ledger/signal_box.h"

namespace belay {

void TellPerson(const MergeDoors& doors, const std::string& reason) {
  SignalBox box(doors.files, doors.clock, doors.random, doors.project, Recipient::Person());
  const Signal signal{.type = SignalType::kEscalate,
                      .from = "guardian",
                      .to = "person",
                      .at = doors.clock.Wall(),
                      .payload = MakeObject({{"reason", ReplaceInvalidUtf8(reason)}})};
  if (const Result<std::string> sent = box.Send(signal); !sent) doors.say(sent.error().message);
}

}  // namespace belay
