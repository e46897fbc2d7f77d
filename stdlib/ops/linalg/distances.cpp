// cdist: the distances of all pairs of points, from their differences. Its derivatives are made of two more operators
// over pairs, `pull` and `pair_products`, which are closed under differentiation. Start at distances_eager and the
// rules.
#include "stdlib/kernels/distances.hpp"
#include "stdlib/kernels/interrupt_polls.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/ops/linalg/parts.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

const Entry& distances_entry();
const Entry& pull_entry();
const Entry& pair_products_entry();

// --- eager ---

template <class T>
const kernels::DistanceKernels<T>& kernels_for(const Context& context) {
  static constexpr PerIsa<const kernels::DistanceKernels<T>&(T)> kernels = COVEC_PER_ISA(distance_kernels);
  return kernels[context.isa](T());
}

// Points [batches, count, columns], row-major.
struct Points {
  Value value;
  int64_t batches = 1, count, columns;
  Points(Builder& builder, const Value& x) : value(contiguous(builder.pool(), x)) {
    const Tensor& tensor = value.tensor();
    const unsigned rank = tensor.rank();
    count = tensor.dim(rank - 2);
    columns = tensor.dim(rank - 1);
    for (unsigned i = 0; i + 2 < rank; ++i) batches *= tensor.dim(i);
  }
  template <class T>
  const T* of(int64_t batch) const {
    return value.tensor().as<T>() + batch * count * columns;
  }
};

// How work is cut: rows or blocks that a thread takes at once.
constexpr int64_t unit_operations = int64_t{1} << 16;
int64_t units_of(int64_t operations_of_one) {
  return std::max<int64_t>(1, unit_operations / std::max<int64_t>(operations_of_one, 1));
}

template <class T>
class PairRun {
 public:
  PairRun(Builder& builder, const Points& a, const Points& b)
      : builder_(builder), table_(kernels_for<T>(builder.context())), a_(a), b_(b) {}

  // Points, packed: block `n` begins at n · size_of_block().
  Scratch packed(const Points& points, int64_t batch) const {
    const int64_t blocks = kernels::blocks_of<T>(points.count);
    Scratch to = numbers<T>(builder_, blocks * size_of_block());
    const T* const from = points.of<T>(batch);
    kernels::parallel_for(builder_.context(), blocks, units_of(size_of_block()), [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) {
        const int64_t first = n * lanes;
        table_.pack(from + first * columns(), std::min(lanes, points.count - first), columns(),
                    to.as<T>() + n * size_of_block());
      }
    });
    return to;
  }

  // f(pairs, where they begin in a matrix of pairs) for a row of tiles of pairs of a batch, on all threads.
  template <class F>
  void tiles(int64_t batch, const Scratch& b, F f) const {
    constexpr int64_t most = 4096 / sizeof(T) / 8;  // points of b in a tile
    const int64_t across = (b_.count + most - 1) / most, rows = units_of(most * (columns() + 8));
    const int64_t down = (a_.count + rows - 1) / rows;
    kernels::parallel_for(builder_.context(), across * down, 1, [&](int64_t begin, int64_t end) {
      kernels::InterruptPolls polls(builder_.context());
      for (int64_t tile = begin; tile < end; ++tile) {
        const int64_t row = tile / across * rows, point = tile % across * most;
        kernels::PointPairs<T> pairs = some(batch, row, std::min(rows, a_.count - row));
        pairs.b = b.as<T>() + point / lanes * size_of_block();
        pairs.count = std::min(most, b_.count - point);
        if (polls.stop(pairs.rows * pairs.count * (columns() + 8))) return;
        f(pairs, row, point);
      }
    });
  }

  // f(pairs, row) for rows of a with all of b.
  template <class F>
  void rows(int64_t batch, const Scratch& b, F f) const {
    const int64_t operations = b_.count * (columns() + 8);
    kernels::parallel_for(builder_.context(), a_.count, units_of(operations), [&](int64_t begin, int64_t end) {
      kernels::InterruptPolls polls(builder_.context());
      for (int64_t row = begin; row < end && !polls.stop(operations); ++row) {
        kernels::PointPairs<T> pairs = some(batch, row, 1);
        pairs.b = b.as<T>();
        f(pairs, row);
      }
    });
  }

  // f(pairs, block) for blocks of b with all of a.
  template <class F>
  void blocks(int64_t batch, const Scratch& b, F f) const {
    const int64_t operations = a_.count * lanes * (columns() + 8);
    kernels::parallel_for(builder_.context(), kernels::blocks_of<T>(b_.count), units_of(operations),
                          [&](int64_t begin, int64_t end) {
                            kernels::InterruptPolls polls(builder_.context());
                            for (int64_t n = begin; n < end && !polls.stop(operations); ++n) {
                              kernels::PointPairs<T> pairs = some(batch, 0, a_.count);
                              pairs.b = b.as<T>() + n * size_of_block();
                              pairs.count = std::min(lanes, b_.count - n * lanes);
                              f(pairs, n);
                            }
                          });
  }

  const kernels::DistanceKernels<T>& table() const { return table_; }
  int64_t columns() const { return a_.columns; }
  int64_t size_of_block() const { return columns() * lanes; }
  static constexpr int64_t lanes = kernels::points_of_block<T>;

 private:
  kernels::PointPairs<T> some(int64_t batch, int64_t row, int64_t rows) const {
    return {columns(), a_.of<T>(batch) + row * columns(), rows, nullptr, b_.count, b_.count};
  }
  Builder& builder_;
  const kernels::DistanceKernels<T>& table_;
  const Points &a_, &b_;
};

