// A host with its own `operator new`: every block that it hands out is marked, and one that comes back without the
// mark, from another allocator, ends the test. With two C++ libraries in one process some would.
#include <covec/covec.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace {

constexpr size_t room = 64;  // before each block: its mark, and alignment for everything that is not asked for more
constexpr unsigned long long mark = 0xc0fec0fec0fec0feull;
std::atomic<long> blocks{0}, handed_out{0};

void* take(size_t bytes, size_t alignment) {
  const size_t before = alignment > room ? alignment : room;
  auto* raw = static_cast<char*>(std::aligned_alloc(before, (bytes + 2 * before - 1) / before * before));
  if (raw == nullptr) throw std::bad_alloc();
  auto* header = reinterpret_cast<unsigned long long*>(raw + before - 16);
  header[0] = mark;
  header[1] = before;
  ++blocks;
  ++handed_out;
  return raw + before;
}

void give_back(void* block) noexcept {
  if (block == nullptr) return;
  auto* header = reinterpret_cast<unsigned long long*>(static_cast<char*>(block) - 16);
  if (header[0] != mark) {
    std::fputs("a block of another allocator\n", stderr);
    std::abort();
  }
  header[0] = 0;
  --blocks;
  std::free(static_cast<char*>(block) - header[1]);
}

}  // namespace

void* operator new(size_t bytes) { return take(bytes, 1); }
void* operator new[](size_t bytes) { return take(bytes, 1); }
void* operator new(size_t bytes, std::align_val_t alignment) { return take(bytes, static_cast<size_t>(alignment)); }
void* operator new[](size_t bytes, std::align_val_t alignment) { return take(bytes, static_cast<size_t>(alignment)); }
void operator delete(void* block) noexcept { give_back(block); }
void operator delete[](void* block) noexcept { give_back(block); }
void operator delete(void* block, size_t) noexcept { give_back(block); }
void operator delete[](void* block, size_t) noexcept { give_back(block); }
void operator delete(void* block, std::align_val_t) noexcept { give_back(block); }
void operator delete[](void* block, std::align_val_t) noexcept { give_back(block); }
void operator delete(void* block, size_t, std::align_val_t) noexcept { give_back(block); }
void operator delete[](void* block, size_t, std::align_val_t) noexcept { give_back(block); }

namespace {

constexpr const char* program = R"(
import optim
@compile
fn f(x) { print(x.shape)
 return sum(exp(x) @ x) }
x = randn(60, 60)
grad(f)(x)
print(f"{sum(svd(x)[1]):.1f}", sort(x[0])[0:3], solve(x, x[0]).shape, [i * i for i in range(5)])
r = list()
for i in range(100) { r.push({a: i, b: "text " + str(i)}) }
vjp(y -> y * 2, 1.0)
)";

}  // namespace

int main() {
  const long before = blocks;
  for (int i = 0; i < 3; ++i) {
    covec::host::Session session({.threads = 2, .output = [](covec_stream, std::string_view text) {
                                    if (text.find("solve") != std::string_view::npos) std::printf("never");
                                  }});
    if (const auto run = session.run(program); !run) return std::printf("%s", run.error().text.c_str()), 1;
    if (session.run("f(")) return std::puts("no error"), 1;
    if (session.run("zeros(3) + zeros(4)")) return std::puts("no error"), 1;
  }
  // The library's own memory came from here too.
  std::printf("%s, %s\n", handed_out > 10000 ? "one allocator" : "another allocator",
              before <= blocks ? "kept" : "lost");
  return handed_out > 10000 ? 0 : 1;
}
