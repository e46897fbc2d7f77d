// Reads attributes, and raises the errors that their readers share.
#include "stdlib/ops/contract/attributes.hpp"

#include <algorithm>

#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/tensor/print.hpp"
#include "stdlib/tensor/sparse_record.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/half.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

std::string shown_name(const Entry& entry) { return std::string(entry.part_of.empty() ? entry.name : entry.part_of); }

namespace {

constexpr std::string_view index_item = "index";  // what operands beyond the parameters are

// Adds one size; false where it is none.
bool push_size(ShapeBuilder& shapes, Sizes& sizes, const Value& value) {
  if (is_integer(value)) {
    sizes.push(integer_of(value));
  } else if (is_symbolic_integer(value)) {
    sizes.push(shapes.dim_of(value));
  } else {
    return false;
  }
  return true;
}

std::string with_article(const Value& value) {
  const std::string what = describe(value);
  if (value.is_none() || what.empty()) return what;
  const bool vowel = std::string_view("aeiou").find(what[0]) != std::string_view::npos;
  return (vowel ? "an " : "a ") + what;
}

int64_t element_as_integer(const Tensor& tensor, int64_t i) {
  return integer_at(tensor.dtype(),
                    tensor.data() + i * tensor.stride(0) * static_cast<int64_t>(size_of(tensor.dtype())));
}

// `item` of a tuple or list is no integer.
[[noreturn]] void fail_item(const Call& call, unsigned operand, const Value& item) {
  const Value& whole = call.operand(operand);
  if (!item.is_scalar() || holds_symbols(whole)) fail_attribute(call, operand, "integers");
  fail(message("bad_attribute"),
       {shown_name(call.entry), std::string(operand_name(call, operand)), "integers",
        with_article(whole) + " with " + repr_of(item)},
       {{static_cast<int>(operand), "this is " + describe(whole)}});
}

template <class F>
void each_integer(const Call& call, unsigned operand, const Value& value, const F& f) {
  if (value.is(ObjectKind::tuple) || value.is(ObjectKind::list)) {
    for (const Value& element : *children(value)) {
      const Value item = concrete(element);  // of a batch: its vmap goes example by example
      if (!is_integer(item)) fail_item(call, operand, item);
      f(integer_of(item));
    }
  } else if (value.is_tensor() && value.tensor().rank() == 1 && kind_of(value.tensor().dtype()) == DtypeKind::integer) {
    for (int64_t i = 0; i < value.tensor().size(); ++i) f(element_as_integer(value.tensor(), i));
  } else {
    fail_attribute(call, operand, "an integer or a tuple of integers");
  }
}

}  // namespace

void Sizes::push(Dim dim) {
  numbers_.push(0);
  set(numbers_.size() - 1, dim);
}

void Sizes::set(unsigned i, Dim dim) {
  symbolic_ &= ~(1u << i);
  if (dim.known()) {
    numbers_[i] = dim.number();
  } else {
    symbols_[i] = dim;
    symbolic_ |= 1u << i;
  }
}

void Integers::push(int64_t number) {
  if (count_ == max_rank) fail(message("rank_limit"), {"more than 16"});
  numbers_[count_++] = number;
}

std::string_view operand_name(const Call& call, unsigned operand) {
  if (operand < call.args.size()) return call.entry.parameters[operand].name;
  if (call.entry.variadic) return call.entry.parameters[call.entry.variadic_at].name;
  for (const Parameter& parameter : call.entry.parameters) {
    if (parameter.kind == ParameterKind::tensors) return parameter.name;
  }
  return index_item;
}

ArgumentLabel label_of(const Call& call, unsigned operand) {
  const Value& value = call.operand(operand);
  const std::string what = is_operand(value) ? logical_type(value).text() : describe(value);
  return {static_cast<int>(operand), std::string(operand_name(call, operand)) + " is " + what};
}

