// Gives the same elements in the same order other sizes: reshape, squeeze, unsqueeze. A row-major operand gives a view,
// any other a row-major copy.
#include <algorithm>
#include <vector>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/shape/family.hpp"
#include "stdlib/ops/shape/parts.hpp"
#include "stdlib/ops/shape/shape.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/tensor/views.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

std::vector<std::string> reshape_parts(const void* self, int64_t a, int64_t b) {
  const auto& [from, to] = *static_cast<const std::pair<Type, Shape>*>(self);
  return {from.text(), to.text(), std::to_string(a), std::to_string(b)};
}

// Takes one factor equal to `dim` out of the list.
bool cancel(std::vector<Dim>& factors, Dim dim) {
  const auto found = std::find(factors.begin(), factors.end(), dim);
  if (found == factors.end()) return false;
  factors.erase(found);
  return true;
}

// What the other sizes leave, where they are among x's own, or numbers that divide what is left. The run checks that
// the elements are as many.
std::optional<Dim> remaining_size(ShapeBuilder& shapes, const Shape& x, const Sizes& sizes, int unknown) {
  std::vector<Dim> factors(x.begin(), x.end());
  int64_t divisor = 1;
  for (unsigned i = 0; i < sizes.size(); ++i) {
    if (static_cast<int>(i) == unknown || cancel(factors, sizes[i])) continue;
    if (!sizes.known(i)) return std::nullopt;
    divisor = shapes.multiply(divisor, sizes[i]).number();
  }
  int64_t known = 1;
  Dim rest(1);
  for (Dim factor : factors) {
    if (factor.known())
      known = shapes.multiply(known, factor).number();
    else
      rest = shapes.multiply(rest, factor);
  }
  if (divisor <= 0 || known % divisor != 0) return std::nullopt;
  return shapes.multiply(Dim(known / divisor), rest);
}

Dim product_of_others(ShapeBuilder& shapes, const Sizes& sizes, int unknown) {
  Dim others(1);
  for (unsigned i = 0; i < sizes.size(); ++i) {
    if (static_cast<int>(i) != unknown) others = shapes.multiply(others, sizes[i]);
  }
  return others;
}

// The same as a number of the run.
Dim divided_size(Builder& builder, const Shape& x, const Sizes& sizes, int unknown) {
  const Dim others = product_of_others(builder, sizes, unknown);
  return builder.dim_of(
      call(builder, handles().floor_divide, {builder.extent(elements_of(builder, x)), builder.extent(others)}));
}

// A -1 beside a 0 is no number. In code where only the run knows the others: max(others − 1, 0) + 1 is others, unless
// that is 0.
void require_some(ShapeBuilder& shapes, const Type& x, const Sizes& sizes, int unknown) {
  const Dim others = product_of_others(shapes, sizes, unknown);
  if (others.known()) return;
  const std::pair<Type, Shape> both(x, Shape{});
  shapes.require_equal(shapes.add(shapes.saturating_sub(others, 1), Dim(1)), others,
                       {&message("reshape_elements"), reshape_parts, nullptr, &both});
}

// Replaces the one -1 by what the other sizes leave.
void infer_size(const Type& x, Sizes& sizes, int unknown) {
  Shape others;
  for (unsigned i = 0; i < sizes.size(); ++i) others.push_back(Dim(static_cast<int>(i) == unknown ? 1 : sizes[i]));
  const int64_t all = x.shape.elements(), rest = others.elements();
  if (rest == 0 || all % rest != 0) {
    std::string wanted = "[";
    for (unsigned i = 0; i < sizes.size(); ++i) wanted += (i ? ", " : "") + std::to_string(sizes.number(i));
    fail(message("reshape_infer"), {x.text(), wanted + "]", std::to_string(all)});
  }
  sizes.set(static_cast<unsigned>(unknown), Dim(all / rest));
}

