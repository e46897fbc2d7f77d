// The compiler's side of staging: operators applied become operations of a graph, conditions and loops that only the
// run knows become its regions. What a variable holds on two paths is joined leaf by leaf: values of one dtype and rank
// stay typed, trees of one structure stay trees, and anything else is boxed (the interpreter then does what is done
// with it). A loop is walked until what it carries has stable types; where the first pass changes them it is peeled.
// Under an open tape a region is one entry of it, whose reverse is a region too (derivative.cpp).
//
// Start at stage() (stage.hpp), then Stager::apply, branch and repeat.
#pragma once

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "interpreter/compiler.hpp"
#include "jit/ir/graph.hpp"
#include "stdlib/autodiff/tape.hpp"

namespace covec::ir {

// A variable that only some paths have defined: what it holds then, and whether (a bool).
struct Maybe {
  Value value;
  Value whether;
};

// What is known of a list's items.
struct ItemType {
  bool uniform = true;  // numbers, or tensors of one dtype and rank
  bool empty = true;    // there is none yet: anything may follow
  Dtype dtype = Dtype::f64;
  unsigned rank = 0;
  static ItemType several() { return {false, false, Dtype::f64, 0}; }
  bool joins(const ItemType& other) const;  // both may be items of one list
};

class Stager final : public ops::Builder, public Staging {
 public:
  Stager(ops::Context& context, ops::Builder& eager, Graph& graph);

  Value parameter(const Value& like, std::string name);  // a number or tensor: a Symbol of its dtype and rank
  void set_globals(std::function<Value*(const core::Function&, Value*)> globals) { globals_ = std::move(globals); }
  void finish(Value result);

  // --- Builder ---
  Value apply(ops::Call& call) override;
  Value apply_traced(ops::Call& call) override;
  Dim unknown_dim() override;
  Dim dim_of(const Value& number) override;
  Value extent(Dim dim) override;
  bool is_extent(const Value& number) const override { return is_symbol(number) && extents_.contains(id_of(number)); }

  void where_present(Value& cotangent, std::span<Value* const> others, const std::function<void()>& pass) override;
  Value completed(const Value& cotangent, const std::function<Value(Value)>& with) override;
  Value is_present(const Value& cotangent) override;
  Value each_example(Dim size, std::string_view what, const std::function<Value(const Value& number)>& body) override;

  // --- Staging ---
  void assume_equal(Dim a, Dim b) override;
  void require(const Value& holds) override;
  void recursive() override;
  size_t unstaged() const override;
  std::string last_unstaged() const override;
  bool is_symbolic(const Value& value) const override { return is_symbol(value); }
  void branch(const Value& condition, const Variables& variables, const std::function<void()>& then,
              const std::function<void()>& otherwise) override;
  void repeat(const Value& count, const Variables& variables,
              const std::function<Value(const Value& index)>& body) override;
  void loop(const Variables& variables, const std::function<Value()>& condition,
            const std::function<Value()>& body) override;
  bool defined(const Value* variable, Value& value, Value& whether) override;
  void forget(const Value* first, size_t count) override;
  uint32_t enter(const Callable& closure, uint32_t caller, Span site) override;
  Value* globals(const core::Function& function, Value* globals) override { return globals_(function, globals); }
  void set_place(const StagedPlace* place) override { place_ = place; }
  const StagedPlace* place() const override { return place_; }
  size_t mark() override;
  size_t staged() const override { return open_.back()->operations.size(); }
  bool has_effects(size_t since) const override;
  void take_back(size_t mark) override;
  bool may_interpret() const override { return context().innermost == nullptr && context().batches.empty(); }
  Value interpret(const Unstaged& unstaged, Value* slots, Value& result) override;

 protected:
  void guard_equal(Dim a, Dim b, const ops::Mismatch& otherwise) override;
  Dim symbolic_add(Dim a, Dim b) override;
  Dim symbolic_multiply(Dim a, Dim b) override;
  Dim symbolic_broadcast(Dim a, Dim b, const ops::Mismatch& otherwise) override;

