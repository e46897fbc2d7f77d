// Values may be released on any thread. If the session is free, the releasing thread frees the value itself; calls on
// other threads wait meanwhile. So the host gets its memory back only after the session has been left. If another
// thread runs the session, the value is queued, and the thread that leaves the session next frees it. A value may be
// queued just after the last check of the queue; it waits for the next call. A closed session has no next call, so
// there the releasing thread tries again until the value is gone.
#include <thread>
#include <utility>

#include "interpreter/host/output.hpp"
#include "interpreter/host/permissions.hpp"
#include "interpreter/host/state.hpp"

namespace covec::embedding {

void Handles::add_block() {
  const size_t size = size_t{8} << std::min<size_t>(blocks_.size(), 7);
  covec_value* const block = blocks_.emplace_back(std::make_unique<covec_value[]>(size)).get();
  for (size_t i = size; i-- > 0;) {
    block[i].next = free_;
    free_ = &block[i];
  }
}

bool SessionGuard::enter_after(uintptr_t runner, uintptr_t me) {
  while (runner == 0 || (releases(runner) && thread_of(runner) != thread_of(me))) {
    std::this_thread::yield();
    runner = 0;
    if (runner_.compare_exchange_strong(runner, me, std::memory_order_acquire, std::memory_order_relaxed)) return true;
  }
  return false;
}

void SharedMemory::release_all(SharedMemory* first) noexcept {
  while (first != nullptr) {
    const std::unique_ptr<SharedMemory> self(first);
    first = self->next;
    if (!self->is_taken) continue;
    try {
      self->release(self->owner);
    } catch (...) {  // the memory is the host's again, whatever it made of that
    }
  }
}

void SharedMemory::release_shared(void* shared) noexcept {
  auto* const self = static_cast<SharedMemory*>(shared);
  covec_session& session = self->session;
  if (self->capsule != nullptr) session.capsules.erase(self->capsule);
  if (session.keeps_shared) {
    self->next = session.shared;
    session.shared = self;
  } else {
    // In a function of the host's that gets its memory back, values cannot be made, whoever has released them.
    HostCall* const caller = std::exchange(session.host_call, nullptr);
    {
      const SessionGuard::Outside outside(session.guard);
      release_all(self);
    }
    session.host_call = caller;
  }
}

}  // namespace covec::embedding

using covec::embedding::SessionGuard;
using covec::embedding::SharedMemory;

covec_session::covec_session() = default;
covec_session::~covec_session() = default;

void covec_session::free_released() noexcept {
  covec_value* value = released.exchange(nullptr);
  while (value != nullptr) {
    covec_value* const next = value->next;
    handles.put_back(value);
    value = next;
  }
}

// The caller has entered and does not leave any more. Others that have just queued a value may still look.
void covec_session::end() noexcept {
  guard.close();
  while (visitors.load() != 0) std::this_thread::yield();
  {
    const SessionGuard::Inside inside(guard);
    session.reset();
  }
  delete this;
}

void covec_session::release(covec_value* value) {
  keeps_shared = true;
  if (value != nullptr) handles.put_back(value);
  if (released.load() != nullptr) free_released();
  keeps_shared = false;
  SharedMemory* const returned = std::exchange(shared, nullptr);
  leave();
  SharedMemory::release_all(returned);
}

void covec_session::release_from_elsewhere(covec_value* value) {
  ++visitors;
  value->next = released.load();
  while (!released.compare_exchange_weak(value->next, value)) {
  }
  for (;;) {
    if (guard.enter(SessionGuard::Purpose::release)) {
      --visitors;
      return release(nullptr);
    }
    if (released.load() == nullptr || !is_closed.load()) break;
    std::this_thread::yield();
  }
  --visitors;
}

extern "C" void covec_release(covec_value* value) {
  if (value == nullptr || value->session == nullptr || value->is_argument) return;
  covec_session& session = *value->session;
  if (session.guard.enter(SessionGuard::Purpose::release)) {
    session.release(value);
  } else if (session.guard.is_here()) {
    session.handles.put_back(value);
  } else {
    session.release_from_elsewhere(value);
  }
}
