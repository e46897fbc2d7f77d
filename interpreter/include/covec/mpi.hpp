// The ranks of an MPI communicator, for a host that uses MPI itself. It calls the MPI that the host is compiled and
// linked with; Covec's library knows none. Headers only.
//
//     covec::host::MpiRanks ranks(MPI_COMM_WORLD);                      // by all ranks, after MPI_Init
//     covec::host::Session session({.threads = 1, .ranks = ranks.get()});
#pragma once

#include <covec/covec.h>
#include <mpi.h>

#include <array>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace covec::host {

// All ranks of the communicator make it together, and it outlives the session. A session has one of its own: what is
// sent goes over a duplicate of the communicator, which belongs to the session's thread. MPI must allow calls from that
// thread (MPI_THREAD_FUNNELED or more).
class MpiRanks {
 public:
  // How long a rank waits for others before it fails; 0: for ever. std::runtime_error: MPI has failed.
  explicit MpiRanks(MPI_Comm communicator, std::chrono::microseconds wait = {}) {
    require(MPI_Comm_dup(communicator, &state_->communicator));
    MPI_Comm_set_errhandler(state_->communicator, MPI_ERRORS_RETURN);
    require(MPI_Comm_rank(state_->communicator, &ranks_.rank));
    require(MPI_Comm_size(state_->communicator, &ranks_.size));
    state_->from.resize(static_cast<size_t>(ranks_.size));
    state_->to.resize(static_cast<size_t>(ranks_.size));
    ranks_.bytes = sizeof ranks_;
    ranks_.user = state_.get();
    ranks_.all_gather = &MpiRanks::all_gather;
    ranks_.all_to_all = &MpiRanks::all_to_all;
    ranks_.exchange = &MpiRanks::exchange;
    ranks_.is_complete = &MpiRanks::is_complete;
    ranks_.wait_microseconds = static_cast<uint64_t>(wait.count());
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;
  // MPI may still use what an interrupt has left in the middle of an operation: that stays until the process ends.
  ~MpiRanks() {
    int has_ended = 0;
    MPI_Finalized(&has_ended);
    if (state_->requests != State().requests)
      (void)state_.release();
    else if (has_ended == 0)
      MPI_Comm_free(&state_->communicator);
  }

  const covec_ranks* get() const { return &ranks_; }

 private:
  struct State {
    MPI_Comm communicator = MPI_COMM_NULL;
    std::array<MPI_Request, 2> requests = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    std::vector<int> from, to;  // where the bytes for each rank begin, and those of each rank
  };

  static void require(int result) {
    if (result != MPI_SUCCESS) throw std::runtime_error("MPI has failed: error " + std::to_string(result));
  }
  static void fill(std::vector<int>& begins, const int* sizes) {
    for (size_t i = 1; i < begins.size(); ++i) begins[i] = begins[i - 1] + sizes[i - 1];
  }
  static int all_gather(void* user, const void* mine, const int* sizes, void* all) {
    State& state = *static_cast<State*>(user);
    int rank = 0;
    MPI_Comm_rank(state.communicator, &rank);
    fill(state.to, sizes);
    return MPI_Iallgatherv(mine, sizes[rank], MPI_BYTE, all, sizes, state.to.data(), MPI_BYTE, state.communicator,
                           state.requests.data());
  }
  static int all_to_all(void* user, const void* mine, const int* given, void* all, const int* taken) {
    State& state = *static_cast<State*>(user);
    fill(state.from, given);
    fill(state.to, taken);
    return MPI_Ialltoallv(mine, given, state.from.data(), MPI_BYTE, all, taken, state.to.data(), MPI_BYTE,
                          state.communicator, state.requests.data());
  }
  static int exchange(void* user, const void* mine, int bytes, int to, void* received, int received_bytes, int from) {
    constexpr int tag = 0;
    State& state = *static_cast<State*>(user);
    const int error =
        from < 0 ? MPI_SUCCESS
                 : MPI_Irecv(received, received_bytes, MPI_BYTE, from, tag, state.communicator, &state.requests[0]);
    if (error != MPI_SUCCESS || to < 0) return error;
    return MPI_Isend(mine, bytes, MPI_BYTE, to, tag, state.communicator, &state.requests[1]);
  }
  static int is_complete(void* user, int* complete) {
    return MPI_Testall(2, static_cast<State*>(user)->requests.data(), complete, MPI_STATUSES_IGNORE);
  }

  std::unique_ptr<State> state_ = std::make_unique<State>();
  covec_ranks ranks_ = {};
};

}  // namespace covec::host
