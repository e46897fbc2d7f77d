// A prepared call with its worker and memory for what goes in and comes out, for tests of covec.h.
#pragma once

#include <covec/covec.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "program.hpp"

using Bytes = std::vector<std::byte>;

inline size_t size_of(covec_dtype dtype) {
  static constexpr size_t sizes[] = {1, 4, 8, 2, 2, 4, 8, 1, 1, 2, 4, 2};
  return sizes[dtype];
}

// Numbers that differ, of either sign.
inline Bytes numbers(const covec_type& type, unsigned seed) {
  Bytes bytes(type.bytes);
  const size_t size = size_of(type.dtype);
  for (size_t i = 0; i * size < type.bytes; ++i) {
    const double x = 0.5 + 0.37 * static_cast<double>((i * 7 + seed * 3) % 11) - 0.25 * static_cast<double>(i % 5);
    std::byte* const to = bytes.data() + i * size;
    const auto put = [&](auto number) { std::memcpy(to, &number, size); };
    switch (type.dtype) {
      case COVEC_BOOL: put(static_cast<uint8_t>((i + seed) % 2)); break;
      case COVEC_I32: put(static_cast<int32_t>((i * 5 + seed) % 4)); break;
      case COVEC_I64: put(static_cast<int64_t>((i * 5 + seed) % 4)); break;
      case COVEC_F16: put(static_cast<uint16_t>(0x3c00 + 37 * i + seed)); break;
      case COVEC_BF16: put(static_cast<uint16_t>(0x3f80 + 3 * i + seed)); break;
      case COVEC_F32: put(static_cast<float>(x)); break;
      case COVEC_F64: put(x); break;
      case COVEC_I8: put(static_cast<int8_t>((i * 5 + seed) % 4)); break;
      case COVEC_U8: put(static_cast<uint8_t>((i * 5 + seed) % 4)); break;
      case COVEC_I16: put(static_cast<int16_t>((i * 5 + seed) % 4)); break;
      case COVEC_U16: put(static_cast<uint16_t>((i * 5 + seed) % 4)); break;
      case COVEC_U32: put(static_cast<uint32_t>((i * 5 + seed) % 4)); break;
    }
  }
  return bytes;
}

class PreparedCall {
 public:
  PreparedCall(covec_session* session, covec_value* function, const char* types) {
    EXPECT_EQ(covec_prepare(session, function, types, &prepared), COVEC_OK) << covec_error_text(session);
    if (prepared != nullptr) open();
  }
  // Another worker of the same.
  explicit PreparedCall(const PreparedCall& other) : prepared(other.prepared), is_owner_(false) { open(); }
  PreparedCall& operator=(const PreparedCall&) = delete;
  ~PreparedCall() {
    EXPECT_EQ(covec_worker_close(worker), COVEC_OK);
    if (is_owner_) covec_prepared_release(prepared);
  }

  covec_status run() { return covec_worker_run(worker); }
  std::string message() const { return covec_worker_error_message(worker); }
  std::string kind() const { return covec_worker_error_kind(worker); }
  std::string place() const {
    return std::string(covec_worker_error_file(worker)) + ":" + std::to_string(covec_worker_error_line(worker)) + ":" +
           std::to_string(covec_worker_error_column(worker));
  }
  void set(size_t input, double number) { std::memcpy(in[input].data(), &number, sizeof number); }
  void set(size_t input, int64_t number) { std::memcpy(in[input].data(), &number, sizeof number); }
  template <class T = double>
  T number(size_t output = 0) const {
    T found;
    std::memcpy(&found, out[output].data(), sizeof found);
    return found;
  }

  covec_prepared* prepared = nullptr;
  covec_worker* worker = nullptr;
  std::vector<covec_type> in_types, out_types;
  std::vector<Bytes> in, out;

 private:
  void open() {
    ASSERT_EQ(covec_worker_open(prepared, &worker), COVEC_OK);
    in_types.resize(covec_prepared_inputs(prepared));
    out_types.resize(covec_prepared_outputs(prepared));
    for (size_t i = 0; i < in_types.size(); ++i) {
      ASSERT_EQ(covec_prepared_input(prepared, i, &in_types[i]), COVEC_OK);
      in.push_back(numbers(in_types[i], static_cast<unsigned>(i)));
    }
    for (size_t i = 0; i < out_types.size(); ++i) {
      ASSERT_EQ(covec_prepared_output(prepared, i, &out_types[i]), COVEC_OK);
      out.emplace_back(out_types[i].bytes);
    }
    for (size_t i = 0; i < in.size(); ++i) ASSERT_EQ(covec_worker_bind_input(worker, i, in[i].data()), COVEC_OK);
    for (size_t i = 0; i < out.size(); ++i) ASSERT_EQ(covec_worker_bind_output(worker, i, out[i].data()), COVEC_OK);
  }

  bool is_owner_ = true;
};

// The elements of all numbers and tensors in a value, in order.
inline void add_elements(covec_session* session, covec_value* value, std::vector<Bytes>& all) {
  covec_view view;
  if (covec_look(session, value, &view) == COVEC_OK) {
    size_t bytes = size_of(view.dtype);
    for (unsigned axis = 0; axis < view.rank; ++axis) bytes *= static_cast<size_t>(view.dims[axis]);
    all.emplace_back(bytes);
    ASSERT_EQ(covec_read(session, value, view.dtype, all.back().data(), bytes), COVEC_OK);
    return;
  }
  size_t length = 0;
  ASSERT_EQ(covec_length(session, value, &length), COVEC_OK) << covec_error_text(session);
  for (size_t i = 0; i < length; ++i) {
    covec_value* item = nullptr;
    ASSERT_EQ(covec_item(session, value, i, &item), COVEC_OK);
    add_elements(session, item, all);
    covec_release(item);
  }
}

// What the session's own call gives for the same inputs.
inline std::vector<Bytes> called(covec_session* session, covec_value* function, const PreparedCall& call) {
  std::vector<covec_value*> args;
  for (size_t i = 0; i < call.in.size(); ++i) {
    const covec_type& type = call.in_types[i];
    args.push_back(nullptr);
    EXPECT_EQ(covec_lend(session, type.dtype, type.rank, type.dims, call.in[i].data(), nullptr, nullptr, &args.back()),
              COVEC_OK);
  }
  covec_value* result = nullptr;
  EXPECT_EQ(covec_call(session, function, args.data(), args.size(), &result), COVEC_OK) << covec_error_text(session);
  std::vector<Bytes> all;
  if (result != nullptr) add_elements(session, result, all);
  covec_release(result);
  for (covec_value* arg : args) covec_release(arg);
  return all;
}