Value distances_eager(Builder& builder, Call& call) {
  const Type type = call.entry.type(builder, call);
  const Points a(builder, call.args[0]), b(builder, call.args[1]);
  Value result = make_tensor(builder.pool(), type.dtype, type.shape);
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    const PairRun<T> run(builder, a, b);
    for (int64_t batch = 0; batch < a.batches; ++batch) {
      const Scratch packed = run.packed(b, batch);
      T* const out = result.tensor().as<T>() + batch * a.count * b.count;
      run.tiles(batch, packed, [&](const kernels::PointPairs<T>& pairs, int64_t row, int64_t point) {
        run.table().distances(pairs, out + row * b.count + point);
      });
    }
  });
  kernels::poll_interrupt(builder.context());
  return result;
}

Value pair_products_eager(Builder& builder, Call& call) {
  const Type type = call.entry.type(builder, call);
  const Points a(builder, call.args[0]), b(builder, call.args[1]), c(builder, call.args[2]), e(builder, call.args[3]);
  Value result = make_tensor(builder.pool(), type.dtype, type.shape);
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    const PairRun<T> run(builder, a, b);
    for (int64_t batch = 0; batch < a.batches; ++batch) {
      const Scratch packed = run.packed(b, batch), others = run.packed(e, batch);
      T* const out = result.tensor().as<T>() + batch * a.count * b.count;
      run.tiles(batch, packed, [&](const kernels::PointPairs<T>& pairs, int64_t row, int64_t point) {
        run.table().products(pairs, c.of<T>(batch) + row * run.columns(),
                             others.as<T>() + point / run.lanes * run.size_of_block(), out + row * b.count + point);
      });
    }
  });
  kernels::poll_interrupt(builder.context());
  return result;
}

// What a sum hands on is one number for all pairs: a view of it need not be spread out.
bool is_one_number(const Tensor& x) {
  for (unsigned i = 0; i < x.rank(); ++i) {
    if (x.dim(i) != 1 && x.stride(i) != 0) return false;
  }
  return x.size() > 0;
}

template <class T>
void pull_a(const PairRun<T>& run, int64_t batch, const Scratch& b, const kernels::Cotangents<T>& g, const T* d,
            T* out) {
  run.rows(batch, b, [&](const kernels::PointPairs<T>& pairs, int64_t row) {
    run.table().pull_a(pairs, g.from(row * pairs.stride), d + row * pairs.stride, out + row * run.columns());
  });
}

template <class T>
void pull_b(Builder& builder, const PairRun<T>& run, int64_t batch, const Scratch& b, int64_t count,
            const kernels::Cotangents<T>& g, const T* d, T* out) {
  const Scratch sums = numbers<T>(builder, kernels::blocks_of<T>(count) * run.size_of_block());
  run.blocks(batch, b, [&](const kernels::PointPairs<T>& pairs, int64_t n) {
    T* const to = sums.as<T>() + n * run.size_of_block();
    std::fill_n(to, run.size_of_block(), T(0));
    run.table().pull_b(pairs, g.from(n * run.lanes), d + n * run.lanes, to);
    for (int64_t j = 0; j < pairs.count; ++j) {
      for (int64_t k = 0; k < run.columns(); ++k) out[(n * run.lanes + j) * run.columns() + k] = to[k * run.lanes + j];
    }
  });
}

