// Exports tensors by DLPack. This needs no session: it may be in use, or closed. Start at make_capsule.
#include "dlpack.hpp"

#include <cstring>

#include "convert.hpp"

namespace covec::python {

namespace {

using dlpack::TypeCode;

constexpr int max_rank = 16;      // axes; the core's (stdlib/value/dtype.hpp)
constexpr size_t alignment = 64;  // bytes of a copy's elements; a cache line
constexpr dlpack::ElementType types[] = {
    {TypeCode::boolean, 8},           {TypeCode::integer, 32},          {TypeCode::integer, 64},
    {TypeCode::floating, 16},         {TypeCode::bfloat, 16},           {TypeCode::floating, 32},
    {TypeCode::floating, 64},         {TypeCode::integer, 8},           {TypeCode::unsigned_integer, 8},
    {TypeCode::unsigned_integer, 16}, {TypeCode::unsigned_integer, 32}, {TypeCode::integer, 16}};  // by covec_dtype

// Behind it lies the copy of the elements, if it is one.
template <class Managed>
struct ExportedTensor {
  Managed managed;
  ExportedElements* exported;  // null: a copy
  int64_t extents[2 * max_rank];
};

// By the library, on any thread, with or without the GIL.
template <class Managed>
void drop_managed(Managed* managed) {
  auto* const self = static_cast<ExportedTensor<Managed>*>(managed->context);
  if (self->exported != nullptr) drop_elements(self->exported);
  PyMem_RawFree(self);
}

template <class Managed>
void drop_capsule(PyObject* capsule, const char* name) {
  if (PyCapsule_IsValid(capsule, name) == 0) return;  // somebody has taken it
  auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  managed->deleter(managed);
}
void drop_plain(PyObject* capsule) { drop_capsule<DLManagedTensor>(capsule, "dltensor"); }
void drop_versioned(PyObject* capsule) { drop_capsule<DLManagedTensorVersioned>(capsule, "dltensor_versioned"); }

// What lies behind the first axes; `to` goes on.
void copy_inner(const Elements& elements, int axis, const char* from, char*& to) {
  const auto bytes = static_cast<size_t>(dtypes[elements.dtype].bytes);
  if (axis == elements.rank) {
    memcpy(to, from, bytes);
    to += bytes;
    return;
  }
  for (Py_ssize_t i = 0; i < elements.dims[axis]; ++i)
    copy_inner(elements, axis + 1, from + i * elements.strides[axis], to);
}

template <class Managed>
Managed* hand_out(const Elements& elements, ExportedElements* exported, bool copies) {
  const size_t room = copies ? static_cast<size_t>(elements.bytes) + alignment : 0;
  auto* const made = static_cast<ExportedTensor<Managed>*>(PyMem_RawCalloc(1, sizeof(ExportedTensor<Managed>) + room));
  if (made == nullptr) {
    PyErr_NoMemory();
    return nullptr;
  }
  int64_t* const dims = made->extents;
  int64_t* const strides = dims + elements.rank;
  int64_t inside = 1;
  for (int axis = elements.rank; axis-- > 0; inside *= elements.dims[axis]) {
    dims[axis] = elements.dims[axis];
    strides[axis] = copies ? inside : elements.strides[axis] / dtypes[elements.dtype].bytes;
  }
  const void* data = elements.data;
  if (copies) {
    const auto behind = reinterpret_cast<uintptr_t>(made + 1);
    char* to = reinterpret_cast<char*>((behind + alignment - 1) / alignment * alignment);
    data = to;
    copy_elements(elements, to);
  }
  made->exported = copies ? nullptr : exported;
  if (!copies) ++exported->count;
  made->managed.tensor = {
      const_cast<void*>(data), dlpack::DeviceType::cpu, 0, elements.rank, types[elements.dtype], dims, strides, 0};
  made->managed.context = made;
  made->managed.deleter = drop_managed<Managed>;
  return &made->managed;
}

template <class Managed>
PyObject* in_capsule(Managed* managed, const char* name, PyCapsule_Destructor destructor) {
  PyObject* const capsule = PyCapsule_New(managed, name, destructor);
  if (capsule == nullptr) managed->deleter(managed);
  return capsule;
}

}  // namespace

void copy_elements(const Elements& elements, char* to) {
  copy_inner(elements, 0, static_cast<const char*>(elements.data), to);
}

PyObject* make_capsule(const Elements& elements, ExportedElements* exported, Dlpack form, uint64_t flags) {
  const bool copies = (flags & dlpack::is_copied) != 0;
  if (form == Dlpack::plain) {
    DLManagedTensor* const managed = hand_out<DLManagedTensor>(elements, exported, copies);
    return managed == nullptr ? nullptr : in_capsule(managed, "dltensor", drop_plain);
  }
  DLManagedTensorVersioned* const managed = hand_out<DLManagedTensorVersioned>(elements, exported, copies);
  if (managed == nullptr) return nullptr;
  managed->major = 1;
  managed->flags = flags;
  return in_capsule(managed, "dltensor_versioned", drop_versioned);
}

}  // namespace covec::python
