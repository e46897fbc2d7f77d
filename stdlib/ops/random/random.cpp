// Chooses the stream, the call number and the kernel of a draw. Start at draw_numbers.
#include "stdlib/ops/random/random.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "stdlib/kernels/parallel.hpp"
#include "stdlib/kernels/philox.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/random/ahead.hpp"
#include "stdlib/ops/random/examples.hpp"
#include "stdlib/ops/random/family.hpp"
#include "stdlib/tensor/print.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

constexpr int64_t parallel_grain = 1 << 13;  // numbers drawn in a piece for a thread

constexpr const char* draws = "draws random numbers";
constexpr std::string_view reference = "an independent Philox in Python";

constexpr uint64_t keyed_call = uint64_t{1} << 63;  // sessions count calls from 0

// An explicit key has a stream of its own, with a call number that no session reaches, so that seed(k) and key=k draw
// different numbers; otherwise the session's next call number is taken.
Stream take_stream(Builder& builder, const Call& call, unsigned key) {
  if (!call.args[key].is_none()) return {static_cast<uint64_t>(integer_argument(call, key)), keyed_call};
  Random& random = builder.context().random;
  return {random.key, random.calls++};
}

template <class E>
Value number_at(const std::byte* at) {
  E number;
  std::memcpy(&number, at, sizeof number);
  return Value(number);
}

// A scalar of one of the dtypes that are drawn. (Value::scalar, of any, takes a tenth of a draw's time.)
Value scalar_at(Dtype dtype, const std::byte* at) {
  if (dtype == Dtype::f64) return number_at<double>(at);
  return dtype == Dtype::f32 ? number_at<float>(at) : number_at<int64_t>(at);
}

Value draw_scalar(Context& context, Numbers numbers, Dtype dtype, Stream stream) {
  if (stream.call != keyed_call) return scalar_at(dtype, drawn_scalar(context, buffer_of(numbers, 0), stream));
  std::byte word[sizeof(uint64_t)];
  draw_kernel(context, numbers).of_elements(word, 0, 1, stream.key, stream.call);
  return scalar_at(dtype, word);
}

// Nothing is given: a number of f64 from the session's stream.
bool is_plain(const Call& call) {
  return call.rest.empty() && std::ranges::all_of(call.args, [](const Value& arg) { return arg.is_none(); });
}

Value draw_numbers(Builder& builder, Numbers numbers, Dtype dtype, const Shape& shape, Stream stream) {
  if (shape.empty()) return draw_scalar(builder.context(), numbers, dtype, stream);
  const kernels::DrawKernel& kernel = draw_kernel(builder.context(), numbers);
  Value result = make_tensor(builder.pool(), dtype, shape);
  Tensor& tensor = result.tensor();
  const int64_t width = static_cast<int64_t>(size_of(dtype));
  kernels::parallel_for(builder.context(), tensor.size(), parallel_grain, [&](int64_t begin, int64_t end) {
    kernel.of_elements(tensor.data() + begin * width, static_cast<uint64_t>(begin), end - begin, stream.key,
                       stream.call);
  });
  return result;
}

Type drawn_type(ShapeBuilder& shapes, const Call& call) {
  const Dtype dtype = dtype_argument(call, 1, Dtype::f64);
  if (!is_float(dtype)) fail(message("random_dtype"), {std::string(call.entry.name), std::string(name_of(dtype))});
  return {dtype, variadic_given(call) ? shape_of_sizes(call, variadic_sizes(shapes, call)) : Shape()};
}

// Of f32 in [0, 1): the multiples of 2^-11 or 2^-8 below them, which rounding would take to 1 at the end.
Value even_half(Builder& builder, Value numbers, Dtype dtype) {
  const float parts = dtype == Dtype::f16 ? 0x1p11F : 0x1p8F;
  auto* x = static_cast<float*>(numbers.is_scalar() ? numbers.scalar_data() : numbers.tensor().data());
  const int64_t count = numbers.is_scalar() ? 1 : numbers.tensor().size();
  for (int64_t i = 0; i < count; ++i) x[i] = std::floor(x[i] * parts) / parts;
  return cast_to(builder, std::move(numbers), dtype);
}

