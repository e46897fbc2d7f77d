// Computes pointwise operators on values. Fast paths come first: two numbers, then operands that need no conversion.
// These are contiguous in the result's shape and dtype, or single numbers, and go to the kernel as they are. Anything
// else (broadcasting, strides, mixed dtypes) is computed piece by piece through small buffers, never through a whole
// temporary. Start at pointwise_eager().
#include <algorithm>
#include <cstring>

#include "stdlib/kernels/elements.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/elementwise/casts.hpp"
#include "stdlib/ops/elementwise/parts.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::ops {

namespace {

constexpr int64_t parallel_from = 1 << 16;  // elements; below, starting threads costs more than it saves
constexpr int64_t grain = 1 << 14;          // elements in a piece for a thread

PointwiseTyping typing_of(const Call& call, unsigned count) {
  PromotionOperand operands[3];
  for (unsigned i = 0; i < count; ++i) {
    const Value& value = call.operand(i);
    const bool literal = (call.literals >> i & 1) != 0;
    operands[i] = value.is_scalar()
                      ? PromotionOperand{value.scalar_dtype(), literal ? OperandClass::literal : OperandClass::rank0}
                      : PromotionOperand{value.tensor().dtype(), OperandClass::tensor};
  }
  return pointwise_typing(call, std::span<const PromotionOperand>(operands, count));
}

kernels::PointwiseKernel kernel_for(const PointwiseOperator& op, Isa isa, const PointwiseTyping& typing) {
  if (op.info.types == TypeClass::cast) return cast_kernel_for(isa, typing.compute, typing.result);
  return op.kernel(isa, typing.compute);
}

// The dtype in which the body leaves its result.
Dtype body_result(const PointwiseOperator& op, const PointwiseTyping& typing) {
  if (op.info.types == TypeClass::cast || op.info.types == TypeClass::comparison) return typing.result;
  return typing.compute;
}

struct Application {
  Builder& builder;
  Call& call;
  const PointwiseOperator& op;
  PointwiseTyping typing;
  unsigned count;
  int64_t parameter;
  Value second = {};  // as it was before it was made narrow; for errors
};

void check(const Application& a, int64_t failed) {
  if (failed < 0) [[likely]]
    return;
  if (!a.second.is_none()) a.call.operand(1) = a.second;
  fail_pointwise(a.call, failed);
}

// Operands that become narrow are narrowed before they are computed with.
void narrow_operands(Application& a) {
  if (a.op.info.types == TypeClass::cast) return;
  for (unsigned i = 0; i < a.count; ++i) {
    const Dtype dtype = a.typing.promoted[i];
    Value& operand = a.call.operand(i);
    if (!is_narrow(dtype) || dtype_of(operand) == dtype) continue;
    if (i == 1 && operand.is_scalar()) a.second = operand;
    operand = cast_to(a.builder, std::move(operand), dtype);
  }
}

Value on_scalars(const Application& a) {
  const Isa isa = a.builder.context().isa;
  uint64_t numbers[3], result = 0, cast = 0;
  const void* in[3];
  for (unsigned i = 0; i < a.count; ++i) {
    in[i] = a.call.operand(i).scalar_data();
    if (a.call.operand(i).scalar_dtype() == a.typing.operand(i)) continue;
    cast_kernel_for(isa, a.call.operand(i).scalar_dtype(), a.typing.operand(i))(&numbers[i], &in[i], 1, 0, 0);
    in[i] = &numbers[i];
  }
  check(a, kernel_for(a.op, isa, a.typing)(&result, in, 1, 0, a.parameter));
  const Dtype given = body_result(a.op, a.typing);
  if (given == a.typing.result) return Value::scalar(given, &result);
  const void* from = &result;
  cast_kernel_for(isa, given, a.typing.result)(&cast, &from, 1, 0, 0);
  return Value::scalar(a.typing.result, &cast);
}

bool same_dims(const Tensor& a, const Tensor& b) {
  if (a.rank() != b.rank()) return false;
  for (unsigned axis = 0; axis < a.rank(); ++axis) {
    if (a.dim(axis) != b.dim(axis)) return false;
  }
  return true;
}

// The tensor whose shape all tensor operands have, when they are contiguous and nothing has to be converted but
// numbers.
const Tensor* plain_operands(const Application& a) {
  const Tensor* shape = nullptr;
  for (unsigned i = 0; i < a.count; ++i) {
    const Value& value = a.call.operand(i);
    if (value.is_scalar()) continue;
    const Tensor& tensor = value.tensor();
    if (!tensor.contiguous() || tensor.dtype() != a.typing.operand(i)) return nullptr;
    if (shape == nullptr)
      shape = &tensor;
    else if (!same_dims(*shape, tensor))
      return nullptr;
  }
  return body_result(a.op, a.typing) == a.typing.result ? shape : nullptr;
}

bool reusable(const Value& value, Dtype dtype, const Shape& shape) {
  if (!value.unique() || !value.is_tensor()) return false;
  const Tensor& tensor = value.tensor();
  if (tensor.dtype() != dtype || !tensor.contiguous() || tensor.rank() != shape.rank() || !tensor.exclusive())
    return false;
  for (unsigned axis = 0; axis < shape.rank(); ++axis) {
    if (tensor.dim(axis) != shape[axis].number()) return false;
  }
  return true;
}

// Where the result goes: into an operand that nobody else holds, or fresh memory. The operands stay alive in `held`
// until the kernel has run.
Value result_for(const Application& a, const Shape& shape) {
  for (unsigned i = 0; i < a.count; ++i) {
    if (reusable(a.call.operand(i), a.typing.result, shape)) return a.call.operand(i);
  }
  return make_tensor(a.builder.pool(), a.typing.result, shape);
}

// Runs body(begin, end) → failed index over [0, n), in parallel when that pays.
template <class F>
void over_elements(const Application& a, int64_t n, F body) {
  Context& context = a.builder.context();
  if (n <= parallel_from) return check(a, body(int64_t{0}, n));
  kernels::LowestIndex failed;
  kernels::parallel_for(context, n, grain, [&](int64_t begin, int64_t end) { failed.report(body(begin, end)); });
  check(a, failed.value());
}

// The same of a result that is made in tiles.
template <class F>
void over_tiles(const Application& a, int64_t n, int64_t tiles, F body) {
  if (n <= parallel_from) return check(a, body(int64_t{0}, tiles));
  kernels::LowestIndex failed;
  kernels::parallel_tiles(a.builder.context(), tiles, grain,
                          [&](int64_t begin, int64_t end) { failed.report(body(begin, end)); });
  check(a, failed.value());
}

Value on_plain(const Application& a, const Tensor& like) {
  const Isa isa = a.builder.context().isa;
  uint64_t numbers[3];
  const std::byte* in[3];
  int64_t steps[3];
  unsigned splat = 0;
  for (unsigned i = 0; i < a.count; ++i) {
    const Value& value = a.call.operand(i);
    if (!value.is_scalar()) {
      in[i] = value.tensor().data();
      steps[i] = static_cast<int64_t>(size_of(a.typing.operand(i)));
      continue;
    }
    const void* from = value.scalar_data();
    cast_kernel_for(isa, value.scalar_dtype(), a.typing.operand(i))(&numbers[i], &from, 1, 0, 0);
    in[i] = reinterpret_cast<const std::byte*>(&numbers[i]);
    steps[i] = 0;
    splat |= 1u << i;
  }
  const int64_t n = like.size();
  Value result = result_for(a, like.shape());
  std::byte* out = result.tensor().data();
  const kernels::PointwiseKernel kernel = kernel_for(a.op, isa, a.typing);
  const auto width = static_cast<int64_t>(size_of(a.typing.result));
  over_elements(a, n, [&](int64_t begin, int64_t end) {
    const void* at[3];
    for (unsigned i = 0; i < a.count; ++i) at[i] = in[i] + begin * steps[i];
    const int64_t failed = kernel(out + begin * width, at, end - begin, splat, a.parameter);
    return failed < 0 ? failed : begin + failed;
  });
  return result;
}

// The kernel on a piece. Operands of other dtypes than it wants are converted first, and so is what it leaves.
class Piece {
 public:
  static constexpr int64_t longest = 512;  // where anything is converted
  struct What {
    kernels::PointwiseKernel kernel;
    int64_t parameter;
    unsigned count;
    unsigned single;                       // operands of which one element goes in
    kernels::PointwiseKernel operands[3];  // their conversions, or nullptr
    kernels::PointwiseKernel result;
  };
  explicit Piece(const What& what) : what_(what) {}

