#include "stdlib/text/text_search.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cstring>

#include "stdlib/value/string.hpp"

namespace covec {

namespace {

constexpr size_t width = 64;  // places in a block

// The compiler's vectors of 16 bytes, for any machine. A lane of a comparison is −1 where it is true.
typedef signed char Bytes __attribute__((vector_size(16)));

// Which lanes of a comparison are true, by bits.
uint32_t true_lanes(Bytes lanes) {
#if defined(__x86_64__)  // one instruction
  return static_cast<uint32_t>(_mm_movemask_epi8(reinterpret_cast<__m128i>(lanes)));
#else
  typedef uint64_t Words __attribute__((vector_size(16)));
  static_assert(std::endian::native == std::endian::little, "the first byte has the lowest bits");
  // Of eight bytes, 0 or 1, the product has number i in bit 56 + i: it shifts it by 56 − 7·i.
  const Words bits = (reinterpret_cast<Words>(lanes) & 0x0101010101010101) * 0x0102040810204080 >> 56;
  return static_cast<uint32_t>(bits[0] | bits[1] << 8);
#endif
}

// The two bytes that a part has at its ends.
struct Ends {
  explicit Ends(std::string_view part) : first(all(part.front())), last(all(part.back())), distance(part.size() - 1) {}
  // At which of the places of a block they stand, by bits.
  uint64_t places(const char* block) const {
    uint64_t found = 0;
    for (size_t i = 0; i < width; i += sizeof(Bytes)) {
      const Bytes both = (bytes(block + i) == first) & (bytes(block + i + distance) == last);
      found |= uint64_t{true_lanes(both)} << i;
    }
    return found;
  }
  static Bytes bytes(const char* text) {
    Bytes bytes;
    std::memcpy(&bytes, text, sizeof bytes);
    return bytes;
  }
  static Bytes all(char byte) { return static_cast<signed char>(byte) - Bytes{}; }
  const Bytes first, last;
  const size_t distance;
};

}  // namespace

TextSearch::TextSearch(std::string_view text, std::string_view part, size_t from)
    : text_(text), part_(part), from_(std::min(from, text.size())), block_(from_) {}

// Leaves the last few places, and all where candidates have cost too much, to the library.
bool TextSearch::next_block() {
  // Bytes compared in vain, for each byte passed and beside that.
  constexpr size_t max_compared = 4, at_least = 4096;
  const Ends ends(part_);
  size_t block = std::max(block_, from_);
  uint64_t candidates = 0;
  if (compared_ <= max_compared * block + at_least) {
    for (; candidates == 0 && text_.size() >= block + width + ends.distance; block += width)
      candidates = ends.places(text_.data() + block);
  }
  block_ = block;
  candidates_ = candidates;
  return candidates != 0;
}

size_t TextSearch::by_library() {
  const size_t begin = std::max(block_, from_);
  if (begin >= text_.size()) return std::string_view::npos;
  const void* const at = memmem(text_.data() + begin, text_.size() - begin, part_.data(), part_.size());
  if (at == nullptr) return std::string_view::npos;
  const auto place = static_cast<size_t>(static_cast<const char*>(at) - text_.data());
  from_ = place + part_.size();
  return place;
}

size_t TextSearch::next() {
  for (;;) {
    while (candidates_ != 0) {
      const size_t place = block_ - width + static_cast<size_t>(std::countr_zero(candidates_));
      candidates_ &= candidates_ - 1;
      if (place < from_) continue;
      if (part_.size() <= 2 || std::memcmp(text_.data() + place + 1, part_.data() + 1, part_.size() - 2) == 0) {
        from_ = place + part_.size();
        return place;
      }
      compared_ += part_.size();
    }
    if (!next_block()) return by_library();
  }
}

size_t find_text(std::string_view text, std::string_view part, size_t from) {
  if (part.empty()) return from <= text.size() ? from : std::string_view::npos;
  return TextSearch(text, part, from).next();
}

}  // namespace covec
