// Members of records that somebody else wrote, where a wrong type counts as nothing.

#ifndef BELAY_CODEC_JSON_MEMBER_H_
#define BELAY_CODEC_JSON_MEMBER_H_

#include <string>
#include <string_view>

#include "codec/json.h"

namespace belay {

// A member of a record if it is a text, else empty.
std::string TextIn(const Json& record, std::string_view key);

}  // namespace belay

#endif  // BELAY_CODEC_JSON_MEMBER_H_
