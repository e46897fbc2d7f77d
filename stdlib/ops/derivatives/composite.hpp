// A function applied as one operation, with rules of its own, for @derivative and checkpoint. On a tape it is one
// entry. Under a vmap the function and its rules run over the examples. If it has no rule for a level's mode, that
// level goes through the function itself. Start at apply_composite.
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
  // A tree like the result, with a tangent for each float leaf, none where it is zero; given one for every deep leaf of
  // the arguments (none: zero). Asked where has_tangents() is true.
  virtual Value tangents(ops::Builder&, const std::vector<Value>& args, const Value& result,
                         const std::vector<Value>& tangents);
  virtual bool has_cotangents() const { return true; }
  virtual bool has_tangents() const { return false; }
  // Forward mode goes through the function itself, whatever derivative the program says that it has.
  bool only_backwards() const { return has_cotangents() && !has_tangents() && !replays(); }
  virtual bool keeps_result() const { return true; }
  // The sweep runs the function again: draws are replayed, prints are not made twice.
  virtual bool replays() const { return false; }
  // It is a collective: every open derivative passes through it, whatever the arguments depend on here.
  virtual bool meets() const { return false; }

  bool of_all_ranks = false;  // on a tape of all ranks together (level.hpp): what it records is on one as well
};

// Arguments are whole trees; values captured by functions among them are arguments too.
Value apply_composite(ops::Builder& builder, const std::shared_ptr<CompositeRule>& rule,
                      const std::vector<Value>& args);

// A function with a reverse rule is called, whatever its arguments depend on. What leaves a branch is active if it is
// so on any path: code cannot count the calls whose arguments the run makes active.
void note_rule(const ops::Context& context);

// The highest open level among all deep leaves; nullptr when nothing is traced.
const OpenLevel* highest_level(const ops::Context& context, std::span<const Value> args);
// All deep leaves of the arguments, in turn.
std::vector<Value> deep_leaves(std::span<const Value> args);
// Whether a tree has a function or a sequence that holds floats: no rule gives or gets derivatives of these.
bool hides_floats(const Value& tree);

}  // namespace covec::autodiff
