// Allocates an arena's blocks. Sizes double from a kilobyte, so a tiny gradient touches little memory and a long tape
// has few blocks.
#include "stdlib/autodiff/arena.hpp"

#include <algorithm>

namespace covec::autodiff {

void Arena::grow(size_t bytes) {
  size_t wanted = block_ == nullptr ? first_bytes : std::min(block_->bytes * 4, last_bytes);
  wanted = std::max(wanted, bytes + sizeof(Block));
  Block* block = static_cast<Block*>(pool_.allocate(wanted));
  block->previous = block_;
  block->bytes = wanted;
  block_ = block;
  next_ = reinterpret_cast<std::byte*>(block + 1);
  left_ = wanted - sizeof(Block);
}

void Arena::rewind(const Mark& mark) noexcept {
  while (block_ != mark.block) {
    Block* previous = block_->previous;
    pool_.deallocate(block_, block_->bytes);
    block_ = previous;
  }
  next_ = mark.next;
  left_ = mark.left;
}

Arena::~Arena() { rewind({nullptr, nullptr, 0}); }

}  // namespace covec::autodiff
