#include "stdlib/kernels/philox.hpp"

namespace covec::kernels {

std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  auto& c = counter;
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53} * c[0], p1 = uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ key[0], static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ key[1], static_cast<uint32_t>(p0)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

uint64_t example_key(uint64_t key, int64_t example) {
  const uint64_t element = static_cast<uint64_t>(example);
  const auto block = philox4x32({static_cast<uint32_t>(element), static_cast<uint32_t>(element >> 32), ~0u, ~0u},
                                {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)});
  return block[0] | static_cast<uint64_t>(block[1]) << 32;
}

}  // namespace covec::kernels
