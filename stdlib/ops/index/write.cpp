// x[items] = value and x[items] += value. An unshared operand is overwritten, so a loop of updates costs only the
// elements that it changes; a shared one is copied first. Everything is checked before the first element changes, and a
// failure leaves the operand as it was.
#include <algorithm>
#include <unordered_map>

#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/index/eager.hpp"
#include "stdlib/ops/index/index.hpp"
#include "stdlib/ops/index/plan.hpp"
#include "stdlib/ops/index/walk.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

enum class Write { assign, add };

void check_dtype(const Call& call) {
  const Dtype to = dtype_of(call.args[0]), from = dtype_of(call.args[1]);
  if (!is_float(from) || is_float(to)) return;
  fail(message("index_assign_dtype"), {type_of(call.args[1]).text(), std::string(name_of(to))}, {label_of(call, 1)},
       "cast it first: " + std::string(name_of(to)) + "(…)");
}

[[noreturn]] void fail_shape(const Call& call, const Shape& place) {
  fail(message("index_assign_shape"), {type_of(call.args[1]).text(), place.text()}, {label_of(call, 1)});
}

// The value's strides along the axes of the place, 0 where it is broadcast. Axes of size 1 in front may be too many.
std::array<int64_t, max_rank> spread_value(const Call& call, const Value& value, const Shape& place) {
  std::array<int64_t, max_rank> strides = {};
  if (value.is_scalar()) return strides;
  const Tensor& tensor = value.tensor();
  const int shift = static_cast<int>(place.rank()) - static_cast<int>(tensor.rank());
  for (int i = 0; i < static_cast<int>(tensor.rank()); ++i) {
    if (tensor.dim(i) == 1) continue;
    if (i + shift < 0 || tensor.dim(i) != place[i + shift].number()) fail_shape(call, place);
    strides[i + shift] = tensor.stride(i);
  }
  return strides;
}

template <class T, class Operation>
void run(const WalkPlan& walk, T* x, const std::byte* value) {
  // The operation only reads the value.
  Walk<T, Operation>(walk, {}).run(x, const_cast<T*>(reinterpret_cast<const T*>(value)));
}

template <class T>
void assign(const WalkPlan& walk, std::byte* x, int64_t offset, const std::byte* value) {
  run<T, WriteElements<T>>(walk, reinterpret_cast<T*>(x) + offset, value);
}

template <class T>
void add(const WalkPlan& walk, std::byte* x, int64_t offset, const std::byte* value) {
  run<T, AddElements<T>>(walk, reinterpret_cast<T*>(x) + offset, value);
}

void write(Write kind, Dtype dtype, const WalkPlan& walk, std::byte* x, int64_t offset, const std::byte* value) {
  if (kind == Write::assign) {
    return with_bytes(dtype, [&]<class T>(T) { assign<T>(walk, x, offset, value); });
  }
  with_stored(dtype, [&]<class T>(T) { add<T>(walk, x, offset, value); });
}

template <class T>
void write_number(Write kind, std::byte* at, const Value& value) {
  T number, old;
  std::memcpy(&number, value.scalar_data(), sizeof number);
  std::memcpy(&old, at, sizeof old);
  if (kind == Write::add) number = AddElements<T>::sum(old, number);
  std::memcpy(at, &number, sizeof number);
}

void write_number(Write kind, Dtype dtype, std::byte* at, const Value& value) {
  with_stored(dtype, [&]<class T>(T) { write_number<T>(kind, at, value); });
}

// x[i] = number and x[i, j] = number, in range and of a dtype that x can hold: what loops do.
bool write_plain(Builder& builder, Call& call, Write kind) {
  Value& x = call.args[0];
  if (!x.is_tensor() || !call.args[1].is_scalar()) return false;
  const Dtype dtype = x.tensor().dtype();
  if (is_float(call.args[1].scalar_dtype()) && !is_float(dtype)) return false;
  const int64_t spec = call.args[2].i64();
  const unsigned rank = x.tensor().rank();
  if (!(spec == one_number && rank == 1) && !(spec == two_numbers && rank == 2)) return false;
  for (unsigned axis = 0; axis < rank; ++axis) {
    int64_t unused;
    if (!is_integer(call.rest[axis]) || !plain_offset(x.tensor(), axis, call.rest[axis], unused)) return false;
  }
  Tensor& tensor = writable(x, builder.pool());
  int64_t offset = 0;
  for (unsigned axis = 0; axis < rank; ++axis) {
    int64_t step;
    plain_offset(tensor, axis, call.rest[axis], step);
    offset += step;
  }
  write_number(kind, dtype, tensor.data() + offset * static_cast<int64_t>(size_of(dtype)),
               converted_number(call.args[1], dtype));
  return true;
}