// The stream is taken last: a call that fails takes no number.
Value rand_eager(Builder& builder, Call& call) {
  if (is_plain(call))
    return draw_scalar(builder.context(), Numbers::even_f64, Dtype::f64, take_stream(builder, call, 2));
  const Type type = drawn_type(builder, call);
  const Stream stream = take_stream(builder, call, 2);
  if (is_half(type.dtype))
    return even_half(builder, draw_numbers(builder, Numbers::even_f32, Dtype::f32, type.shape, stream), type.dtype);
  const Numbers numbers = type.dtype == Dtype::f32 ? Numbers::even_f32 : Numbers::even_f64;
  return draw_numbers(builder, numbers, type.dtype, type.shape, stream);
}

Value randn_eager(Builder& builder, Call& call) {
  if (is_plain(call))
    return draw_scalar(builder.context(), Numbers::normal_f64, Dtype::f64, take_stream(builder, call, 2));
  const Type type = drawn_type(builder, call);
  const Numbers numbers = type.dtype == Dtype::f32 ? Numbers::normal_f32 : Numbers::normal_f64;
  return draw_numbers(builder, numbers, type.dtype, type.shape, take_stream(builder, call, 2));
}

// --- integers ---

// A number below `count`, from 64 random bits: the upper half of their product. Off from even by less than count ·
// 2^-64.
uint64_t below(uint64_t count, uint64_t bits) {
  return static_cast<uint64_t>((static_cast<unsigned __int128>(bits) * count) >> 64);
}

Type randint_type(ShapeBuilder& shapes, const Call& call) {
  if (!is_symbolic_integer(call.args[0]) && !is_symbolic_integer(call.args[1])) {
    const int64_t low = integer_argument(call, 0), high = integer_argument(call, 1);
    if (low >= high)
      fail(message("randint_range"), {std::to_string(low), std::to_string(high)},
           {label_of(call, 0), label_of(call, 1)});
  }
  return {Dtype::i64, variadic_given(call) ? shape_of_sizes(call, variadic_sizes(shapes, call)) : Shape()};
}

Value randint_eager(Builder& builder, Call& call) {
  const Type type = randint_type(builder, call);
  const uint64_t low = static_cast<uint64_t>(integer_argument(call, 0)),
                 high = static_cast<uint64_t>(integer_argument(call, 1));
  Value result = draw_numbers(builder, Numbers::words, Dtype::i64, type.shape, take_stream(builder, call, 3));
  const auto place = [&](int64_t bits) {
    return static_cast<int64_t>(low + below(high - low, static_cast<uint64_t>(bits)));
  };
  if (result.is_scalar()) return Value(place(result.i64()));
  int64_t* numbers = result.tensor().as<int64_t>();
  kernels::parallel_for(builder.context(), result.tensor().size(), parallel_grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) numbers[i] = place(numbers[i]);
  });
  return result;
}

// Fisher and Yates, from the last place down; place i swaps with one of those up to i, by element i of the draw.
Value shuffled(Builder& builder, int64_t count, Stream stream) {
  const Value words = draw_numbers(builder, Numbers::words, Dtype::i64, {Dim(count)}, stream);
  Value result = make_tensor(builder.pool(), Dtype::i64, {Dim(count)});
  const int64_t* bits = words.tensor().as<int64_t>();
  int64_t* numbers = result.tensor().as<int64_t>();
  for (int64_t i = 0; i < count; ++i) numbers[i] = i;
  constexpr int64_t between_polls = 1 << 18;  // elements
  for (int64_t i = count - 1; i > 0; --i) {
    if (i % between_polls == 0) kernels::poll_interrupt(builder.context());
    std::swap(numbers[i], numbers[below(static_cast<uint64_t>(i) + 1, static_cast<uint64_t>(bits[i]))]);
  }
  return result;
}

const Entry& shuffle_entry();

Type shuffle_type(ShapeBuilder& shapes, const Call& call) { return {Dtype::i64, {size_argument(shapes, call, 0)}}; }

Value shuffle_eager(Builder& builder, Call& call) {
  const int64_t count = integer_argument(call, 0);
  if (count < 0) fail(message("negative_size"), {"permutation", std::to_string(count)}, {label_of(call, 0)});
  return shuffled(builder, count, take_stream(builder, call, 1));
}

