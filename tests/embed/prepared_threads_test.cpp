// Prepared calls on threads of their own, after their session, without malloc.
#include <pthread.h>
#include <xmmintrin.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <span>
#include <thread>

#include "prepared.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool counted = false;
#else
constexpr bool counted = true;
// glibc's, counted: libcovec's come here, too.
extern "C" void* __libc_malloc(size_t size);
extern "C" void* __libc_calloc(size_t count, size_t size);
extern "C" void* __libc_realloc(void* block, size_t size);
extern "C" void* __libc_memalign(size_t alignment, size_t size);
static std::atomic<uint64_t> mallocs{0};
static void* counted_block(void* block) {
  mallocs.fetch_add(1, std::memory_order_relaxed);
  return block;
}
extern "C" void* malloc(size_t size) { return counted_block(__libc_malloc(size)); }
extern "C" void* calloc(size_t count, size_t size) { return counted_block(__libc_calloc(count, size)); }
extern "C" void* realloc(void* block, size_t size) { return counted_block(__libc_realloc(block, size)); }
extern "C" void* aligned_alloc(size_t alignment, size_t size) {
  return counted_block(__libc_memalign(alignment, size));
}
extern "C" int posix_memalign(void** to, size_t alignment, size_t size) {
  *to = counted_block(__libc_memalign(alignment, size));
  return *to == nullptr ? 12 : 0;
}
#endif

namespace {

uint64_t blocks() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return 0;
#else
  return mallocs.load();
#endif
}

constexpr const char* text = R"(
seed(1)
w = randn(20, 20)
fn layer(x) = tanh(w @ x) + x
fn newton(x) { y = x
 while abs(y * y - x) > 1e-12 { y = (y + x / y) / 2 }
 return y }
fn damp(x) { k = 0
 while x > 0.1 and k < 700 { x = x * (0.99 + 0.001 * sin(x))
  k += 1 }
 return x }
fn fib(n) { if n < 2 { return n }
 return fib(n - 1) + fib(n - 2) }
fn depth(x, n) { if n < 1 { return x }
 return depth(x * 0.5, n - 1) + 1 }
fn halve(x, n) { if n < 1 { return x }
 return halve(x * 0.5 + x[0], n - 1) }
fn set(x) { y = x
 y[1] = 7.0
 y[0] = y[2]
 return y }
fn scatter(x, i) { y = zeros(6)
 y[i] += x
 return y }
fn ode(x) { for i in range(20) { x = x + 0.01 * stack((x[1], -sin(x[0]))) }
 return x }
)";

struct Function {
  const char *function, *types;
};
constexpr Function functions[] = {
    {"x -> sin(x) * x + 1", "f64"},
    {"grad((x, y, z) -> sin(x) * y + z * z, wrt=(0, 1, 2))", "f64, f64, f64"},
    {"grad(x -> sin(x[0]) * x[1] + x[2] * x[2])", "f64[3]"},
    {"layer", "f64[20]"},
    {"jacobian(layer)", "f64[20]"},
    {"grad(x -> sum(layer(x)))", "f64[20]"},
    {"newton", "f64"},
    {"fib", "i64"},
    {"halve", "f64[3], i64"},
    {"set", "f64[300]"},
    {"ode", "f64[2]"},
    {"grad(x -> sum(ode(x)))", "f64[2]"},
    {"(a, b) -> solve(a + 9 * eye(4), b)", "f64[4, 4], f64[4]"},
    {"x -> sum(x * x, axis=0)", "f64[100, 40]"},
    {"(a, b) -> a @ b", "f64[100, 70], f64[70, 90]"},
    {"(x, i) -> x[i]", "f64[30], i64[5]"},
    {"x -> exp(x) * 2 + x[0]", "f64[5000]"},
    {"a -> inv(a + 9 * eye(4))", "f64[4, 4]"},
    {"a -> det(a + 9 * eye(4))", "f64[4, 4]"},
    {"a -> cholesky(a @ transpose(a) + 9 * eye(6))", "f64[6, 6]"},
    {"grad((a, b) -> sum(solve(a + 9 * eye(4), b)))", "f64[4, 4], f64[4]"},
    {"x -> sort(x)", "f64[20]"},
    {"x -> cumsum(x)", "f64[20]"},
    {"x -> concat((x, x * 2))", "f64[20]"},
    {"x -> reshape(transpose(reshape(x, 4, 5)), 20)", "f64[20]"},
    {"a -> a[::-1, 1:3]", "f64[30, 40]"},
    {"x -> where(x > 1, x, -x)", "f64[20]"},
    {"x -> (argmax(x), max(x), mean(x), std(x), norm(x))", "f64[20]"},
    {"vmap((w, x) -> tanh(w @ x))", "f64[5, 3, 4], f64[5, 4]"},
    {"scatter", "f64[5], i64[5]"},
    {"(a, b) -> transpose(a @ b)", "f64[4, 5], f64[5, 6]"},
    {"x -> x + sum([sin(x[i]) * cos(x[i + 1]) for i in range(15)])", "f64[20]"},
    {"vmap(damp)", "f64[13]"},
    {"vmap(value_and_grad(damp))", "f64[13]"},
    {"x -> [ode(stack((a, 0.5)))[0] for a in x]", "f64[13]"},
    {"(x, y, z) -> exp(x) + (y * 2 + 1) * (z - y) / (1 + x * x) + tanh(x * y) * sin(z)",
     "f64[4, 1], f64[1, 5], f64[5]"},
};

