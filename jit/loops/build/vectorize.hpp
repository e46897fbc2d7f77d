// Describes a loop's iterations as the elements of a kernel (vectorization). It finds what each iteration computes, and
// how the elements that it reads and sets move from iteration to iteration. It knows only the graph, not slots and
// registers. Start at Vectorizer::find.
#pragma once

#include <optional>
#include <unordered_map>

#include "jit/ir/graph.hpp"
#include "jit/loops/build/induction.hpp"
#include "jit/loops/build_kernel.hpp"

namespace covec::loops {

class Vectorizer {
 public:
  // `loop`: a for_ whose carried values are tensors.
  Vectorizer(const ir::Graph& graph, const ir::Operation& loop);
  // False: the iterations depend on each other, or hold what no kernel can.
  bool find();

  // An element that each iteration reads or sets, or a number that it takes off a stack or puts there; without an
  // operation: the number of the iteration, counted from that of the array's first element.
  struct Access {
    const ir::Operation* operation = nullptr;  // index_read, index_update, index_add, pop or push
    std::optional<uint32_t> axis;              // of an element: along which it moves by one from iteration to iteration
    bool names_element() const { return operation != nullptr && operation->kind == ir::Kind::apply; }
  };
  struct Number {
    enum class Kind : uint8_t {
      value,
      element,
      iteration
    } kind = Kind::value;  // iteration: of an array's first element
    Value value = {};      // of outside the loop
    Access element = {};   // that is the same in all iterations
  };
  Kernel kernel;
  bool backwards = false;
  std::vector<Access> reads, writes;  // in the order of the kernel's inputs, and of its outputs; there may be no output
  std::vector<Number> numbers;
  const Induction& induction() const { return induction_; }

 private:
  // --- what an iteration computes ---
  using Ref = std::optional<ops::ScalarRef>;
  bool add(const ir::Operation& operation);
  bool stack(const ir::Operation& operation);
  Ref data(const Value& value);
  Ref make(const ir::Operation& operation);
  Ref apply(const ir::Operation& operation);
  Ref read(const ir::Operation& operation);
  bool write(const ir::Operation& operation, bool adds);
  // The element of a carried tensor that the iteration sets, as far as it has come.
  struct Setting {
    Access access;
    Value tensor;  // as it is now
    ops::ScalarRef value;
  };
  Setting* setting(const Value& tensor);
  bool begin_setting(const ir::Operation& operation, const Access& access);
  bool branch(const ir::Operation& operation);
  bool way(const ir::Region& region);
  bool masked_way(const ir::Region& region, ops::ScalarRef taken);
  size_t length_of(const ir::Region& region) const;
  bool merge(const ir::Operation& operation, ops::ScalarRef condition, const std::vector<Setting>& then);
  bool merge_tensor(const ir::Operation& operation, size_t k, ops::ScalarRef condition,
                    const std::vector<Setting>& then);
  ops::ScalarRef load(const Access& access);
  ops::ScalarRef number(Number number, Dtype dtype);
  ops::ScalarRef iteration_number();
  std::optional<Access> locate(const ir::Operation& operation, size_t spec);
  bool turn(int direction);

  // --- whether they depend on each other ---
  bool is_carried(const Value& tensor) const;
  bool gives_what_it_sets() const;
  bool may_follow(const Access& read, const Access& write) const;
  bool are_independent() const;

  const ir::Graph& graph_;
  const ir::Region& region_;
  Induction induction_;
  KernelBuilder code_;
  int direction_ = 0;
  std::unordered_map<ir::Id, ops::ScalarRef> values_;
  std::vector<Setting> settings_;
  std::vector<std::pair<const ir::Operation*, ops::ScalarRef>> pushes_;
  unsigned branches_ = 0;  // that are open
};

}  // namespace covec::loops
