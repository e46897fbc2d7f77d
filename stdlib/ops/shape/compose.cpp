// split, tile and repeat, each composed of a few steps of reshape, broadcast_to and narrow. They take any value, traced
// or not, so they need no derivative or batch rule of their own.
#include "stdlib/ops/shape/compose.hpp"

#include <algorithm>

#include "stdlib/kernels/interrupt_polls.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/shape/family.hpp"
#include "stdlib/ops/shape/shape.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

Shape shape_of_operand(Builder& builder, Call& call) {
  require_operand(builder, call, 0);
  return logical_type(call.args[0]).shape;
}

// --- split ---

// The size of equal parts.
int64_t part_size(const Call& call, int64_t size) {
  const int64_t parts = integer_of(call.args[1]);
  if (parts <= 0 || size % parts != 0)
    fail(message("split_parts"), {std::to_string(size), std::to_string(parts)}, {label_of(call, 0)});
  return size / parts;
}

// Where parts end: equal parts for a number, given places for a tuple or a tensor.
std::vector<int64_t> part_ends(const Call& call, int64_t size) {
  std::vector<int64_t> ends;
  if (is_integer(call.args[1])) {
    const int64_t step = part_size(call, size), parts = integer_of(call.args[1]);
    for (int64_t i = 1; i <= parts; ++i) ends.push_back(i * step);
    return ends;
  }
  ends = integer_list_argument(call, 1);
  int64_t before = 0;
  for (int64_t end : ends) {
    if (end < before || end > size) fail(message("split_points"), {std::to_string(size), std::to_string(end)});
    before = end;
  }
  ends.push_back(size);
  return ends;
}

constexpr int64_t max_parts = 1000;  // as many operations in compiled code

const Entry* split_instead(std::span<const Value> args, uint32_t) {
  return !args.empty() && args[0].is(ObjectKind::string) ? &handles().split_text : nullptr;
}

// Of a size that only the run knows: there an operation of its own sees that the parts fit, and gives their size.
std::vector<Value> split_unknown(Builder& builder, const Call& call, unsigned axis, Dim size) {
  const Value& parts = call.args[1];
  const Value whole = constant_of(call.args[0]);
  if (whole.is_traced())
    fail_not_staged("the size of the axis that split divides");  // a batch: the error would show it
  const bool equal = is_integer(parts);
  if (equal && (integer_of(parts) <= 0 || integer_of(parts) > max_parts))
    fail_not_staged("the size of the axis that split divides");
  std::vector<int64_t> ends = equal ? std::vector<int64_t>() : integer_list_argument(call, 1);
  if (!std::is_sorted(ends.begin(), ends.end()) || (!ends.empty() && ends[0] < 0))
    fail_not_staged("the size of the axis that split divides");
  const Value first = ops::call(builder, expect_parts_entry(), {whole, parts, static_cast<int64_t>(axis)});
  std::vector<Value> result;
  if (equal) {
    const Dim step = builder.dim_of(first);
    for (int64_t i = 0; i < integer_of(parts); ++i)
      result.push_back(narrow(builder, call.args[0], axis, builder.multiply(Dim(i), step), step));
    return result;
  }
  int64_t start = 0;
  for (int64_t end : ends) {
    result.push_back(narrow(builder, call.args[0], axis, start, end - start));
    start = end;
  }
  const Value rest = ops::call(builder, handles().subtract, {builder.extent(size), Value(start)});
  result.push_back(narrow(builder, call.args[0], axis, start, builder.dim_of(rest)));
  return result;
}

Value split_eager(Builder& builder, Call& call) {
  if (call.args[1].is_none()) fail(message("argument_missing"), {"split", "parts"});
  if (!call.args[3].is_none()) fail_attribute(call, 3, "none where a tensor is split");
  const Shape shape = shape_of_operand(builder, call);
  const unsigned axis = normal_axis(call, integer_argument(call, 2), shape.rank());
  std::vector<Value> result;
  int64_t start = 0;
  if (!shape[axis].known()) return make_tuple(split_unknown(builder, call, axis, shape[axis]));
  for (int64_t end : part_ends(call, shape[axis].number())) {
    result.push_back(narrow(builder, call.args[0], axis, start, end - start));
    start = end;
  }
  return make_tuple(std::move(result));
}

