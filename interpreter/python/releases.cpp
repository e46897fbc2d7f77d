// Queues what a session gives back: Python objects whose memory it has read, functions that it has called. A session
// releases them on any thread, inside a run, maybe while another thread holds the GIL. The releasing thread must not
// wait for the GIL, so the objects go into a queue. The end of each use, which holds the GIL, empties it. If no use may
// follow, CPython's main thread is asked to empty it.
#include <atomic>
#include <cstdint>

#include "convert.hpp"
#include "session.hpp"

namespace covec::python {

std::atomic<bool> has_given_back{false};
std::atomic<void*> thread_with_gil{nullptr};

namespace {

// By the thread that has the GIL. Most come so.
constexpr size_t max_quick = 64;
void* quick[max_quick];
size_t quick_count = 0;
bool is_dropping = false;

class Queue {
 public:
  // Whether it was empty before. Without memory the owner is never given back.
  bool add(void* owner) {
    lock();
    const bool was_empty = count_ == 0;
    if (count_ == room_) grow();
    if (count_ < room_) owners_[count_++] = owner;
    unlock();
    return was_empty;
  }
  // The last owner, or null.
  void* take() {
    lock();
    void* const owner = count_ == 0 ? nullptr : owners_[--count_];
    unlock();
    return owner;
  }
  void unlock() { lock_.clear(std::memory_order_release); }

 private:
  void lock() {
    while (lock_.test_and_set(std::memory_order_acquire)) {
    }
  }
  void grow() {
    const size_t room = 2 * room_ + 64;
    void* const more = PyMem_RawRealloc(owners_, room * sizeof(void*));
    if (more == nullptr) return;
    owners_ = static_cast<void**>(more);
    room_ = room;
  }

  std::atomic_flag lock_ = ATOMIC_FLAG_INIT;
  void** owners_ = nullptr;
  size_t count_ = 0, room_ = 0;
};

Queue queue;

int drop_pending(void*) {
  drop_given_back();
  return 0;
}

}  // namespace

void give_back(void* owner) {
  if (thread_with_gil.load(std::memory_order_relaxed) == __builtin_thread_pointer() && quick_count < max_quick) {
    quick[quick_count++] = owner;
    has_given_back = true;
    return;
  }
  if (_Py_IsFinalizing() || Py_IsInitialized() == 0) return;  // the memory goes with the process
  const bool is_first = queue.add(owner);
  has_given_back = true;
  if (is_first && PyGILState_Check() == 0) Py_AddPendingCall(drop_pending, nullptr);
}

void drop_given_back() {
  if (std::exchange(is_dropping, true)) return;  // what an owner gives back in turn, the loop below drops
  while (has_given_back) {
    has_given_back = false;
    while (quick_count > 0) drop_owner(quick[--quick_count]);
    while (void* const owner = queue.take()) drop_owner(owner);
  }
  is_dropping = false;
}

void forget_given_back_elsewhere() {
  queue.unlock();
  is_dropping = false;
}

}  // namespace covec::python