// The value's elements when they lie as those of a row x[i] do: one for all, or a packed tensor of the row's shape and
// x's dtype.
bool fits_row(const Tensor& x, const Value& value) {
  if (value.is_scalar()) return is_float(x.dtype()) || !is_float(value.scalar_dtype());
  const Tensor& row = value.tensor();
  return row.dtype() == x.dtype() && row.contiguous() && std::ranges::equal(row.dims(), x.dims().subspan(1));
}

// x[i] = row and x[i] += row, the other thing that loops do.
bool write_row(Builder& builder, Call& call, Write kind) {
  Value& x = call.args[0];
  int64_t unused;
  if (call.args[2].i64() != one_number || !x.is_tensor() || x.tensor().rank() < 2 || !is_integer(call.rest[0]))
    return false;
  if (!plain_offset(x.tensor(), 0, call.rest[0], unused) || !fits_row(x.tensor(), call.args[1])) return false;
  Value value = std::move(call.args[1]);
  Tensor& tensor = writable(x, builder.pool());
  int64_t offset;
  plain_offset(tensor, 0, call.rest[0], offset);
  if (value.is_scalar()) value = converted_number(value, tensor.dtype());
  WalkPlan walk;
  // The row's elements: not stride(0), which says nothing where there is one row.
  walk.after.push({tensor.size() / std::max<int64_t>(tensor.dim(0), 1), 1, value.is_scalar() ? 0 : 1});
  if (tensor.size() > 0)
    write(kind, tensor.dtype(), walk, tensor.data(), offset, static_cast<const std::byte*>(data_of(value)));
  return true;
}

// Row-major strides: those that x will have once it is writable.
std::array<int64_t, max_rank> packed_strides(const Shape& shape) {
  std::array<int64_t, max_rank> strides = {};
  uint64_t step = 1;
  for (unsigned i = shape.rank(); i-- > 0; step *= static_cast<uint64_t>(shape[i].number())) {
    strides[i] = static_cast<int64_t>(step);
  }
  return strides;
}

Value write_general(Builder& builder, Call& call, Write kind) {
  auto [plan, spread] = plan_write(builder, call);
  const Type type = type_of(call.args[0]);
  if (plan.shape.elements() == 0) return std::move(call.args[0]);
  Value value = call.args[1];
  if (dtype_of(value) != type.dtype) {
    value = cast_to(builder, std::move(value), type.dtype);
    spread = spread_value(call, value, plan.shape);  // the cast's result may lie otherwise
  }
  WalkPlan walk = plan_walk(plan, spread);
  if (!walk.uniform) {
    value = contiguous(builder.pool(), broadcast_to(builder, value, plan.shape));
    walk = plan_walk(plan, value.tensor().strides());
  }
  Value& x = call.args[0];
  walk.is_far = is_far(type.shape.elements(), size_of(type.dtype));
  std::byte* data = x.is_scalar() ? static_cast<std::byte*>(x.scalar_data()) : writable(x, builder.pool()).data();
  write(kind, type.dtype, walk, data, plan.offset, static_cast<const std::byte*>(data_of(value)));
  return x.is_scalar() ? Value::scalar(type.dtype, data) : std::move(x);
}

}  // namespace

IndexWrite plan_write(Builder& builder, const Call& call) {
  check_dtype(call);
  const Type type = type_of(call.args[0]);
  const IndexLayout layout = layout_of(IndexSpec(call.args[2].i64()), type, std::span<const Value>(call.rest), 3);
  std::array<int64_t, max_rank> dims;
  for (unsigned i = 0; i < type.shape.rank(); ++i) dims[i] = type.shape[i].number();
  const auto strides = packed_strides(type.shape);
  IndexPlan plan =
      plan_index(builder, layout, {dims.data(), type.shape.rank()}, {strides.data(), type.shape.rank()}, call.rest);
  const auto spread = spread_value(call, call.args[1], plan.shape);
  return {std::move(plan), spread};
}

