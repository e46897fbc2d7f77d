#include "interpreter/web/page.hpp"

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "interpreter/assist/completion.hpp"
#include "interpreter/session/session.hpp"
#include "interpreter/session/web/stack_size.hpp"
#include "interpreter/web/input.hpp"
#include "interpreter/web/output.hpp"
#include "stdlib/gate/web/files.hpp"
#include "stdlib/value/message.hpp"

namespace covec::page {

namespace {

class Page {
 public:
  Page(uint64_t memory, uint32_t calls) : session_(options(memory, calls)) { output_.serve(session_); }

  const Session& session() const { return session_; }
  void flush() { output_.flush(); }
  void give_line(std::string_view line) { input_.give(line); }

  int32_t run(const std::string& path, bool shows) {
    int32_t status = 0;
    session_.context().warned.clear();  // to the user each run is a program of its own
    try {
      run_file(path, shows);
    } catch (const CovecError& error) {
      status = status_after(error);
    }
    output_.flush();
    return status;
  }

 private:
  SessionOptions options(uint64_t memory, uint32_t calls) {
    SessionOptions given;
    given.output = &output_;
    given.input = &input_;
    given.memory_limit = memory;
    given.threads = 1;
    given.run.calls = calls;
    given.use_environment = false;
    given.keep_globals_on_error = false;
    return given;
  }

  void run_file(const std::string& path, bool shows) {
    const std::string* const text = gate::file_at(path);
    if (text == nullptr || !shows) {
      session_.run_file(path);
      return;
    }
    session_.stand_for(path);
    const std::optional<Value> value = session_.run_text(path, *text);
    if (value && !value->is_none()) output_.show(*value);
  }

  int32_t status_after(const CovecError& error) {
    if (error.diagnostics.front().kind == ErrorKind::ended) return session_.context().exit_status;
    output_.warn(session_.render(error));
    return 1;
  }

  Output output_;
  Input input_;
  Session session_;
};

std::unique_ptr<Page>& current() {
  static std::unique_ptr<Page> page;
  return page;
}

}  // namespace

}  // namespace covec::page

namespace {

// Bytes of the stack in memory. Engines have another one, for all else, and nobody can ask how much of it is left: full
// means a trap. In workers of Chromium it has 500 KB. There calls trap at 330,000 to 450,000 bytes of the one in memory
// that are in use (calls from blocks first, those within comprehensions last), and 64 KB of what is given stay unused.
// Whoever has a larger one gives more (tools/wasm/covec.js).
constexpr size_t usual_stack = 330'000;

}  // namespace

using covec::page::current;
using covec::page::Kind;

char* covec_page_room(size_t bytes) { return static_cast<char*>(std::malloc(bytes > 0 ? bytes : 1)); }

void covec_page_release(char* room) { std::free(room); }

void covec_page_start(size_t memory, size_t stack, uint32_t calls) {
  covec::set_stack_size(stack > 0 ? stack : usual_stack);
  current().reset();
  current() = std::make_unique<covec::page::Page>(memory, calls);
}

void covec_page_give_file(const char* path, size_t path_length, const char* bytes, size_t count) {
  covec::gate::give_file({path, path_length}, {bytes, count});
}

void covec_page_tell_files() {
  for (const std::string& path : covec::gate::all_files()) covec::page::tell(Kind::path, path);
}

void covec_page_tell_file(const char* path, size_t path_length) {
  if (const std::string* bytes = covec::gate::file_at({path, path_length})) covec::page::tell(Kind::bytes, *bytes);
}

int32_t covec_page_run(const char* path, size_t path_length, int32_t shows) {
  return current()->run({path, path_length}, shows != 0);
}

void covec_page_give_line(const char* bytes, size_t count) { current()->give_line({bytes, count}); }

void covec_page_flush() { current()->flush(); }

size_t covec_page_complete(const char* text, size_t length) {
  const covec::editor::Completion found = covec::complete(current()->session(), {text, length});
  for (const std::string& candidate : found.candidates) covec::page::tell(Kind::candidate, candidate);
  return found.from;
}
