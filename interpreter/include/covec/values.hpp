// Handles of values of the language, and conversions between them and C++ values. A host's type is registered by a list
// of its members (Members), or by a Convert of its own.
#pragma once

#include <covec/result.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace covec::host {

// Elements of the dtypes that C++ has no type for: their bits.
struct F16 {
  uint16_t bits;
};
struct Bf16 {
  uint16_t bits;
};

// Of an element type: its dtype, and the name that the language has for it.
template <class T>
struct DtypeOf;
template <>
struct DtypeOf<F16> {
  static constexpr covec_dtype value = COVEC_F16;
  static constexpr const char* name = "f16";
};
template <>
struct DtypeOf<Bf16> {
  static constexpr covec_dtype value = COVEC_BF16;
  static constexpr const char* name = "bf16";
};
template <>
struct DtypeOf<bool> {
  static constexpr covec_dtype value = COVEC_BOOL;
  static constexpr const char* name = "bool";
};
template <>
struct DtypeOf<int32_t> {
  static constexpr covec_dtype value = COVEC_I32;
  static constexpr const char* name = "i32";
};
template <>
struct DtypeOf<int64_t> {
  static constexpr covec_dtype value = COVEC_I64;
  static constexpr const char* name = "i64";
};
template <>
struct DtypeOf<float> {
  static constexpr covec_dtype value = COVEC_F32;
  static constexpr const char* name = "f32";
};
template <>
struct DtypeOf<double> {
  static constexpr covec_dtype value = COVEC_F64;
  static constexpr const char* name = "f64";
};
template <>
struct DtypeOf<int8_t> {
  static constexpr covec_dtype value = COVEC_I8;
  static constexpr const char* name = "i8";
};
template <>
struct DtypeOf<uint8_t> {
  static constexpr covec_dtype value = COVEC_U8;
  static constexpr const char* name = "u8";
};
template <>
struct DtypeOf<int16_t> {
  static constexpr covec_dtype value = COVEC_I16;
  static constexpr const char* name = "i16";
};
template <>
struct DtypeOf<uint16_t> {
  static constexpr covec_dtype value = COVEC_U16;
  static constexpr const char* name = "u16";
};
template <>
struct DtypeOf<uint32_t> {
  static constexpr covec_dtype value = COVEC_U32;
  static constexpr const char* name = "u32";
};

template <class T>
concept Element = requires {
  DtypeOf<T>::value;
};

// A counted handle on a value of the language. Copies share it.
class Handle {
 public:
  Handle() = default;
  explicit Handle(covec_value* owned) : value_(owned, covec_release) {}
  explicit operator bool() const { return value_ != nullptr; }
  covec_value* get() const { return value_.get(); }
  covec_kind kind() const { return covec_kind_of(value_.get()); }
  std::string text() const {
    const size_t bytes = covec_text_bytes(value_.get());
    return std::string(covec_text(value_.get()), bytes);
  }

 private:
  std::shared_ptr<covec_value> value_;
};

// The members of a struct that is a record of the language:
//
//   template <>
//   struct covec::host::Members<Body> {
//     static constexpr auto list = std::tuple(member("mass", &Body::mass), member("at", &Body::at));
//   };
template <class Struct>
struct Members;

template <class Struct, class Field>
struct Member {
  const char* name;
  Field Struct::*at;
};
template <class Struct, class Field>
constexpr Member<Struct, Field> member(const char* name, Field Struct::*at) {
  return {name, at};
}
template <class T>
concept Record = requires {
  Members<T>::list;
};

// `make` gives a value of the session, `take` a T. A specialization makes a type of the host's known.
template <class T>
struct Convert;