namespace {
// What is meant where a sparse matrix stands for a tensor.
std::string hint_for_sparse_matrix(const Call& call) {
  if (&call.entry == &handles().add) return "sparse.add(a, b) adds sparse matrices";
  if (&call.entry == &handles().subtract) return "sparse.add(a, sparse.scale(b, -1)) subtracts sparse matrices";
  if (&call.entry == &handles().multiply || &call.entry == &handles().divide)
    return "sparse.scale(a, 2) multiplies a sparse matrix by a number";
  return "sparse.to_dense(a) makes a tensor of a sparse matrix, and a.data are its nonzeros";
}

// What is meant where a tree stands for a tensor.
std::string hint_for_tree(const Call& call, const Value& value) {
  if (value.is(ObjectKind::map)) return "the values of a map are values(d)";
  if (value.is(ObjectKind::record) && call.entry.parameters.size() == 2)
    return "leaf by leaf: tree_map(x -> 2 * x, p), tree_map((x, y) -> x + y, p, q)";
  if (!value.is(ObjectKind::tuple) && !value.is(ObjectKind::list)) return {};
  const std::string one = value.is(ObjectKind::list) ? "list" : "tuple";
  if (&call.entry == &handles().add) {
    return one + "s are joined by " + (one == "list" ? "list(*a, *b)" : "(*a, *b)") +
           (one == "list" ? ", and one item is added by xs.push(v)" : "") +
           "; tensor(x) makes a tensor of one of numbers";
  }
  bool numbers = !children(value)->empty();
  each_leaf(value, [&](const Value& leaf) { numbers &= is_operand(leaf); });
  return numbers ? "tensor(x) makes a tensor of a tuple or list of numbers" : "";
}
}  // namespace

void fail_operand(const Call& call, unsigned operand) {
  const Value& value = call.operand(operand);
  if (operand_name(call, operand) == index_item) {
    fail(message("index_kind"), {describe(value)}, {{static_cast<int>(operand), "this is " + describe(value)}});
  }
  const std::string_view name = call.entry.part_of.empty() ? call.entry.name : call.entry.part_of;
  if (is_sparse_matrix(value)) {
    fail(message("sparse_operator"), {std::string(name)},
         {{static_cast<int>(operand), std::string(operand_name(call, operand)) + " is " + SparseRecord(value).text()}},
         hint_for_sparse_matrix(call));
  }
  if (is_complex_sparse_matrix(value)) {
    fail(message("no_complex"), {std::string(name)},
         {{static_cast<int>(operand), std::string(operand_name(call, operand)) + " is a complex sparse matrix"}},
         "a sparse matrix holds real numbers: multiply real and imaginary parts apart");
  }
  fail(message("not_numeric"), {std::string(name), with_article(value)},
       {{static_cast<int>(operand), std::string(operand_name(call, operand)) + " is " + describe(value)}},
       hint_for_tree(call, value));
}

namespace {
// What an argument is, when it is short; else of what kind.
std::string shown(const Value& value) {
  constexpr size_t longest = 40;  // bytes of a value that an error shows
  if (!value.is(ObjectKind::string) && !value.is_scalar()) return describe(value);
  const std::string text = repr_of(value);
  return text.size() <= longest ? text : describe(value);
}
}  // namespace

namespace {
// zeros((2, 3), f32): what is meant by position is one of the sizes.
std::string hint_for_dtype(const Call& call) {
  const auto is_dtype = [](const Value& value) {
    const Entry* entry = value.is(ObjectKind::function) ? value.function().entry() : nullptr;
    return entry != nullptr && entry->dtype;
  };
  const auto dtype = std::find_if(call.rest.begin(), call.rest.end(), is_dtype);
  if (dtype == call.rest.end()) return {};
  for (const Parameter& parameter : call.entry.parameters) {
    if (parameter.name == "dtype")
      return "a dtype is given by name: dtype=" + std::string(dtype->function().entry()->name);
  }
  return {};
}
}  // namespace

bool holds_symbols(const Value& tree) {
  bool any = false;
  if (tree.is_object()) each_leaf(tree, [&](const Value& leaf) { any |= is_symbolic(leaf); });
  return any;
}

