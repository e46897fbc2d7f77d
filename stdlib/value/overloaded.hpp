// A visitor for std::visit made of lambdas, one for each alternative of a variant. A missing alternative does not compile.
#pragma once

namespace covec {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

}  // namespace covec