// --- tile and repeat ---

// Every axis i of x becomes (counts[i], size) or (size, counts[i]), filled by broadcasting and merged again.
Value multiply_axes(Builder& builder, Value x, const Sizes& counts, bool blocks) {
  const Shape shape = logical_type(x).shape;
  Shape apart = shape, whole = shape, merged = shape;
  for (unsigned i = shape.rank(); i-- > 0;) {
    if (counts[i] == Dim(1)) continue;
    apart.insert(blocks ? i : i + 1, Dim(1));
    whole.insert(blocks ? i : i + 1, counts[i]);
    merged[i] = builder.multiply(shape[i], counts[i]);
  }
  Value opened = reshape(builder, std::move(x), apart);
  return reshape(builder, broadcast_to(builder, std::move(opened), whole), merged);
}

void require_count(std::string_view name, int64_t count) {
  constexpr int64_t most = int64_t{1} << 40;  // so that no size passes the last integer on the way
  if (count < 0) fail(message("repeat_count"), {std::string(name), std::to_string(count)});
  if (count > most) fail(message("out_of_memory"), {std::to_string(count) + " copies", std::to_string(most)});
}

void check_counts(Builder& builder, const Call& call, const Sizes& counts) {
  for (unsigned i = 0; i < counts.size(); ++i) {
    if (counts.known(i)) {
      require_count(call.entry.name, counts.number(i));
    } else {
      ops::call(builder, expect_count_entry(), {builder.extent(counts[i]), make_string(std::string(call.entry.name))});
    }
  }
}

Value tile_eager(Builder& builder, Call& call) {
  const Shape shape = shape_of_operand(builder, call);
  const Sizes given = variadic_sizes(builder, call);
  check_counts(builder, call, given);
  const unsigned rank = std::max(shape.rank(), given.size());
  Sizes counts;
  for (unsigned i = 0; i < rank; ++i) counts.push(i + given.size() < rank ? Dim(1) : given[i + given.size() - rank]);
  Shape padded = shape;
  while (padded.rank() < rank) padded.insert(0, Dim(1));
  return multiply_axes(builder, reshape(builder, std::move(call.args[0]), padded), counts, true);
}

// How often each is read only the run knows.
Value repeat_each(Builder& builder, const Call& call, Value x, unsigned axis) {
  const Type counts = logical_type(call.args[1]);
  if (kind_of(counts.dtype) != DtypeKind::integer) fail_attribute(call, 1, "an integer or a vector of integers");
  const Value length = builder.extent(logical_type(x).shape[axis]);
  const Value places =
      ops::call(builder, repeated_places_entry(), {cast_to(builder, call.args[1], Dtype::i64), length});
  return Steps(builder).take(std::move(x), axis, places);
}

Value repeat_eager(Builder& builder, Call& call) {
  Shape shape = shape_of_operand(builder, call);
  Value x = std::move(call.args[0]);
  unsigned axis = 0;
  if (call.args[2].is_none()) {
    x = flatten(builder, std::move(x));
    shape = logical_type(x).shape;
  } else {
    axis = normal_axis(call, integer_argument(call, 2), shape.rank());
  }
  if (is_operand(call.args[1]) && logical_type(call.args[1]).shape.rank() == 1)
    return repeat_each(builder, call, std::move(x), axis);
  const Sizes count = sizes_argument(builder, call, 1);
  if (count.size() != 1) fail_attribute(call, 1, "an integer or a vector of integers");
  check_counts(builder, call, count);
  Sizes counts;
  for (unsigned i = 0; i < shape.rank(); ++i) counts.push(i == axis ? count[0] : Dim(1));
  return multiply_axes(builder, std::move(x), counts, false);
}

}  // namespace