Value pull_eager(Builder& builder, Call& call) {
  const Type type = call.entry.type(builder, call);
  const bool one = is_one_number(call.args[0].tensor());
  const Value g = one ? call.args[0] : contiguous(builder.pool(), call.args[0]);
  const Value d = contiguous(builder.pool(), call.args[1]);
  const Points a(builder, call.args[2]), b(builder, call.args[3]);
  const bool by_b = flag_argument(call, 4);
  Value result = make_tensor(builder.pool(), type.dtype, type.shape);
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    const PairRun<T> run(builder, a, b);
    T* out = result.tensor().as<T>();
    std::fill_n(out, result.tensor().size(), T(0));
    for (int64_t batch = 0; batch < a.batches; ++batch) {
      const Scratch packed = run.packed(b, batch);
      const int64_t at = batch * a.count * b.count;
      const kernels::Cotangents<T> cotangents{g.tensor().as<T>() + (one ? 0 : at), one ? 0 : 1};
      const T* const lengths = d.tensor().as<T>() + at;
      if (by_b)
        pull_b(builder, run, batch, packed, b.count, cotangents, lengths, out + batch * b.count * b.columns);
      else
        pull_a(run, batch, packed, cotangents, lengths, out + batch * a.count * a.columns);
    }
  });
  kernels::poll_interrupt(builder.context());
  return result;
}

// --- types: all operands have one dtype and the same leading axes ---

Type pairs_type(ShapeBuilder&, const Call& call) {
  Type type = operand_type(call, 0);
  const Shape b = operand_type(call, 1).shape;
  type.shape[type.shape.rank() - 1] = b[b.rank() - 2];
  return type;
}

Type pull_type(ShapeBuilder&, const Call& call) { return operand_type(call, flag_argument(call, 4) ? 3 : 2); }

// --- rules ---

// Tangents of which some are none, as zeros.
Value or_zeros(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents, unsigned operand) {
  return tangents[operand].is_none() ? rule.zeros(residuals.types[operand]) : tangents[operand];
}

// x/d, and 0 where d or x is 0.
Value by_distance(RuleContext& rule, Value x, const Value& d) {
  const Dtype dtype = operand_dtype(d);
  const Value zero = rule.number(0, dtype), at_zero = rule.call(handles().equal, {d, zero});
  const Value one = rule.number(1, dtype), inverse = rule.div(one, rule.where(at_zero, one, d));
  return rule.where(at_zero, zero, rule.scale(std::move(x), inverse));
}

Value pulled(RuleContext& rule, const Value& g, const Value& d, const Value& a, const Value& b, bool by_b) {
  return rule.call(pull_entry(), {g, d, a, b, Value(by_b)});
}

// Of |a − b|: (a − b)·(ȧ − ḃ)/|a − b|.
Value distances_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const Value products = rule.call(
      pair_products_entry(), {residuals.operands[0], residuals.operands[1], or_zeros(rule, residuals, tangents, 0),
                              or_zeros(rule, residuals, tangents, 1)});
  return by_distance(rule, products, *residuals.result);
}

void distances_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  for (unsigned i = 0; i < 2; ++i) {
    if (out.wants(i))
      out.add(i, pulled(rule, cotangent, *residuals.result, residuals.operands[0], residuals.operands[1], i == 1));
  }
}

// Bilinear in the differences of its pairs of operands.
Value pair_products_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const std::span<const Value> x = residuals.operands;
  const auto part = [&](unsigned i) {
    if (tangents[i].is_none() && tangents[i + 1].is_none()) return Value();
    return rule.call(pair_products_entry(), {or_zeros(rule, residuals, tangents, i),
                                             or_zeros(rule, residuals, tangents, i + 1), x[2 - i], x[3 - i]});
  };
  Value first = part(0), second = part(2);
  if (first.is_none() || second.is_none()) return first.is_none() ? second : first;
  return rule.add(std::move(first), std::move(second));
}

