// Bytes as a sequence of calls of the C API: sessions that open and close, texts, names, functions, shared memory,
// looks, errors, handles of other sessions and of closed ones, null in many places. Nothing may crash, each shared
// tensor is given back once, and a status fits what came with it. A byte chooses the call, the next ones its operands;
// see Calls::step().
#include <covec/covec.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace {

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

const char* const texts[] = {"1 + 1",
                             "x = [1.0, 2.0]; x",
                             "fn f(x) = x * 2\nf",
                             "@compile\nfn g(x) { t = 0.0\nfor i in range(len(x)) { t += x[i] }\nreturn t }\ng",
                             "f(x)",
                             "g(x)",
                             "x = f",
                             "1 // 0",
                             "fn (",
                             "",
                             "print(x)",
                             "grad(x -> sum(x^2))",
                             "x[0] = 5.0",
                             "list(x, {w: x}, \"text\", none)",
                             "vmap(f)(x)",
                             "fn k(a, b=2) { return (a, b) }\nk",
                             "print(zeros(3, 4)); ones(0, 3)",
                             "import optim\noptim",
                             "warn = grad(x -> 1.0)(2.0)",
                             "x = zeros(1000000)",
                             "x = \"a\\0b\"; x",
                             "checkpoint(g)",
                             "compile(f)",
                             "y -> y @ y"};
const char* const names[] = {"x", "f", "g", "nothing", "", "fn", "1", "optim", "pi", "ä", "sum", "a b"};

class Calls {
 public:
  Calls(const uint8_t* data, size_t size) : at_(data), end_(data + size) {}
  void run() {
    for (int count = 0; count < 60 && at_ != end_; ++count) step();
    finish();
  }

 private:
  static constexpr size_t room = 3, kept = 8;
  struct SharedMemory {
    std::vector<double> numbers;
    int released = 0;
    bool accepted = false;
  };

  uint8_t byte() { return at_ == end_ ? 0 : *at_++; }
  covec_session*& session() { return sessions_[byte() % room]; }
  // Null in one case of sixteen, where the interface says what comes of it.
  covec_value* value() {
    const uint8_t choice = byte();
    return choice >= 240 ? nullptr : values_[choice % kept];
  }
  std::string text() {
    const uint8_t choice = byte();
    if (choice < 200) return texts[choice % std::size(texts)];
    std::string own;
    for (size_t left = choice - 199; left > 0 && at_ != end_; --left) own += static_cast<char>(byte());
    return own.find("save") == std::string::npos && own.find("write") == std::string::npos ? own : "";
  }
  void keep(covec_status status, covec_value* made) {
    if (status != COVEC_OK && made != nullptr) fail("a value beside an error");
    if (made == nullptr) return;
    covec_value*& place = values_[byte() % kept];
    covec_release(place);
    place = made;
  }
  void check(covec_session* session, covec_status status) {
    if (status < COVEC_OK || status > COVEC_INTERRUPTED) fail("no such status");
    if (session == nullptr) return;
    const char* said = covec_error_text(session);
    if (said == nullptr || covec_error_message(session) == nullptr) fail("an error without a text");
    if ((status == COVEC_OK) != (std::strlen(said) == 0)) fail("the status and the text of the error disagree");
    covec_error_line(session);
  }

  void step() {
    switch (byte() % 12) {
      case 0: return open();
      case 1: return close();
      case 2:
      case 3: return run_text();
      case 4: return get();
      case 5: return set();
      case 6:
      case 7: return call();
      case 8: return share();
      case 9: return look();
      case 10: return release();
      default: return small();
    }
  }

