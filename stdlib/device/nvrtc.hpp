// NVRTC, the compiler of CUDA C, opened at run time where it is installed. Start at Nvrtc::open.
#pragma once

#include <memory>
#include <string>

namespace covec::device {

class Nvrtc {
 public:
  // Nullptr where there is none that can be used; `reason` says why.
  static const Nvrtc* open(bool use_environment, std::string& reason);

  struct Compiled {
    std::string image;  // empty: it did not compile
    std::string log;
  };
  // Machine code for an architecture (90 for sm_90), or its PTX; correctly rounded, nothing contracted, subnormals
  // kept.
  Compiled compile(const std::string& text, int architecture, bool ptx) const;
  int version() const { return version_; }  // 12040 for 12.4
  // Of the text of options and compiler: what a compiled image depends on beside its text.
  std::string key(int architecture) const;

 private:
  struct Api;
  explicit Nvrtc(std::unique_ptr<Api> api);
  const std::unique_ptr<Api> api_;
  int version_ = 0;
};

}  // namespace covec::device
