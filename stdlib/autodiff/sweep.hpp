// Walks a tape: backwards with cotangents (sweep), or forwards with tangents (push). Both apply operators through
// ops::call, so a walk under outer levels is itself differentiated or batched.
#pragma once

#include <memory>
#include <vector>

#include "stdlib/autodiff/tape.hpp"
#include "stdlib/ops/contract/rules.hpp"

namespace covec::autodiff {

struct SweepOptions {
  bool ieee = false;
  bool debug = false;    // raise where a NaN or infinite cotangent first arises
  bool consume = false;  // drop kept values on the way: the tape is walked once
};

// sum += more, either of which may be absent (none), or while a function is staged there on some paths only.
void accumulate(ops::RuleContext& rules, Value& sum, Value more);

// Gives the cotangents of all nodes that were inputs (or anything else still unswept): `cotangents[node]`, none for
// zero. On entry it holds the seeds.
void sweep(ops::Builder& builder, Tape& tape, std::vector<Value>& cotangents, const SweepOptions& options);

// The same for the entries recorded after `mark`.
void sweep_since(ops::Builder& builder, Tape& tape, const TapeEntry* mark, std::vector<Value>& cotangents,
                 const SweepOptions& options);

// The same for entries that were cut off a tape, the latest first.
void sweep_entries(ops::Builder& builder, std::span<TapeEntry* const> entries, std::vector<Value>& cotangents,
                   const SweepOptions& options);

// tangents[node] for every node, given those of the inputs. The tape has no composites.
void push(ops::Builder& builder, const Tape& tape, std::vector<Value>& tangents, bool ieee);

}  // namespace covec::autodiff