void pair_products_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const std::span<const Value> x = residuals.operands;
  const Value ones = rule.broadcast_to(rule.number(1, residuals.result_type->dtype), residuals.result_type->shape);
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned other = i < 2 ? 2 : 0;
    if (out.wants(i)) out.add(i, pulled(rule, cotangent, ones, x[other], x[other + 1], i % 2 == 1));
  }
}

// With w = g/d: that of w is (ġ − w·ḋ)/d, and the differences count linearly.
Value pull_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  const std::span<const Value> x = residuals.operands;
  const bool by_b = x[4].boolean();
  Value first, second;
  if (!tangents[0].is_none() || !tangents[1].is_none()) {
    Value change = or_zeros(rule, residuals, tangents, 0);
    if (!tangents[1].is_none()) change = rule.sub(change, rule.scale(by_distance(rule, x[0], x[1]), tangents[1]));
    first = pulled(rule, change, x[1], x[2], x[3], by_b);
  }
  if (!tangents[2].is_none() || !tangents[3].is_none()) {
    second =
        pulled(rule, x[0], x[1], or_zeros(rule, residuals, tangents, 2), or_zeros(rule, residuals, tangents, 3), by_b);
  }
  if (first.is_none() || second.is_none()) return first.is_none() ? second : first;
  return rule.add(std::move(first), std::move(second));
}

// The cotangent belongs to points of a, or of b. With zeros for the other points it pairs as they do.
void pull_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  const std::span<const Value> x = residuals.operands;
  const bool by_b = x[4].boolean();
  const Value at_a = by_b ? rule.zeros(residuals.types[2]) : cotangent;
  const Value at_b = by_b ? cotangent : rule.zeros(residuals.types[3]);
  if (out.wants(0) || out.wants(1)) {
    const Value of_g = by_distance(rule, rule.call(pair_products_entry(), {x[2], x[3], at_a, at_b}), x[1]);
    if (out.wants(0)) out.add(0, of_g);
    if (out.wants(1)) out.add(1, rule.neg(rule.scale_both(of_g, by_distance(rule, x[0], x[1]))));
  }
  if (out.wants(2)) out.add(2, pulled(rule, x[0], x[1], at_a, at_b, false));
  if (out.wants(3)) out.add(3, pulled(rule, x[0], x[1], at_a, at_b, true));
}

// --- entries ---

// The three that have rules by hand keep all of their tensors, or two of them and the result.
Value pattern_of_distances(Sets& sets, const Entry&, const Residuals& residuals, std::span<const Value> of) {
  Value parts[2];
  for (unsigned i = 0; i < 2; ++i) {
    if (of[i].is_none()) continue;
    const unsigned last = residuals.types[i].shape.rank() - 1;
    parts[i] = sets.along(of[i], uint32_t{1} << last);
    Shape shape = shape_of(parts[i]);
    if (i == 1) std::swap(shape[last - 1], shape[last]);
    parts[i] = reshaped(sets, parts[i], shape);
  }
  return sets.unite(parts[0], parts[1], residuals.result_type->shape);
}

const Entry& distances_entry() {
  static const Entry entry{
      .name = "distances",
      .doc = "The distances of the rows of a and b, which have one dtype and the same leading axes.",
      .parameters = {tensor_parameter("a"), tensor_parameter("b")},
      .type = pairs_type,
      .eager = distances_eager,
      .derivative =
          Derivative::by_hand(keep_operand(0) | keep_operand(1) | Derivative::result_bit, distances_jvp, distances_vjp),
      .batch = operands_batch,
      .pattern = pattern_of_distances,
      .internal = true,
      .part_of = "cdist"};
  return entry;
}

const Entry& pair_products_entry() {
  static const Entry entry{
      .name = "pair_products",
      .doc = "The products (aᵢ − bⱼ)·(cᵢ − eⱼ) of the rows of matrices.",
      .parameters = {tensor_parameter("a"), tensor_parameter("b"), tensor_parameter("c"), tensor_parameter("e")},
      .type = pairs_type,
      .eager = pair_products_eager,
      .derivative = Derivative::by_hand(15, pair_products_jvp, pair_products_vjp),
      .batch = operands_batch,
      .internal = true,
      .part_of = "cdist"};
  return entry;
}

