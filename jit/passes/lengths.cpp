// Computes the usual length of numbers without scaling. norm() scales by a power of two, which is 1 unless squares are
// out of range; code for tensors does so by arithmetic (stdlib/ops/reduce/norm.cpp). Of numbers that is most of its
// cost: a branch that is rarely taken does it instead. Where the scale is 1, the sum of the scaled squares is the first
// sum. Start at Lengths::run().
#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "jit/passes/analysis/evaluate.hpp"
#include "jit/passes/analysis/graph_edits.hpp"
#include "jit/passes/analysis/known_values.hpp"
#include "jit/passes/analysis/operation_writer.hpp"
#include "jit/passes/analysis/region_copy.hpp"
#include "jit/passes/passes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/elementwise/bodies/arithmetic.hpp"
#include "stdlib/ops/elementwise/bodies/rounding.hpp"
#include "stdlib/ops/elementwise/operator.hpp"

namespace covec::passes {

using namespace ir;

namespace {

class Lengths {
 public:
  explicit Lengths(Graph& graph) : graph_(graph) {}

  void run() {
    find(graph_.body);
    if (branches_.empty()) return;
    rebuild(graph_.body, [&](Operation& operation, std::vector<Operation>& out) {
      const auto found = operation.kind == Kind::apply ? branches_.find(operation.results[0]) : branches_.end();
      if (found == branches_.end()) return false;
      std::ranges::move(found->second, std::back_inserter(out));
      return true;
    });
  }

 private:
  void find(Region& region) {
    for (Operation& operation : region.operations) {
      for (Region& inner : operation.regions) find(inner);
      if (operation.kind != Kind::apply || operation.entry->pointwise == nullptr || !is_number(operation)) continue;
      makers_[operation.results[0]] = &operation;
      if (operation.entry != &known_.divide) continue;
      if (is_length(operation)) branches_[operation.results[0]] = branch(operation);
    }
  }
  bool is_number(const Operation& operation) const {
    const ValueInfo& info = graph_.values[operation.results[0]];
    return !info.boxed && info.type.shape.empty();
  }

  // --- what is scaled ---

  const Operation* maker(const Value& value, const ops::Entry& entry) const {
    const Operation* made = maker(value);
    return made != nullptr && made->entry == &entry ? made : nullptr;
  }
  const Operation* maker(const Value& value) const {
    const auto found = is_symbol(value) ? makers_.find(id_of(value)) : makers_.end();
    return found == makers_.end() ? nullptr : found->second;
  }

  // Its parts are noted, in their order.
  bool is_length(const Operation& divide) {
    parts_.clear();
    const Operation* const scale = maker(divide.args[1], ops::entry_of<ops::ScaleExponent>());
    const Operation* const exponent = scale == nullptr ? nullptr : maker(scale->args[1], known_.multiply);
    const Operation* const side = exponent == nullptr ? nullptr : maker(exponent->args[0], ops::entry_of<ops::Sign>());
    const Operation* const distance = side == nullptr ? nullptr : maker(side->args[0], known_.subtract);
    const Operation* const clipped = distance == nullptr ? nullptr : maker(distance->args[0], known_.minimum);
    const Operation* const above = clipped == nullptr ? nullptr : maker(clipped->args[0], known_.maximum);
    const Operation* const root = maker(divide.args[0], known_.sqrt);
    if (above == nullptr || root == nullptr) return false;
    squares_ = above->args[0];
    least_ = above->args[1];
    most_ = clipped->args[1];
    scale_ = divide.args[1];
    const Value& power = exponent->args[1];
    const bool bounds = least_.is_scalar() && most_.is_scalar() && power.is_scalar() && std::isfinite(power.real());
    if (!bounds || !is_symbol(squares_) || !same_operand(distance->args[1], squares_)) return false;
    if (!same_operand(scale->args[0], one())) return false;
    for (const Operation* const part : {above, clipped, distance, side, exponent, scale}) note(*part);
    if (!unscaled(root->args[0], squares_)) return false;
    note(*root);
    note(divide);
    return true;
  }
  void note(const Operation& part) {
    if (std::ranges::find(parts_, &part) == parts_.end()) parts_.push_back(&part);
  }
  Value one() const { return Evaluator::number(1, graph_.values[id_of(scale_)].type.dtype); }

  // Whether `scaled` is `plain` where the scale is 1.
  bool unscaled(const Value& scaled, const Value& plain) {
    if (same_operand(scaled, plain)) return true;
    const Operation* const made = maker(scaled);
    if (made == nullptr) return false;
    if (made->entry == &known_.multiply && same_operand(made->args[1], scale_)) {
      note(*made);
      return same_operand(made->args[0], plain);
    }
    const Operation* const like = maker(plain);
    if (like == nullptr || like->entry != made->entry || like->args.size() != made->args.size()) return false;
    for (size_t i = 0; i < made->args.size(); ++i) {
      if (!unscaled(made->args[i], like->args[i])) return false;
    }
    note(*made);
    return true;
  }

  // --- the branch ---

  std::vector<Operation> branch(const Operation& divide) {
    std::vector<Operation> all;
    const OperationWriter writer(graph_, divide.place);
    const Type type = graph_.values[divide.results[0]].type;
    const Value enough = writer.truth(all, known_.greater_equal, {squares_, least_});
    const Value few = writer.truth(all, known_.less_equal, {squares_, most_});
    Operation choice;
    choice.kind = Kind::if_;
    choice.place = divide.place;
    choice.args = {writer.truth(all, known_.bit_and, {enough, few})};
    choice.regions.resize(2);
    choice.regions[0].results = {writer.apply(choice.regions[0].operations, known_.sqrt, {squares_}, type)};
    RegionCopy copy(graph_);
    for (const Operation* const part : parts_) copy.copy(*part, choice.regions[1].operations);
    choice.regions[1].results = {copy.value(graph_.symbol(divide.results[0]))};
    choice.results = divide.results;
    all.push_back(std::move(choice));
    return all;
  }

  Graph& graph_;
  const ops::Handles& known_ = ops::handles();
  std::unordered_map<Id, const Operation*> makers_;  // of numbers
  std::unordered_map<Id, std::vector<Operation>> branches_;
  // Of the length that is looked at:
  Value squares_, least_, most_, scale_;
  std::vector<const Operation*> parts_;
};

}  // namespace

void lengths(Graph& graph) { Lengths(graph).run(); }

}  // namespace covec::passes
