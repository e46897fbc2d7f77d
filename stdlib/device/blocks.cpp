#include "stdlib/device/blocks.hpp"

#include <bit>

#include "stdlib/device/window.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::device {

namespace {

constexpr size_t page = 4096;  // bytes of a page on x86-64

}  // namespace

// A block while a storage's elements lie in it.
class Blocks::OnDevice final : public Remote {
 public:
  OnDevice(std::shared_ptr<Blocks> blocks, Block block) : blocks_(std::move(blocks)), block_(block) {}
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() override {
    if (pool_ != nullptr) {
      close_window(block_.window, block_.bytes);
      pool_->give_back(this, charged_);
    }
    blocks_->give_back(block_);
  }

  // The window gets memory, which is charged to the session whose tensor it is.
  void fetch(Storage& storage) override {
    if (pool_ == nullptr) {
      storage.pool->charge(this, storage.bytes);
      if (!open_window(block_.window, block_.bytes)) {
        storage.pool->give_back(this, storage.bytes);
        fail(message("system_memory"), {});
      }
      pool_ = storage.pool;
      charged_ = storage.bytes;
    }
    blocks_->device_->read(block_.window, block_.handle, 0, storage.bytes);
    blocks_->fetched_ += storage.bytes;
  }
  const Block& block() const { return block_; }
  const Device& device() const { return blocks_->device(); }
  bool of(const Blocks& blocks) const { return blocks_.get() == &blocks; }

 private:
  const std::shared_ptr<Blocks> blocks_;
  const Block block_;
  Pool* pool_ = nullptr;
  size_t charged_ = 0;
};

Blocks::Blocks(std::unique_ptr<Device> device, uint64_t limit)
    : device_(std::move(device)), limit_(limit != 0 ? limit : device_->memory() / 10 * 9) {}

Blocks::~Blocks() { trim(); }

// Whole pages; beyond 64 of them eight classes for each doubling.
size_t Blocks::size_class(size_t bytes) {
  const size_t whole = (bytes + page - 1) / page * page;
  if (whole <= 64 * page) return std::max(whole, page);
  const size_t step = std::bit_floor(whole) / 8;
  return (whole + step - 1) / step * step;
}

Block Blocks::take(size_t bytes, const Type& what) {
  const auto refuse = [&] {
    fail(message("device_memory"),
         {device_->name(), human_bytes(bytes) + " for " + what.text(), human_bytes(used_), human_bytes(limit_)});
  };
  const size_t size = bytes > limit_ ? bytes : size_class(bytes);
  if (used_ + size > limit_) refuse();
  if (const auto found = free_.find(size); found != free_.end() && !found->second.empty()) {
    const Block block = found->second.back();
    found->second.pop_back();
    kept_ -= size;
    used_ += size;
    return block;
  }
  if (used_ + kept_ + size > limit_) trim();
  Block block{device_->allocate(size), size, nullptr};
  if (block.handle == 0) {
    trim();
    block.handle = device_->allocate(size);
  }
  if (block.handle == 0) refuse();
  block.window = reserve_window(size);
  if (block.window == nullptr) {
    device_->release(block.handle);
    fail(message("system_memory"), {});
  }
  used_ += size;
  return block;
}

void Blocks::give_back(const Block& block) noexcept {
  used_ -= block.bytes;
  try {
    free_[block.bytes].push_back(block);
    kept_ += block.bytes;
  } catch (...) {  // no memory for the list
    device_->release(block.handle);
    release_window(block.window, block.bytes);
  }
}

void Blocks::trim() noexcept {
  for (auto& [size, blocks] : free_) {
    for (const Block& block : blocks) {
      device_->release(block.handle);
      release_window(block.window, block.bytes);
    }
  }
  free_.clear();
  kept_ = 0;
}

Value Blocks::make(Pool& pool, Dtype dtype, const Shape& shape) {
  const Block block = take(static_cast<size_t>(shape.elements()) * size_of(dtype), {dtype, shape});
  std::unique_ptr<Remote> remote;
  try {
    remote = std::make_unique<OnDevice>(shared_from_this(), block);
  } catch (...) {
    give_back(block);
    throw;
  }
  return Tensor::remote(pool, dtype, shape, block.window, std::move(remote));
}

bool Blocks::has(const Tensor& tensor) const {
  const Storage* storage = tensor.storage();
  if (storage == nullptr || storage->remote == nullptr) return false;
  return static_cast<const OnDevice*>(storage->remote)->of(*this);
}

Value Blocks::moved(Pool& pool, const Value& x) {
  if (x.tensor().on_device() && has(x.tensor())) return x;
  const Value whole = contiguous(pool, x);
  const Tensor& from = whole.tensor();
  Value there = make(pool, from.dtype(), from.shape());
  const size_t bytes = static_cast<size_t>(from.size()) * size_of(from.dtype());
  device_->write(static_cast<const OnDevice*>(there.tensor().storage()->remote)->block().handle, 0, from.data(), bytes);
  uploaded_ += bytes;
  return there;
}

std::string name_of_place(const Value& value) {
  if (!value.is_tensor() || !value.tensor().on_device()) return "cpu";
  return static_cast<const Blocks::OnDevice*>(value.tensor().storage()->remote)->device().name();
}

DeviceAddress Blocks::place_of(Tensor& tensor, std::vector<Temporary>& temporaries) {
  const auto offset = [&](const std::byte* first) {
    return (tensor.address() - first) / static_cast<int64_t>(size_of(tensor.dtype()));
  };
  if (has(tensor)) {
    const Storage& storage = *tensor.storage();
    return {static_cast<const OnDevice*>(storage.remote)->block().handle, offset(storage.data)};
  }
  tensor.data();  // of another device: it is fetched
  const std::span<const std::byte> memory = tensor.memory();
  Temporary copy(shared_from_this(), take(memory.size(), tensor.type()));
  const Handle handle = copy.block().handle;
  device_->write(handle, 0, memory.data(), memory.size());
  uploaded_ += memory.size();
  if (tensor.may_keep_remote() && tensor.storage()->remote == nullptr) {
    tensor.keep_remote(std::make_unique<OnDevice>(shared_from_this(), copy.block()));
    copy.keep();
  } else {
    temporaries.push_back(std::move(copy));
  }
  return {handle, offset(memory.data())};
}

}  // namespace covec::device
