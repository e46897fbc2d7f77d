// Context: what a session shares with operators: memory, random numbers, output, the interrupt flag, the open
// transformations. No operator has state of its own; everything hangs from here.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stdlib/value/value.hpp"

namespace covec {
class Compiler;  // stdlib/value/compiler.hpp
class Pool;      // stdlib/tensor/pool.hpp
class Program;   // stdlib/cluster/program.hpp
struct Span;     // a place in the program: the engine's, opaque here (frontend/source/source.hpp)
}  // namespace covec

namespace covec::device {
class Devices;  // stdlib/device/devices.hpp
}

namespace covec::cluster {
class Ranks;  // stdlib/cluster/ranks.hpp
Ranks& alone();
}  // namespace covec::cluster

namespace covec::autodiff {
struct OpenLevel;  // stdlib/autodiff/level.hpp
}

namespace covec::ops {

struct Entry;
class EffectJournal;  // stdlib/gate/effect_journal.hpp
class Gate;           // stdlib/gate/gate.hpp
Gate& open_gate(bool environment);

// The terminal that an Output writes to: its size in characters, and whether it shows colours. 0 columns: there is
// none.
struct Screen {
  int columns = 0, rows = 0;
  bool colors = false;
};

class Output {
 public:
  virtual ~Output() = default;
  virtual void write(std::string_view text) = 0;                   // print
  virtual void warn(std::string_view text) = 0;                    // "warning: …" without place; the session adds one
  virtual void write_error(std::string_view text) { warn(text); }  // print(…, to="stderr")
  virtual void flush() {}                                          // before somebody is asked
  virtual Screen screen() const { return {}; }
  virtual void progress(std::string_view) {}  // lines to redraw in place; ignored when no terminal is there
  // What plot.show and its kin show. A host that shows more than text makes the value's other forms by display_of
  // (stdlib/display/display.hpp), or by covec_display.
  virtual void display(const Value&, std::string_view text) { write(text); }
};

// Who answers input().
class Input {
 public:
  virtual ~Input() = default;
  // The next line, without its end; false at the end of the input. Looks at `interrupt` while it waits.
  virtual bool read_line(std::string& line, const std::atomic<bool>* interrupt) = 0;
};

// Who answers breakpoint(): a person who looks at the variables of the open calls, and goes on or ends the program.
class Prompt {
 public:
  virtual ~Prompt() = default;
  virtual bool open() = 0;  // false: the program is to end here
};

// Philox4x32-10: the key is the seed, the counter (call number, element).
struct Random {
  uint64_t key = 0;
  uint64_t calls = 0;
};

struct DrawnAhead;  // stdlib/ops/random/ahead.hpp

enum class Isa : uint8_t { baseline, avx2, avx512 };

// One open vmap, outermost first: draws and prints happen for each of its examples. With `example` ≥ 0 the body is
// being run for that example alone.
struct OpenBatch {
  uint64_t level;
  Dim size;
  int64_t example = -1;
  // Prints made for each of its examples, and those that a vmap that starts again example by example has made already.
  int64_t prints_done = 0;
  int64_t prints_to_skip = 0;
  bool together = false;  // its examples are staged one by one; an error is that of all at once, as in eager code
};

// A progress bar that is under way, and what it last said.
struct Bar {
  const void* owner;
  std::string line;
};
using Bars = std::vector<Bar>;

class Activities;  // stdlib/ops/contract/activity.hpp

struct Context {
  Pool* pool = nullptr;
  Gate* gate = &open_gate(false);  // never nullptr: all that leaves the session goes through it
  Output* output = nullptr;
  Input* input = nullptr;        // nullptr: what runs this program gives it none
  Prompt* prompt = nullptr;      // nullptr: breakpoint() goes on
  Compiler* compiler = nullptr;  // nullptr: everything runs eagerly
  // While a call is under way that may be made again: what its outside effects have given. nullptr: there is none.
  EffectJournal* journal = nullptr;
  device::Devices* devices = nullptr;         // nullptr: there is the processor alone
  cluster::Ranks* ranks = &cluster::alone();  // never nullptr
  uint64_t collectives = 0;                   // that the program has made, alone or with other ranks
  bool in_part = false;                       // a part of parallel.map or parallel.sum is run: no collective may begin
  Program* program = nullptr;                 // nullptr: there is none
  // In a handler of all exceptions: whether a program's `try` would catch what is handled. nullptr: there is no
  // program.
  bool (*may_catch)() = nullptr;
  std::atomic<bool>* interrupt = nullptr;  // set from outside (Ctrl-C); kernels look at it (kernels/parallel.hpp)
  mutable uint64_t polls = 0;              // how often they have, on this thread: tests count them
  Random random;
  std::shared_ptr<DrawnAhead> drawn_ahead = nullptr;  // scalars of the calls to come; made by the first one
  uint64_t level = 0;                                 // of the innermost open transformation; 0: none
  uint64_t last_level = 0;                            // levels are numbered in order of opening and never used twice
  autodiff::OpenLevel* innermost = nullptr;
  std::vector<OpenBatch> batches;
  bool replaying = false;  // a compiled function's body is staged a second time, for its derivative
  bool trying = false;     // a function is run for the type of its result alone: functions of the host's are not called
  std::set<std::string, std::less<>> warned;  // warnings that come once in a session
  const Span* site = nullptr;                 // of what is being applied now: the tape remembers it (debug=true)
  std::span<const std::string> arguments;     // the command line's: what args() gives
  std::shared_ptr<Bars> bars = std::make_shared<Bars>();  // one inside the other, the outermost first
  int exit_status = 0;                                    // what exit(status) was given
  Isa isa = Isa::baseline;                                // what pointwise, reduce and product kernels use
  unsigned threads = 1;
  // The operator of the program whose derivative rule is run now, applied at `site`; nullptr: none.
  const Entry* rule_of = nullptr;
  Activities* activities = nullptr;  // nullptr: no profile is taken
};

}  // namespace covec::ops
