// Device: hardware beside the processor with its own memory. It runs kernels given as text, in one queue, in order.
// Everything that the rest of Covec knows of OpenCL and CUDA is declared here. A device serves one thread at a time,
// that of its session. Start at Device, then opencl.cpp.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "stdlib/value/dtype.hpp"
#include "stdlib/value/precision.hpp"

namespace covec::device {

using Handle = uint64_t;    // of a piece of the device's memory; 0: none
using Function = uint64_t;  // a kernel of a loaded module

enum class Dialect : uint8_t { opencl, cuda };

// A parameter of a kernel: so many bytes, or a Handle.
struct Argument {
  const void* data = nullptr;
  size_t bytes = 0;
  bool memory = false;
};

// Matrices in the device's memory, one after the other; strides in elements.
struct Matrices {
  Handle block = 0;
  size_t offset = 0;  // elements
  int64_t row = 0, column = 0, batch = 0;
};

// c = a @ b, `batches` times: m × k by k × n. c is whole: row n, column 1.
struct Product {
  Dtype dtype = Dtype::f32;
  Precision precision = Precision::full;
  int64_t m = 0, n = 0, k = 0, batches = 1;
  Matrices a, b, c;
};

// Kernels in machine code; gone when this is gone.
class Module {
 public:
  virtual ~Module() = default;
  virtual Function find(const std::string& name) = 0;
};

// How far a program may run ahead of its device. Every so often a launch is marked, and before the next one is marked
// the device must have come to the one before: where it has long to do, marks come more often, so that a program that
// is interrupted has little left to wait for.
class LaunchThrottle {
 public:
  bool marks() {  // this launch
    if (++launches_ < every_) return false;
    launches_ = 0;
    return true;
  }
  template <class Wait>
  void wait(Wait wait) {
    const auto begin = std::chrono::steady_clock::now();
    wait();
    const auto took = std::chrono::steady_clock::now() - begin;
    if (took > std::chrono::milliseconds(100)) every_ = std::max(1, every_ / 2);
    if (took < std::chrono::milliseconds(20)) every_ = std::min(most, every_ * 2);
  }

 private:
  static constexpr int most = 64;  // launches from one mark to the next
  int every_ = 16, launches_ = 0;
};

// Whatever the driver refuses is an OpError `device_failed`, with what was tried and the driver's words.
class Device {
 public:
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const std::string& name() const { return name_; }                // "opencl:0"
  const std::string& description() const { return description_; }  // the driver's name of it
  Dialect dialect() const { return dialect_; }
  uint64_t memory() const { return memory_; }  // bytes
  uint32_t units() const { return units_; }    // that run groups at the same time

  virtual Handle allocate(size_t bytes) = 0;  // 0: it has no more
  virtual void release(Handle block) noexcept = 0;
  virtual void write(Handle to, size_t at, const void* from, size_t bytes) = 0;
  // Waits until everything before has run.
  virtual void read(void* to, Handle from, size_t at, size_t bytes) = 0;
  virtual std::unique_ptr<Module> load(const std::string& text) = 0;
  virtual void launch(Function kernel, uint64_t groups, uint32_t group, std::span<const Argument> arguments) = 0;
  virtual void wait() = 0;
  // By a library of the device's maker, with the digits that are asked for. false: there is none for this.
  virtual bool multiply(const Product&) { return false; }

 protected:
  Device() = default;
  std::string name_, description_;
  Dialect dialect_ = Dialect::opencl;
  uint64_t memory_ = 0;
  uint32_t units_ = 1;
};

}  // namespace covec::device
