// belay's lines in .git/info/exclude: one marked block, put in and taken out without touching the
// rest.

#ifndef BELAY_APP_EXCLUDE_BLOCK_H_
#define BELAY_APP_EXCLUDE_BLOCK_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace belay {

// `text` with exactly one block that holds `patterns`, where the block was or at the end. A line
// that somebody else put into the block is kept, behind it.
Result<std::string> WithExcludeBlock(std::string_view text,
                                     const std::vector<std::string>& patterns);

// `text` without the block; the same text when there is none. Lines in it that are not of
// `patterns` stay. Both: a block that begins twice, or doesn't end, is kDamaged.
Result<std::string> WithoutExcludeBlock(std::string_view text,
                                        const std::vector<std::string>& patterns);

}  // namespace belay

#endif  // BELAY_APP_EXCLUDE_BLOCK_H_
