// Converts C++ complex numbers to values of the language: std::complex, and a std::vector of them as a tensor of rank
// 1. They are copied.
#pragma once

#include <covec/values.hpp>

#include <complex>

namespace covec::host {

namespace detail {

template <class Part>
concept ComplexPart = std::is_same_v<Part, float> || std::is_same_v<Part, double>;

template <ComplexPart Part>
Result<Handle> complex_of(covec_session* session, const std::complex<Part>* data, std::span<const int64_t> dims) {
  return handle(session, [&](covec_value** out) {
    return covec_complex(session, DtypeOf<Part>::value, static_cast<unsigned>(dims.size()), dims.data(), data, out);
  });
}

template <ComplexPart Part>
std::optional<Error> read_complex(covec_session* session, covec_value* value, std::span<std::complex<Part>> to) {
  const covec_status status =
      covec_read_complex(session, value, DtypeOf<Part>::value, to.data(), to.size() * sizeof(std::complex<Part>));
  return status == COVEC_OK ? std::nullopt : std::optional(error_of(session, status));
}

}  // namespace detail

template <detail::ComplexPart Part>
struct Convert<std::complex<Part>> {
  static Result<Handle> make(covec_session* session, std::complex<Part> number) {
    return detail::complex_of(session, &number, {});
  }
  static Result<std::complex<Part>> take(covec_session* session, covec_value* value) {
    std::complex<Part> number;
    if (const auto error = detail::read_complex(session, value, std::span(&number, 1))) return *error;
    return number;
  }
};

template <detail::ComplexPart Part>
struct Convert<std::vector<std::complex<Part>>> {
  static Result<Handle> make(covec_session* session, const std::vector<std::complex<Part>>& items) {
    const auto count = static_cast<int64_t>(items.size());
    return detail::complex_of(session, items.data(), {&count, 1});
  }
  static Result<std::vector<std::complex<Part>>> take(covec_session* session, covec_value* value) {
    Result<Handle> re = detail::item(session, value, 0);
    if (!re) return re.error();
    covec_view view{};
    const covec_status status = covec_look(session, re->get(), &view);
    if (status != COVEC_OK) return detail::error_of(session, status);
    if (view.rank != 1) return detail::misuse("the value has rank " + std::to_string(view.rank) + ", not 1");
    std::vector<std::complex<Part>> items(static_cast<size_t>(view.dims[0]));
    if (const auto error = detail::read_complex(session, value, std::span(items))) return *error;
    return items;
  }
};

}  // namespace covec::host
