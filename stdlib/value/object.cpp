// Destroys counted objects. Destruction must not recurse: a list nested a million deep, or as long a chain of closures,
// would overflow the stack. Objects whose count reaches zero during a destruction wait in that object's list. Start at
// destroy().
#include "stdlib/value/object.hpp"

#include <exception>
#include <vector>

#include "stdlib/value/callable.hpp"
#include "stdlib/value/map.hpp"
#include "stdlib/value/tensor_header.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

namespace {

// What an object holds is released by its destructor: more calls of destroy(), which find the list below.
void destroy_one(Object* object) noexcept {
  switch (object->kind) {
    case ObjectKind::tensor: static_cast<TensorHeader*>(object)->owner().dispose(object); break;
    case ObjectKind::string: delete static_cast<String*>(object); break;
    case ObjectKind::tuple: delete static_cast<Tuple*>(object); break;
    case ObjectKind::list: delete static_cast<List*>(object); break;
    case ObjectKind::record: delete static_cast<Record*>(object); break;
    case ObjectKind::map: delete static_cast<Map*>(object); break;
    case ObjectKind::complex: delete static_cast<Complex*>(object); break;
    case ObjectKind::function: delete static_cast<Callable*>(object); break;
    case ObjectKind::sequence: delete static_cast<Sequence*>(object); break;
    case ObjectKind::module: break;  // the session owns its modules and destroys them
    case ObjectKind::traced: delete static_cast<Traced*>(object); break;
    case ObjectKind::symbol: delete static_cast<Symbol*>(object); break;
  }
}

// The list of the destruction that is under way on this thread, if any: it lives on that call's stack, and nothing
// outlasts it. A thread's marker, not state of a session.
thread_local std::vector<Object*>* waiting = nullptr;

}  // namespace

void destroy(Object* object) noexcept {
  if (object->kind == ObjectKind::tensor || object->kind == ObjectKind::string) {  // these hold no values
    destroy_one(object);
    return;
  }
  if (waiting != nullptr) {
    try {
      waiting->push_back(object);
    } catch (const std::exception&) {
      destroy_one(object);  // no memory for the list: recursing is the better risk
    }
    return;
  }
  std::vector<Object*> list;
  waiting = &list;
  destroy_one(object);
  while (!list.empty()) {
    Object* next = list.back();
    list.pop_back();
    destroy_one(next);
  }
  waiting = nullptr;
}

}  // namespace covec
