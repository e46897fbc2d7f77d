// Owners of memory that sessions read; the lowest bits of an owner's address tell its kind. Start at owner_of_elements.
#include <cstdint>

#include "array.hpp"
#include "numpy.hpp"

namespace covec::python {

namespace {

constexpr uintptr_t is_buffer = 1, is_elements = 2, kinds = 3;

template <class T>
T* owner_as(uintptr_t bits) {
  return reinterpret_cast<T*>(bits & ~kinds);
}

void drop_buffer(SharedBuffer* shared) {
  if (--shared->count > 0) return;
  PyBuffer_Release(&shared->buffer);
  PyMem_Free(shared);
}

void* one_more(void* owner) {
  const auto bits = reinterpret_cast<uintptr_t>(owner);
  if ((bits & is_buffer) != 0)
    ++owner_as<SharedBuffer>(bits)->count;
  else if ((bits & is_elements) != 0)
    ++owner_as<ExportedElements>(bits)->count;
  else
    Py_INCREF(static_cast<PyObject*>(owner));
  return owner;
}

// The host object that shared the elements with the array's session; null: nobody, or the session is in use elsewhere
// and cannot tell.
void* owner_of_shared(const Use& use, const Array& array) {
  const Session& session = *array.holder.session;
  const bool may_ask = &session == &use.session() || (session.user == nullptr && !session.is_lost);
  if (session.handle == nullptr || !may_ask) return nullptr;
  void (*release)(void*) = nullptr;
  void* owner = nullptr;
  if (covec_lender(session.handle, array.holder.value, &release, &owner) != COVEC_OK) return nullptr;
  return release == give_back ? owner : nullptr;
}

}  // namespace

void* owner_of(PyObject* object) { return Py_NewRef(object); }
void* owner_of(SharedBuffer* buffer) {
  return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(buffer) | is_buffer);
}
void* owner_of(ExportedElements* elements) {
  return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(elements) | is_elements);
}

void drop_elements(ExportedElements* elements) {
  if (--elements->count > 0) return;
  covec_release(elements->value);
  PyMem_RawFree(elements);
}

void drop_owner(void* owner) {
  const auto bits = reinterpret_cast<uintptr_t>(owner);
  if ((bits & is_buffer) != 0)
    drop_buffer(owner_as<SharedBuffer>(bits));
  else if ((bits & is_elements) != 0)
    drop_elements(owner_as<ExportedElements>(bits));
  else
    Py_DECREF(static_cast<PyObject*>(owner));
}

PyObject* array_behind(PyObject* object) {
  constexpr int max_steps = 4;  // views of views that are followed
  for (int step = 0; step < max_steps && object != nullptr; ++step) {
    if (Py_TYPE(object) == module.array) return object;
    object = PyMemoryView_Check(object) != 0 ? PyMemoryView_GET_BUFFER(object)->obj : base_of_ndarray(object);
  }
  return nullptr;
}

void* owner_of_elements(Use& use, PyObject* object) {
  Array& array = array_of(object);
  if (void* const owner = owner_of_shared(use, array); owner != nullptr) return one_more(owner);
  ExportedElements* const exported = exported_elements(array);
  if (exported == nullptr) return nullptr;
  ++exported->count;
  return owner_of(exported);
}

}  // namespace covec::python
