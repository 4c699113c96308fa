// The settings file that `belay init` writes: every line a comment.

#ifndef BELAY_APP_SETTINGS_TEMPLATE_H_
#define BELAY_APP_SETTINGS_TEMPLATE_H_

#include <string_view>

namespace belay {

constexpr std::string_view kSettingsTemplate =
    R"(# Settings of belay for this project. Every key has a default;
# `belay config show` prints the values in force, `belay config check` finds mistakes.
#
# merge:
#   target: main
#   strategy: rebase          # rebase | squash | merge
#   slots: 2
#   gates:
#     - name: test
#       run: "make test"
#       timeout: 10m
#       retries: 1
)";

}  // namespace belay

#endif  // BELAY_APP_SETTINGS_TEMPLATE_H_
