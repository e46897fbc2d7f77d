// Where running compiled code was called, while it runs: errors inside point there, whatever has run in between.
#pragma once

#include "jit/compiler/compiler.hpp"

namespace covec::jit {

class JitCompiler::Site {
 public:
  explicit Site(JitCompiler& compiler) : compiler_(compiler), outer_(compiler.site_) {
    compiler.site_ = compiler.context_.site;
  }
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;
  ~Site() {
    compiler_.context_.site = compiler_.site_;
    compiler_.site_ = outer_;
  }

 private:
  JitCompiler& compiler_;
  const Span* outer_;
};

}  // namespace covec::jit
