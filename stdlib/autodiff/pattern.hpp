// Patterns: which inputs each element of a result depends on. A forward level (TraceKind::jvp) whose "tangents" are i64
// tensors of sets (stdlib/sparse/union_dag.hpp). Entries that carry elements are their own rule: they carry the numbers
// of sets as well. Pointwise entries unite the sets of what they combine. Other entries name a rule (Entry::pattern),
// or each element of their result depends on all operands.
//
// The program runs with its real numbers, so it takes one path. Each value also knows on which arguments it depends, a
// bit each (`Traced::node`), integers and bools too. Where a condition, an index or a size is made of a value, these
// join `deciding`: the pattern holds as long as these arguments stay the same. Start at apply_pattern().
#pragma once

#include "stdlib/autodiff/level.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/sparse/union_dag.hpp"

namespace covec::autodiff {

// Bits of arguments: all inputs have one, every other leaf one of its own as long as there are bits.
namespace source {
inline constexpr uint32_t inputs = 1;                  // the bit of all inputs together
inline constexpr uint32_t others = uint32_t{1} << 31;  // the bit of all leaves that have none of their own
inline constexpr uint32_t draws = uint32_t{1} << 30;   // the bit of what has been drawn: other numbers each time
inline constexpr unsigned leaves = 29;                 // bits between the first and these
inline uint32_t of_leaf(size_t number) { return number < leaves ? uint32_t{2} << number : others; }
}  // namespace source

class Pattern final : public ops::Sets {
 public:
  Pattern(ops::Builder& b, uint64_t level, sparse::Set inputs)
      : builder_(b), level_(level), dag_(b.context(), inputs), deciding_(std::make_shared<uint32_t>(0)) {}
  sparse::UnionDag& dag() { return dag_; }
  // What conditions, indices and sizes have depended on.
  uint32_t deciding() const { return *deciding_; }
  void decide(uint32_t sources) { *deciding_ |= sources; }
  // Whether it has met a function with a reverse rule alone.
  bool passes_rule() const { return passes_rule_; }
  void pass_rule() { passes_rule_ = true; }

  // A value that depends on these inputs, and on these arguments beside those that it depends on already. It is left as
  // it is where it depends on nothing.
  Value wrap(Value primal, Value sets, uint32_t sources) const;
  // A number or tensor of any dtype, an argument's leaf; `first` is the number of its first input.
  Value input(const Value& leaf, sparse::Set first) const;
  // Each float of the tree depends on all that the arguments, and what their functions have captured, depend on.
  Value on_all(const std::vector<Value>& args, const Value& tree);

  // What an operator has drawn.
  Value drawn(Value value);
  // A value in a program's `try`: whether its operators fail depends on their operands. (TryScope counts them.)
  bool is_tried() const { return tries_ > 0; }
  void count_try(int change) { tries_ += change; }

  // Runs a function's forward rule, unless it is being run: a rule may call its function with tangents, which has the
  // same rule again. False: it has not been run.
  bool run_rule(const Value& function, FunctionRef<void()> rule);

  ops::Builder& builder() override { return builder_; }
  Value unite(const Value& a, const Value& b, const Shape& shape) override;
  Value along(const Value& sets, uint32_t axes) override;
  Value running(const Value& sets, unsigned axis, bool backwards) override;
  Value unite_at(Value x, const Value& positions, const Value& updates) override;
  Value link(const Value& sets, const Shape& shape, unsigned leading, FunctionRef<void(Link)> each) override;
  sparse::Set all_of(const Value& sets);

 private:
  Value tensor(const Shape& shape) const;
  ops::Builder& builder_;
  const uint64_t level_;
  sparse::UnionDag dag_;
  const std::shared_ptr<uint32_t> deciding_;
  std::vector<const Object*> in_rule_of_;  // functions, the innermost last
  bool passes_rule_ = false;
  int tries_ = 0;  // of the program's, open since the pattern's level was
};

// While a program's `try` is run.
class TryScope {
 public:
  explicit TryScope(const ops::Context& context) : innermost_(context.innermost) { count(1); }
  TryScope(const TryScope&) = delete;
  TryScope& operator=(const TryScope&) = delete;
  ~TryScope() { count(-1); }

 private:
  void count(int change) const;
  const OpenLevel* const innermost_;
};

// Tells the open patterns what an operator has drawn.
Value tell_patterns(const ops::Context& context, Value drawn);

Value apply_pattern(ops::Builder& builder, const OpenLevel& level, ops::Call& call);

}  // namespace covec::autodiff
