// covec.h: handles and their texts, tensors on the host's memory, and values made from the host's data.
#include <covec/covec.h>

#include <algorithm>
#include <span>

#include "frontend/resolve/resolve.hpp"
#include "interpreter/host/calls.hpp"
#include "interpreter/host/sharing.hpp"
#include "stdlib/tensor/interleaved.hpp"
#include "stdlib/value/map.hpp"

namespace covec::embedding {

namespace {

constexpr std::string_view unknown_text = "?";

// Made once; a string is its own text. Null where it is still to be made and the session runs on another thread.
std::string_view text_of(covec_value& value) {
  if (value.value.is(ObjectKind::string)) return value.value.string().text;
  if (const std::string* made = value.text.load(std::memory_order_acquire); made != nullptr) return *made;
  covec_session& session = *value.session;
  const bool entered = session.guard.enter();
  if (!entered && !session.guard.is_here()) return {};
  std::string_view text = unknown_text;
  try {
    const SessionGuard::Inside inside(session.guard);
    auto made = std::make_unique<const std::string>(session.session->text_of(value.value));
    text = *made;
    value.text.store(made.release(), std::memory_order_release);
  } catch (...) {  // an interrupt, or no memory: the next one that asks may have it
  }
  if (entered) session.leave();
  return text;
}

covec_kind kind_of(const Value& value) {
  if (value.is_none()) return COVEC_NONE;
  if (value.is_scalar()) return COVEC_NUMBER;
  switch (value.object()->kind) {
    case ObjectKind::tensor: return COVEC_TENSOR;
    case ObjectKind::string: return COVEC_STRING;
    case ObjectKind::tuple: return COVEC_TUPLE;
    case ObjectKind::list: return COVEC_LIST;
    case ObjectKind::record: return COVEC_RECORD;
    case ObjectKind::map: return COVEC_MAP;
    case ObjectKind::function: return COVEC_FUNCTION;
    case ObjectKind::module: return COVEC_MODULE;
    case ObjectKind::complex: return COVEC_COMPLEX;
    default: return COVEC_OTHER;
  }
}

covec_status share_memory(covec_session* session, covec_dtype dtype, const Layout& layout, void (*release)(void*),
                          void* owner, covec_value** value) {
  return looking(session, [&](Session&) {
    if (value == nullptr) return misuse(session, "a null argument");
    if (!is_dtype(dtype)) return misuse(session, "there is no such dtype");
    if (const auto why = wrong_with(layout); !why.empty()) return misuse(session, why);
    Reserved handle(*session);
    std::unique_ptr<SharedMemory> shared(release != nullptr ? new SharedMemory{*session, release, owner} : nullptr);
    *value = handle.keep(share(*session, layout, std::move(shared)));
    return COVEC_OK;
  });
}

// A value of parts that the host has.
template <class Make>
covec_status make_of(covec_session* session, covec_value* const* items, size_t count, covec_value** value, Make make) {
  return making(session, value, [&] {
    if (items == nullptr && count > 0) return misuse(session, "the items are null");
    if (!all_belong(session, items, count)) return misuse(session, "an item is null or of another session");
    return make();
  });
}

std::vector<Value> values_of(covec_value* const* items, size_t count) {
  std::vector<Value> values;
  values.reserve(count);
  for (size_t i = 0; i < count; ++i) values.push_back(items[i]->value);
  return values;
}

covec_status give_record(covec_session* session, std::span<const char* const> names, covec_value* const* items,
                         covec_value** value) {
  RecordLayout layout;
  for (const char* const name : names) {
    if (name == nullptr || !is_variable_name(name)) return misuse(session, "this is not the name of a field");
    if (layout.find(name) >= 0) return misuse(session, "a field comes twice");
    layout.names.emplace_back(name);
  }
  auto shared = std::make_shared<const RecordLayout>(std::move(layout));
  give(session, make_record(std::move(shared), values_of(items, names.size())), value);
  return COVEC_OK;
}

covec_status give_map(covec_session* session, std::span<covec_value* const> keys, covec_value* const* items,
                      covec_value** value) {
  Value made = make_map({}, {});
  Map& map = map_of(made);
  for (size_t i = 0; i < keys.size(); ++i) {
    const Value& key = keys[i]->value;
    if (!is_key(key)) return misuse(session, "a key is not a string, integer, bool or tuple of these");
    if (map.find(key) != nullptr) return misuse(session, "a key comes twice");
    map.set(key, items[i]->value);
  }
  give(session, std::move(made), value);
  return COVEC_OK;
}

// A value that needs no parts and cannot fail but for memory.
template <class Make>
covec_status give_made(covec_session* session, covec_value** value, Make make) {
  return making(session, value, [&] {
    give(session, make(), value);
    return COVEC_OK;
  });
}

display::Options options_of(covec_form form, const HostCall* call) {
  return {.screen = display::notebook,
          .all_tables = call != nullptr && call->shows,
          .text = form == COVEC_TEXT,
          .html = form == COVEC_HTML,
          .svg = form == COVEC_SVG,
          .png = form == COVEC_PNG};
}

Value bytes_of(Session& session, std::string_view bytes) {
  const int64_t count[] = {static_cast<int64_t>(bytes.size())};
  Value made = make_tensor(*session.context().pool, Dtype::u8, Shape(count, 1));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(made.tensor().data()));
  return made;
}

}  // namespace

}  // namespace covec::embedding

