// A function applied as one operation, with a reverse rule of its own: what @derivative and checkpoint are made of. On
// a tape it is one entry; under a vmap the function and its rule are run over the examples; forward mode goes through
// the function itself. Start at apply_composite.
#pragma once

#include <memory>
#include <vector>

#include "stdlib/autodiff/level.hpp"

namespace covec::autodiff {

class CompositeRule {
 public:
  virtual ~CompositeRule() = default;
  virtual Value forward(ops::Builder& builder, const std::vector<Value>& args) = 0;
  // One cotangent for every deep leaf of the arguments in turn (map_deep's order), none where it is zero or the leaf is
  // no float.
  virtual std::vector<Value> reverse(ops::Builder& builder, const std::vector<Value>& args, const Value& result,
                                     const Value& cotangent) = 0;
  virtual bool keeps_result() const { return true; }
  // The sweep runs the function again: draws are replayed, prints are not made twice.
  virtual bool replays() const { return false; }
};

// Arguments are whole trees; values captured by functions among them are arguments too.
Value apply_composite(ops::Builder& builder, const std::shared_ptr<CompositeRule>& rule, std::vector<Value> args);

// The highest open level among all deep leaves; nullptr when nothing is traced.
const OpenLevel* highest_level(const ops::Context& context, std::span<const Value> args);
// All deep leaves of the arguments, in turn.
std::vector<Value> deep_leaves(std::span<const Value> args);

}  // namespace covec::autodiff
