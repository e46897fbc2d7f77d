// Tensors to and from libraries that speak DLPack. The structs are written down here once more, from its specification.
#include <atomic>
#include <cstring>
#include <thread>

#include "program.hpp"

extern "C" {
struct DlTensor {
  void* data;
  int32_t device_type, device_id;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};
struct DLManagedTensor {
  DlTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensor*);
};
struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned*);
  uint64_t flags;
  DlTensor dl_tensor;
};
}

namespace {

std::atomic<int> deleted{0};

// A tensor of the host's: 3 × 2, columns first, one element behind `data`.
struct Source {
  double cells[7] = {-1, 1, 2, 3, 4, 5, 6};
  int64_t shape[2] = {3, 2}, strides[2] = {1, 3};
  DLManagedTensor managed{
      {cells, 1, 0, 2, 2, 64, 1, shape, strides, sizeof(double)}, nullptr, [](DLManagedTensor*) { ++deleted; }};
};

TEST(DlPack, TensorsComeInOnce) {
  Program program;
  covec_session* const session = program.session;
  Source source;
  DLManagedTensor *capsule = &source.managed, *same = capsule;
  covec_value *value = nullptr, *second = nullptr;
  deleted = 0;
  ASSERT_EQ(covec_from_dlpack(session, &capsule, &value), COVEC_OK) << program.message();
  EXPECT_EQ(capsule, nullptr);
  EXPECT_EQ(text_of(value), "[[1.0, 4.0],\n [2.0, 5.0],\n [3.0, 6.0]]");
  covec_view view;
  ASSERT_EQ(covec_look(session, value, &view), COVEC_OK);
  EXPECT_EQ(view.data, source.cells + 1);
  EXPECT_EQ(covec_from_dlpack(session, &capsule, &second), COVEC_MISUSE);  // used
  EXPECT_EQ(covec_from_dlpack(session, &same, &second), COVEC_MISUSE);     // a copy of the pointer
  EXPECT_EQ(program.message(), "the session holds this tensor already");
  EXPECT_NE(same, nullptr);
  EXPECT_EQ(covec_from_dlpack(session, nullptr, &second), COVEC_MISUSE);
  EXPECT_EQ(second, nullptr);
  ASSERT_EQ(covec_set(session, "x", value), COVEC_OK);
  covec_release(value);
  EXPECT_EQ(deleted, 0);
  ASSERT_EQ(covec_run(session, "run", "assert(sum(x) == 21.0)\nx = 0", nullptr), COVEC_OK);
  EXPECT_EQ(deleted, 1);
}

TEST(DlPack, WhatCannotBeTakenStaysTheHosts) {
  Program program;
  deleted = 0;
  int64_t many[17] = {};
  const auto refused = [&](auto change) {
    Source source;
    change(source.managed.dl_tensor);
    DLManagedTensor* capsule = &source.managed;
    covec_value* value = nullptr;
    const covec_status status = covec_from_dlpack(program.session, &capsule, &value);
    return status == COVEC_MISUSE && capsule == &source.managed && value == nullptr && deleted == 0;
  };
  EXPECT_TRUE(refused([](DlTensor& t) { t.device_type = 2; }));  // CUDA
  EXPECT_TRUE(refused([](DlTensor& t) { t.code = 1; }));         // unsigned
  EXPECT_TRUE(refused([](DlTensor& t) { t.bits = 128; }));
  EXPECT_TRUE(refused([](DlTensor& t) { t.lanes = 4; }));
  EXPECT_TRUE(refused([](DlTensor& t) { t.ndim = -1; }));
  EXPECT_TRUE(refused([&](DlTensor& t) {
    t.ndim = 17;
    t.shape = many;
    t.strides = nullptr;
  }));
  EXPECT_TRUE(refused([](DlTensor& t) { t.data = nullptr; }));
  EXPECT_TRUE(refused([](DlTensor& t) { t.shape[0] = -1; }));
  EXPECT_TRUE(refused([](DlTensor& t) { t.strides[0] = INT64_MAX; }));
  EXPECT_TRUE(refused([](DlTensor& t) {
    t.code = 6;  // bytes that are no bools
    t.bits = 8;
    t.byte_offset = 14;  // 0xf0, 0x3f
  }));
  DLManagedTensorVersioned newer{2, 0, nullptr, nullptr, 0, Source().managed.dl_tensor};
  DLManagedTensorVersioned* capsule = &newer;
  covec_value* value = nullptr;
  EXPECT_EQ(covec_from_dlpack_versioned(program.session, &capsule, &value), COVEC_MISUSE);
}

TEST(DlPack, ComplexTensorsAreCopied) {
  Program program;
  covec_session* const session = program.session;
  deleted = 0;
  double cells[8] = {-1, -1, 1, 2, 3, 4, 5, 6};  // 1+2i, 3+4i, 5+6i behind the first one
  int64_t shape[1] = {3}, strides[1] = {-1};
  DLManagedTensor managed{
      {cells, 1, 0, 1, 5, 128, 1, shape, strides, 6 * sizeof(double)}, nullptr, [](DLManagedTensor*) { ++deleted; }};
  DLManagedTensor* capsule = &managed;
  covec_value* value = nullptr;
  ASSERT_EQ(covec_from_dlpack(session, &capsule, &value), COVEC_OK) << program.message();
  EXPECT_EQ(capsule, nullptr);
  EXPECT_EQ(deleted, 1);
  cells[2] = 100;
  EXPECT_EQ(text_of(value), "[5.0+6.0im, 3.0+4.0im, 1.0+2.0im]");
  DLManagedTensorVersioned* out = nullptr;
  ASSERT_EQ(covec_to_dlpack_versioned(session, value, &out), COVEC_OK) << program.message();
  covec_release(value);
  const DlTensor& tensor = out->dl_tensor;
  EXPECT_EQ(int{tensor.code} * 1000 + tensor.bits, 5128);
  EXPECT_EQ(tensor.shape[0] * 10 + tensor.strides[0], 31);
  const double expected[] = {5, 6, 3, 4, 1, 2};
  EXPECT_EQ(std::memcmp(tensor.data, expected, sizeof expected), 0);
  covec_value* back = nullptr;
  ASSERT_EQ(covec_from_dlpack_versioned(session, &out, &back), COVEC_OK) << program.message();
  EXPECT_EQ(text_of(back), "[5.0+6.0im, 3.0+4.0im, 1.0+2.0im]");
  covec_release(back);
  for (const char* text : {"c64(1 - 2im)", "c64([[1, 2im], [3, 4]]).T", "zeros(0, 2, dtype=c64)"}) {
    DLManagedTensor* narrow = nullptr;
    value = program.value_of(text);
    ASSERT_EQ(covec_to_dlpack(session, value, &narrow), COVEC_OK) << program.message();
    EXPECT_EQ(int{narrow->dl_tensor.code} * 1000 + narrow->dl_tensor.bits, 5064);
    ASSERT_EQ(covec_from_dlpack(session, &narrow, &back), COVEC_OK) << program.message();
    EXPECT_EQ(text_of(back), text_of(value));
    covec_release(back);
    covec_release(value);
  }
}

TEST(DlPack, TensorsGoOutForReading) {
  Program program;
  covec_session* const session = program.session;
  covec_value* const x = program.value_of("[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]].T + 0 * ones(3, 2)");
  DLManagedTensorVersioned* out = nullptr;
  ASSERT_EQ(covec_to_dlpack_versioned(session, x, &out), COVEC_OK);
  EXPECT_EQ(out->major, 1u);
  EXPECT_EQ(out->flags & 1, 1u);
  const DlTensor& tensor = out->dl_tensor;
  EXPECT_EQ(tensor.ndim, 2);
  EXPECT_EQ(tensor.device_type, 1);
  EXPECT_EQ(int{tensor.code} * 1000 + tensor.bits, 2064);
  EXPECT_EQ(tensor.shape[0] * 10 + tensor.shape[1], 32);
  EXPECT_EQ(static_cast<const double*>(tensor.data)[tensor.strides[0] * 2 + tensor.strides[1]], 6.0);
  covec_value* back = nullptr;  // and in again
  Program other;
  ASSERT_EQ(covec_from_dlpack_versioned(other.session, &out, &back), COVEC_OK);
  EXPECT_EQ(text_of(back), text_of(x));
  covec_release(back);
  for (const char* const text : {"true", "i32(3)", "f16(0.5)", "bf16([1, 2])", "f32(zeros(0, 2))", "[1, 2, 3]"}) {
    covec_value* const value = program.value_of(text);
    DLManagedTensor* managed = nullptr;
    ASSERT_EQ(covec_to_dlpack(session, value, &managed), COVEC_OK) << text;
    ASSERT_EQ(covec_from_dlpack(session, &managed, &back), COVEC_OK) << text << program.message();
    EXPECT_EQ(text_of(back), text_of(value));
    covec_release(back);
  }
  DLManagedTensor* none = nullptr;
  EXPECT_EQ(covec_to_dlpack(session, program.string("text"), &none), COVEC_ERROR);
  EXPECT_EQ(covec_to_dlpack(session, nullptr, &none), COVEC_MISUSE);
  EXPECT_EQ(covec_to_dlpack(session, x, nullptr), COVEC_MISUSE);
}

TEST(DlPack, WhatGoesOutComesBackFromAnyThreadAfterTheEnd) {
  covec_session* session = covec_open(nullptr);
  covec_value* value = nullptr;
  ASSERT_EQ(covec_run(session, "run", "ones(1000)", &value), COVEC_OK);
  DLManagedTensor* managed = nullptr;
  ASSERT_EQ(covec_to_dlpack(session, value, &managed), COVEC_OK);
  covec_release(value);
  covec_close(session);
  std::thread([&] {
    EXPECT_EQ(static_cast<const double*>(managed->dl_tensor.data)[999], 1.0);
    managed->deleter(managed);
  }).join();
}

}  // namespace