// Each position as often as its count says.
const Entry& repeated_places_entry() {
  static const Entry entry{.name = "repeated_places",
                           .doc = "The positions of `counts`, each as often as its count says.",
                           .parameters = {tensor_parameter("counts"), tensor_parameter("length")},
                           .carries = true,
                           .type =
                               [](ShapeBuilder& shapes, const Call&) {
                                 return Type{Dtype::i64, {shapes.unknown_dim()}};
                               },
                           .eager =
                               [](Builder& builder, Call& call) {
                                 const Value x = contiguous(builder.pool(), call.args[0]);
                                 const int64_t n = x.tensor().size(), length = integer_argument(call, 1);
                                 if (n != length)
                                   fail(message("repeat_counts"), {std::to_string(n), std::to_string(length)});
                                 const int64_t* counts = x.tensor().as<int64_t>();
                                 int64_t total = 0;
                                 for (int64_t i = 0; i < n; ++i) {
                                   require_count("repeat", counts[i]);
                                   total += counts[i];
                                   require_count("repeat", total);
                                 }
                                 Value result = make_tensor(builder.pool(), Dtype::i64, {Dim(total)});
                                 int64_t* to = result.tensor().as<int64_t>();
                                 kernels::InterruptPolls polls(builder.context());
                                 for (int64_t i = 0; i < n; ++i) {
                                   polls.in_chunks(counts[i], 1, [&](int64_t begin, int64_t end) {
                                     std::fill_n(to + begin, end - begin, i);
                                   });
                                   to += counts[i];
                                 }
                                 kernels::poll_interrupt(builder.context());
                                 return result;
                               },
                           .derivative = Derivative::none("gives positions"),
                           .effects = {.may_fail = true},
                           .internal = true,
                           .part_of = "repeat"};
  return entry;
}

// What only the run can see: that a count is not negative.
const Entry& expect_count_entry() {
  static const Entry entry{.name = "expect_count",
                           .doc = "Checks a count of an operator that is made of others.",
                           .parameters = {tensor_parameter("count"), attribute("name")},
                           .carries = true,
                           .type =
                               [](ShapeBuilder&, const Call&) {
                                 return Type{Dtype::boolean, {}};
                               },
                           .eager =
                               [](Builder&, Call& call) {
                                 require_count(call.args[1].string().text, integer_argument(call, 0));
                                 return Value(true);
                               },
                           .derivative = Derivative::none("checks"),
                           .effects = {.may_fail = true},
                           .internal = true};
  return entry;
}

// What only the run can see: that a tensor can be cut so. Gives the size of the first part.
const Entry& expect_parts_entry() {
  static const Entry entry{
      .name = "expect_parts",
      .doc = "Checks that split can cut a tensor.",
      .parameters = {tensor_parameter("x"), attribute("parts"), attribute("axis")},
      .carries = true,
      .type =
          [](ShapeBuilder&, const Call&) {
            return Type{Dtype::i64, {}};
          },
      .eager =
          [](Builder&, Call& call) {
            const Shape shape = logical_type(call.args[0]).shape;
            const int64_t size = shape[normal_axis(call, integer_argument(call, 2), shape.rank())].number();
            return Value(is_integer(call.args[1]) ? part_size(call, size) : part_ends(call, size)[0]);
          },
      .derivative = Derivative::none("checks"),
      .effects = {.may_fail = true},
      .internal = true};
  return entry;
}

// What only the run can see: that there is such an axis. Gives it counted from the start.
const Entry& expect_axis_entry() {
  static const Entry entry{
      .name = "expect_axis",
      .doc = "Checks an axis that an operator is given.",
      .parameters = {tensor_parameter("axis"), attribute("rank"), attribute("name"), attribute("hint")},
      .carries = true,
      .type =
          [](ShapeBuilder&, const Call&) {
            return Type{Dtype::i64, {}};
          },
      .eager =
          [](Builder&, Call& call) {
            const int64_t axis = integer_argument(call, 0), rank = integer_argument(call, 1);
            if (axis < -rank || axis >= rank) {
              const auto text = [&](unsigned i) { return std::string(call.args[i].string().text); };
              fail(message("axis_range"), {text(2), std::to_string(axis), std::to_string(rank)}, {}, text(3));
            }
            return Value(axis < 0 ? axis + rank : axis);
          },
      .derivative = Derivative::none("checks"),
      .effects = {.may_fail = true},
      .internal = true};
  return entry;
}