  static void hear(void* user, covec_stream, const char* text, size_t bytes) {
    auto& heard = *static_cast<size_t*>(user);
    for (size_t i = 0; i < bytes; ++i) heard += static_cast<unsigned char>(text[i]);
  }
  void open() {
    covec_session*& place = session();
    if (place != nullptr) return;  // opening costs more than all else
    covec_options options = {};
    options.memory_limit = uint64_t{1} << (10 + byte() % 16);
    options.threads = 1;
    options.output = hear;
    options.user = &heard_;
    place = covec_open(&options);
    if (place == nullptr) fail("no session");
  }
  void close() {
    covec_session*& place = session();
    covec_close(place);
    place = nullptr;
  }
  void run_text() {
    covec_session* where = session();
    const std::string program = text();
    covec_value* made = nullptr;
    const uint8_t choice = byte();
    const covec_status status =
        covec_run(where, choice % 16 == 0 ? nullptr : "program", choice % 16 == 1 ? nullptr : program.c_str(),
                  choice % 4 == 0 ? nullptr : &made);
    check(where, status);
    keep(status, made);
  }
  void get() {
    covec_session* where = session();
    covec_value* made = nullptr;
    const covec_status status = covec_get(where, names[byte() % std::size(names)], &made);
    check(where, status);
    keep(status, made);
  }
  void set() {
    covec_session* where = session();
    const char* name = names[byte() % std::size(names)];
    check(where, covec_set(where, name, value()));
  }
  void call() {
    covec_session* where = session();
    covec_value* function = value();
    std::array<covec_value*, 3> arguments = {value(), value(), value()};
    covec_value* made = nullptr;
    const covec_status status = covec_call(where, function, arguments.data(), byte() % 4, &made);
    check(where, status);
    keep(status, made);
  }
  static void released(void* owner) { ++static_cast<SharedMemory*>(owner)->released; }
  void share() {
    static constexpr covec_dtype dtypes[] = {COVEC_BOOL, COVEC_I32, COVEC_I64,
                                             COVEC_F32,  COVEC_F64, static_cast<covec_dtype>(3)};
    covec_session* where = session();
    const uint8_t choice = byte();
    const unsigned rank = choice % 5;
    int64_t dims[4] = {}, count = 1;
    for (unsigned axis = 0; axis < rank; ++axis) count *= dims[axis] = byte() % 5;
    shared_.push_back(std::make_unique<SharedMemory>());
    SharedMemory& shared = *shared_.back();
    shared.numbers.resize(static_cast<size_t>(count));
    std::memset(shared.numbers.data(), byte() & 1, shared.numbers.size() * sizeof(double));
    if (choice >= 250) dims[0] = -1;
    covec_value* made = nullptr;
    const covec_status status =
        covec_lend(where, dtypes[byte() % std::size(dtypes)], rank, rank > 0 && choice == 200 ? nullptr : dims,
                   shared.numbers.empty() ? nullptr : shared.numbers.data(), released, &shared, &made);
    shared.accepted = status == COVEC_OK;
    check(where, status);
    keep(status, made);
  }
  void look() {
    covec_session* where = session();
    covec_value* value = this->value();
    covec_view view = {};
    const covec_status status = covec_look(where, value, &view);
    check(where, status);
    if (status == COVEC_OK) touch(view, 0, 0);
  }
  // Every element: a view that says too much is a read out of bounds.
  void touch(const covec_view& view, unsigned axis, int64_t offset) {
    if (axis == view.rank) {
      static constexpr size_t sizes[] = {1, 4, 8, 0, 0, 4, 8};
      heard_ += static_cast<const unsigned char*>(view.data)[static_cast<size_t>(offset) * sizes[view.dtype]];
      return;
    }
    for (int64_t i = 0; i < view.dims[axis] && i < 100; ++i) touch(view, axis + 1, offset + i * view.strides[axis]);
  }
  void release() {
    covec_value*& place = values_[byte() % kept];
    covec_release(place);
    place = nullptr;
  }
  void small() {
    covec_session* where = session();
    switch (byte() % 4) {
      case 0:
        if (where != nullptr) covec_interrupt(where);
        return;
      case 1: {
        covec_value* one = value();
        if (one != nullptr) heard_ += std::strlen(covec_text(one));
        return;
      }
      case 2: return check(where, covec_run_file(where, byte() % 2 == 0 ? "/nowhere.covec" : nullptr));
      default: heard_ += std::strlen(covec_version());
    }
  }

  // Sessions and values go in either order.
  void finish() {
    const bool sessions_first = byte() % 2 == 0;
    for (int round = 0; round < 2; ++round) {
      if ((round == 0) == sessions_first) {
        for (covec_session* session : sessions_) covec_close(session);
      } else {
        for (covec_value* value : values_) covec_release(value);
      }
    }
    for (const auto& shared : shared_) {
      if (shared->released != (shared->accepted ? 1 : 0)) fail("shared memory was not given back once");
    }
  }

  const uint8_t *at_, *end_;
  std::array<covec_session*, room> sessions_ = {};
  std::array<covec_value*, kept> values_ = {};
  std::vector<std::unique_ptr<SharedMemory>> shared_;
  size_t heard_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Calls(data, size).run();
  return 0;
}
