// What one command leaves for the next: variables, functions, folders; and what is left of it after
// something that may have run.

#include <algorithm>
#include <utility>

#include "engine/shell/runner.h"

namespace belay {
namespace {

using Link = ShellStep::Link;

constexpr std::size_t kMostFolders = 4;

bool BeginsList(Link link) { return link == Link::kNothing || link == Link::kSemicolon; }

}  // namespace

ShellRunner::State ShellRunner::CopyState() {
  (void)Spend(1 + state_.variables.size() + state_.functions.size());
  return state_;
}

void ShellRunner::MergeVariables(const State& other) {
  for (auto& [name, value] : state_.variables) {
    const auto found = other.variables.find(name);
    if (found == other.variables.end() || found->second != value) value.reset();
  }
  for (const auto& [name, value] : other.variables) {
    if (!state_.variables.contains(name)) state_.variables[name].reset();
  }
  for (const std::string& name : other.exported) {
    if (!state_.exported.contains(name)) state_.variables[name].reset();
  }
  for (const std::string& name : state_.exported) {
    if (!other.exported.contains(name)) state_.variables[name].reset();
  }
}

// After something that may have run: what differs isn't known.
void ShellRunner::Merge(const State& other) {
  if (state_ == other) return;
  if (other.gone || state_.gone) {
    const bool ended = state_.ended || other.ended;
    if (state_.gone && !other.gone) state_ = other;
    state_.ended = ended;
    return;
  }
  MergeVariables(other);
  MergeFunctions(other);
  state_.special.insert(other.special.begin(), other.special.end());
  state_.last_pipe = state_.last_pipe || other.last_pipe;
  state_.own_input = state_.own_input || other.own_input;
  for (const std::string& folder : other.folders) {
    if (std::ranges::find(state_.folders, folder) == state_.folders.end()) {
      state_.folders.push_back(folder);
    }
  }
  if (state_.folders.size() > kMostFolders) state_.folders = {std::string(1, kAnyText)};
  state_.ended = state_.ended || other.ended;
  if (state_.arguments != other.arguments) state_.arguments = {std::string(1, kAnyText)};
}

void ShellRunner::MergeFunctions(const State& other) {
  for (auto& [name, bodies] : state_.functions) {
    const bool none = !other.functions.contains(name);
    if (none && std::ranges::find(bodies, Function()) == bodies.end()) bodies.emplace_back();
  }
  for (const auto& [name, bodies] : other.functions) {
    const auto [mine, added] = state_.functions.try_emplace(name);
    if (added) mine->second.emplace_back();
    for (const Function& body : bodies) {
      std::vector<Function>& all = mine->second;
      if (std::ranges::find(all, body) == all.end()) all.push_back(body);
    }
  }
}

// The states in which a loop or a function was left early.
void ShellRunner::MergeFrom(std::vector<State>& left, std::size_t from) {
  for (std::size_t i = from; i < left.size(); ++i) Merge(left[i]);
  left.erase(left.begin() + static_cast<std::ptrdiff_t>(from), left.end());
}

void ShellRunner::JoinFailedFolders() {
  for (std::string& folder : std::exchange(state_.cd_failed, {})) {
    if (std::ranges::find(state_.folders, folder) == state_.folders.end()) {
      state_.folders.push_back(std::move(folder));
    }
  }
  if (state_.folders.size() > kMostFolders) state_.folders = {std::string(1, kAnyText)};
}

// What the last step leaves. `checked`: set -e ends the shell if it fails.
ShellRunner::Ends ShellRunner::EndsOfStep(bool checked) {
  Ends ends;
  if (state_.gone) return ends;
  Words failed = std::exchange(state_.cd_failed, {});
  ends.succeeded = CopyState();
  if (checked) return ends;
  ends.failed = CopyState();
  if (!failed.empty()) ends.failed->folders = std::move(failed);
  return ends;
}

void ShellRunner::Join(std::optional<State>& one, const std::optional<State>& other) {
  if (!other) return;
  if (!one) {
    one = other;
  } else if (Spend(1 + other->variables.size())) {
    std::swap(state_, *one);
    Merge(*other);
    std::swap(state_, *one);
  }
}

// `last`: the operator before the step that has just run.
void ShellRunner::AddEnds(ShellStep::Link last, Ends now, Ends& list) {
  if (last == Link::kAnd) {
    list.succeeded = std::move(now.succeeded);
    Join(list.failed, now.failed);
  } else {
    Join(list.succeeded, now.succeeded);
    list.failed = std::move(now.failed);
  }
}

void ShellRunner::EndList(ShellStep::Link last, std::optional<Ends>& list) {
  const bool checked = state_.errexit && unchecked_ == 0;
  if (!list) {
    if (checked) state_.cd_failed.clear();
    return JoinFailedFolders();
  }
  AddEnds(last, EndsOfStep(checked), *list);
  Join(list->succeeded, list->failed);
  const bool ended = state_.ended;
  if (list->succeeded) state_ = *std::move(list->succeeded);
  state_.ended = state_.ended || ended;
  list.reset();
}

// After a && b &&: what b leaves goes on as it is. Most lists are of this kind.
void ShellRunner::GoOn(std::optional<Ends>& list) {
  if (!list) list.emplace();
  Words folders = std::exchange(state_.cd_failed, {});
  if (!folders.empty()) {
    State failed = CopyState();
    failed.folders = std::move(folders);
    Join(list->failed, std::move(failed));
  } else if (!list->failed) {
    list->failed = CopyState();
  } else if (!(*list->failed == state_)) {
    Join(list->failed, CopyState());
  }
}

// `last`: the operator before the last step. `list`: the ends of the list that is run, if it has &&
// or ||.
void ShellRunner::BeginStep(ShellStep::Link link, ShellStep::Link last, std::optional<Ends>& list) {
  if (link == Link::kPipe) return;
  if (BeginsList(link)) return EndList(last, list);
  if (link == Link::kAnd && !state_.gone && (!list || last == Link::kAnd)) return GoOn(list);
  const bool ended = state_.ended;
  Ends now = EndsOfStep(false);
  if (!list) {
    list = std::move(now);
  } else {
    AddEnds(last, std::move(now), *list);
  }
  std::optional<State>& next = link == Link::kAnd ? list->succeeded : list->failed;
  if (next) state_ = *std::exchange(next, std::nullopt);
  state_.ended = state_.ended || ended;
}

}  // namespace belay
