// covec.h: exchanges tensors with libraries that support DLPack. Start at take and hand_out.
#include <covec/covec.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "interpreter/dlpack_structs.hpp"
#include "interpreter/host/calls.hpp"
#include "interpreter/host/sharing.hpp"
#include "stdlib/tensor/interleaved.hpp"

namespace covec::embedding {

namespace {

using dlpack::ElementType;
using dlpack::TypeCode;

constexpr ElementType type_of(Dtype dtype) {
  const auto bits = static_cast<uint8_t>(8 * size_of(dtype));
  if (dtype == Dtype::boolean) return {TypeCode::boolean, bits};
  if (dtype == Dtype::bf16) return {TypeCode::bfloat, bits};
  if (is_float(dtype)) return {TypeCode::floating, bits};
  return {is_unsigned(dtype) ? TypeCode::unsigned_integer : TypeCode::integer, bits};
}

constexpr ElementType complex_type_of(Dtype part) {
  return {TypeCode::complex, static_cast<uint8_t>(16 * size_of(part))};
}

std::optional<Dtype> dtype_of(const ElementType& type) {
  for (const Dtype dtype : all_dtypes) {
    if (type_of(dtype) == type) return dtype;
  }
  return std::nullopt;
}

// The dtype of the parts of complex numbers.
std::optional<Dtype> part_dtype_of(const ElementType& type) {
  for (const Dtype part : {Dtype::f32, Dtype::f64}) {
    if (complex_type_of(part) == type) return part;
  }
  return std::nullopt;
}

template <class Managed>
void release_shared(void* owner) {
  auto* const managed = static_cast<Managed*>(owner);
  if (managed->deleter != nullptr) managed->deleter(managed);
}

bool has_known_version(const DLManagedTensor&) { return true; }
bool has_known_version(const DLManagedTensorVersioned& managed) { return managed.major == 1; }

// Covec holds the parts of complex numbers apart: a copy. Each part is a layout of its own.
covec_status copy_complex(covec_session* session, const dlpack::Tensor& tensor, Dtype part, const std::byte* data,
                          covec_value** value) {
  const unsigned rank = tensor.rank < 0 ? max_rank + 1 : static_cast<unsigned>(tensor.rank);
  if (const auto why = wrong_with({part, rank, tensor.dims, tensor.strides, data}); !why.empty())
    return misuse(session, why);
  std::array<int64_t, max_rank> strides{};
  int64_t inside = 1;
  for (unsigned axis = rank; axis-- > 0; inside *= tensor.dims[axis]) {
    if (tensor.dims[axis] > 1) strides[axis] = 2 * (tensor.strides == nullptr ? inside : tensor.strides[axis]);
  }
  const Layout re{part, rank, tensor.dims, strides.data(), data};
  if (const auto why = wrong_with(re); !why.empty()) return misuse(session, why);
  const Layout im{part, rank, tensor.dims, strides.data(), data == nullptr ? nullptr : data + size_of(part)};
  const Shape shape(tensor.dims, rank);
  give(session,
       make_complex(*session->session->context().pool, part, shape,
                    [&](auto* to_re, auto* to_im) {
                      copy_elements(re, to_re);
                      copy_elements(im, to_im);
                    }),
       value);
  return COVEC_OK;
}

template <class Managed>
covec_status take(covec_session* session, Managed** managed, covec_value** value) {
  return making(session, value, [&] {
    if (managed == nullptr || *managed == nullptr) return misuse(session, "the tensor is null: it may have been taken");
    if (!has_known_version(**managed)) return misuse(session, "a version of DLPack that is not 1");
    const dlpack::Tensor& tensor = (*managed)->tensor;
    if (session->capsules.contains(*managed)) return misuse(session, "the session holds this tensor already");
    if (tensor.device != dlpack::DeviceType::cpu) return misuse(session, "the tensor is on a device");
    const std::byte* const data =
        tensor.data == nullptr ? nullptr : static_cast<const std::byte*>(tensor.data) + tensor.byte_offset;
    if (const std::optional<Dtype> part = part_dtype_of(tensor.type)) {
      const covec_status status = copy_complex(session, tensor, *part, data, value);
      if (status == COVEC_OK) release_shared<Managed>(std::exchange(*managed, nullptr));
      return status;
    }
    const std::optional<Dtype> dtype = dtype_of(tensor.type);
    if (!dtype) return misuse(session, "there is no such dtype");
    const Layout layout{*dtype, tensor.rank < 0 ? max_rank + 1 : static_cast<unsigned>(tensor.rank), tensor.dims,
                        tensor.strides, data};
    if (const auto why = wrong_with(layout); !why.empty()) return misuse(session, why);
    Reserved handle(*session);
    auto shared = std::make_unique<SharedMemory>(SharedMemory{*session, release_shared<Managed>, *managed});
    shared->capsule = *session->capsules.insert(*managed).first;
    try {
      *value = handle.keep(share(*session, layout, std::move(shared)));
    } catch (...) {
      session->capsules.erase(*managed);
      throw;
    }
    *managed = nullptr;
    return COVEC_OK;
  });
}

// The tensor handed out holds a handle, so its value stays, or a copy of complex numbers.
template <class Managed>
struct ExportedTensor {
  Managed managed{};
  covec_value* value = nullptr;
  std::vector<double> complex;
  std::array<int64_t, 2 * max_rank> extents{};