  int64_t operator()(void* const* out, const void* const* in, int64_t n) {
    const void* at[3];
    for (unsigned i = 0; i < what_.count; ++i) {
      at[i] = in[i];
      if (what_.operands[i] == nullptr) continue;
      what_.operands[i](converted_[i], &at[i], (what_.single >> i & 1) != 0 ? 1 : n, 0, 0);
      at[i] = converted_[i];
    }
    const bool converts = what_.result != nullptr;
    const int64_t failed = what_.kernel(converts ? left_ : *out, at, n, what_.single, what_.parameter);
    if (failed >= 0 || !converts) return failed;
    const void* from = left_;
    what_.result(*out, &from, n, 0, 0);
    return -1;
  }

 private:
  const What& what_;
  alignas(64) std::byte converted_[3][longest * 8];
  alignas(64) std::byte left_[longest * 8];
};

// Operands of any strides, shapes and dtypes.
Value on_pieces(const Application& a) {
  Shape shape = shape_of(a.call.operand(0));
  for (unsigned i = 1; i < a.count; ++i)
    shape = broadcast_shapes(a.builder, a.call, shape, shape_of(a.call.operand(i)));
  const Isa isa = a.builder.context().isa;
  const Dtype left = body_result(a.op, a.typing);
  Value result = result_for(a, shape);
  Tensor& target = result.tensor();
  kernels::Elements<3, 1> elements(shape, isa);
  uint64_t numbers[3];
  Piece::What what{kernel_for(a.op, isa, a.typing), a.parameter, a.count, 0, {}, nullptr};
  if (left != target.dtype()) what.result = cast_kernel_for(isa, left, target.dtype());
  bool converts = what.result != nullptr;
  for (unsigned i = 0; i < a.count; ++i) {
    const Value& value = a.call.operand(i);
    const Dtype wanted = a.typing.operand(i);
    if (value.is_scalar()) {
      std::memcpy(&numbers[i], value.scalar_data(), sizeof(numbers[i]));
      elements.read_number(reinterpret_cast<const std::byte*>(&numbers[i]), size_of(value.scalar_dtype()));
    } else {
      elements.read(value.tensor());
    }
    if (dtype_of(value) == wanted) continue;
    what.operands[i] = cast_kernel_for(isa, dtype_of(value), wanted);
    converts = true;
  }
  elements.write(target.data(), size_of(target.dtype()));
  elements.prepare(elements.merge(), converts ? Piece::longest : INT64_MAX);
  what.single = static_cast<unsigned>(elements.single());
  if (const int64_t tiles = elements.tiles(); tiles > 0) {
    over_tiles(a, target.size(), tiles,
               [&](int64_t begin, int64_t end) { return elements.run_tiles(begin, end, Piece(what)); });
  } else {
    over_elements(a, target.size(),
                  [&](int64_t begin, int64_t end) { return elements.run(begin, end, nullptr, Piece(what)); });
  }
  return result;
}

constexpr int64_t small =
    4096;  // elements; the quick way below is for tensors whose computation is shorter than its preparation

// A number beside a float tensor takes the tensor's dtype. False for what the general way has to look at.
bool number_in_dtype(const Value& value, Dtype dtype, uint64_t& number) {
  if (value.scalar_dtype() == dtype) {
    std::memcpy(&number, value.scalar_data(), sizeof(number));
  } else if (dtype == Dtype::f32 && (value.tag() == Tag::f64 || value.tag() == Tag::i64)) {
    const float x = value.tag() == Tag::f64 ? static_cast<float>(value.f64()) : static_cast<float>(value.i64());
    std::memcpy(&number, &x, sizeof(x));
  } else if (dtype == Dtype::f64 && value.tag() == Tag::i64) {
    const auto x = static_cast<double>(value.i64());
    std::memcpy(&number, &x, sizeof(x));
  } else {
    return false;
  }
  return true;
}

// Few elements, contiguous, all of one dtype and shape, and numbers: straight to the kernel. Unbound when that is not
// the case.
Value on_small(Builder& builder, Call& call, const PointwiseOperator& op, unsigned count) {
  unsigned at = 0;
  while (at < count && !call.args[at].is_tensor()) ++at;
  if (at == count) return Value::unbound();
  Tensor& first = call.args[at].tensor();
  const auto slot = static_cast<unsigned>(first.dtype());
  if (op.plain[slot] == no_dtype || first.size() > small || !first.contiguous()) return Value::unbound();
  const void* in[3];
  uint64_t numbers[3];
  unsigned splat = 0;
  for (unsigned i = 0; i < count; ++i) {
    const Value& value = call.args[i];
    if (value.is_tensor()) {
      const Tensor& other = value.tensor();
      if (other.dtype() != first.dtype() || !other.contiguous() || !same_dims(other, first)) return Value::unbound();
      in[i] = other.data();
    } else {
      if (!number_in_dtype(value, first.dtype(), numbers[i])) return Value::unbound();
      in[i] = &numbers[i];
      splat |= 1u << i;
    }
  }
  const auto dtype = static_cast<Dtype>(op.plain[slot]);
  const bool reuse = call.args[at].unique() && dtype == first.dtype() && first.exclusive();
  Value result = reuse ? call.args[at] : Value::adopt(Tensor::empty(builder.pool(), dtype, first.shape()));
  const Isa isa = builder.context().isa;
  const int64_t failed = op.kernel(isa, first.dtype())(result.tensor().data(), in, first.size(), splat, 0);
  if (failed >= 0) [[unlikely]]
    fail_pointwise(call, failed);
  return result;
}

}  // namespace

Value pointwise_eager(Builder& builder, Call& call) {
  const PointwiseOperator& op = *call.entry.pointwise;
  const unsigned count = op.info.arity - (op.info.parameter ? 1u : 0u);
  if (Value result = on_small(builder, call, op, count); !result.is_unbound()) return result;
  if (op.scalar != nullptr && call.args[0].is_scalar()) {
    Value result;
    if (op.scalar(call.args[0], call.args[1], result)) return result;
  }
  Application a{builder, call, op, typing_of(call, count), count, op.info.parameter ? pointwise_parameter(call) : 0};
  if (op.info.types == TypeClass::cast && a.typing.compute == a.typing.result) return std::move(call.args[0]);
  narrow_operands(a);
  bool scalars = true;
  for (unsigned i = 0; i < count; ++i) scalars &= call.operand(i).is_scalar();
  if (scalars) return on_scalars(a);
  if (const Tensor* like = plain_operands(a)) return on_plain(a, *like);
  return on_pieces(a);
}

}  // namespace covec::ops