// What permutation and choice take: an integer, for the integers below it, or a tensor, for its rows.
bool takes_rows(Builder& builder, Call& call) {
  const Value& x = call.args[0];
  if (x.is(ObjectKind::sequence)) require_operand(builder, call, 0);
  const bool rows = is_operand(x) && logical_type(x).shape.rank() > 0;
  if (!rows && !(is_operand(x) && kind_of(operand_dtype(x)) == DtypeKind::integer))
    fail_attribute(
        call, 0, "an integer or a tensor of rank 1 or more",
        is_tree(x) ? "to permute a list, permute its indices: write list(xs[i] for i in permutation(len(xs)))" : "");
  return rows;
}

Value count_of(Builder& builder, const Value& x, bool rows) {
  return rows ? builder.extent(logical_type(x).shape[0]) : x;
}

Value at_positions(Builder& builder, Value x, const Value& positions) {
  IndexSpec spec;
  spec.push(IndexSpec::Item::at);
  return index_read(builder, std::move(x), spec.packed(), {&positions, 1});
}

// permutation is the draw of an order, which a vmap makes once for each example, and a read.
Value permutation_eager(Builder& builder, Call& call) {
  const bool rows = takes_rows(builder, call);
  Value args[] = {count_of(builder, call.args[0], rows), call.args[1]};
  const Value order = ops::call(builder, shuffle_entry(), args);
  return rows ? at_positions(builder, std::move(call.args[0]), order) : order;
}

// --- choice ---

// Of probabilities: the root of their rounding unit. Those of f64 have NumPy's.
double sum_tolerance(Dtype dtype) { return dtype == Dtype::f32 ? 0x1p-12 : 0x1p-26; }

const Entry& choose_entry();

Type choose_type(ShapeBuilder& shapes, const Call& call) {
  flag_argument(call, 2);
  return {Dtype::i64, variadic_given(call) ? shape_of_sizes(call, variadic_sizes(shapes, call)) : Shape()};
}

std::vector<double> probabilities(Builder& builder, const Call& call, int64_t count) {
  const Value& given = call.args[1];
  if (given.is_scalar() || given.tensor().rank() != 1 || given.tensor().size() != count)
    fail(message("choice_p_shape"), {std::to_string(count), type_of(given).text()});
  const Value p = contiguous(builder.pool(), cast_to(builder, given, Dtype::f64));
  const double* numbers = p.tensor().as<double>();
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (!(numbers[i] >= 0)) fail(message("choice_p_value"), {repr_of(Value(numbers[i])), std::to_string(i)});
    sum += numbers[i];
  }
  if (!(std::abs(sum - 1) <= sum_tolerance(type_of(given).dtype))) fail(message("choice_p_sum"), {repr_of(Value(sum))});
  return {numbers, numbers + count};
}

// Each number of the draw, which is below 1, is the place where the sums of p, scaled to end at 1, exceed it.
void place_by_sums(Builder& builder, const std::vector<double>& p, int64_t* numbers, int64_t count) {
  std::vector<double> sums;
  double sum = 0;
  for (const double probability : p) sums.push_back(sum += probability);
  for (double& each : sums) each /= sum;
  kernels::parallel_for(builder.context(), count, parallel_grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto place = std::upper_bound(sums.begin(), sums.end(), std::bit_cast<double>(numbers[i]));
      numbers[i] = place - sums.begin();
    }
  });
}

// One after the other, what has been chosen having no probability any more.
void place_once_by_sums(Builder& builder, std::vector<double> p, int64_t* numbers, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    kernels::poll_interrupt(builder.context());
    place_by_sums(builder, p, numbers + i, 1);
    p[static_cast<size_t>(numbers[i])] = 0;
  }
}

void check_count(int64_t chosen, int64_t of) {
  if (chosen > of) fail(message("choice_count"), {std::to_string(chosen), std::to_string(of)});
}