 private:
  friend class Joiner;
  friend class Carrier;
  friend class LoopWalk;
  friend class RegionTape;
  friend class ActiveWalk;
  friend class BranchBack;
  friend class LoopBack;
  struct Saved {  // what variables hold
    std::vector<Value> values;
    std::vector<std::pair<bool, Maybe>> maybes;
  };
  class OpenRegion;

  Region& top() { return *open_.back(); }
  Operation& append(Operation operation);
  Value result_of(Operation& operation, const Type& type);
  Value boxed_result_of(Operation& operation);
  uint32_t place_number();
  Dim dimension(const DimExpression& expression);
  bool fold(ops::Call& call, Value& result);
  Value box(const Value& tree);
  Value make_extent(Dim dim);
  static Value plain(const Value& value);
  Value arithmetic(const ops::Entry& entry, Value a, Value b);
  Dim same_class(Dim dim) const;
  std::vector<Dim> broadcast_parts(Dim dim) const;
  void check_size();
  bool in_batch() const;

  // Lists of one type (lists.cpp).
  ItemType item_type(const Value& item) const;
  ItemType items_of(const Value& list) const;
  Value to_list(const Value& list, const ItemType& items);  // as one value of the graph
  bool apply_to_list(ops::Call& call, Value& result);       // false: the operator is not about one
  bool apply_to_items(ops::Call& call, Value& result);
  Value plain_item(const Value& value) const;
  Value list_result(Operation operation, const ItemType& items);
  Value item_result(Operation operation, const ItemType& items);
  void note_batch(const Operation& operation);

  Saved save(const Variables& variables) const;
  void restore(const Variables& variables, const Saved& saved);
  Value undefined_like(const Value& like);
  // Cotangents are none where there is none, variables of regions unbound.
  void unbound_where_absent(const Variables& variables) const;
  void none_where_absent(const Variables& variables) const;
  void move_cotangent(Value& from, Value& to);
  // Regions walked back by a reverse sweep: `adjoint_of` is the one that is gone back through.
  // Inside a region that goes back through another: there a region without cotangents is gone back through as well, to
  // take off the stacks what its passes have put there.
  bool is_in_adjoint() const {
    return std::any_of(open_.begin(), open_.end(), [](const Region* region) { return region->adjoint_of != 0; });
  }
  struct AdjointOf {
    uint32_t first = 0, second = 0;
    bool peeled = false;  // the second path is that of a loop that ends before its second pass
  };
  void branch_back(const Value& condition, const Variables& variables, const std::function<void()>& then,
                   const std::function<void()>& otherwise, AdjointOf adjoint_of);
  void repeat_back(const Value& count, const Variables& variables, const std::function<Value(const Value& index)>& body,
                   uint32_t adjoint_of);

  Graph& graph_;
  ops::Builder& eager_;
  std::vector<Region*> open_;
  std::unordered_map<const Value*, Maybe> maybes_;
  struct TypeRule {  // while one is asked
    explicit TypeRule(bool& in) : in_(in), outer_(std::exchange(in, true)) {}
    TypeRule(const TypeRule&) = delete;
    TypeRule& operator=(const TypeRule&) = delete;
    ~TypeRule() { in_ = outer_; }
    bool& in_;
    const bool outer_;
  };
  struct Mark {
    size_t operations, unstaged;
    std::unordered_map<const Value*, Maybe> maybes;
    std::vector<std::pair<autodiff::Tape*, autodiff::TapeEntry*>> tapes;  // the open ones, and their last entries
  };
  std::vector<Mark> marks_;
  bool in_type_rule_ = false;
  const StagedPlace* place_ = nullptr;
  std::function<Value*(const core::Function&, Value*)> globals_;
  std::map<std::tuple<int, uint32_t, uint32_t, int64_t, int64_t>, uint32_t> known_dims_;
  std::map<int64_t, Dim> equal_;
  std::unordered_map<uint32_t, std::vector<Dim>> parts_;  // of broadcast dimensions
  std::unordered_map<Id, Dim> extents_;                   // numbers that are extents
  unsigned peeled_ = 0;
  size_t operations_ = 0;
};

// Thrown (as an OpError) where a walk cannot go on; the statement is interpreted then.
[[noreturn]] void not_staged(std::string what);

}  // namespace covec::ir
