#include "stdlib/value/text_search.hpp"

#include <emmintrin.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "stdlib/value/string.hpp"

namespace covec {

namespace {

constexpr size_t width = sizeof(__m128i);

// At which of sixteen places there is that byte.
__m128i places_of(char byte, const char* text) {
  return _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(text)), _mm_set1_epi8(byte));
}

}  // namespace

TextSearch::TextSearch(std::string_view text, std::string_view part, size_t from)
    : text_(text), part_(part), from_(std::min(from, text.size())), block_(from_) {}

// Leaves the last few places, and all where candidates have cost too much, to the library.
bool TextSearch::next_block() {
  constexpr size_t most_compared = 4, at_least = 4096;
  block_ = std::max(block_, from_);
  if (text_.size() < block_ + width + part_.size() - 1) return false;
  if (compared_ > most_compared * block_ + at_least) return false;
  const char* const at = text_.data() + block_;
  candidates_ = static_cast<uint32_t>(
      _mm_movemask_epi8(_mm_and_si128(places_of(part_.front(), at), places_of(part_.back(), at + part_.size() - 1))));
  block_ += width;
  return true;
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