void fail_attribute(const Call& call, unsigned operand, std::string_view must_be, std::string_view hint) {
  const Value& value = call.operand(operand);
  if (holds_symbols(value)) {
    fail_not_staged(std::string(operand_name(call, operand)) + " of " + shown_name(call.entry));
  }
  fail(message("bad_attribute"),
       {shown_name(call.entry), std::string(operand_name(call, operand)), std::string(must_be), shown(value)},
       {{static_cast<int>(operand), "this is " + describe(value)}},
       hint.empty() ? hint_for_dtype(call) : std::string(hint));
}

void require_operand(Builder& builder, Call& call, unsigned operand) {
  if (!is_operand(call.operand(operand))) make_numeric(builder, call, operand);
}

bool is_integer(const Value& value) { return value.is_integer(); }
int64_t integer_of(const Value& value) { return value.integer(); }

int64_t integer_argument(const Call& call, unsigned operand) {
  const Value value = concrete(call.operand(operand));  // of a parameter of any kind
  if (!is_integer(value)) fail_attribute(call, operand, "an integer");
  return integer_of(value);
}

bool flag_argument(const Call& call, unsigned operand) {
  const Value& value = call.operand(operand);
  if (value.tag() != Tag::boolean) fail_attribute(call, operand, "true or false");
  return value.boolean();
}

double number_argument(const Call& call, unsigned operand) {
  const Value& value = call.operand(operand);
  if (value.is_scalar() && value.tag() != Tag::boolean) return value.real();
  fail_attribute(call, operand, "a number");
}

std::vector<int64_t> integer_list_argument(const Call& call, unsigned operand) {
  const Value& value = call.operand(operand);
  if (is_integer(value)) return {integer_of(value)};
  std::vector<int64_t> result;
  each_integer(call, operand, value, [&](int64_t number) { result.push_back(number); });
  return result;
}

Integers integers_argument(const Call& call, unsigned operand) {
  const Value& value = call.operand(operand);
  Integers result;
  if (is_integer(value))
    result.push(integer_of(value));
  else
    each_integer(call, operand, value, [&](int64_t number) { result.push(number); });
  return result;
}

bool variadic_given(const Call& call) { return !call.rest.empty() || !call.args[call.entry.variadic_at].is_none(); }

Integers variadic_integers(const Call& call) {
  const unsigned parameters = static_cast<unsigned>(call.args.size());
  if (call.rest.empty()) {
    if (call.args[call.entry.variadic_at].is_none()) return {};
    return integers_argument(call, call.entry.variadic_at);
  }
  if (call.rest.size() == 1) return integers_argument(call, parameters);
  Integers result;
  for (unsigned i = 0; i < call.rest.size(); ++i) result.push(integer_argument(call, parameters + i));
  return result;
}

std::optional<Dtype> dtype_argument(const Call& call, unsigned operand) {
  const Value& value = call.operand(operand);
  if (value.is_none()) return std::nullopt;
  if (value.is(ObjectKind::function)) {
    const Entry* entry = value.function().entry();
    if (entry && entry->dtype) return entry->dtype;
  }
  std::string names;
  for (const Dtype dtype : all_dtypes) names += (names.empty() ? "one of " : ", ") + std::string(name_of(dtype));
  if (call.entry.complex != nullptr) names += ", c64, c128";
  fail_attribute(call, operand, names);
}

Dtype dtype_argument(const Call& call, unsigned operand, Dtype fallback) {
  return dtype_argument(call, operand).value_or(fallback);
}

unsigned normal_axis(const Call& call, int64_t axis, unsigned rank) {
  const int64_t from_start = axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
  if (from_start < 0 || from_start >= static_cast<int64_t>(rank)) {
    fail(message("axis_range"), {shown_name(call.entry), std::to_string(axis), std::to_string(rank)});
  }
  return static_cast<unsigned>(from_start);
}

uint32_t axis_set(const Call& call, unsigned operand, unsigned rank) {
  uint32_t set = 0;
  for (int64_t axis : integers_argument(call, operand)) {
    const unsigned normal = normal_axis(call, axis, rank);
    if (set & (1u << normal)) fail(message("axis_repeated"), {shown_name(call.entry), std::to_string(axis)});
    set |= 1u << normal;
  }
  return set;
}

