// Small stacks: a program that does not fit is an error, whatever it nests and however small the stack is.
#include <gtest/gtest.h>
#include <pthread.h>
#include <covec/covec.hpp>

#include <functional>
#include <string>

namespace {

using covec::host::Session;

void* run_body(void* body) {
  (*static_cast<std::function<void()>*>(body))();
  return nullptr;
}

void on_stack(size_t bytes, std::function<void()> body) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, run_body, &body), 0);
  pthread_attr_destroy(&attributes);
  pthread_join(thread, nullptr);
}

std::string times(int count, const std::string& text) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

struct Nesting {
  const char* what;
  std::string open, middle, close;
};

const Nesting nestings[] = {
    {"parentheses", "(", "1", ")"},
    {"tensors", "[", "1", "]"},
    {"calls", "sin(", "1.0", ")"},
    {"minuses", "-", "1", ""},
    {"powers", "2.0 ^ ", "1.0", ""},
    {"indices", "x[", "0", "]"},
    {"lambdas", "(y -> ", "1", ")"},
    {"records", "{a: ", "1", "}"},
    {"choices", "1 if true else ", "1", ""},
    {"blocks", "if true { ", "1", " }"},
    {"functions", "fn() { return ", "1", " }"},
    {"texts", "f\"{", "1", "}\""},
    {"comprehensions", "[", "1", " for i in range(1)]"},
    {"sums", "(1 + ", "1", ")"},
};

// With sanitizers frames are several times as large: what is left below the floor holds no kernel on smaller ones.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr size_t sizes[] = {2048, 4096};
#else
constexpr size_t sizes[] = {64, 96, 128, 192, 256, 512, 1024};
#endif

// Every size of stack times every depth: a value or an error each. What overflows ends the process.
TEST(Stacks, HoldWhatNestsOrSayThatTheyDoNot) {
  for (const size_t kilobytes : sizes) {
    for (const Nesting& nesting : nestings) {
      for (const int depth : {5, 20, 60, 200, 500, 990}) {
        on_stack(kilobytes << 10, [&] {
          Session session;
          (void)session.run("x = [0]");
          const auto value = session.run(times(depth, nesting.open) + nesting.middle + times(depth, nesting.close));
          if (!value) {
            EXPECT_EQ(value.error().status, COVEC_ERROR);
            EXPECT_FALSE(value.error().message.empty());
          }
        });
      }
    }
  }
}

// What is no deeper than people write runs on the smallest stack that is promised (docs/embedding.md).
TEST(Stacks, OfAQuarterOfAMegabyteRunPrograms) {
  on_stack(256 << 10, [] {
    Session session;
    auto value = session.run(R"(
import nn
@compile
fn f(x) = sum(exp(x @ x) / (1 + ((x * 2) ^ 2)))
fn fib(n) = n if n < 2 else fib(n - 1) + fib(n - 2)
x = randn(20, 20)
y = randn(70, 70)
g = compile((a, b, c) -> a + b.T * c.T - b[:, :1])
for z in list(y + y.T, g(y, y, f32(y)), g(y, f32(y), y)) { assert z.shape == (70, 70) }
sum(grad(f)(x)) * 0 + fib(10) + sum(svd(x)[1]) * 0 + sum(eigh(x + x.T)[0]) * 0 + det(x) * 0
)");
    ASSERT_TRUE(value) << value.error().text;
    EXPECT_EQ(value.value().text(), "55.0");
  });
}

TEST(Stacks, RecursionIsAnErrorOnEach) {
  for (const size_t kilobytes : {64, 128, 256, 1024}) {
    on_stack(kilobytes << 10, [] {
      Session session;
      const auto endless = session.run("fn f(x) = f(x + 1) + 1\nf(0)");
      ASSERT_FALSE(endless);
      EXPECT_EQ(endless.error().status, COVEC_ERROR);
    });
  }
}

}  // namespace
