// Applies covec_options: what the programs of a session may do, and for how long. It also connects the host's functions
// that answer requests. Start at limit and gate_for.
#pragma once

#include <covec/covec.h>

#include <memory>

#include "interpreter/host/state.hpp"
#include "stdlib/gate/gate.hpp"

namespace covec::embedding {

class HostInput final : public ops::Input {
 public:
  HostInput(SessionGuard& guard, covec_input function, void* user) : guard_(guard), function_(function), user_(user) {}
  bool read_line(std::string& line, const std::atomic<bool>* interrupt) override;

 private:
  SessionGuard& guard_;
  const covec_input function_;
  void* const user_;
};

class HostModules final : public ops::Resolver {
 public:
  HostModules(SessionGuard& guard, covec_resolve function, void* user)
      : guard_(guard), function_(function), user_(user) {}
  bool resolve(const std::string& name, std::string& text) override;

 private:
  SessionGuard& guard_;
  const covec_resolve function_;
  void* const user_;
};

// Limits and functions of either kind of session.
void limit(const covec_options& options, covec_session& session, SessionOptions& chosen);
// Of a session that is not trusted. std::system_error where a folder cannot be opened.
std::shared_ptr<ops::Gate> gate_for(const covec_options& options);

}  // namespace covec::embedding