const Entry& split_entry() {
  static const Entry entry{
      .name = "split",
      .doc =
          "`x` cut along `axis`, as a tuple: into `parts` equal parts, or at the places of a tuple.\n\n"
          "Of a string, a list of the texts between each `by`: `text.split(\",\")`; without it, of the texts between "
          "white space, none of them empty.",
      .parameters = {any_parameter("x"), attribute("parts", Value()), attribute("axis", int64_t{0}),
                     attribute("by", Value())},
      .carries = true,
      .eager = split_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1, 2, 3, 4], 2", .expected = "([1, 2], [3, 4])"},
                  {.arguments = "[1.0, 2, 3], (1,)", .expected = "([1.0], [2.0, 3])", .differentiate = true},
                  {.arguments = "[[1, 2], [3, 4]], 2, axis=1", .expected = "([[1], [3]], [[2], [4]])"},
                  {"\"a,b,,c\", \",\"", "list(\"a\", \"b\", \"\", \"c\")", "python"},
                  {"\" one  two\\n\"", "list(\"one\", \"two\")", "python"},
                  {"\"\", by=\"-\"", "list(\"\")", "python"}},
      .instead = split_instead,
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& tile_entry() {
  static const Entry entry{
      .name = "tile",
      .doc = "`x` laid out as a block `counts` times along each axis; missing counts in front are 1.",
      .parameters = {any_parameter("x"), attribute("counts", Value())},
      .variadic = true,
      .variadic_at = 1,
      .carries = true,
      .eager = tile_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 2], 2", .expected = "[1.0, 2, 1, 2]", .differentiate = true},
                  {.arguments = "[1, 2], (2, 2)", .expected = "[[1, 2, 1, 2], [1, 2, 1, 2]]"},
                  {.arguments = "[[1], [2]], 2", .expected = "[[1, 1], [2, 2]]"},
                  {.arguments = "[1.0], 0", .expected = "zeros(0)"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& repeat_entry() {
  static const Entry entry{
      .name = "repeat",
      .doc =
          "Each element of `x` `count` times in a row, along `axis`; over all elements in order when it is left "
          "out.\n\n"
          "`count` may be a vector of integers, one for each place of the axis: then the size of the result depends on "
          "the data.",
      .parameters = {any_parameter("x"), attribute("count"), attribute("axis", Value())},
      .carries = true,
      .eager = repeat_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 2], 2", .expected = "[1.0, 1, 2, 2]", .differentiate = true},
                  {.arguments = "[[1, 2], [3, 4]], 2, axis=0", .expected = "[[1, 2], [1, 2], [3, 4], [3, 4]]"},
                  {.arguments = "[[1, 2], [3, 4]], 2", .expected = "[1, 1, 2, 2, 3, 3, 4, 4]"},
                  {.arguments = "5, 3", .expected = "[5, 5, 5]"},
                  {.arguments = "[1.0, 2, 3], [2, 0, 1]", .expected = "[1.0, 1, 3]"},
                  {.arguments = "[[1, 2], [3, 4]], [1, 2], axis=0", .expected = "[[1, 2], [3, 4], [3, 4]]"}},
      .staging = Staging::structural,
  };
  return entry;
}

Family shape_compose_entries() {
  static const Entry* const entries[] = {&expect_count_entry(),   &expect_parts_entry(), &expect_axis_entry(),
                                         &split_entry(),          &tile_entry(),         &repeat_entry(),
                                         &repeated_places_entry()};
  return entries;
}

}  // namespace covec::ops
