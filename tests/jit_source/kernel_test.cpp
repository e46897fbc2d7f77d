// Kernels through cc: inputs of both kinds, numbers, rare blocks, failures, and outputs that are inputs.
#include <gtest/gtest.h>

#include <cstring>

#include "jit/source/c99.hpp"
#include "jit/source/engine.hpp"
#include "tests/jit_source/programs.hpp"

namespace {

using namespace covec;
using namespace covec::tests;
using loops::Program;  // there is a covec::Program, too

std::unique_ptr<source::CompiledC> compiled(const Kernel& kernel) {
  Program program{{"f", {}, {}, {}}, {kernel}};
  EXPECT_EQ(loops::verify(program), "");
  return source::compile(program);
}

uint64_t bits_of(double x) {
  uint64_t bits;
  std::memcpy(&bits, &x, 8);
  return bits;
}

TEST(Kernels, UniformInputsAndNumbers) {
  KernelMaker maker;
  const uint32_t x = maker.load(Dtype::f64), u = maker.load(Dtype::f64, true), n = maker.number(Dtype::i32);
  const uint32_t c = maker.scalar(ScalarOp::convert, Dtype::f64, n);
  maker.output(maker.scalar(ScalarOp::fma, Dtype::f64, x, u, c));
  const auto library = compiled(maker.kernel);
  const double xs[] = {1, 2, 3}, two = 2;
  double out[] = {0, 0, 0, 99};
  const void* inputs[] = {xs, &two};
  void* outputs[] = {out};
  const uint64_t numbers[] = {0xdeadbeeffffffffb};  // −5 in the low bytes
  EXPECT_EQ(library->kernel(0)(outputs, inputs, 3, numbers), -1);
  EXPECT_EQ(out[0], -3);
  EXPECT_EQ(out[2], 1);
  EXPECT_EQ(out[3], 99);
  out[0] = 7;
  EXPECT_EQ(library->kernel(0)(outputs, inputs, 0, numbers), -1);
  EXPECT_EQ(out[0], 7);
}

TEST(Kernels, GiveTheFirstElementThatFails) {
  KernelMaker maker;
  const uint32_t x = maker.load(Dtype::i64), zero = maker.constant(Dtype::i64, 0);
  maker.kernel.fails = maker.scalar(ScalarOp::eq, Dtype::boolean, x, zero);
  const uint32_t ten = maker.constant(Dtype::i64, 10);
  maker.output(maker.scalar(ScalarOp::floor_divide, Dtype::i64, ten, x));
  const auto library = compiled(maker.kernel);
  int64_t xs[] = {3, -3, 0, 1, 0}, out[5];
  const void* inputs[] = {xs};
  void* outputs[] = {out};
  EXPECT_EQ(library->kernel(0)(outputs, inputs, 5, nullptr), 2);
  EXPECT_EQ(library->kernel(0)(outputs, inputs, 2, nullptr), -1);
  EXPECT_EQ(out[1], -4);
}

TEST(Kernels, RareBlocksNest) {
  KernelMaker maker;
  const auto constant = [&](double x) { return maker.constant(Dtype::f64, bits_of(x)); };
  const uint32_t x = maker.load(Dtype::f64), zero = constant(0), usual = maker.scalar(ScalarOp::add, Dtype::f64, x, x);
  const uint32_t below = maker.scalar(ScalarOp::lt, Dtype::boolean, x, zero);
  maker.rare(below);
  const uint32_t minus = maker.scalar(ScalarOp::negate, Dtype::f64, x), ten = constant(10);
  const uint32_t far = maker.scalar(ScalarOp::lt, Dtype::boolean, ten, minus);
  maker.rare(far);
  const uint32_t inner = maker.end_rare(Dtype::f64, far, ten, minus);
  maker.output(maker.end_rare(Dtype::f64, below, inner, usual));
  const auto library = compiled(maker.kernel);
  double xs[] = {3, -3, -30};
  const void* inputs[] = {xs};
  void* outputs[] = {xs};  // in place
  EXPECT_EQ(library->kernel(0)(outputs, inputs, 3, nullptr), -1);
  EXPECT_EQ(xs[0], 6);
  EXPECT_EQ(xs[1], 3);
  EXPECT_EQ(xs[2], 10);
}

TEST(Kernels, ANegatedFmaIsNoOtherInstruction) {
  KernelMaker maker;
  const uint32_t x = maker.load(Dtype::f64), y = maker.load(Dtype::f64);
  maker.output(maker.scalar(ScalarOp::negate, Dtype::f64, maker.scalar(ScalarOp::fma, Dtype::f64, x, x, y)));
  const auto library = compiled(maker.kernel);
  const double xs[] = {2}, ys[] = {-4};
  double out[] = {1};
  const void* inputs[] = {xs, ys};
  void* outputs[] = {out};
  EXPECT_EQ(library->kernel(0)(outputs, inputs, 1, nullptr), -1);
  EXPECT_EQ(bits_of(out[0]), uint64_t{1} << 63);  // −(4 − 4)
}

TEST(Kernels, AnOutputMayBeAnInputOfAnotherDtype) {
  KernelMaker maker;
  const uint32_t x = maker.load(Dtype::f64);
  maker.output(maker.scalar(ScalarOp::convert, Dtype::i64, x));
  maker.output(maker.scalar(ScalarOp::lt, Dtype::boolean, x, x));
  const auto library = compiled(maker.kernel);
  double xs[] = {1.5, -2.5, 1e300};
  uint8_t truth[] = {7, 7, 7};
  const void* inputs[] = {xs};
  void* outputs[] = {xs, truth};
  EXPECT_EQ(library->kernel(0)(outputs, inputs, 3, nullptr), -1);
  int64_t result[3];
  std::memcpy(result, xs, sizeof xs);
  EXPECT_EQ(result[1], -2);
  EXPECT_EQ(result[2], INT64_MAX);
  EXPECT_EQ(truth[2], 0);
}

TEST(Kernels, WhatCcSaysIsTheError) {
  KernelMaker maker;
  maker.output(maker.load(Dtype::f64));
  maker.kernel.outputs[0].value = 9;
  const Program program{{"f", {}, {}, {}}, {maker.kernel}};
  EXPECT_NE(loops::verify(program), "");
  try {
    source::compile(program);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("v9"), std::string::npos) << error.what();
  }
}

TEST(Kernels, ATextIsCompiledOnce) {
  KernelMaker maker;
  maker.output(maker.load(Dtype::f64));
  Program program{{"naïve name", {}, {}, {}}, {maker.kernel}};
  source::Cache cache;
  const auto first = source::compile(program, &cache), second = source::compile(program, &cache);
  EXPECT_EQ(cache.libraries.size(), 1u);
  EXPECT_EQ(first->kernel(0), second->kernel(0));
}

}  // namespace
