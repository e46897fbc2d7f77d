// Reads structs that grow with the versions of covec.h: the host passes the size that its header knows.
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>

namespace covec::embedding {

// The host's fields, zeros where it knows fewer. Nothing where it sets one that this library does not know.
template <class Struct>
std::optional<Struct> known_fields(const Struct* given, size_t bytes) {
  Struct known{};
  if (given == nullptr) return known;
  const auto* const from = reinterpret_cast<const unsigned char*>(given);
  std::memcpy(&known, from, std::min(bytes, sizeof known));
  const bool unknown =
      std::any_of(from + std::min(bytes, sizeof known), from + bytes, [](auto byte) { return byte != 0; });
  return unknown ? std::nullopt : std::optional(known);
}

}  // namespace covec::embedding