// Reads the sizes of a reshape: one that only the run knows may turn out to be -1, unless it is an extent. Without
// guesses that is not_staged.
class ReshapeSizes final : public ShapeBuilder {
 public:
  ReshapeSizes(ShapeBuilder& shapes, bool guesses) : shapes_(shapes), guesses_(guesses) {}
  Dim unknown_dim() override {
    if (!guesses_) fail_not_staged("the size that reshape infers");
    return shapes_.unknown_dim();
  }
  Dim dim_of(const Value& number) override {
    return is_integer(number) || shapes_.is_extent(number) ? shapes_.dim_of(number) : unknown_dim();
  }

 protected:
  void guard_equal(Dim a, Dim b, const Mismatch& otherwise) override { shapes_.require_equal(a, b, otherwise); }
  Dim symbolic_add(Dim a, Dim b) override { return shapes_.add(a, b); }
  Dim symbolic_multiply(Dim a, Dim b) override { return shapes_.multiply(a, b); }
  Dim symbolic_broadcast(Dim a, Dim b, const Mismatch& otherwise) override {
    return shapes_.broadcast(a, b, otherwise);
  }

 private:
  ShapeBuilder& shapes_;
  const bool guesses_;
};

// `divides`: what a -1 leaves is not guessed, but computed by this.
Shape reshape_target(ShapeBuilder& builder, const Call& call, const Type& x, Builder* divides = nullptr) {
  ReshapeSizes shapes(builder, divides == nullptr);
  if (!variadic_given(call)) fail(message("argument_missing"), {"reshape", "shape"});
  Sizes sizes = variadic_sizes(shapes, call);
  int unknown = -1;
  bool known = x.shape.known();
  for (unsigned i = 0; i < sizes.size(); ++i) {
    known &= sizes.known(i);
    if (!sizes.known(i) || sizes.number(i) != -1) continue;
    if (unknown >= 0) fail(message("reshape_unknown"), {x.text()});
    unknown = static_cast<int>(i);
  }
  if (!known) {  // the elements are counted when all sizes are known
    if (unknown >= 0) {
      if (divides) require_some(builder, x, sizes, unknown);
      const std::optional<Dim> rest = remaining_size(shapes, x.shape, sizes, unknown);
      sizes.set(static_cast<unsigned>(unknown), rest      ? *rest
                                                : divides ? divided_size(*divides, x.shape, sizes, unknown)
                                                          : shapes.unknown_dim());
    }
    return shape_of_sizes(call, sizes);
  }
  if (unknown >= 0) infer_size(x, sizes, unknown);
  const std::pair<Type, Shape> both(x, shape_of_sizes(call, sizes));
  shapes.require_equal(elements_of(shapes, x.shape), elements_of(shapes, both.second),
                       {&message("reshape_elements"), reshape_parts, nullptr, &both});
  return both.second;
}

Type reshape_type(ShapeBuilder& shapes, const Call& call) {
  const Type x = operand_type(call, 0);
  return {x.dtype, reshape_target(shapes, call, x)};
}

Value reshape_eager(Builder& builder, Call& call) {
  const Shape target = reshape_target(builder, call, type_of(call.args[0]));
  return reshape_value(builder.pool(), std::move(call.args[0]), target);
}

Value back_to_shape(RuleContext& rule, unsigned, const Residuals& residuals, const Value& cotangent) {
  return reshape(rule.builder(), cotangent, residuals.types[0].shape);
}

Shape with_batch(Shape shape, Dim size) {
  shape.insert(0, size);
  return shape;
}

Value reshape_batch(Builder& builder, Call& call, const Batching& batching) {
  // What a -1 leaves of all examples together would be another size: it must be known of one.
  const Type x = example_type(call, 0, batching);
  const Shape target = reshape_target(builder, call, x, &builder);
  // Of no examples all together there would be nothing to say.
  const std::pair<Type, Shape> both(x, target);
  builder.require_equal(elements_of(builder, x.shape), elements_of(builder, target),
                        {&message("reshape_elements"), reshape_parts, nullptr, &both});
  return reshape(builder, std::move(call.args[0]), with_batch(target, batching.size));
}

