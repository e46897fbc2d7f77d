#include "stdlib/cluster/mpi.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "stdlib/gate/library.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/floating_state.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::cluster {

namespace {

// A handle is a pointer (Open MPI) or an int (MPICH). As a word it is passed in the same place.
using Handle = uintptr_t;

struct Functions {
  int (*init_thread)(int*, char***, int, int*);
  int (*comm_rank)(Handle, int*);
  int (*comm_size)(Handle, int*);
  int (*comm_set_errhandler)(Handle, Handle);
  int (*iallgather)(const void*, int, Handle, void*, int, Handle, Handle, Handle*);
  int (*iallgatherv)(const void*, int, Handle, void*, const int*, const int*, Handle, Handle, Handle*);
  int (*ialltoallv)(const void*, const int*, const int*, Handle, void*, const int*, const int*, Handle, Handle,
                    Handle*);
  int (*ibcast)(void*, int, Handle, int, Handle, Handle*);
  int (*isend)(const void*, int, Handle, int, int, Handle, Handle*);
  int (*irecv)(void*, int, Handle, int, int, Handle, Handle*);
  int (*test)(Handle*, int*, void*);
  int (*abort)(Handle, int);
  int (*finalize)();
  int (*get_library_version)(char*, int*);
};

struct Constants {
  Handle world = 0, byte = 0, errors_return = 0;
  void* ignored_status = nullptr;
};

constexpr int serialized = 2;          // MPI_THREAD_SERIALIZED
constexpr size_t version_room = 8192;  // bytes; more than MPI_MAX_LIBRARY_VERSION_STRING of either library

std::vector<std::string> names_of(const Launch& launch) {
  if (!launch.library.empty()) return {launch.library};
  if (launch.abi == Abi::open_mpi) return {"libmpi.so.40"};
  return {"libmpich.so.12", "libmpi.so.12"};
}

std::string_view title_of(Abi abi) { return abi == Abi::open_mpi ? "Open MPI" : "MPICH"; }

class Library {
 public:
  explicit Library(const Launch& launch) : library_(names_of(launch)) {
    if (!library_) fail(message("mpi_missing"), {std::string(title_of(launch.abi)), library_.missing()});
    find_functions();
    find_constants();
  }

  const std::string& name() const { return library_.name(); }
  const Functions& call() const { return functions_; }
  const Constants& constant() const { return constants_; }

 private:
  void* find(const char* name) const {
    void* address = library_.address_of(name);
    if (address == nullptr) fail(message("mpi_library"), {library_.name(), name});
    return address;
  }
  template <class Function>
  void find(const char* name, Function& function) const {
    function = reinterpret_cast<Function>(find(name));
  }

  void find_functions() {
    find("MPI_Init_thread", functions_.init_thread);
    find("MPI_Comm_rank", functions_.comm_rank);
    find("MPI_Comm_size", functions_.comm_size);
    find("MPI_Comm_set_errhandler", functions_.comm_set_errhandler);
    find("MPI_Iallgather", functions_.iallgather);
    find("MPI_Iallgatherv", functions_.iallgatherv);
    find("MPI_Ialltoallv", functions_.ialltoallv);
    find("MPI_Ibcast", functions_.ibcast);
    find("MPI_Isend", functions_.isend);
    find("MPI_Irecv", functions_.irecv);
    find("MPI_Test", functions_.test);
    find("MPI_Abort", functions_.abort);
    find("MPI_Finalize", functions_.finalize);
    find("MPI_Get_library_version", functions_.get_library_version);
  }

  // Open MPI's constants are objects of the library; MPICH's are numbers of its binary interface.
  void find_constants() {
    const auto address = [&](const char* name) { return reinterpret_cast<Handle>(find(name)); };
    if (library_.address_of("ompi_mpi_comm_world") != nullptr) {
      constants_ = {address("ompi_mpi_comm_world"), address("ompi_mpi_byte"), address("ompi_mpi_errors_return"),
                    nullptr};
    } else {
      constants_ = {0x44000000, 0x4c00010d, 0x54000001, reinterpret_cast<void*>(uintptr_t{1})};
    }
  }

  gate::Library library_;
  Functions functions_{};
  Constants constants_;
};

// The handlers of signals, as they were before a library put its own in their place.
class SignalHandlersScope {
 public:
  SignalHandlersScope() {
    for (int signal = 1; signal < count; ++signal) is_kept_[signal] = sigaction(signal, nullptr, &kept_[signal]) == 0;
  }
  ~SignalHandlersScope() {
    for (int signal = 1; signal < count; ++signal) {
      if (is_kept_[signal]) sigaction(signal, &kept_[signal], nullptr);
    }
  }
  SignalHandlersScope(const SignalHandlersScope&) = delete;
  SignalHandlersScope& operator=(const SignalHandlersScope&) = delete;

 private:
  static constexpr int count = 32;  // the ordinary signals
  std::array<struct sigaction, count> kept_{};
  std::array<bool, count> is_kept_{};
};

class MpiRanks final : public Ranks {
 public:
  explicit MpiRanks(const Launch& launch) : launch_(launch) { leads_host = launch.local_rank == 0; }
  int rank() const override { return launch_.rank; }
  int size() const override { return launch_.size; }
  bool has_started() const override { return library_ != nullptr; }

  void start() override {
    if (library_ != nullptr) return;
    auto library = std::make_unique<Library>(launch_);
    initialize(*library);
    library_ = std::move(library);
  }

