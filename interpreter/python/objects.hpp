// The Python module `covec._covec`, over covec.h alone. This header has what all its files share: counted references,
// the module's types and the three kinds of objects that hold a value of a session.
//
// One interpreter imports the module (subinterpreters are refused). So all Python state lies in one struct, `module`,
// which the GIL guards. The files are compiled without exceptions: when the interpreter ends, CPython unwinds threads
// that wait for the GIL, and no destructor may run then. Start at Session in session.hpp, then call in function.cpp.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <covec/covec.h>

#include <utility>

namespace covec::python {

// A counted reference to an object, which it owns.
class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* owned) : object_(owned) {}
  Ref(Ref&& other) noexcept : object_(other.release()) {}
  Ref& operator=(Ref&& other) noexcept {
    PyObject* const before = std::exchange(object_, other.release());
    Py_XDECREF(before);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }
  static Ref to(PyObject* borrowed) { return Ref(Py_XNewRef(borrowed)); }
  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

// A handle of covec.h, which it owns.
class Handle {
 public:
  Handle() = default;
  explicit Handle(covec_value* owned) : value_(owned) {}
  Handle(Handle&& other) noexcept : value_(other.release()) {}
  Handle& operator=(Handle&& other) noexcept {
    covec_release(std::exchange(value_, other.release()));
    return *this;
  }
  ~Handle() { covec_release(value_); }
  covec_value* get() const { return value_; }
  covec_value** out() { return &value_; }
  covec_value* release() { return std::exchange(value_, nullptr); }

 private:
  covec_value* value_ = nullptr;
};

// Room for `count` elements, on the stack where there are few. Without memory `data` is null and a MemoryError is set.
template <class T, size_t inline_count>
class Room {
 public:
  explicit Room(size_t count) : data_(count <= inline_count ? few_ : static_cast<T*>(PyMem_Calloc(count, sizeof(T)))) {
    if (data_ == nullptr) PyErr_NoMemory();
  }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  ~Room() {
    if (data_ != few_) PyMem_Free(data_);
  }
  T* data() { return data_; }
  T& operator[](size_t index) { return data_[index]; }

 private:
  T few_[inline_count] = {};
  T* data_;
};

// Several handles; they are released in order.
template <size_t inline_count>
class Handles {
 public:
  explicit Handles(size_t count) : room_(count), count_(room_.data() == nullptr ? 0 : count) {}
  ~Handles() {
    for (size_t i = 0; i < count_; ++i) covec_release(room_[i]);
  }
  bool is_there() { return room_.data() != nullptr; }
  covec_value** data() { return room_.data(); }
  covec_value*& operator[](size_t index) { return room_[index]; }

 private:
  Room<covec_value*, inline_count> room_;
  size_t count_;
};

struct Session;

// How an object begins that holds a value: covec.Array, covec.Function, covec.Value.
struct Holder {
  PyObject_VAR_HEAD Session* session;  // a counted reference
  covec_value* value;
};

struct Module {
  PyObject* error;
  PyTypeObject *session, *array, *function, *value;
};
extern Module module;

// The holder in `object`, or null.
inline Holder* holder_of(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  return type == module.array || type == module.function || type == module.value ? reinterpret_cast<Holder*>(object)
                                                                                 : nullptr;
}
// Ends the object's part in its session and frees it.
void drop_holder(PyObject* object);
// What the garbage collector follows. The session stays until the object goes: a cycle ends at the session's functions.
int visit_holder(PyObject* object, visitproc visit, void* arg);
// How print would write the value.
PyObject* text_of(PyObject* holder);

// Each makes a type from its file and adds it to the module; false with an exception.
bool add_session_type(PyObject* module_object);
bool add_array_type(PyObject* module_object);
bool add_function_type(PyObject* module_object);
bool add_value_type(PyObject* module_object);
bool add_error_type(PyObject* module_object);

template <class F>
PyCFunction method(F* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}
template <class F>
void* slot(F* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace covec::python