TEST(PreparedThreads, NothingIsTakenFromMalloc) {
  if (!counted) GTEST_SKIP() << "sanitizers have a malloc of their own";
  Program program(text);
  for (const Function& each : functions) {
    PreparedCall call(program.session, program.value_of(each.function), each.types);
    ASSERT_NE(call.worker, nullptr);
    ASSERT_EQ(call.run(), COVEC_OK) << call.message();
    const uint64_t before = blocks();
    for (int i = 0; i < 100; ++i) call.run();
    EXPECT_EQ(blocks() - before, 0u) << each.function << " for " << each.types;
    EXPECT_EQ(call.run(), COVEC_OK);
  }
}

// Each worker on a thread of its own, while others are opened and closed, and their session is gone.
TEST(PreparedThreads, WorkersOutliveTheSession) {
  std::vector<std::unique_ptr<PreparedCall>> calls;
  std::vector<std::vector<Bytes>> wanted;
  {
    Program program(text);
    for (const Function& each : functions) {
      covec_value* const function = program.value_of(each.function);
      calls.push_back(std::make_unique<PreparedCall>(program.session, function, each.types));
      ASSERT_NE(calls.back()->worker, nullptr);
      wanted.push_back(called(program.session, function, *calls.back()));
    }
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (size_t k = 0; k < calls.size(); ++k) {
        PreparedCall own(*calls[k]);
        for (int run = 0; run < 20; ++run) {
          ASSERT_EQ(own.run(), COVEC_OK) << own.message();
          ASSERT_EQ(own.out, wanted[k]) << functions[k].function;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Of code that looks before each place in memory, and of the C that cc compiles.
TEST(PreparedThreads, EveryEngineGivesTheSame) {
  const auto outputs = [](const char* engine, const char* check, size_t count) {
    setenv("COVEC_ENGINE", engine, 1);
    setenv("COVEC_CHECK", check, 1);
    covec_options options{};
    options.use_environment = 1;
    covec_session* const session = covec_open(&options);
    EXPECT_EQ(covec_run(session, "program", text, nullptr), COVEC_OK);
    std::vector<std::vector<Bytes>> all;
    for (const Function& each : std::span(functions).first(count)) {
      covec_value* function = nullptr;
      EXPECT_EQ(covec_run(session, "function", each.function, &function), COVEC_OK);
      PreparedCall call(session, function, each.types);
      covec_release(function);
      for (int run = 0; run < 2; ++run) EXPECT_EQ(call.run(), COVEC_OK) << call.message();
      all.push_back(call.out);
    }
    EXPECT_EQ(covec_close(session), COVEC_OK);
    unsetenv("COVEC_ENGINE");
    unsetenv("COVEC_CHECK");
    return all;
  };
  constexpr size_t few = 10;  // cc takes its time
  auto wanted = outputs("", "0", std::size(functions));
  EXPECT_EQ(outputs("compiled", "1", std::size(functions)), wanted);
  wanted.resize(few);
  EXPECT_EQ(outputs("c99", "0", few), wanted);
}

TEST(PreparedThreads, ErrorsOutliveTheSession) {
  std::unique_ptr<PreparedCall> call;
  {
    Program program("fn f(x, i) =\n  x[i]");
    call = std::make_unique<PreparedCall>(program.session, program.get("f"), "f64[4], i64");
  }
  std::thread([&] {
    call->set(1, int64_t{4});
    EXPECT_EQ(call->run(), COVEC_ERROR);
    EXPECT_EQ(call->kind(), "index");
    EXPECT_EQ(call->place(), "program:2:5");
  }).join();
}

// On a stack of 256 KB: recursion ends with an error, and the worker goes on.
TEST(PreparedThreads, RecursionKeepsToTheThreadsStack) {
  Program program(text);
  PreparedCall calls[] = {{program.session, program.value_of("halve"), "f64[3], i64"},
                          {program.session, program.value_of("depth"), "f64, i64"}};
  for (PreparedCall& call : calls) {
    ASSERT_NE(call.worker, nullptr);
    const auto runs = [](void* given) -> void* {
      auto& call = *static_cast<PreparedCall*>(given);
      for (const int64_t deep : {int64_t{5}, int64_t{5000000}, int64_t{6}}) {
        call.set(1, deep);
        EXPECT_EQ(call.run(), deep > 6 ? COVEC_ERROR : COVEC_OK) << call.message();
        EXPECT_EQ(call.kind(), deep > 6 ? "limit" : "");
        EXPECT_EQ(covec_worker_error_line(call.worker) > 0, deep > 6) << call.place();
      }
      return nullptr;
    };
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, size_t{256} << 10);
    pthread_t thread;
    ASSERT_EQ(pthread_create(&thread, &attributes, runs, &call), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
  }
}

TEST(PreparedThreads, AWorkerKeepsToTheSessionsLimit) {
  covec_options options{};
  options.memory_limit = 4u << 20;
  covec_session* const session = covec_open(&options);
  covec_value* function = nullptr;
  ASSERT_EQ(covec_run(session, "f",
                      "(x, n) -> { y = outer(x, x)\n z = zeros(300, 300) if n > 0 else y\n"
                      " for i in range(n) { z = outer(z[i], z[i]) @ y }\n return sum(y @ z) + z[0, 0] }",
                      &function),
            COVEC_OK);
  PreparedCall call(session, function, "f64[300], i64");
  covec_release(function);
  EXPECT_EQ(covec_close(session), COVEC_OK);
  ASSERT_NE(call.worker, nullptr);
  call.set(1, int64_t{2});
  EXPECT_EQ(call.run(), COVEC_OK) << call.message();
  PreparedCall other(call);
  EXPECT_EQ(other.run(), COVEC_OK) << call.message();  // each has its own
}

TEST(PreparedThreads, AWorkerIsOneThreads) {
  Program program("fn f(n) { s = 0.0\n while n > 0 { s += sin(s) }\n return s }");
  PreparedCall call(program.session, program.get("f"), "f64");
  ASSERT_NE(call.worker, nullptr);
  std::atomic<covec_status> ended{COVEC_OK};
  for (int again = 0; again < 2; ++again) {
    std::atomic<bool> done{false};
    std::thread runs([&] {
      ended = call.run();
      done = true;
    });
    while (covec_worker_bind_input(call.worker, 0, call.in[0].data()) == COVEC_OK) std::this_thread::yield();
    EXPECT_EQ(covec_worker_run(call.worker), COVEC_MISUSE);
    EXPECT_EQ(covec_worker_close(call.worker), COVEC_MISUSE);
    EXPECT_EQ(covec_worker_bind_output(call.worker, 0, call.out[0].data()), COVEC_MISUSE);
    while (!done) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      covec_worker_interrupt(call.worker);
    }
    runs.join();
    EXPECT_EQ(ended, COVEC_INTERRUPTED);
    EXPECT_EQ(call.kind(), "interrupted");
  }
  covec_worker_interrupt(call.worker);  // late: forgotten
  call.set(0, -1.0);
  EXPECT_EQ(call.run(), COVEC_OK);
}

// The host's rounding changes nothing, and is the host's again afterwards.
TEST(PreparedThreads, TheHostsFloatingPointStateStays) {
  Program program("fn f(x) = x / 3.0");
  PreparedCall call(program.session, program.get("f"), "f64");
  call.set(0, 1.0);
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x6000u);  // towards zero
  EXPECT_EQ(call.run(), COVEC_OK);
  EXPECT_EQ(_mm_getcsr() & 0x6000u, 0x6000u);
  _mm_setcsr(before);
  EXPECT_EQ(call.number(), 1.0 / 3.0);
}

}  // namespace
