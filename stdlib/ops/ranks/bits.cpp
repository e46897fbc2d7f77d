#include "stdlib/ops/ranks/bits.hpp"

#include <array>
#include <cstring>

#include "stdlib/tensor/tensor.hpp"

namespace covec::ops {

namespace {

// Eight chains, which the processor works on side by side.
class Hash {
 public:
  void add_block(const std::byte* block) {
    std::array<uint64_t, lanes> words;
    std::memcpy(words.data(), block, block_bytes);
    for (size_t i = 0; i < lanes; ++i) chains_[i] = mixed(chains_[i], words[i]);
  }
  uint64_t result(uint64_t size) const {
    uint64_t hash = size;
    for (const uint64_t chain : chains_) hash = mixed(hash, chain);
    return hash;
  }
  static constexpr size_t lanes = 8;  // chains
  static constexpr size_t block_bytes = lanes * sizeof(uint64_t);

 private:
  static uint64_t mixed(uint64_t hash, uint64_t word) {
    const uint64_t product = (hash ^ word) * 0x9e3779b97f4a7c15;
    return product ^ (product >> 29);
  }
  std::array<uint64_t, lanes> chains_{1, 2, 3, 4, 5, 6, 7, 8};
};

}  // namespace

uint64_t hash_of_bits(Pool& pool, const Value& numbers) {
  const Value dense = numbers.is_tensor() ? contiguous(pool, numbers) : numbers;
  const auto* at = static_cast<const std::byte*>(data_of(dense));
  const size_t size = static_cast<size_t>(shape_of(dense).elements()) * size_of(dtype_of(dense));
  Hash hash;
  size_t done = 0;
  for (; done + Hash::block_bytes <= size; done += Hash::block_bytes) hash.add_block(at + done);
  std::array<std::byte, Hash::block_bytes> last{};
  if (done < size) std::memcpy(last.data(), at + done, size - done);
  hash.add_block(last.data());
  return hash.result(size);
}

}  // namespace covec::ops