Shape squeezed(const Call& call, const Type& x) {
  const bool all = call.args[1].is_none();
  const uint32_t set = all ? 0 : axis_set(call, 1, x.shape.rank());
  Shape result;
  for (unsigned i = 0; i < x.shape.rank(); ++i) {
    if (all && !x.shape[i].known()) fail_not_staged("whether an axis has size 1");
    const bool drop = all ? x.shape[i] == Dim(1) : (set >> i) & 1;
    if (drop && x.shape[i].known() && x.shape[i] != Dim(1)) {
      fail(message("squeeze_axis"), {std::to_string(i), x.text(), std::to_string(x.shape[i].number())},
           {label_of(call, 0)});
    }
    if (!drop) result.push_back(x.shape[i]);
  }
  return result;
}

Shape unsqueezed(const Call& call, const Type& x) {
  const Integers axes = integers_argument(call, 1);
  const unsigned rank = x.shape.rank() + axes.size();
  if (rank > max_rank) fail(message("rank_limit"), {std::to_string(rank)});
  const uint32_t set = axis_set(call, 1, rank);
  Shape result;
  unsigned next = 0;
  for (unsigned i = 0; i < rank; ++i) result.push_back((set >> i) & 1 ? Dim(1) : x.shape[next++]);
  return result;
}

// The same axes of all examples: the run checks those whose size is not known. `rank` is what the axes count in.
Value axes_batch(Builder& builder, Call& call, unsigned rank) {
  if (call.args[1].is_none()) fail_not_staged("whether an axis has size 1");
  const uint32_t set = axis_set(call, 1, rank);
  std::vector<Value> axes;
  for (unsigned i = 0; i < rank; ++i) {
    if ((set >> i) & 1) axes.emplace_back(int64_t{i} + 1);
  }
  Value args[] = {std::move(call.args[0]), make_tuple(std::move(axes))};
  return ops::call(builder, call.entry, args);
}

template <Shape (*target)(const Call&, const Type&)>
Type ones_type(ShapeBuilder&, const Call& call) {
  const Type x = operand_type(call, 0);
  return {x.dtype, target(call, x)};
}

template <Shape (*target)(const Call&, const Type&)>
Value ones_eager(Builder& builder, Call& call) {
  const Shape shape = target(call, type_of(call.args[0]));
  return reshape_value(builder.pool(), std::move(call.args[0]), shape);
}

template <Shape (*target)(const Call&, const Type&)>
Value ones_batch(Builder& builder, Call& call, const Batching& batching) {
  const Type x = example_type(call, 0, batching);
  const Shape shape = target(call, x);
  if (!x.shape.known()) return axes_batch(builder, call, std::max(shape.rank(), x.shape.rank()));
  return reshape(builder, std::move(call.args[0]), with_batch(shape, batching.size));
}

// --- ravel ---

Type ravel_type(ShapeBuilder& shapes, const Call& call) {
  const Type x = operand_type(call, 0);
  return {x.dtype, {elements_of(shapes, x.shape)}};
}

Value ravel_eager(Builder& builder, Call& call) {
  const Shape shape = ravel_type(builder, call).shape;
  return reshape_value(builder.pool(), std::move(call.args[0]), shape);
}

Value ravel_batch(Builder& builder, Call& call, const Batching& batching) {
  const Shape shape{batching.size, elements_of(builder, example_type(call, 0, batching).shape)};
  return reshape(builder, std::move(call.args[0]), shape);
}

}  // namespace