Shape shape_of_sizes(const Call& call, const Sizes& sizes) {
  Shape shape;
  for (unsigned i = 0; i < sizes.size(); ++i) {
    if (sizes.known(i) && sizes.number(i) < 0) {
      fail(message("negative_size"), {shown_name(call.entry), std::to_string(sizes.number(i))});
    }
    shape.push_back(sizes[i]);
  }
  return shape;
}

Sizes sizes_argument(ShapeBuilder& shapes, const Call& call, unsigned operand) {
  const Value& value = call.operand(operand);
  Sizes sizes;
  if (push_size(shapes, sizes, value)) return sizes;
  if (value.is(ObjectKind::tuple) || value.is(ObjectKind::list)) {
    for (const Value& item : *children(value)) {
      if (!push_size(shapes, sizes, concrete(item))) fail_item(call, operand, concrete(item));
    }
  } else {
    each_integer(call, operand, value, [&](int64_t number) { sizes.push(number); });
  }
  return sizes;
}

Sizes variadic_sizes(ShapeBuilder& shapes, const Call& call) {
  const unsigned parameters = static_cast<unsigned>(call.args.size());
  if (call.rest.empty()) {
    if (call.args[call.entry.variadic_at].is_none()) return {};
    return sizes_argument(shapes, call, call.entry.variadic_at);
  }
  if (call.rest.size() == 1) return sizes_argument(shapes, call, parameters);
  Sizes sizes;
  for (unsigned i = 0; i < call.rest.size(); ++i) {
    if (!push_size(shapes, sizes, call.rest[i])) fail_attribute(call, parameters + i, "an integer");
  }
  return sizes;
}

bool is_symbolic_integer(const Value& value) {
  if (!value.is_symbol()) return false;
  const Type& type = symbol_type(value);
  return type.shape.empty() && kind_of(type.dtype) == DtypeKind::integer;
}

void expect_integer(const Call& call, unsigned operand) {
  if (!is_symbolic_integer(call.operand(operand))) integer_argument(call, operand);
}

Dim size_argument(ShapeBuilder& shapes, const Call& call, unsigned operand) {
  const Value& value = call.operand(operand);
  if (is_symbolic_integer(value)) return shapes.dim_of(value);
  const int64_t size = integer_argument(call, operand);
  if (size < 0) {
    fail(message("negative_size"), {shown_name(call.entry), std::to_string(size)}, {label_of(call, operand)});
  }
  return Dim(size);
}

std::span<Value> extents_of(Builder& builder, const Shape& shape, std::span<Value> sizes) {
  for (unsigned i = 0; i < shape.rank(); ++i) sizes[i] = builder.extent(shape[i]);
  return sizes.first(shape.rank());
}

Value cast_to(Builder& builder, Value x, Dtype dtype) {
  if (operand_dtype(x) == dtype) return x;
  return call(builder, cast_entry(dtype), std::span<Value>(&x, 1));
}

Value converted_number(const Value& number, Dtype dtype) {
  if (number.scalar_dtype() == dtype) return number;
  return is_float(number.scalar_dtype()) ? Value::number(dtype, number.real()) : Value::number(dtype, number.integer());
}

Dtype operand_dtype(const Value& x) { return x.is_numeric() ? dtype_of(x) : logical_type(x).dtype; }

Call residual_call(const Entry& entry, const Residuals& residuals) {
  const std::span<Value> all(const_cast<Value*>(residuals.operands.data()),
                             residuals.operands.size());  // readers only read
  return {entry, all.first(residuals.parameters), all.subspan(residuals.parameters)};
}

Type operand_type(const Call& call, unsigned operand) {
  const Value& value = call.operand(operand);
  if (value.is(ObjectKind::sequence)) return {Dtype::i64, {Dim(value.sequence().length())}};  // not_staged if symbolic
  if (!is_operand(value)) fail_operand(call, operand);
  return logical_type(value);
}

}  // namespace covec::ops