using namespace covec::embedding;
using covec::Value;

extern "C" {

// --- handles ---

covec_kind covec_kind_of(const covec_value* value) { return value == nullptr ? COVEC_NONE : kind_of(value->value); }

covec_status covec_copy(covec_session* session, covec_value* value, covec_value** copy) {
  if (copy != nullptr) *copy = nullptr;
  return looking(session, [&](covec::Session&) {
    if (copy == nullptr) return misuse(session, "a null argument");
    if (!belongs(session, value)) return misuse(session, "the value is null or of another session");
    give(session, value->value, copy);
    return COVEC_OK;
  });
}

const char* covec_text(covec_value* value) { return value == nullptr ? "none" : text_of(*value).data(); }

size_t covec_text_bytes(covec_value* value) { return value == nullptr ? 4 : text_of(*value).size(); }

covec_status covec_display(covec_session* session, covec_value* value, covec_form form, covec_value** shown) {
  if (shown != nullptr) *shown = nullptr;
  const auto display = [&](covec::Session& run) {
    if (shown == nullptr) return misuse(session, "a null argument");
    if (!belongs(session, value)) return misuse(session, "the value is null or of another session");
    if (form < COVEC_TEXT || form > COVEC_PNG) return misuse(session, "there is no such form");
    covec::display::Display made = run.display_of(value->value, options_of(form, session->host_call));
    const covec::Memory::Use use(*run.context().pool);
    std::optional<std::string>* const asked = form == COVEC_HTML  ? &made.html
                                              : form == COVEC_SVG ? &made.svg
                                                                  : &made.png;
    if (form == COVEC_TEXT)
      give(session, covec::make_string(std::move(made.text)), shown);
    else if (asked->has_value())
      give(session, form == COVEC_PNG ? bytes_of(run, **asked) : covec::make_string(std::move(**asked)), shown);
    return COVEC_OK;
  };
  return looking(session, computing(session, display));
}

// --- tensors ---

covec_status covec_lend(covec_session* session, covec_dtype dtype, unsigned rank, const int64_t* dims, const void* data,
                        void (*release)(void* owner), void* owner, covec_value** value) {
  return covec_lend_strided(session, dtype, rank, dims, nullptr, data, release, owner, value);
}

covec_status covec_lend_strided(covec_session* session, covec_dtype dtype, unsigned rank, const int64_t* dims,
                                const int64_t* strides, const void* data, void (*release)(void* owner), void* owner,
                                covec_value** value) {
  if (value != nullptr) *value = nullptr;
  return share_memory(session, dtype, {static_cast<covec::Dtype>(dtype), rank, dims, strides, data}, release, owner,
                      value);
}

covec_status covec_tensor(covec_session* session, covec_dtype dtype, unsigned rank, const int64_t* dims,
                          const int64_t* strides, const void* data, covec_value** value) {
  return making(session, value, [&] {
    if (!is_dtype(dtype)) return misuse(session, "there is no such dtype");
    const Layout layout{static_cast<covec::Dtype>(dtype), rank, dims, strides, data};
    if (const auto why = wrong_with(layout); !why.empty()) return misuse(session, why);
    Value made = rank == 0 ? Value::scalar(layout.dtype, data)
                           : make_tensor(*session->session->context().pool, layout.dtype, covec::Shape(dims, rank));
    if (rank > 0) copy_elements(layout, made.tensor().data());
    give(session, std::move(made), value);
    return COVEC_OK;
  });
}

covec_status covec_complex(covec_session* session, covec_dtype part, unsigned rank, const int64_t* dims,
                           const void* data, covec_value** value) {
  return making(session, value, [&] {
    if (part != COVEC_F32 && part != COVEC_F64) return misuse(session, "the parts of complex numbers are f32 or f64");
    const Layout layout{static_cast<covec::Dtype>(part), rank, dims, nullptr, data};
    if (const auto why = wrong_with(layout); !why.empty()) return misuse(session, why);
    const covec::Shape shape(dims, rank);
    const auto count = static_cast<size_t>(shape.elements());
    const auto split = [&]<class T>(const T* from, std::byte* re, std::byte* im) {
      covec::split_parts(from, reinterpret_cast<T*>(re), reinterpret_cast<T*>(im), count);
    };
    Value made = covec::make_complex(*session->session->context().pool, layout.dtype, shape, [&](auto* re, auto* im) {
      part == COVEC_F32 ? split(static_cast<const float*>(data), re, im)
                        : split(static_cast<const double*>(data), re, im);
    });
    give(session, std::move(made), value);
    return COVEC_OK;
  });
}

// --- other values ---

covec_status covec_none(covec_session* session, covec_value** value) {
  return give_made(session, value, [] { return Value(); });
}

covec_status covec_number(covec_session* session, double number, covec_value** value) {
  return give_made(session, value, [&] { return Value(number); });
}

covec_status covec_integer(covec_session* session, int64_t number, covec_value** value) {
  return give_made(session, value, [&] { return Value(number); });
}

covec_status covec_boolean(covec_session* session, int boolean, covec_value** value) {
  return making(session, value, [&] {
    if (boolean != 0 && boolean != 1) return misuse(session, "a bool is neither 0 nor 1");
    const bool flag = boolean == 1;
    give(session, Value::scalar(covec::Dtype::boolean, &flag), value);
    return COVEC_OK;
  });
}

covec_status covec_string(covec_session* session, const char* text, size_t bytes, covec_value** value) {
  return making(session, value, [&] {
    if (text == nullptr && bytes > 0) return misuse(session, "the text is null");
    give(session, covec::make_string(bytes == 0 ? std::string() : std::string(text, bytes)), value);
    return COVEC_OK;
  });
}

covec_status covec_tuple(covec_session* session, covec_value* const* items, size_t count, covec_value** value) {
  return make_of(session, items, count, value, [&] {
    give(session, covec::make_tuple(values_of(items, count)), value);
    return COVEC_OK;
  });
}

covec_status covec_list(covec_session* session, covec_value* const* items, size_t count, covec_value** value) {
  return make_of(session, items, count, value, [&] {
    give(session, covec::make_list(values_of(items, count)), value);
    return COVEC_OK;
  });
}

covec_status covec_record(covec_session* session, const char* const* names, covec_value* const* items, size_t count,
                          covec_value** value) {
  return make_of(session, items, count, value, [&] {
    if (names == nullptr && count > 0) return misuse(session, "the names are null");
    return give_record(session, {names, count}, items, value);
  });
}

covec_status covec_map(covec_session* session, covec_value* const* keys, covec_value* const* items, size_t count,
                       covec_value** value) {
  return make_of(session, items, count, value, [&] {
    if (keys == nullptr && count > 0) return misuse(session, "the keys are null");
    if (!all_belong(session, keys, count)) return misuse(session, "a key is null or of another session");
    return give_map(session, {keys, count}, items, value);
  });
}

}  // extern "C"
