// What the C++ library wants for make_exception_ptr(): an exception that nobody has thrown yet. The package of
// Emscripten is older than this function.
#include <exception>

#include "cxa_exception.h"
#include "cxxabi.h"

namespace __cxxabiv1 {

namespace {

// Called where somebody else's handler has caught it.
void let_go(_Unwind_Reason_Code reason, _Unwind_Exception* unwound) {
  if (reason != _URC_FOREIGN_EXCEPTION_CAUGHT) std::terminate();
  __cxa_decrement_exception_refcount(unwound + 1);
}

}  // namespace

extern "C" __cxa_exception* __cxa_init_primary_exception(void* object, std::type_info* type,
                                                         void* (*destructor)(void*)) throw() {
  __cxa_exception* const header = static_cast<__cxa_exception*>(object) - 1;  // it lies before the object
  header->referenceCount = 0;
  header->terminateHandler = std::get_terminate();
  header->exceptionType = type;
  header->exceptionDestructor = destructor;
  __setExceptionClass(&header->unwindHeader, kOurExceptionClass);
  header->unwindHeader.exception_cleanup = let_go;
  return header;
}

}  // namespace __cxxabiv1
