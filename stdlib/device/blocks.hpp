// Manages memory of a device: blocks by size class, kept for the next tensor of that size, with a limit. Each block has
// a range of addresses on the host, which gets memory only when its elements are fetched. So views of tensors on the
// device are ordinary views. The queue is in order, so a block may be used again while a kernel launched earlier still
// reads it. Start at Blocks::make, then Blocks::OnDevice.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "stdlib/device/device.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::device {

struct Block {
  Handle handle = 0;
  size_t bytes = 0;
  std::byte* window = nullptr;  // as many bytes of addresses
};

// What lies where: the first element of a tensor.
struct DeviceAddress {
  Handle handle = 0;
  int64_t offset = 0;  // elements
};

class Blocks : public std::enable_shared_from_this<Blocks> {
 public:
  explicit Blocks(std::unique_ptr<Device> device, uint64_t limit = 0);  // 0: nine tenths of the device's memory
  ~Blocks();
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  Device& device() const { return *device_; }
  uint64_t used() const { return used_; }
  uint64_t limit() const { return limit_; }
  // Whether so many bytes beside what is in use leave as many again for what else is made.
  bool has_room(uint64_t bytes) const { return bytes <= (limit_ - used_) / 2; }
  // Throws OpError(device_memory), which names `what`, beyond the limit or where the device has no more.
  Block take(size_t bytes, const Type& what);
  void give_back(const Block& block) noexcept;
  // A row-major tensor, of rank ≥ 1 and with elements, that is there alone. Uninitialised.
  Value make(Pool& pool, Dtype dtype, const Shape& shape);
  // Where a tensor lies there; uploads it where it does not. The copy stays with the tensor's storage; where it has
  // none that may keep it, it is put into `temporaries`.
  class Temporary;
  class OnDevice;  // what the storage of a tensor that lies there keeps of it
  DeviceAddress place_of(Tensor& tensor, std::vector<Temporary>& temporaries);
  // The same tensor there; rank ≥ 1, with elements.
  Value moved(Pool& pool, const Value& x);
  // Whether this device has the tensor.
  bool has(const Tensor& tensor) const;
  uint64_t uploaded() const { return uploaded_; }  // bytes, so far
  uint64_t fetched() const { return fetched_; }

 private:
  static size_t size_class(size_t bytes);
  void trim() noexcept;
  std::unique_ptr<Device> device_;
  const uint64_t limit_;
  uint64_t used_ = 0, kept_ = 0, uploaded_ = 0, fetched_ = 0;
  std::map<size_t, std::vector<Block>> free_;
};

// Where the newest elements are: "cpu" or a device's name.
std::string name_of_place(const Value& value);

class Blocks::Temporary {
 public:
  Temporary(std::shared_ptr<Blocks> blocks, Block block) : blocks_(std::move(blocks)), block_(block) {}
  Temporary(Temporary&& other) noexcept : blocks_(std::move(other.blocks_)), block_(other.block_) {}
  Temporary& operator=(Temporary&&) = delete;
  ~Temporary() {
    if (blocks_ != nullptr) blocks_->give_back(block_);
  }
  const Block& block() const { return block_; }
  void keep() { blocks_ = nullptr; }  // somebody else gives it back

 private:
  std::shared_ptr<Blocks> blocks_;
  Block block_;
};

}  // namespace covec::device
