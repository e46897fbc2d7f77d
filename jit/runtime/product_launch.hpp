// Runs a matrix product with its epilogue kernel (Launch::product). The common case is two matrices of one dtype and a
// kernel over all elements of their product. Here the kernel takes rows as they are finished, from the nearest cache,
// and its result replaces the product in memory. The product adds in the same order.
#pragma once

#include "jit/runtime/launch.hpp"

namespace covec::runtime {

class ProductLaunch {
 public:
  ProductLaunch(const loops::Plan& plan, const loops::Launch& launch, const Backend& backend, Host& host,
                std::span<Value> slots)
      : plan_(plan),
        launch_(launch),
        step_(plan.steps[launch.product]),
        backend_(backend),
        host_(host),
        slots_(slots) {}
  // False: nothing has been done, the step and the launch are to be made one after the other.
  bool run();

 private:
  static constexpr int64_t fewest = 4096;  // elements
  const Tensor* factor(size_t operand) const;
  bool fits(const Tensor& a, const Tensor& b) const;
  bool multiply(const Tensor& a, const Tensor& b);
  template <class F>
  auto at_product(F f) const;
  void finish(Value product, std::span<Value> results);
  Value result(const loops::Launch::Output& output, const Value& product) const;

  const loops::Plan& plan_;
  const loops::Launch& launch_;
  const loops::Step& step_;
  const Backend& backend_;
  Host& host_;
  const std::span<Value> slots_;
};

}  // namespace covec::runtime
