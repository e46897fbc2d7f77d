// What the handles of covec.h stand for.
#pragma once

#include <covec/covec.h>

#include <memory>
#include <string>

#include "interpreter/host/border.hpp"
#include "interpreter/session/session.hpp"
#include "stdlib/value/value.hpp"

namespace covec::embedding {

class HostOutput;
class HostInput;
class HostModules;

struct Error {
  std::string text;
  std::string message;
  unsigned line = 0;
};

struct Host {
  Host();
  ~Host();
  const std::shared_ptr<Border> border = std::make_shared<Border>();  // a call that ends the last use outlives the rest
  std::unique_ptr<HostOutput> output;
  std::unique_ptr<HostInput> input;
  std::unique_ptr<HostModules> modules;
  std::unique_ptr<Session> session;
};

}  // namespace covec::embedding

struct covec_session {
  std::shared_ptr<covec::embedding::Host> host;
  covec::embedding::Error error;
};

struct covec_value {
  std::shared_ptr<covec::embedding::Host> host;  // declared before `value`: the value goes first
  covec::Value value;
  std::string text;
  int64_t no_dims[1] = {0};
  bool has_text = false;
  covec_value* next = nullptr;  // among those that were released while the session ran
};
