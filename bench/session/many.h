// The journals of a project in which very many agents have worked, written by the ledgers
// themselves.

#ifndef BELAY_BENCH_SESSION_MANY_H_
#define BELAY_BENCH_SESSION_MANY_H_

#include "scene.h"

namespace belay::bench {

// This many identities with their hooks: each was spawned, ran, was seen every minute for a while,
// worked through its phases and has ended within the last hours; one in twenty after a crash, as a
// second incarnation. The journals were compacted some time ago, and are half-way to the next time.
// Done by a separate process, so that ours stays small.
void MakeMany(Scene& scene, int identities);

// All identity files.
void RenderMany(Scene& scene);

}  // namespace belay::bench

#endif  // BELAY_BENCH_SESSION_MANY_H_