void check_written_literal(const Call& call, Dtype dtype) {
  const Value& value = call.args[1];
  if ((call.literals & 2) == 0 || value.tag() != Tag::i64 || kind_of(dtype) != DtypeKind::integer) return;
  if (fits(value.i64(), dtype)) return;
  fail(message("literal_range"), {std::to_string(value.i64()), std::string(name_of(dtype))}, {label_of(call, 1)});
}

Value index_update_eager(Builder& builder, Call& call) {
  if ((call.literals & 2) != 0 && is_operand(call.args[0])) check_written_literal(call, operand_dtype(call.args[0]));
  if (write_plain(builder, call, Write::assign) || write_row(builder, call, Write::assign))
    return std::move(call.args[0]);
  return write_general(builder, call, Write::assign);
}

Value index_add_eager(Builder& builder, Call& call) {
  if ((call.literals & 2) != 0 && is_operand(call.args[0])) check_written_literal(call, operand_dtype(call.args[0]));
  if (write_plain(builder, call, Write::add) || write_row(builder, call, Write::add)) return std::move(call.args[0]);
  return write_general(builder, call, Write::add);
}

// A mask over the block of the tensors, with axes of size 1 after it: true where no later place of the block names the
// same elements.
namespace {

// Where the items of (x, spec, *items) lead in a row-major x.
IndexPlan plan_of_places(Builder& builder, const Call& call) {
  const Type type = type_of(call.args[0]);
  const IndexLayout layout = layout_of(IndexSpec(call.args[1].i64()), type, std::span<const Value>(call.rest));
  std::array<int64_t, max_rank> dims;
  for (unsigned i = 0; i < type.shape.rank(); ++i) dims[i] = type.shape[i].number();
  const auto strides = packed_strides(type.shape);
  return plan_index(builder, layout, {dims.data(), type.shape.rank()}, {strides.data(), type.shape.rank()}, call.rest);
}

constexpr int64_t between_polls = 1 << 16;  // places

// By a bit for each element of x.
bool repeats_in_bits(Builder& builder, std::span<const int64_t> offsets, int64_t elements) {
  std::vector<bool> named(size_for<bool>(elements));
  for (size_t i = 0; i < offsets.size(); ++i) {
    if (i % between_polls == 0) kernels::poll_interrupt(builder.context());
    std::vector<bool>::reference place = named[static_cast<size_t>(offsets[i])];
    if (place) return true;
    place = true;
  }
  return false;
}

// By sorting, where there are few of them in a large x.
bool repeats_in_order(std::span<const int64_t> offsets) {
  std::vector<int64_t> sorted(offsets.begin(), offsets.end());
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
}

}  // namespace

Type distinct_type(ShapeBuilder&, const Call&) { return {Dtype::boolean, {}}; }

Value index_distinct_eager(Builder& builder, Call& call) {
  const IndexPlan plan = plan_of_places(builder, call);
  const int64_t elements = type_of(call.args[0]).shape.elements();
  if (!plan.advanced || elements == 0) return Value(true);
  const std::span<const int64_t> offsets(plan.offsets.as<int64_t>(), static_cast<size_t>(plan.advanced_count));
  const bool few = plan.advanced_count < elements / 256;
  return Value(!(few ? repeats_in_order(offsets) : repeats_in_bits(builder, offsets, elements)));
}

Value index_last_eager(Builder& builder, Call& call) {
  const IndexPlan plan = plan_of_places(builder, call);
  if (!plan.advanced) return Value(true);
  Shape shape;
  for (unsigned i = plan.advanced_at; i < plan.shape.rank(); ++i) {
    shape.push_back(i < plan.advanced_at + plan.advanced_rank ? plan.shape[i] : Dim(1));
  }
  Value result = make_tensor(builder.pool(), Dtype::boolean, shape);
  bool* last = result.tensor().as<bool>();
  std::unordered_map<int64_t, int64_t> place_of;
  place_of.reserve(static_cast<size_t>(plan.advanced_count));
  for (int64_t place = 0; place < plan.advanced_count; ++place) {
    if (place % between_polls == 0) kernels::poll_interrupt(builder.context());
    last[place] = true;
    const auto [found, fresh] = place_of.try_emplace(plan.offsets.as<int64_t>()[place], place);
    if (fresh) continue;
    last[found->second] = false;
    found->second = place;
  }
  return result;
}

}  // namespace covec::ops