const Entry& pull_entry() {
  static const Entry entry{.name = "pull",
                           .doc = "With w = g/d, 0 where d is 0: Σⱼ wᵢⱼ·(aᵢ − bⱼ), or Σᵢ wᵢⱼ·(bⱼ − aᵢ).",
                           .parameters = {tensor_parameter("g"), tensor_parameter("d"), tensor_parameter("a"),
                                          tensor_parameter("b"), attribute("by_b")},
                           .type = pull_type,
                           .eager = pull_eager,
                           .derivative = Derivative::by_hand(15, pull_jvp, pull_vjp),
                           .batch = operands_batch,
                           .internal = true,
                           .part_of = "cdist"};
  return entry;
}

std::vector<std::string> leading_parts(const void* self, int64_t a, int64_t b) {
  const Call& call = *static_cast<const Call*>(self);
  return {"take cdist of " + operand_type(call, 0).text() + " and " + operand_type(call, 1).text(), std::to_string(a),
          std::to_string(b)};
}

Value cdist_eager(Builder& builder, Call& call) {
  require_operand(builder, call, 0);
  require_operand(builder, call, 1);
  Steps steps(builder);
  const Shape a = matrix_operand(call, 0).shape, b = matrix_operand(call, 1).shape;
  steps.same_length(a[a.rank() - 1], b[b.rank() - 1], "cdist", "a", "b");
  const Dtype dtype = steps.common_float(call, 2);
  const auto leading = [](const Shape& shape) { return Shape(shape.begin(), shape.rank() - 2); };
  if (!broadcasts_for_sure(leading(a), leading(b))) fail_not_staged("whether the stacks of points agree");
  const Mismatch mismatch{&message("special_shapes"), leading_parts, nullptr, &call};
  const Shape batches = builder.broadcast(leading(a), leading(b), mismatch);
  const auto spread = [&](unsigned i, const Shape& own) {
    Value x = cast_to(builder, std::move(call.args[i]), dtype);
    if (leading(own) == batches) return x;
    Shape shape = batches;
    shape.push_back(own[own.rank() - 2]);
    shape.push_back(own[own.rank() - 1]);
    return broadcast_to(builder, std::move(x), shape);
  };
  return ops::call(builder, distances_entry(), {spread(0, a), spread(1, b)});
}

const Entry& cdist_entry() {
  static const Entry entry{
      .name = "cdist",
      .doc =
          "The Euclidean distances of all pairs of a row of `a` and a row of `b`: of (m, k) and (n, k) an (m, n) "
          "matrix. Leading axes are batches, which broadcast.\n\n"
          "They are taken from differences, so that near points keep their digits, and nothing overflows. Where two "
          "rows are equal the derivative is 0.",
      .parameters = {any_parameter("a"), any_parameter("b")},
      .eager = cdist_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[0.0, 0.0], [1.0, 2.0]], [[3.0, 4.0], [1.0, 2.0], [0.0, -1.0]]",
                   .expected = "[[5.0, 2.23606797749979, 1.0], [2.8284271247461903, 0.0, 3.1622776601683795]]",
                   .source = "scipy",
                   .ulp = 1},
                  {.arguments = "[[0.5, 0.25, -1.0], [1.0, 2.0, 3.0]], [[3.0, 4.0, 1.5], [-1.0, 0.5, 2.0]]",
                   .expected = "[[5.153882032022076, 3.3634060117684275], [3.2015621187164243, 2.692582403567252]]",
                   .source = "scipy",
                   .ulp = 1,
                   .differentiate = true},
                  {.arguments = "[[[1.0]], [[4.0]]], [[0.0], [1.0]]",
                   .expected = "[[[1.0, 0.0]], [[4.0, 3.0]]]",
                   .source = "scipy"},
                  {.arguments = "[[3, 4]], [[0, 0], [3, 5]]", .expected = "[[5.0, 1.0]]", .source = "scipy"},
                  {.arguments = "[[1e200, 0.0]], [[0.0, 1e200], [1e200, 1e-200], [inf, 0.0], [nan, 0.0]]",
                   .expected = "[[1.414213562373095e200, 1e-200, inf, nan]]",
                   .source = "mpmath",
                   .ulp = 2},
                  {.arguments = "zeros(2, 0), zeros(3, 0)", .expected = "zeros(2, 3)", .source = "scipy"}},
      .staging = Staging::structural,
  };
  return entry;
}

}  // namespace

Family linalg_distance_entries() {
  static const Entry* const entries[] = {&cdist_entry(), &distances_entry(), &pair_products_entry(), &pull_entry()};
  return entries;
}

}  // namespace covec::ops
