// Session: one running Covec and all that it owns: sources, names, modules and their values, memory, random numbers,
// output. Sessions share nothing. Each belongs to one thread at a time (only interrupt() may come from elsewhere).
//
// How a host uses it (the command and the embedding headers are such hosts):
//
//     Session session({.output = &my_output});
//     try {
//       session.run_file("model.covec");                        // statements of the file, in the module "main"
//       std::optional<Value> v = session.run_text("-e", "1+1");  // value of the last expression, if it is one
//       session.set_global("x", Value(2.0));
//       Value y = session.call(*session.find_global("f"), {Value(1.0)});
//     } catch (const CovecError& error) {
//       std::cerr << session.render(error);                     // every failure of a program comes as a CovecError
//     }
//
// A REPL feeds run_input() with a growing text while it answers `complete == false`. Deep recursion needs a big stack:
// wrap the whole use in run_on_big_stack() (session/stack.hpp), as the command does. On a host's own stack the depth is
// checked by address, and exceeding it is the same error. Values must not outlive their session.
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/core/builtins.hpp"
#include "frontend/resolve/resolve.hpp"
#include "frontend/source/diagnostic.hpp"
#include "frontend/source/text_limits.hpp"
#include "stdlib/display/display.hpp"
#include "stdlib/value/context.hpp"
#include "stdlib/value/function_ref.hpp"
#include "stdlib/value/value.hpp"

namespace covec::ops {
class Resolver;  // stdlib/gate/gate.hpp
}

namespace covec::cluster {
class Ranks;  // stdlib/cluster/ranks.hpp
}

namespace covec {

class Compiler;
class Interpreter;
class ModuleLoader;
class PromptScopes;
class Session;
class SessionProfile;
struct Module;

// Of one run or call from outside. 0: none but those that always hold.
struct RunLimits {
  std::chrono::microseconds time{0};  // on the wall's clock
  uint64_t printed = 0;               // bytes
  unsigned calls = 0;                 // open at once
};

struct SessionOptions {
  ops::Output* output = nullptr;            // nullptr: standard output and standard error
  ops::Input* input = nullptr;              // who answers input(); nullptr: nobody
  uint64_t memory_limit = 0;                // bytes of tensors; 0: three quarters of the machine's memory
  unsigned threads = 0;                     // for large operations; 0: all usable cores (or COVEC_THREADS)
  std::vector<std::string> arguments = {};  // what args() gives
  std::vector<std::string> search_path =
      {};  // directories for `import name`, after the importing file's and the built-in modules
  RunLimits run = {};
  TextLimits texts = {};
  ops::Resolver* resolver = nullptr;          // of modules that are not built in; nullptr: files
  std::shared_ptr<ops::Gate> gate = nullptr;  // what may leave the session; nullptr: all
  cluster::Ranks* ranks = nullptr;            // that run this program together; nullptr: it is alone
  bool use_environment = true;  // of no gate of one's own: append COVEC_PATH to search_path; COVEC_ENGINE, COVEC_ISA
                                // and COVEC_THREADS choose engine and kernels
  // For finding defects of Covec itself (COVEC_CHECK=1): what reads or writes beyond memory ends the process, in
  // compiled code with a line that says where. Slow.
  bool check = false;
  // How errors and warnings are written, each with a line's end.
  std::string (*render)(const Diagnostic&, const SourceMap&) = covec::render;
  bool debug_nan = false;        // runs eagerly, and ends at the first operator that makes a NaN or infinity of numbers
  bool keep_frames = false;      // after an error the variables of its calls can be looked at (SeenCalls)
  bool keep_interrupts = false;  // one that comes before a run ends it (false: it is late for the run before)
  // Compiles functions; null: everything runs eagerly. Set where a compiler is built in (interpreter/compiler.hpp).
  std::unique_ptr<Compiler> (*make_compiler)(Session&) = nullptr;
  bool keep_globals_on_error = true;  // a failing `x = f(x)` leaves x as it was (false: x may be moved into f, which is
                                      // what lets a script update large values in place through functions)
};

class Session {
 public:
  explicit Session(SessionOptions options = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Each runs in the module "main" and throws CovecError; what ran before the error keeps its effect. The value is that
  // of the last statement when it is an expression (also when it is none).
  std::optional<Value> run_file(const std::string& path);
  std::optional<Value> run_text(std::string_view name, std::string_view text);
  // Runs the text as the body of a function: the names that it assigns are its own, those of "main" can be read. Gives
  // the last function that it defines outside of blocks.
  Value run_enclosed(std::string_view name, std::string_view text);
  // Texts are pieces of this file: what they import is looked for beside it.
  void stand_for(const std::string& file);
  struct Input {
    bool complete = true;  // false: more lines could make it right; nothing has run
    std::optional<Value> value;
  };
  // `comment` documents a function that the text begins with; messages have the name.
  Input run_input(std::string_view text, std::string_view comment = {}, std::string_view name = "<input>");

  // Of a prompt that looks at variables: inputs run in a module of its own as if nothing else were open, and an error
  // of theirs does not replace the one that is looked at.
  PromptScopes& scopes();
  Input run_input_in(Module& scope, std::string_view text);

  // Calls any function value; the last keywords.size() arguments are named.
  Value call(const Value& function, std::vector<Value> args, std::span<const std::string_view> keywords = {}) {
    return call_moving(function, args, keywords);
  }
  // The arguments may be moved from.
  Value call_moving(const Value& function, std::span<Value> args, std::span<const std::string_view> keywords = {});

  // Runs body() as a call is run: metered, to be interrupted, and with what is thrown as a CovecError.
  void within(FunctionRef<void()> body);

  const Value* find_global(std::string_view name) const;  // nullptr: no such name, or no value yet
  void set_global(std::string_view name, Value value);
  std::vector<std::string_view> global_names() const;  // of "main", those that have values, in order of definition
  std::vector<std::string> member_names(const Value& module) const;  // of a module value, for completion
  std::vector<std::string> module_names() const;                     // what `import` finds by name
  // Reads the modules again that globals hold and that have changed, or import one that has, and gives the names their
  // new modules; false: none has changed. Where a new text fails, all is as before.
  bool reload_modules();
  void reset();  // forgets the globals of "main"; modules stay loaded

  // Functions marked @test, or @bench, in the order in which their definitions ran since the last take.
  struct Test {
    std::string name;
    Span place;
    Value function;
  };
  std::vector<Test> take_tests(bool benches = false);

  SessionProfile& profile();

  void interrupt() noexcept;          // may be called from a signal handler or another thread
  void interrupt_next() noexcept;     // the same, and where nothing runs, what runs next is stopped
  bool interrupted() const noexcept;  // asked for and not yet noticed
  void clear_interrupt() noexcept;
  std::string render(const CovecError& error) const;  // all diagnostics, as a terminal shows them
  // What print(value) writes, without its newline. CovecError: there is no memory for it, or it is interrupted.
  std::string text_of(const Value& value) const;
  // What the value looks like, as prompts and notebooks show it.
  display::Display display_of(const Value& value, const display::Options& options) const;

  std::optional<Value> builtin(std::string_view name);  // as a function or constant; nothing: there is none
  const Builtins& builtins() const;                     // for completion and ?name
  const SourceMap& sources() const;
  SourceMap& sources();
  Names& names();
  ops::Context& context();
  Interpreter& interpreter();           // for the compiler; hosts need it not
  ModuleLoader& modules();              // for checks
  std::shared_ptr<const void> texts();  // holds the texts that are there now

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// nullptr: it is no module, or has no such name.
const Value* find_member(const Value& module, std::string_view name);

}  // namespace covec
