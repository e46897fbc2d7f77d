// The beginning of every C text. Its layouts of activations, values and tensors must match the C++ that the text is
// linked to. The static_asserts here and the constants from TensorLayout keep them equal.
#include <cstddef>

#include "jit/source/c99.hpp"
#include "jit/source/c_functions.hpp"
#include "stdlib/ops/random/ahead.hpp"
#include "stdlib/tensor/layout.hpp"
#include "stdlib/value/list_layout.hpp"

namespace covec::source {

namespace {

using loops::ActivationRecord;
using loops::NumberStack;

static_assert(offsetof(NumberStack, top) == 0 && offsetof(NumberStack, end) == 8 && sizeof(NumberStack) == 24);
static_assert(offsetof(ActivationRecord, step) == 0 && offsetof(ActivationRecord, poll) == 8);
static_assert(offsetof(ActivationRecord, interrupt) == 16 && offsetof(ActivationRecord, slots) == 24);
static_assert(offsetof(ActivationRecord, stacks) == 32);
static_assert(offsetof(ActivationRecord, calls) == 40 && offsetof(ActivationRecord, failed) == 48);
static_assert(offsetof(ActivationRecord, random) == 64 && offsetof(ActivationRecord, drawn) == 72);
static_assert(offsetof(ops::Random, key) == 0 && offsetof(ops::Random, calls) == 8);
using Buffer = ops::DrawnAhead::Buffer;
static_assert(offsetof(Buffer, key) == 0 && offsetof(Buffer, first) == 8 && offsetof(Buffer, count) == 16);
static_assert(offsetof(Buffer, numbers) == 64 && sizeof(Buffer) == 64 + 8 * ops::DrawnAhead::most);
static_assert(offsetof(ops::DrawnAhead, buffers) == 0);

constexpr const char* types = R"(#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct covec_value { uint8_t tag; uint8_t unused[7]; uint64_t bits; } covec_value;
typedef struct covec_stack { uint64_t *top, *end, *base; } covec_stack;
typedef struct covec_random { uint64_t key, calls; } covec_random;
typedef struct covec_buffer covec_buffer;
typedef struct covec_activation covec_activation;
struct covec_activation {
  int32_t (*step)(covec_activation*, uint32_t);
  int32_t (*poll)(covec_activation*, uint32_t);
  const uint8_t* interrupt;
  covec_value* slots;
  covec_stack* stacks;
  int64_t calls, failed;
  uint64_t* cells;
  covec_random* random;
  const covec_buffer* drawn;
};

)";

constexpr const char* layouts = R"(
/* Where element index[0..rank) of a tensor lies; NULL where an index is out of range. */
static inline char* covec_address(covec_value tensor, int rank, const int64_t* index, int64_t size) {
  char* const header = (char*)(uintptr_t)tensor.bits;
  const int64_t* const dims = (const int64_t*)(header + COVEC_DIMS);
  int64_t offset = 0;
  for (int k = 0; k < rank; ++k) {
    const int64_t i = index[k] < 0 ? index[k] + dims[k] : index[k];
    if ((uint64_t)i >= (uint64_t)dims[k]) return NULL;
    offset += i * dims[rank + k];
  }
  return *(char**)(header + COVEC_DATA) + offset * size;
}

static inline int64_t covec_extent(covec_value tensor, int axis) {
  return ((const int64_t*)((const char*)(uintptr_t)tensor.bits + COVEC_DIMS))[axis];
}

/* Whether a tensor may be written in place. */
static inline int covec_exclusive(covec_value tensor) {
  const char* const header = (const char*)(uintptr_t)tensor.bits;
  const char* const storage = *(const char* const*)(header + COVEC_STORAGE);
  if (*(const uint32_t*)(header + COVEC_REFERENCES) != 1) return 0;
  if (storage == NULL) return 1;
  return *(const uint32_t*)(storage + COVEC_STORAGE_REFERENCES) == 1 &&
         *(const uint8_t*)(storage + COVEC_STORAGE_READ_ONLY) == 0 && *(const uint8_t*)(header + COVEC_CONTIGUOUS) != 0;
}

/* Lists of numbers: one of three pointers to their items. */
static inline covec_value** covec_items(covec_value list, int which) {
  return (covec_value**)((char*)(uintptr_t)list.bits + which);
}
static inline int64_t covec_length(covec_value list) {
  return *covec_items(list, COVEC_LIST_END) - *covec_items(list, COVEC_LIST_BEGIN);
}
/* Where an item lies; NULL where the index is out of range. */
static inline covec_value* covec_item(covec_value list, int64_t index) {
  const int64_t length = covec_length(list), i = index < 0 ? index + length : index;
  return (uint64_t)i < (uint64_t)length ? *covec_items(list, COVEC_LIST_BEGIN) + i : NULL;
}
static inline int covec_alone(covec_value list) {
  return *(const uint32_t*)((const char*)(uintptr_t)list.bits + COVEC_LIST_REFERENCES) == 1;
}
static inline int covec_has_room(covec_value list) {
  return covec_alone(list) && *covec_items(list, COVEC_LIST_END) != *covec_items(list, COVEC_LIST_ROOM);
}
static inline void covec_append(covec_value list, uint8_t tag, uint64_t bits) {
  covec_value* const at = (*covec_items(list, COVEC_LIST_END))++;
  at->tag = tag;
  at->bits = bits;
}

/* The number that a buffer has for the next call; NULL: it has none. */
struct covec_buffer { uint64_t key, first, count, unused[5], numbers[COVEC_DRAWN]; };
static inline const void* covec_drawn(const covec_activation* a, uint64_t key, int buffer, size_t size) {
  const covec_buffer* const b = a->drawn + buffer;
  const uint64_t i = a->random->calls - b->first;
  return b->key == key && i < b->count ? (const char*)b->numbers + i * size : NULL;
}
)";

std::string constants() {
  std::string text = "enum {\n";
  const auto put = [&](std::string name, size_t number) {
    text += "  COVEC_" + std::move(name) + " = " + std::to_string(number) + ",\n";
  };
  for (Dtype dtype : all_dtypes) {
    put("TAG_" + std::string(name_of(dtype)), static_cast<size_t>(tag_of(dtype)));
  }
  put("REFERENCES", TensorLayout::references);
  put("CONTIGUOUS", TensorLayout::contiguous);
  put("DATA", TensorLayout::data);
  put("STORAGE", TensorLayout::storage);
  put("DIMS", TensorLayout::dims);
  put("STORAGE_REFERENCES", TensorLayout::storage_references);
  put("STORAGE_READ_ONLY", TensorLayout::storage_read_only);
  put("DRAWN", ops::DrawnAhead::most);
  put("LIST_REFERENCES", List::Layout::references);
  put("LIST_BEGIN", List::Layout::begin);
  put("LIST_END", List::Layout::end);
  put("LIST_ROOM", List::Layout::room);
  return text + "};\n";
}

}  // namespace

std::string c99_prelude() {
  std::string text = types + constants() + "\n#define COVEC_FUNCTION static inline\n";
  for (const std::string& function : c_bit_functions()) text += function;
  for (const std::string& function : c_number_functions()) text += function;
  return text + layouts;
}

}  // namespace covec::source
