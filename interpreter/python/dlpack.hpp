// What of DLPack's structs (https://dmlc.github.io/dlpack, version 1) the module must know beside covec.h: how one that
// nobody has taken is given back.
#pragma once

#include <cstdint>

struct DLManagedTensor {
  unsigned char tensor[48];
  void* context;
  void (*deleter)(DLManagedTensor* self);
};

struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void* context;
  void (*deleter)(DLManagedTensorVersioned* self);
  uint64_t flags;
};
constexpr uint64_t dlpack_read_only = 1;