  void start_all_gather(std::span<const std::byte> mine, std::byte* all) override {
    const int count = static_cast<int>(mine.size());
    const Constants& c = library_->constant();
    began("MPI_Iallgather",
          library_->call().iallgather(mine.data(), count, c.byte, all, count, c.byte, c.world, &requests_[0]));
  }

  void start_all_gather(std::span<const std::byte> mine, std::span<const int> sizes, std::byte* all) override {
    taken_ = Layout(sizes);
    const Constants& c = library_->constant();
    began("MPI_Iallgatherv",
          library_->call().iallgatherv(mine.data(), static_cast<int>(mine.size()), c.byte, all, taken_.sizes.data(),
                                       taken_.begins.data(), c.byte, c.world, &requests_[0]));
  }

  void start_all_to_all(std::span<const std::byte> mine, std::span<const int> given, std::span<const int> taken,
                        std::byte* all) override {
    given_ = Layout(given);
    taken_ = Layout(taken);
    const Constants& c = library_->constant();
    began("MPI_Ialltoallv",
          library_->call().ialltoallv(mine.data(), given_.sizes.data(), given_.begins.data(), c.byte, all,
                                      taken_.sizes.data(), taken_.begins.data(), c.byte, c.world, &requests_[0]));
  }

  void start_broadcast(std::span<std::byte> bytes, int root) override {
    const Constants& c = library_->constant();
    began("MPI_Ibcast",
          library_->call().ibcast(bytes.data(), static_cast<int>(bytes.size()), c.byte, root, c.world, &requests_[0]));
  }

  void start_exchange(std::span<const std::byte> mine, int to, std::span<std::byte> received, int from) override {
    constexpr int tag = 0;
    const Constants& c = library_->constant();
    if (from >= 0) {
      began("MPI_Irecv", library_->call().irecv(received.data(), static_cast<int>(received.size()), c.byte, from, tag,
                                                c.world, &requests_[0]));
    }
    if (to >= 0) {
      began("MPI_Isend", library_->call().isend(mine.data(), static_cast<int>(mine.size()), c.byte, to, tag, c.world,
                                                &requests_[pending_]));
    }
  }

  bool test() override {
    while (pending_ > 0) {
      int is_complete = 0;
      check("MPI_Test",
            library_->call().test(&requests_[pending_ - 1], &is_complete, library_->constant().ignored_status));
      if (is_complete == 0) return false;
      --pending_;
    }
    return true;
  }

  void end() override { library_->call().finalize(); }

  void say(std::string_view text) override {
    std::cout.flush();
    std::cerr << text << std::flush;
  }

  std::string library() const override {
    std::string text(version_room, '\0');
    int length = 0;
    library_->call().get_library_version(text.data(), &length);
    text.resize(std::min(text.find_first_of("\n,"), static_cast<size_t>(std::max(length, 0))));
    std::ranges::replace(text, '\t', ' ');
    while (text.find("  ") != text.npos) text.erase(text.find("  "), 1);
    return text + " (" + library_->name() + ")";
  }

  std::string host() const override {
    char name[256] = {};
    return gethostname(name, sizeof name - 1) == 0 ? name : "?";
  }

 private:
  void end_all(int status) override {
    // A launcher passes on what a rank has written last, if it has the time: MPICH's ends the job at once.
    constexpr std::chrono::milliseconds for_output{100};  // chosen: 30 jobs of 30 showed all
    std::cout.flush();
    std::this_thread::sleep_for(for_output);
    library_->call().abort(library_->constant().world, status);
    std::_Exit(status);
  }

  void initialize(const Library& library) const {
    const SignalHandlersScope signals;
    int provided = 0, size = 0, rank = 0;
    const Handle world = library.constant().world;
    check("MPI_Init_thread", library.call().init_thread(nullptr, nullptr, serialized, &provided));
    FloatingState().set();
    check("MPI_Comm_size", library.call().comm_size(world, &size));
    check("MPI_Comm_rank", library.call().comm_rank(world, &rank));
    if (size != launch_.size || rank != launch_.rank) {
      fail(message("mpi_sizes"), {std::to_string(launch_.size), library.name(), std::to_string(size)}, {},
           "set COVEC_MPI to the library of the launcher: openmpi, mpich or a path");
    }
    check("MPI_Comm_set_errhandler", library.call().comm_set_errhandler(world, library.constant().errors_return));
  }

  // Where what goes to each rank, or comes of it, lies.
  struct Layout {
    Layout() = default;
    explicit Layout(std::span<const int> s) : sizes(s.begin(), s.end()), begins(s.size(), 0) {
      for (size_t i = 1; i < sizes.size(); ++i) begins[i] = begins[i - 1] + sizes[i - 1];
    }
    std::vector<int> sizes, begins;
  };

  void began(const char* function, int result) {
    check(function, result);
    ++pending_;
  }
  static void check(const char* function, int result) {
    if (result != 0) fail(message("mpi_failed"), {function, std::to_string(result)});
  }

  const Launch launch_;
  std::unique_ptr<Library> library_;
  std::array<Handle, 2> requests_{};
  size_t pending_ = 0;    // of them
  Layout given_, taken_;  // of the operation that runs
};

}  // namespace

std::unique_ptr<Ranks> mpi_ranks(const Launch& launch) { return std::make_unique<MpiRanks>(launch); }

}  // namespace covec::cluster
