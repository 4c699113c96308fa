#ifndef BELAY_CODEC_SHELL_QUOTE_H_
#define BELAY_CODEC_SHELL_QUOTE_H_

#include <string>
#include <string_view>

namespace belay {

// The text as one word for any POSIX shell, in single quotes: it's → 'it'\''s'.
std::string ShellQuoted(std::string_view text);

}  // namespace belay

#endif  // BELAY_CODEC_SHELL_QUOTE_H_
