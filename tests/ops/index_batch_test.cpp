// The batch rules of indexing against a loop over the examples, on the stored cases: x batched, indices batched, the
// value batched.
#include "stdlib/ops/index/index.hpp"
#include "stdlib/ops/shape/shape.hpp"
#include "tests/ops/index_support.hpp"

namespace covec::test {

class IndexBatchTest : public IndexEngine {
 protected:
  static constexpr int64_t size = 3;

  // Which operands are batched, by bit: x, the value, each integer item.
  struct Choice {
    bool x, value, items;
  };

  struct Operand {
    Value physical;
    bool batched = false;
  };

  Value example(const Operand& operand, int64_t i) {
    if (!operand.batched) return operand.physical;
    return item_of(operand.physical, i);
  }

  Operand numbers_of(std::vector<int64_t> shape, bool batched, double first, double step) {
    if (batched) shape.insert(shape.begin(), size);
    return {count(shape, first, step), batched};
  }

  // Example e reads an integer item at (item + e) mod the axis' size; masks and bounds are the same for all.
  Operand item_of_examples(const Value& item, bool batched, int64_t axis_size) {
    const bool integers = item.is_scalar() ? item.tag() == Tag::i64 : item.tensor().dtype() == Dtype::i64;
    if (!batched || !integers || axis_size == 0) return {item, false};
    const Shape shape = shape_of(item);
    std::vector<int64_t> dims{size}, elements;
    for (Dim dim : shape) dims.push_back(dim.number());
    const int64_t count = shape.elements();
    for (int64_t e = 0; e < size; ++e) {
      for (int64_t i = 0; i < count; ++i)
        elements.push_back((static_cast<const int64_t*>(data_of(item))[i] + axis_size + e) % axis_size);
    }
    return {i64(dims, elements), true};
  }

  // The sizes of the axes that the items index, 0 for the bounds of slices.
  std::vector<int64_t> axis_sizes(const IndexCase& one, const Index& index) {
    std::vector<int64_t> sizes;
    size_t taken = 0, next = 0;
    for (unsigned i = 0; i < index.spec.items(); ++i) taken += axes_of(index, i, next);
    size_t axis = 0;
    next = 0;
    for (unsigned i = 0; i < index.spec.items(); ++i) {
      if (index.spec.item(i) == IndexSpec::Item::ellipsis) axis += one.dims.size() - taken;
      const size_t before = next, axes = axes_of(index, i, next);
      const bool at = index.spec.item(i) == IndexSpec::Item::at;
      for (size_t j = before; j < next; ++j) sizes.push_back(at && axes == 1 ? one.dims[axis] : 0);
      axis += axes;
    }
    return sizes;
  }
  size_t axes_of(const Index& index, unsigned i, size_t& next) {
    using Item = IndexSpec::Item;
    if (index.spec.item(i) == Item::slice) {
      next += index.spec.has_start(i) + index.spec.has_stop(i) + index.spec.has_step(i);
      return 1;
    }
    if (index.spec.item(i) != Item::at) return 0;
    const Value& item = index.items[next++];
    return dtype_of(item) == Dtype::boolean ? rank_of(item) : 1;
  }

  void compare(const IndexCase& one, Choice choice, const ops::Entry& entry) {
    Index index = parse(one.items);
    const std::vector<int64_t> sizes = axis_sizes(one, index);
    std::vector<Operand> operands = {numbers_of(one.dims, choice.x, 0, 1)};
    const bool writes = &entry != &ops::index_read_entry();
    if (writes) operands.push_back(numbers_of(one.read_dims, choice.value, -1, -1));
    operands.push_back({Value(index.spec.packed()), false});
    for (size_t i = 0; i < index.items.size(); ++i)
      operands.push_back(item_of_examples(index.items[i], choice.items, sizes[i]));
    const size_t parameters = entry.parameters.size();
    std::vector<Value> args, rest;
    std::vector<uint8_t> flags;
    bool any = false;
    for (size_t i = 0; i < operands.size(); ++i) {
      (i < parameters ? args : rest).push_back(operands[i].physical);
      flags.push_back(operands[i].batched);
      any |= operands[i].batched;
    }
    if (!any) return;
    ops::Call made{entry, args, rest};
    const bool* batched = reinterpret_cast<const bool*>(flags.data());
    const Value whole = entry.batch(builder, made, ops::Batching{{batched, flags.size()}, size});
    ASSERT_FALSE(whole.is_unbound()) << "the rule declined";
    ASSERT_EQ(dims(whole).at(0), size);
    for (int64_t e = 0; e < size; ++e) {
      std::vector<Value> one_args, one_rest;
      for (size_t i = 0; i < operands.size(); ++i)
        (i < parameters ? one_args : one_rest).push_back(example(operands[i], e));
      const Value wanted = call(entry, one_args, one_rest), got = item_of(whole, e);
      ASSERT_EQ(dims(got), dims(wanted));
      ASSERT_EQ(numbers(got), numbers(wanted)) << "example " << e;
    }
    ++compared_;
  }
  int compared_ = 0;
};

TEST_F(IndexBatchTest, RulesAreLoops) {
  for (const IndexCase& one : index_cases()) {
    for (int bits = 1; bits < 8; ++bits) {
      const Choice choice{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
      SCOPED_TRACE(one.line + " batched " + std::to_string(bits));
      if (!choice.value) compare(one, choice, ops::index_read_entry());
      compare(one, choice, ops::index_update_entry());
      compare(one, choice, ops::index_add_entry());
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(compared_, 2000);
}

TEST_F(IndexBatchTest, MasksOfExamplesAreDeclined) {
  std::vector<Value> args = {count({3}), at()}, rest = {mask({2, 3}, {1, 0, 1, 0, 0, 0})};
  ops::Call made{ops::index_read_entry(), args, rest};
  const bool batched[] = {false, false, true};
  EXPECT_TRUE(ops::index_read_entry().batch(builder, made, ops::Batching{batched, 2}).is_unbound());
}

}  // namespace covec::test