namespace detail {

template <class Make>
Result<Handle> handle(covec_session* session, Make&& make) {
  covec_value* made = nullptr;
  const covec_status status = make(&made);
  if (status != COVEC_OK) return error_of(session, status);
  return Handle(made);
}

template <Element T>
Result<Handle> tensor_of(covec_session* session, const T* data, std::span<const int64_t> dims) {
  return handle(session, [&](covec_value** out) {
    return covec_tensor(session, DtypeOf<T>::value, static_cast<unsigned>(dims.size()), dims.data(), nullptr, data,
                        out);
  });
}

inline Result<Handle> item(covec_session* session, covec_value* value, size_t index) {
  return handle(session, [&](covec_value** out) { return covec_item(session, value, index, out); });
}

inline Result<size_t> length(covec_session* session, covec_value* value) {
  size_t count = 0;
  const covec_status status = covec_length(session, value, &count);
  if (status != COVEC_OK) return error_of(session, status);
  return count;
}

// The raw handles of what was made, while `made` lives.
inline std::vector<covec_value*> raw(std::span<const Handle> made) {
  std::vector<covec_value*> all;
  for (const Handle& each : made) all.push_back(each.get());
  return all;
}

}  // namespace detail

template <>
struct Convert<Handle> {
  static Result<Handle> make(covec_session*, const Handle& value) { return value; }
  static Result<Handle> take(covec_session* session, covec_value* value) {
    return detail::handle(session, [&](covec_value** out) { return covec_copy(session, value, out); });
  }
};

template <class T>
requires std::is_arithmetic_v<T>
struct Convert<T> {
  static Result<Handle> make(covec_session* session, T number) {
    return detail::handle(session, [&](covec_value** out) {
      if constexpr (std::is_same_v<T, bool>) {
        return covec_boolean(session, number, out);
      } else if constexpr (std::is_integral_v<T>) {
        return covec_integer(session, static_cast<int64_t>(number), out);
      } else if constexpr (std::is_same_v<T, float>) {
        return covec_lend(session, COVEC_F32, 0, nullptr, &number, nullptr, nullptr, out);
      } else {
        return covec_number(session, number, out);
      }
    });
  }
  static Result<T> take(covec_session* session, covec_value* value) {
    if constexpr (std::is_same_v<T, bool>) {
      int boolean = 0;
      const covec_status status = covec_get_boolean(session, value, &boolean);
      if (status != COVEC_OK) return detail::error_of(session, status);
      return boolean != 0;
    } else if constexpr (std::is_integral_v<T>) {
      int64_t number = 0;
      const covec_status status = covec_get_integer(session, value, &number);
      if (status != COVEC_OK) return detail::error_of(session, status);
      if (!std::in_range<T>(number)) return detail::misuse(std::to_string(number) + " does not fit the host's type");
      return static_cast<T>(number);
    } else {
      double number = 0;
      const covec_status status = covec_get_number(session, value, &number);
      if (status != COVEC_OK) return detail::error_of(session, status);
      return static_cast<T>(number);
    }
  }
};

template <>
struct Convert<std::string> {
  static Result<Handle> make(covec_session* session, std::string_view text) {
    return detail::handle(session,
                          [&](covec_value** out) { return covec_string(session, text.data(), text.size(), out); });
  }
  static Result<std::string> take(covec_session* session, covec_value* value) {
    const char* text = nullptr;
    size_t bytes = 0;
    const covec_status status = covec_get_string(session, value, &text, &bytes);
    if (status != COVEC_OK) return detail::error_of(session, status);
    return std::string(text, bytes);
  }
};
template <>
struct Convert<std::string_view> {
  static Result<Handle> make(covec_session* session, std::string_view text) {
    return Convert<std::string>::make(session, text);
  }
};
template <>
struct Convert<const char*> {
  static Result<Handle> make(covec_session* session, const char* text) {
    return Convert<std::string>::make(session, text);
  }
};

