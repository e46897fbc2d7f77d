// The objects behind the handles of covec.h. A session lives until it is closed and its last value is released,
// whichever is later. Start at covec_session, then Handles.
#pragma once

#include <covec/covec.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "interpreter/host/session_guard.hpp"
#include "interpreter/session/session.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/value.hpp"

struct covec_value {
  covec::Value value;
  covec_session* session = nullptr;               // null: free
  covec_value* next = nullptr;                    // among the free ones, or among those that other threads released
  bool is_argument = false;                       // of a call of the host's function, which gives it back by itself
  std::atomic<const std::string*> text{nullptr};  // owned; made once
};

namespace covec::embedding {

class HostOutput;
class HostInput;
class HostModules;
class HostRanks;
// What an interrupt has left behind may still be written by the host: then they stay until the process ends.
struct EndRanks {
  void operator()(HostRanks* ranks) const;
};

// Memory of the host's that a tensor lies in.
struct SharedMemory {
  covec_session& session;
  void (*release)(void* owner);
  void* owner;
  SharedMemory* next = nullptr;

  bool is_taken = true;           // false while the call that takes it may still fail: it stays the host's then
  const void* capsule = nullptr;  // DLPack's, which the session holds once

  // By the tensor's last use: at once, or where the session says so, when it has been left.
  static void release_shared(void* shared) noexcept;
  static void release_all(SharedMemory* first) noexcept;
};

// A call of a function of the host's.
struct HostCall {
  bool shows = false;              // what a program shows: any table is one
  std::optional<OpError> failure;  // what covec_fail has said
};

struct ErrorPosition {
  std::string file;
  unsigned line = 0, column = 0;
};

struct ErrorCall {
  std::string function;
  ErrorPosition from;
};

struct Error {
  std::string text, message, kind, hint;
  ErrorPosition place;
  std::vector<ErrorCall> calls;
  bool present = false;
  void clear() {
    if (present) *this = {};
  }
};

// A session's values for its host. Those that come back are used again: making one takes no malloc, and the count of
// those that are held needs no atomic, since only who is inside changes it.
class Handles {
 public:
  covec_value* take(covec_session& session, Value value) {
    if (free_ == nullptr) [[unlikely]]
      add_block();
    covec_value* const handle = free_;
    free_ = handle->next;
    handle->value = std::move(value);
    handle->session = &session;
    ++held_;
    return handle;
  }
  void put_back(covec_value* handle) noexcept {
    const Value last = std::move(handle->value);  // may be the last use: goes when the handle is free
    if (const std::string* text = handle->text.load(std::memory_order_relaxed); text != nullptr) [[unlikely]] {
      handle->text.store(nullptr, std::memory_order_relaxed);
      delete text;
    }
    handle->session = nullptr;
    handle->next = free_;
    free_ = handle;
    --held_;
  }
  size_t held() const { return held_; }

 private:
  void add_block();

  covec_value* free_ = nullptr;
  size_t held_ = 0;
  std::vector<std::unique_ptr<covec_value[]>> blocks_;
};

}  // namespace covec::embedding

struct covec_session {
  covec_session();
  ~covec_session();

  covec::embedding::SessionGuard guard;  // first: the host's functions are called until the end
  covec::embedding::Handles handles;
  std::unique_ptr<covec::embedding::HostOutput> output;
  std::unique_ptr<covec::embedding::HostInput> input;
  std::unique_ptr<covec::embedding::HostModules> modules;
  std::unique_ptr<covec::embedding::HostRanks, covec::embedding::EndRanks> ranks;  // null: it is alone
  std::unique_ptr<covec::Session> session;
  covec::embedding::Error error;
  covec::embedding::HostCall* host_call = nullptr;  // that runs
  std::set<const void*> capsules;                   // that have been taken from DLPack and are held

  // This thread is in a function of the host's that a program has called.
  bool is_in_callback() const { return guard.is_here() && host_call != nullptr; }

  // --- releases (releases.cpp) ---

  // Ends a use of the session, which may be the last.
  void leave() {
    if (released.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
      free_released();
    if (is_closed.load(std::memory_order_relaxed) && handles.held() == 0) [[unlikely]]
      return end();
    guard.leave();
  }
  // By a thread that has entered for that: lets `value` go, if it is not null, and what is queued, and leaves.
  void release(covec_value* value);
  void release_from_elsewhere(covec_value* value);
  void free_released() noexcept;
  void end() noexcept;

  bool keeps_shared = false;  // memory of the host's that comes back waits in `shared`
  covec::embedding::SharedMemory* shared = nullptr;
  std::atomic<bool> is_closed{false};
  std::atomic<covec_value*> released{nullptr};  // by other threads while the session ran
  std::atomic<unsigned> visitors{0};            // threads in release_from_elsewhere
};

namespace covec::embedding {

// The call that the session's callback runs for, while it does.
class Calling {
 public:
  Calling(covec_session& session, HostCall& call) : session_(session) {
    session.error.clear();
    session.host_call = &call;
  }
  Calling(const Calling&) = delete;
  Calling& operator=(const Calling&) = delete;
  ~Calling() { session_.host_call = nullptr; }

 private:
  covec_session& session_;
};

}  // namespace covec::embedding