const Entry& reshape_entry() {
  static const Entry entry{
      .name = "reshape",
      .doc =
          "The elements of `x`, in order, in another shape. One size may be -1: it is what the others leave.\n\n"
          "`reshape(x, 2, 3)` or `reshape(x, (2, 3))`. Shares its elements with `x` where that is possible.",
      .parameters = {tensor_parameter("x"), attribute("shape", Value())},
      .variadic = true,
      .variadic_at = 1,
      .carries = true,
      .type = reshape_type,
      .eager = reshape_eager,
      .device = DeviceForm::view,
      .derivative = Derivative::linearly(1, back_to_shape),
      .batch = reshape_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 2, 3, 4, 5, 6], 2, 3",
                   .expected = "[[1.0, 2, 3], [4, 5, 6]]",
                   .differentiate = true},
                  {.arguments = "[[1, 2], [3, 4]], -1", .expected = "[1, 2, 3, 4]"},
                  {.arguments = "[[1.5]], ()", .expected = "1.5", .differentiate = true},
                  {.arguments = "zeros(0, 3), (3, 0)", .expected = "zeros(3, 0)"},
                  {.arguments = "[1.0, 2, 3, 4].reshape(2, 2).T, 4", .expected = "[1.0, 3, 2, 4]"}},
  };
  return entry;
}

const Entry& squeeze_entry() {
  static const Entry entry{
      .name = "squeeze",
      .doc = "`x` without its axes of size 1, or without those that `axis` (an integer or a tuple) names.",
      .parameters = {tensor_parameter("x"), attribute("axis", Value())},
      .carries = true,
      .type = ones_type<squeezed>,
      .eager = ones_eager<squeezed>,
      .device = DeviceForm::view,
      .derivative = Derivative::linearly(1, back_to_shape),
      .batch = ones_batch<squeezed>,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[[1.0], [2.0]]]", .expected = "[1.0, 2]", .differentiate = true},
                  {.arguments = "[[[1], [2]]], axis=-1", .expected = "[[1, 2]]"},
                  {.arguments = "[[4.0]]", .expected = "4.0"}},
  };
  return entry;
}

const Entry& unsqueeze_entry() {
  static const Entry entry{
      .name = "unsqueeze",
      .doc = "`x` with an axis of size 1 put at `axis` of the result (an integer or a tuple).",
      .parameters = {tensor_parameter("x"), attribute("axis")},
      .carries = true,
      .type = ones_type<unsqueezed>,
      .eager = ones_eager<unsqueezed>,
      .device = DeviceForm::view,
      .derivative = Derivative::linearly(1, back_to_shape),
      .batch = ones_batch<unsqueezed>,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 2], 1", .expected = "[[1.0], [2.0]]", .differentiate = true},
                  {.arguments = "[1, 2], (0, -1)", .expected = "[[[1], [2]]]"},
                  {.arguments = "3.0, 0", .expected = "[3.0]"}},
  };
  return entry;
}

const Entry& ravel_entry() {
  static const Entry entry{
      .name = "ravel",
      .doc = "The elements of `x` as a vector, row by row. Shares them with `x` where that is possible.",
      .parameters = {tensor_parameter("x")},
      .carries = true,
      .type = ravel_type,
      .eager = ravel_eager,
      .derivative = Derivative::linearly(1, back_to_shape),
      .batch = ravel_batch,
      .samples = {{.arguments = "[[1.0, 2, 3], [4, 5, 6]]", .expected = "[1.0, 2, 3, 4, 5, 6]", .differentiate = true},
                  {.arguments = "[[1, 2], [3, 4]].T", .expected = "[1, 3, 2, 4]"},
                  {.arguments = "2.5", .expected = "[2.5]", .differentiate = true},
                  {.arguments = "zeros(2, 0)", .expected = "zeros(0)"}},
  };
  return entry;
}

Family shape_reshape_entries() {
  static const Entry* const entries[] = {&reshape_entry(), &squeeze_entry(), &unsqueeze_entry(), &ravel_entry()};
  return entries;
}

}  // namespace covec::ops
