// Reference-counted objects behind a Value. Counts are not atomic: a session and its values belong to one thread at a
// time. Destruction is iterative (destroy() keeps a worklist), so a list nested a million deep does not overflow the
// stack.
#pragma once

#include <cstdint>

namespace covec {

enum class ObjectKind : uint8_t {
  tensor,
  string,
  tuple,
  list,
  record,
  map,
  complex,
  function,
  sequence,
  module,
  traced,
  symbol
};

struct Object {
  explicit Object(ObjectKind k) : kind(k) {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  uint32_t references = 1;
  const ObjectKind kind;
  bool unique() const { return references == 1; }

 protected:
  ~Object() = default;
};

// Who gave an object its memory, where that is not the heap: takes it back when its count has reached zero.
class ObjectOwner {
 public:
  virtual void dispose(Object* object) noexcept = 0;

 protected:
  ~ObjectOwner() = default;
};

void destroy(Object* object) noexcept;  // when its count has reached zero

inline void retain(Object* object) noexcept { ++object->references; }
inline void release(Object* object) noexcept {
  if (--object->references == 0) destroy(object);
}

}  // namespace covec