Value choose_eager(Builder& builder, Call& call) {
  const Type type = choose_type(builder, call);
  const int64_t of = integer_argument(call, 0), count = type.shape.elements();
  if (of < 0 || (of == 0 && count > 0)) fail(message("choice_empty"));
  const bool replace = flag_argument(call, 2), weighed = !call.args[1].is_none();
  std::vector<double> p;
  if (weighed) p = probabilities(builder, call, of);
  if (!replace) check_count(count, weighed ? of - std::count(p.begin(), p.end(), 0.0) : of);
  const Stream stream = take_stream(builder, call, 4);
  if (!replace && !weighed) {
    const Value first = narrow(builder, shuffled(builder, of, stream), 0, 0, count);
    return reshape(builder, first, type.shape);
  }
  const Numbers drawn = weighed ? Numbers::even_f64 : Numbers::words;
  Value result = draw_numbers(builder, drawn, Dtype::i64, type.shape, stream);
  auto* numbers = static_cast<int64_t*>(result.is_scalar() ? result.scalar_data() : result.tensor().data());
  if (!weighed) {
    for (int64_t i = 0; i < count; ++i) {
      numbers[i] = static_cast<int64_t>(below(static_cast<uint64_t>(of), static_cast<uint64_t>(numbers[i])));
    }
  } else if (replace) {
    place_by_sums(builder, p, numbers, count);
  } else {
    place_once_by_sums(builder, std::move(p), numbers, count);
  }
  return result;
}

// Like permutation: a draw of positions, and a read.
Value choice_eager(Builder& builder, Call& call) {
  const bool rows = takes_rows(builder, call);
  Value args[] = {count_of(builder, call.args[0], rows), call.args[3], call.args[2], call.args[1], call.args[4]};
  const Value positions = ops::call(builder, choose_entry(), args);
  return rows ? at_positions(builder, std::move(call.args[0]), positions) : positions;
}

const Entry& choose_entry() {
  static const Entry entry{
      .name = "choose",
      .doc = "Random integers below `count`, with or without replacement, evenly or with probabilities `p`.",
      .parameters = {attribute("count"), optional_tensor("p"), attribute("replace"), attribute("shape", Value()),
                     attribute("key", Value())},
      .variadic = true,
      .variadic_at = 3,
      .type = choose_type,
      .eager = choose_eager,
      .derivative = Derivative::none(draws),
      .effects = {.may_fail = true, .random = true},
      .internal = true,
      .part_of = "choice",
  };
  return entry;
}

const Entry& shuffle_entry() {
  static const Entry entry{
      .name = "shuffle",
      .doc = "The integers below `count` in a random order.",
      .parameters = {attribute("count"), attribute("key", Value())},
      .type = shuffle_type,
      .eager = shuffle_eager,
      .derivative = Derivative::none(draws),
      .effects = {.may_fail = true, .random = true},
      .internal = true,
  };
  return entry;
}

uint32_t buffer_argument(const Call& call) {
  return buffer_of(static_cast<Numbers>(integer_argument(call, 0)), static_cast<uint32_t>(integer_argument(call, 1)));
}

Type element_type(ShapeBuilder&, const Call& call) { return {dtype_of_buffer(buffer_argument(call)), {}}; }

Value element_eager(Builder& builder, Call& call) {
  Random& random = builder.context().random;
  const uint32_t buffer = buffer_argument(call);
  const uint64_t key = call.args[3].is_none() ? random.key : static_cast<uint64_t>(integer_argument(call, 3));
  Value drawn = scalar_at(dtype_of_buffer(buffer), drawn_scalar(builder.context(), buffer, {key, random.calls}));
  if (flag_argument(call, 2)) ++random.calls;
  return drawn;
}

Value seed_eager(Builder& builder, Call& call) {
  builder.context().random = Random{static_cast<uint64_t>(integer_argument(call, 0)), 0};
  return Value();
}

}  // namespace

const Entry& seed_entry() {
  static const Entry entry{
      .name = "seed",
      .doc =
          "Starts the random numbers anew from `n`: the same seed, the same numbers. A program starts with `seed(0)`.",
      .parameters = {attribute("n")},
      .eager = seed_eager,
      .derivative = Derivative::none("gives no number"),
      .effects = {.may_fail = true, .shared = true},
      .example = R"(seed(1)
a = rand(2)
seed(1)
print(all(a == rand(2)))  # expect: true)",
  };
  return entry;
}

