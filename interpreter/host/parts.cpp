// covec.h: reads a value for a host: its number, text and elements, and its parts.
#include <covec/covec.h>

#include "interpreter/host/calls.hpp"
#include "interpreter/host/numbers.hpp"
#include "interpreter/host/sharing.hpp"
#include "stdlib/value/map.hpp"

namespace covec::embedding {

namespace {

covec_status unlike(covec_session* session, std::string_view expected, const Value& value) {
  return wrong(session, "type", "expected " + std::string(expected) + ", got " + describe(value));
}

// A value of the session's is read.
template <class Body>
covec_status reading(covec_session* session, const covec_value* value, const void* output, Body body) {
  const auto read = [&](Session&) {
    if (output == nullptr) return misuse(session, "a null argument");
    if (!belongs(session, value)) return misuse(session, "the value is null or of another session");
    return body(value->value);
  };
  return looking(session, computing(session, read));
}

covec_status no_part(covec_session* session, size_t index, size_t length) {
  return wrong(session, "index",
               "there is no part number " + std::to_string(index) + " among " + std::to_string(length));
}

}  // namespace

}  // namespace covec::embedding

using namespace covec::embedding;
using covec::ObjectKind;
using covec::Value;

extern "C" {

// --- numbers and texts ---

covec_status covec_get_number(covec_session* session, covec_value* value, double* number) {
  return reading(session, value, number, [&](const Value& held) {
    if (!held.is_scalar()) return unlike(session, "a number", held);
    copy_numbers(held, number);
    return COVEC_OK;
  });
}

covec_status covec_get_integer(covec_session* session, covec_value* value, int64_t* number) {
  return reading(session, value, number, [&](const Value& held) {
    if (!held.is_scalar() || covec::is_float(held.scalar_dtype())) return unlike(session, "an integer", held);
    *number = held.integer();
    return COVEC_OK;
  });
}

covec_status covec_get_boolean(covec_session* session, covec_value* value, int* boolean) {
  return reading(session, value, boolean, [&](const Value& held) {
    if (held.tag() != covec::Tag::boolean) return unlike(session, "a bool", held);
    *boolean = held.boolean() ? 1 : 0;
    return COVEC_OK;
  });
}

covec_status covec_get_string(covec_session* session, covec_value* value, const char** text, size_t* bytes) {
  return reading(session, value, text, [&](const Value& held) {
    if (!held.is(ObjectKind::string)) return unlike(session, "a string", held);
    *text = held.string().text.c_str();
    if (bytes != nullptr) *bytes = held.string().text.size();
    return COVEC_OK;
  });
}

// --- elements ---

covec_status covec_look(covec_session* session, covec_value* value, covec_view* view) {
  return looking(session, [&](covec::Session&) {
    if (view == nullptr) return misuse(session, "a null argument");
    if (!belongs(session, value)) return misuse(session, "the value is null or of another session");
    const Value& held = value->value;
    if (!held.is_numeric()) return unlike(session, "a tensor", held);
    const Layout layout = layout_of(held);
    *view = {static_cast<covec_dtype>(layout.dtype), layout.rank, layout.dims, layout.strides, layout.data};
    return COVEC_OK;
  });
}

covec_status covec_is_exclusive(covec_session* session, covec_value* value, int* exclusive) {
  return looking(session, [&](covec::Session&) {
    if (exclusive == nullptr) return misuse(session, "a null argument");
    if (!belongs(session, value)) return misuse(session, "the value is null or of another session");
    const Value& held = value->value;
    *exclusive = held.is(ObjectKind::tensor) && held.tensor().exclusive() ? 1 : 0;
    return COVEC_OK;
  });
}

covec_status covec_lender(covec_session* session, covec_value* value, void (**release)(void* owner), void** owner) {
  return looking(session, [&](covec::Session&) {
    if (release == nullptr || owner == nullptr) return misuse(session, "a null argument");
    if (!belongs(session, value)) return misuse(session, "the value is null or of another session");
    const Value& held = value->value;
    const covec::Storage* const storage = held.is(ObjectKind::tensor) ? held.tensor().storage() : nullptr;
    const bool is_shared = storage != nullptr && storage->release == SharedMemory::release_shared;
    const auto* const shared = is_shared ? static_cast<const SharedMemory*>(storage->owner) : nullptr;
    *release = shared == nullptr ? nullptr : shared->release;
    *owner = shared == nullptr ? nullptr : shared->owner;
    return COVEC_OK;
  });
}

covec_status covec_read(covec_session* session, covec_value* value, covec_dtype dtype, void* data, size_t bytes) {
  return reading(session, value, bytes == 0 ? session : data, [&](const Value& held) {
    if (!is_dtype(dtype)) return misuse(session, "there is no such dtype");
    if (!held.is_numeric() || covec::dtype_of(held) != static_cast<covec::Dtype>(dtype))
      return unlike(session, "a tensor of " + std::string(name_of(static_cast<covec::Dtype>(dtype))), held);
    const auto size = static_cast<size_t>(held.is_scalar() ? 1 : held.tensor().size());
    if (bytes != size * covec::size_of(covec::dtype_of(held)))
      return misuse(session, "the number of bytes does not match the elements");
    copy_elements(layout_of(held), data);
    return COVEC_OK;
  });
}

covec_status covec_read_complex(covec_session* session, covec_value* value, covec_dtype part, void* data,
                                size_t bytes) {
  return reading(session, value, bytes == 0 ? session : data, [&](const Value& held) {
    if (part != COVEC_F32 && part != COVEC_F64) return misuse(session, "the parts of complex numbers are f32 or f64");
    const bool is_wide = part == COVEC_F64;
    if (!is_complex(held) || covec::dtype_of(complex_of(held).re()) != static_cast<covec::Dtype>(part))
      return unlike(session, is_wide ? "a c128" : "a c64", held);
    const Layout re = layout_of(complex_of(held).re());
    if (bytes != 2 * static_cast<size_t>(covec::Shape(re.dims, re.rank).elements()) * covec::size_of(re.dtype))
      return misuse(session, "the number of bytes does not match the elements");
    covec::embedding::join_complex(*session->session->context().pool, complex_of(held), data);
    return COVEC_OK;
  });
}

covec_status covec_read_numbers(covec_session* session, covec_value* value, double* numbers, size_t count) {
  return reading(session, value, count == 0 ? session : static_cast<const void*>(numbers), [&](const Value& held) {
    if (const covec_status status = expect_numbers(session, held, count); status != COVEC_OK) return status;
    copy_numbers(held, numbers);
    return COVEC_OK;
  });
}

// --- parts ---

covec_status covec_length(covec_session* session, covec_value* value, size_t* length) {
  return reading(session, value, length, [&](const Value& held) {
    const std::vector<Value>* items = children(held);
    if (items == nullptr) return unlike(session, "a tuple, list, record or map", held);
    *length = items->size();
    return COVEC_OK;
  });
}

covec_status covec_item(covec_session* session, covec_value* value, size_t index, covec_value** item) {
  if (item != nullptr) *item = nullptr;
  return reading(session, value, item, [&](const Value& held) {
    const std::vector<Value>* items = children(held);
    if (items == nullptr) return unlike(session, "a tuple, list, record or map", held);
    if (index >= items->size()) return no_part(session, index, items->size());
    give(session, (*items)[index], item);
    return COVEC_OK;
  });
}

covec_status covec_field(covec_session* session, covec_value* value, const char* name, covec_value** item) {
  if (item != nullptr) *item = nullptr;
  return reading(session, value, item, [&](const Value& held) {
    if (name == nullptr) return misuse(session, "the name is null");
    const bool record = held.is(ObjectKind::record);
    if (!record && !held.is(ObjectKind::module)) return unlike(session, "a record or a module", held);
    const Value* found = record ? held.record().find(name) : covec::find_member(held, name);
    if (found == nullptr) return wrong(session, "key", "there is no field `" + std::string(name) + "`");
    give(session, *found, item);
    return COVEC_OK;
  });
}

covec_status covec_field_name(covec_session* session, covec_value* value, size_t index, const char** name) {
  return reading(session, value, name, [&](const Value& held) {
    if (!held.is(ObjectKind::record)) return unlike(session, "a record", held);
    const size_t length = held.record().items.size();
    if (index >= length) return no_part(session, index, length);
    const std::string& text = held.record().layout->names[index];
    if (text.find('\0') != std::string::npos) return wrong(session, "value", "the name of the field has a zero byte");
    *name = text.c_str();
    return COVEC_OK;
  });
}

covec_status covec_key(covec_session* session, covec_value* value, size_t index, covec_value** key) {
  if (key != nullptr) *key = nullptr;
  return reading(session, value, key, [&](const Value& held) {
    if (!held.is(ObjectKind::map)) return unlike(session, "a map", held);
    const std::vector<Value>& keys = map_of(held).keys();
    if (index >= keys.size()) return no_part(session, index, keys.size());
    give(session, keys[index], key);
    return COVEC_OK;
  });
}

covec_status covec_find(covec_session* session, covec_value* value, covec_value* key, covec_value** item) {
  if (item != nullptr) *item = nullptr;
  return reading(session, value, item, [&](const Value& held) {
    if (!belongs(session, key)) return misuse(session, "the key is null or of another session");
    if (!held.is(ObjectKind::map)) return unlike(session, "a map", held);
    if (!covec::is_key(key->value)) return unlike(session, "a key", key->value);
    if (const Value* found = std::as_const(map_of(held)).find(key->value); found != nullptr)
      give(session, *found, item);
    return COVEC_OK;
  });
}

}  // extern "C"