// Numbers are a tensor of rank 1, a copy; anything else a list.
template <class T>
struct Convert<std::vector<T>> {
  static Result<Handle> make(covec_session* session, const std::vector<T>& items) {
    if constexpr (Element<T> && !std::is_same_v<T, bool>) {
      const int64_t count = static_cast<int64_t>(items.size());
      return detail::tensor_of(session, items.data(), {&count, 1});
    } else {
      std::vector<Handle> made;
      for (const auto& each : items) {
        Result<Handle> one = Convert<T>::make(session, each);
        if (!one) return one;
        made.push_back(*one);
      }
      const std::vector<covec_value*> all = detail::raw(made);
      return detail::handle(session,
                            [&](covec_value** out) { return covec_list(session, all.data(), all.size(), out); });
    }
  }
  static Result<std::vector<T>> take(covec_session* session, covec_value* value) {
    std::vector<T> items;
    if constexpr (Element<T> && !std::is_same_v<T, bool>) {
      covec_view view{};
      covec_status status = covec_look(session, value, &view);
      if (status != COVEC_OK) return detail::error_of(session, status);
      if (view.rank != 1) return detail::misuse("the value has rank " + std::to_string(view.rank) + ", not 1");
      items.resize(static_cast<size_t>(view.dims[0]));
      status = covec_read(session, value, DtypeOf<T>::value, items.data(), items.size() * sizeof(T));
      if (status != COVEC_OK) return detail::error_of(session, status);
    } else {
      Result<size_t> count = detail::length(session, value);
      if (!count) return count.error();
      for (size_t i = 0; i < *count; ++i) {
        Result<Handle> item = detail::item(session, value, i);
        if (!item) return item.error();
        Result<T> one = Convert<T>::take(session, item->get());
        if (!one) return one.error();
        items.push_back(std::move(*one));
      }
    }
    return items;
  }
};
// A copy. To hand memory over without one: Session::lend.
template <Element T>
struct Convert<std::span<const T>> {
  static Result<Handle> make(covec_session* session, std::span<const T> items) {
    const int64_t count = static_cast<int64_t>(items.size());
    return detail::tensor_of(session, items.data(), {&count, 1});
  }
};

// A tensor of rank 1 of this length.
template <Element T, size_t n>
struct Convert<std::array<T, n>> {
  static Result<Handle> make(covec_session* session, const std::array<T, n>& items) {
    return Convert<std::span<const T>>::make(session, items);
  }
  static Result<std::array<T, n>> take(covec_session* session, covec_value* value) {
    covec_view view{};
    covec_status status = covec_look(session, value, &view);
    if (status != COVEC_OK) return detail::error_of(session, status);
    if (view.rank != 1 || view.dims[0] != static_cast<int64_t>(n))
      return detail::misuse("the value is no tensor of " + std::to_string(n) + " elements");
    std::array<T, n> items{};
    status = covec_read(session, value, DtypeOf<T>::value, items.data(), sizeof items);
    if (status != COVEC_OK) return detail::error_of(session, status);
    return items;
  }
};

template <class T>
struct Convert<std::optional<T>> {
  static Result<Handle> make(covec_session* session, const std::optional<T>& value) {
    if (value) return Convert<T>::make(session, *value);
    return detail::handle(session, [&](covec_value** out) { return covec_none(session, out); });
  }
  static Result<std::optional<T>> take(covec_session* session, covec_value* value) {
    if (covec_kind_of(value) == COVEC_NONE) return std::optional<T>();
    Result<T> taken = Convert<T>::take(session, value);
    if (!taken) return taken.error();
    return std::optional<T>(std::move(*taken));
  }
};