const Entry& rand_entry() {
  static const Entry entry{
      .name = "rand",
      .doc =
          "Random numbers evenly from [0, 1): `rand()`, `rand(2, 3)`, `rand((2, 3), dtype=f32)`; of f16 multiples of "
          "2^-11, of bf16 of 2^-8.\n\n"
          "Philox4x32-10; `key=` draws from a stream of its own: the same key, the same numbers, which no `seed` "
          "gives.",
      .parameters = {attribute("shape", Value()), attribute("dtype", Value()), attribute("key", Value())},
      .variadic = true,
      .carries = true,
      .type = drawn_type,
      .eager = rand_eager,
      .device = DeviceForm::draw,
      .derivative = Derivative::none(draws),
      .effects = {.may_fail = true, .random = true},
      .samples = {{.arguments = "3, key=5",
                   .expected = "[0.07791581599321762, 0.4717372468660478, 0.73457230396263]",
                   .source = reference},
                  {.arguments = "2, dtype=f32, key=5",
                   .expected = "f32([0.07791578769683838, 0.47173720598220825])",
                   .source = reference},
                  {.arguments = "key=5", .expected = "0.07791581599321762", .source = reference},
                  {.arguments = "(0, 2)", .expected = "zeros(0, 2)"}},
  };
  return entry;
}

namespace {

// Of variance 1: each part has half of it. Both are of one draw, as a key gives the same numbers twice.
Value randn_complex(Builder& builder, Call& call) {
  std::vector<Value> args = real_arguments(call), sizes;
  std::span<const Value> given = call.rest;
  if (given.empty() && !args[0].is_none()) given = {&args[0], 1};
  if (given.size() == 1 && is_tree(given[0])) given = *children(given[0]);
  sizes.emplace_back(int64_t{2});
  for (const Value& size : given) sizes.push_back(size);
  args[0] = Value();
  const Value drawn = ops::call(builder, call.entry, args, sizes);
  const Value numbers = ops::call(builder, handles().multiply, {drawn, Value(0.7071067811865476)}, 2);
  const Shape both = logical_type(numbers).shape, own(both.begin() + 1, both.rank() - 1);
  const auto part = [&](int64_t i) { return reshape(builder, narrow(builder, numbers, 0, Dim(i), Dim(1)), own); };
  Value re = part(0);
  return complex_value(builder, std::move(re), part(1));
}

}  // namespace

const Entry& randn_entry() {
  static const Entry entry{
      .name = "randn",
      .doc =
          "Random numbers of the standard normal distribution: `randn()`, `randn(2, 3)`, `randn((2, 3), "
          "dtype=f32)`.\n\n"
          "Box and Muller's transform of `rand`'s bits; `key=` draws from a stream of its own.",
      .parameters = {attribute("shape", Value()), attribute("dtype", Value()), attribute("key", Value())},
      .variadic = true,
      .type = drawn_type,
      .eager = randn_eager,
      .device = DeviceForm::draw,
      .complex = randn_complex,
      .derivative = Derivative::none(draws),
      .effects = {.may_fail = true, .random = true},
      .samples = {{.arguments = "3, key=5",
                   .expected = "[-0.167533648704242, 1.0756177689934179, -1.3514745592294144]",
                   .source = reference,
                   .ulp = 4},
                  {.arguments = "(0, 2)", .expected = "zeros(0, 2)"}},
  };
  return entry;
}

const Entry& randint_entry() {
  static const Entry entry{
      .name = "randint",
      .doc = "Random integers from low up to but not including high: `randint(0, 6)`, `randint(0, 6, 2, 3)`.",
      .parameters = {attribute("low"), attribute("high"), attribute("shape", Value()), attribute("key", Value())},
      .variadic = true,
      .variadic_at = 2,
      .type = randint_type,
      .eager = randint_eager,
      .device = DeviceForm::draw,
      .derivative = Derivative::none(draws),
      .effects = {.may_fail = true, .random = true},
      .samples = {{.arguments = "0, 10, 5, key=5", .expected = "[0, 4, 7, 5, 7]", .source = reference}},
  };
  return entry;
}

const Entry& draw_element_entry() {
  static const Entry entry{
      .name = "draw_element",
      .doc = "Element `element` of a draw of few `numbers`; where `takes`, it is the last one.",
      .parameters = {attribute("numbers"), attribute("element"), attribute("takes"), attribute("key", Value())},
      .type = element_type,
      .eager = element_eager,
      .derivative = Derivative::none(draws),
      .effects = {.random = true},
      .internal = true,
  };
  return entry;
}

