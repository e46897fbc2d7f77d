// The numbers of the zip format: signatures, the places of fields in its records, little-endian integers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace covec::files::zip {

// The format's (PKWARE's APPNOTE.TXT): signatures, bytes of records, methods, a field's tag, flags, what stands for a
// number in zip64.
inline constexpr uint32_t local_signature = 0x04034b50, central_signature = 0x02014b50, end_signature = 0x06054b50,
                          zip64_end_signature = 0x06064b50, zip64_locator_signature = 0x07064b50;
inline constexpr size_t local_bytes = 30, central_bytes = 46, end_bytes = 22, zip64_end_bytes = 56,
                        zip64_locator_bytes = 20;
inline constexpr uint16_t stored = 0, deflated = 8, zip64_field = 1, encrypted = 1, utf8 = 1 << 11;
inline constexpr uint32_t most32 = 0xffffffff;
inline constexpr uint16_t most16 = 0xffff;

// The integer of `bytes` bytes at `offset`, which the caller knows to lie inside.
inline uint64_t number(std::string_view text, size_t offset, unsigned bytes) {
  uint64_t value = 0;
  for (unsigned i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(text[offset + i]);
  return value;
}

inline void append(std::string& text, uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 255);
}

}  // namespace covec::files::zip