template <class... T>
struct Convert<std::tuple<T...>> {
  static Result<Handle> make(covec_session* session, const std::tuple<T...>& items) {
    std::array<Handle, sizeof...(T)> made;
    std::optional<Error> failed;
    size_t next = 0;
    const auto add = [&](const auto& each) {
      auto one = Convert<std::decay_t<decltype(each)>>::make(session, each);
      if (!one) failed = one.error();
      if (one) made[next++] = *one;
      return !failed;
    };
    std::apply([&](const T&... each) { (void)(add(each) && ...); }, items);
    if (failed) return *failed;
    const std::vector<covec_value*> all = detail::raw(made);
    return detail::handle(session,
                          [&](covec_value** out) { return covec_tuple(session, all.data(), all.size(), out); });
  }
  static Result<std::tuple<T...>> take(covec_session* session, covec_value* value) {
    Result<size_t> count = detail::length(session, value);
    if (!count) return count.error();
    if (*count != sizeof...(T))
      return detail::misuse("the value has " + std::to_string(*count) + " parts, not " + std::to_string(sizeof...(T)));
    std::tuple<T...> items;
    std::optional<Error> failed;
    size_t next = 0;
    const auto read = [&]<class Each>(Each& each) {
      Result<Handle> item = detail::item(session, value, next++);
      if (item) {
        auto one = Convert<Each>::take(session, item->get());
        if (one) each = std::move(*one);
        if (!one) failed = one.error();
      } else {
        failed = item.error();
      }
      return !failed;
    };
    std::apply([&](T&... each) { (void)(read(each) && ...); }, items);
    if (failed) return *failed;
    return items;
  }
};

template <class T>
struct Convert<std::map<std::string, T>> {
  static Result<Handle> make(covec_session* session, const std::map<std::string, T>& items) {
    std::vector<Handle> keys, made;
    for (const auto& [key, item] : items) {
      Result<Handle> name = Convert<std::string>::make(session, key);
      if (!name) return name;
      Result<Handle> one = Convert<T>::make(session, item);
      if (!one) return one;
      keys.push_back(*name);
      made.push_back(*one);
    }
    const std::vector<covec_value*> names = detail::raw(keys), all = detail::raw(made);
    return detail::handle(
        session, [&](covec_value** out) { return covec_map(session, names.data(), all.data(), all.size(), out); });
  }
  static Result<std::map<std::string, T>> take(covec_session* session, covec_value* value) {
    std::map<std::string, T> items;
    Result<size_t> count = detail::length(session, value);
    if (!count) return count.error();
    for (size_t i = 0; i < *count; ++i) {
      Result<Handle> key =
          detail::handle(session, [&](covec_value** out) { return covec_key(session, value, i, out); });
      if (!key) return key.error();
      Result<std::string> name = Convert<std::string>::take(session, key->get());
      if (!name) return name.error();
      Result<Handle> item = detail::item(session, value, i);
      if (!item) return item.error();
      Result<T> one = Convert<T>::take(session, item->get());
      if (!one) return one.error();
      items.insert_or_assign(std::move(*name), std::move(*one));
    }
    return items;
  }
};

// A record with the fields that Members lists.
template <Record T>
struct Convert<T> {
  static Result<Handle> make(covec_session* session, const T& record) {
    std::vector<const char*> names;
    std::vector<Handle> made;
    std::optional<Error> failed;
    const auto add = [&](const auto& each) {
      const auto& field = record.*each.at;
      auto one = Convert<std::decay_t<decltype(field)>>::make(session, field);
      if (!one) failed = one.error();
      names.push_back(each.name);
      if (one) made.push_back(*one);
      return !failed;
    };
    std::apply([&](const auto&... each) { (void)(add(each) && ...); }, Members<T>::list);
    if (failed) return *failed;
    const std::vector<covec_value*> all = detail::raw(made);
    return detail::handle(
        session, [&](covec_value** out) { return covec_record(session, names.data(), all.data(), all.size(), out); });
  }
  // Fields that the list has not are left out.
  static Result<T> take(covec_session* session, covec_value* value) {
    T record{};
    std::optional<Error> failed;
    const auto read = [&](const auto& each) {
      auto& field = record.*each.at;
      Result<Handle> item =
          detail::handle(session, [&](covec_value** out) { return covec_field(session, value, each.name, out); });
      if (item) {
        auto one = Convert<std::decay_t<decltype(field)>>::take(session, item->get());
        if (one) field = std::move(*one);
        if (!one) failed = one.error();
      } else {
        failed = item.error();
      }
      return !failed;
    };
    std::apply([&](const auto&... each) { (void)(read(each) && ...); }, Members<T>::list);
    if (failed) return *failed;
    return record;
  }
};

}  // namespace covec::host