const Entry& permutation_entry() {
  static const Entry entry{
      .name = "permutation",
      .doc = "The integers below `x` in a random order, or a tensor's rows in a random order.",
      .parameters = {any_parameter("x"), attribute("key", Value())},
      .eager = permutation_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "5, key=5", .expected = "[1, 0, 4, 2, 3]", .source = reference},
                  {.arguments = "[[1.0], [2.0]], key=5", .expected = "[[2.0], [1.0]]", .source = reference}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& choice_entry() {
  static const Entry entry{
      .name = "choice",
      .doc =
          "Random ones of the integers below `x`, or of a tensor's rows: one, or as many as `shape` says.\n\n"
          "With `replace=false` none is chosen twice. `p` gives each its probability. `key=` draws from a stream of "
          "its own.",
      .parameters = {any_parameter("x"),
                     attribute("shape", Value()),
                     attribute("replace", true),
                     {.name = "p", .kind = ParameterKind::any, .required = false, .fallback = {}},
                     attribute("key", Value())},
      .eager = choice_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "10, 5, key=5", .expected = "[0, 4, 7, 5, 7]", .source = reference},
                  {.arguments = "10, key=5", .expected = "0", .source = reference},
                  {.arguments = "[[1.0], [2.0]], (2, 1), key=5", .expected = "[[[1.0]], [[1.0]]]", .source = reference},
                  {.arguments = "5, 5, replace=false, key=5", .expected = "[1, 0, 4, 2, 3]", .source = reference},
                  {.arguments = "5, 2, replace=false, key=5", .expected = "[1, 0]", .source = reference},
                  {.arguments = "5, 0", .expected = "i64(zeros(0))"}},
      .staging = Staging::structural,
  };
  return entry;
}

Drawn drawn_by(const Entry& entry) {
  if (&entry == &rand_entry()) return Drawn::even;
  if (&entry == &randn_entry()) return Drawn::normal;
  return &entry == &randint_entry() ? Drawn::integers : Drawn::none;
}

const Entry& drawing_entry(int64_t number) {
  const Entry* const entries[] = {&rand_entry(), &randn_entry(), &randint_entry(), &choose_entry(), &shuffle_entry()};
  return *entries[number];
}

int64_t number_of_drawing(const Entry& entry) {
  int64_t number = 0;
  while (&drawing_entry(number) != &entry) ++number;
  return number;
}

std::optional<Numbers> floats_drawn(const Entry& entry, std::span<const Value> args, Dtype dtype) {
  if (&entry == &keyed_draw_entry()) {
    const Value none[4];
    return floats_drawn(drawing_entry(args[0].i64()), none, dtype);
  }
  const bool single = dtype == Dtype::f32;
  if ((&entry != &rand_entry() && &entry != &randn_entry()) || !args[2].is_none() || !(single || dtype == Dtype::f64))
    return std::nullopt;
  if (&entry == &rand_entry()) return single ? Numbers::even_f32 : Numbers::even_f64;
  return single ? Numbers::normal_f32 : Numbers::normal_f64;
}

std::optional<ScalarDraw> scalar_draw(const Entry& entry, std::span<const Value> args, std::span<const Value> rest,
                                      Dtype dtype) {
  if (&entry == &keyed_draw_entry()) {
    const Entry& of = drawing_entry(args[0].i64());
    const size_t given = of.parameters.size();
    std::optional<ScalarDraw> found = scalar_draw(of, rest.first(given), rest.subspan(given), dtype);
    if (found) found->key = args[1];
    return found;
  }
  if (const std::optional<Numbers> floats = floats_drawn(entry, args, dtype)) return ScalarDraw{*floats};
  if (&entry == &draw_element_entry())
    return ScalarDraw{
        static_cast<Numbers>(args[0].i64()), {}, {}, args[3], static_cast<uint32_t>(args[1].i64()), args[2].boolean()};
  if (&entry == &randint_entry() && args[3].is_none()) return ScalarDraw{Numbers::words, args[0], args[1]};
  const bool chooses = &entry == &choose_entry() && args[1].is_none() && args[4].is_none();
  if (chooses && args[2].tag() == Tag::boolean && args[2].boolean())
    return ScalarDraw{Numbers::words, Value(int64_t{0}), args[0]};
  return std::nullopt;
}

Stream take_stream(Builder& builder, const Call& call) {
  return take_stream(builder, call, drawn_by(call.entry) == Drawn::integers ? 3 : 2);
}

Family random_entries() {
  static const Entry* const entries[] = {&choose_entry(),       &shuffle_entry(),     &seed_entry(),
                                         &rand_entry(),         &randn_entry(),       &randint_entry(),
                                         &draw_element_entry(), &permutation_entry(), &choice_entry()};
  return entries;
}

}  // namespace covec::ops
