// What a record of a journal says, in a few words: whom it is about, what happened, and why.

#ifndef BELAY_CLI_RECORD_TEXT_H_
#define BELAY_CLI_RECORD_TEXT_H_

#include <string>
#include <string_view>

#include "codec/json.h"

namespace belay {

// Other people's words too: to be made printable by whoever shows them.
struct RecordText {
  std::string who;   // "orchestrator-login#3"; empty: no agent
  std::string what;  // its kind
  std::string why;   // one line
};

// Of any journal; of one that isn't known, whatever the record says in single values.
RecordText ReadRecordText(std::string_view journal, const Json& record);

}  // namespace belay

#endif  // BELAY_CLI_RECORD_TEXT_H_
