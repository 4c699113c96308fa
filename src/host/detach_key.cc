#include "host/detach_key.h"

namespace belay {
namespace {

// A program may have asked the terminal to send keys in a longer form, of which there are two.
constexpr std::string_view kForms[] = {"\x1C", "\x1B[92;5u", "\x1B[27;5;92~"};

// Empty when the keys don't begin with Ctrl-\.
std::string_view StartsDetaching(std::string_view keys) {
  for (const std::string_view form : kForms) {
    if (keys.starts_with(form)) return form;
  }
  return {};
}

}  // namespace

bool DetachKey::Feed(std::string_view keys, std::string& pass) {
  while (!keys.empty()) {
    const std::string_view control = StartsDetaching(keys);
    if (begun_.empty() && control.empty()) {
      pass.push_back(keys[0]);
      keys.remove_prefix(1);
    } else if (begun_.empty()) {
      begun_ = control;
      keys.remove_prefix(control.size());
    } else if (keys[0] == 'd') {
      begun_.clear();
      return true;
    } else {
      pass += begun_;
      begun_.clear();
      keys.remove_prefix(control.size());
    }
  }
  return false;
}

}  // namespace belay