  static void drop(Managed* managed) {
    auto* const self = static_cast<ExportedTensor*>(managed->context);
    covec_release(self->value);
    delete self;
  }
};

template <class Managed>
covec_status hand_out(covec_session* session, const covec_value* value, Managed** managed) {
  if (managed != nullptr) *managed = nullptr;
  return looking(session, [&](Session&) {
    if (managed == nullptr) return misuse(session, "a null argument");
    if (!belongs(session, value)) return misuse(session, "the value is null or of another session");
    const bool of_parts = is_complex(value->value);
    if (!of_parts && !value->value.is_numeric())
      return wrong(session, "type", "expected a tensor, got " + describe(value->value));
    auto out = std::make_unique<ExportedTensor<Managed>>();
    Layout layout{};
    if (of_parts) {
      layout = layout_of(complex_of(value->value).re());
      out->complex.resize(2 * static_cast<size_t>(Shape(layout.dims, layout.rank).elements()));
      join_complex(*session->session->context().pool, complex_of(value->value), out->complex.data());
      layout.strides = nullptr;
      layout.data = out->complex.data();
    } else {
      give(session, value->value, &out->value);
      layout = layout_of(out->value->value);
    }
    int64_t* const dims = out->extents.data();
    int64_t* const strides = dims + layout.rank;
    std::copy_n(layout.dims, layout.rank, dims);
    int64_t inside = 1;
    for (unsigned axis = layout.rank; axis-- > 0; inside *= dims[axis])
      strides[axis] = layout.strides == nullptr ? inside : layout.strides[axis];
    out->managed.tensor = {.data = const_cast<void*>(layout.data),
                           .rank = static_cast<int32_t>(layout.rank),
                           .type = of_parts ? complex_type_of(layout.dtype) : type_of(layout.dtype),
                           .dims = dims,
                           .strides = strides};
    out->managed.context = out.get();
    out->managed.deleter = ExportedTensor<Managed>::drop;
    *managed = &out.release()->managed;
    return COVEC_OK;
  });
}

}  // namespace

}  // namespace covec::embedding

using namespace covec::embedding;

extern "C" {

covec_status covec_from_dlpack(covec_session* session, DLManagedTensor** managed, covec_value** value) {
  return take(session, managed, value);
}

covec_status covec_from_dlpack_versioned(covec_session* session, DLManagedTensorVersioned** managed,
                                         covec_value** value) {
  return take(session, managed, value);
}

covec_status covec_to_dlpack(covec_session* session, covec_value* value, DLManagedTensor** managed) {
  return hand_out(session, value, managed);
}

covec_status covec_to_dlpack_versioned(covec_session* session, covec_value* value, DLManagedTensorVersioned** managed) {
  const covec_status status = hand_out(session, value, managed);
  if (status == COVEC_OK) (*managed)->flags = covec::dlpack::read_only;
  return status;
}

}  // extern "C"
