// Plan: everything that running a compiled function needs beside its machine code. It holds the program and a
// description of each step that the code asks the runtime for (jit/runtime/steps.cpp). build() makes it once; then it
// never changes. It serves one thread at a time, because calls share its spare memory and its Values' reference counts.
// Another thread has a plan of its own (jit/prepared/plan_copy.hpp) and the same machine code. Start at Step, then
// Launch.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "jit/ir/graph.hpp"
#include "jit/loops/program.hpp"

namespace covec::loops {

// Where a step finds a value.
struct Operand {
  enum class Kind : uint8_t {
    constant,  // `value`
    slot,
    tree,  // `value` with the contents of slot id(symbol) for each Symbol in it
  };
  Kind kind = Kind::constant;
  bool last = false;  // slot: nobody needs it afterwards, so it is moved out
  SlotId slot = 0;
  Value value;
};

// What a step does: one struct for each kind. Operands, results and drops are the step's own (Step, below).
namespace step {

// An operator and how it takes operands: the first `parameters` of them, then the rest.
struct Operator {
  const ops::Entry* entry = nullptr;
  uint32_t parameters = 0;
  uint32_t literals = 0;  // as in ops::Call
};

// results[0] = op(operands).
struct Apply {
  Operator op;
  const ir::Operation* operation = nullptr;  // of the graph; a prepared call has none
  // If operands[1] is none, the launch before (Launch::into) has stored the elements, and operands[0] is the result.
  bool unless_done = false;
  bool stays = false;           // the result is a number that may stay on a device
  bool stacks_numbers = false;  // `stack`, of numbers that may lie on a device
};
// Applies op(operands) where it is known to fail, which raises its error.
struct Raise {
  Operator op;
};
// Raises that an assertion does not hold (prepared calls, covec emit).
struct Assertion {
  std::string text;
};
// Makes the interpreter run the whole call again.
struct Replay {};

struct RunLaunch {
  uint32_t launch = 0;  // of Plan::launches
};
// results[0] = the iterations made, an i64: all of them or none.
struct RunVectorLoop {
  uint32_t loop = 0;  // of Plan::vector_loops
};
// Computes iterations of a loop, from that in slot `first` on, before `count`. Afterwards `first` is the first that is
// left, and `next` the one before which nothing is gained by asking again. All are i64s.
struct RunLaneLoop {
  uint32_t loop = 0;  // of Program::lane_loops
  SlotId first = 0, count = 0, next = 0;
};
// Runs steps that the code does not call itself.
struct RunRowTiles {
  uint32_t row_tiles = 0;  // of Plan::row_tiles
};

struct Move {};  // results[k] = operands[k], all at once
struct Drop {};  // only `drops`
struct Box {};   // results[0] = operands[0]
// results[0] = a tensor of the type of the graph's `value` without elements, or a list without items: what it has of
// them may be looked at.
struct Undefined {
  ir::Id value = 0;
};
// results[0] = the extent of operands[0] along `axis`; the graph calls it `value`.
struct Dimension {
  uint32_t axis = 0;
  ir::Id value = 0;
};
// Copies the number in results[0] to the host, if it is on a device.
struct Fetch {};

// results = what the statements of `operation` leave, given operands.
struct Interpret {
  const ir::Operation* operation = nullptr;
};
// results[0] = operands[0](operands[1…]).
struct CallValue {};
// results = what a compiled function gives of operands[1…], operands[0] calls deeper.
struct Invoke {
  uint32_t function = 0;  // of Code::functions
};
// Ends the call for now; operands[0] is its result so far.
struct Pause {};
// Called by instruction::Poll. Raises if the session is to stop.
struct PollInterrupt {};

// Pushes operands[0] onto a stack of Values.
struct PushValue {
  uint32_t stack = 0;
};
// results[0] = the last one of a stack of Values; the graph calls it `value`.
struct PopValue {
  uint32_t stack = 0;
  ir::Id value = 0;
};
// Makes room on a stack of numbers.
struct GrowNumbers {
  uint32_t stack = 0;
};

// Draws scalars ahead: those of the calls to come that a buffer has (stdlib/ops/random/ahead.hpp). The operator draws
// one of them. operands[0], if there is one: the key, in place of the session's.
struct DrawAhead {
  Operator op;
  uint32_t buffer = 0;
};

// The list in operands[0]'s slot becomes nobody else's, with room for another item.
struct MakeRoom {};
// --- lists of tensors. ListPush and ListSet change the list where it lies. Where there is no such item, `op` raises
// the error ---

// Puts operands[1] at the end of operands[0].
struct ListPush {};
// Item operands[1] of operands[0] = operands[2].
struct ListSet {
  Operator op;
};
// results[0] = item operands[1] of operands[0].
struct ListItem {
  Operator op;
};

using Action = std::variant<Apply, Raise, Assertion, Replay, RunLaunch, RunVectorLoop, RunLaneLoop, RunRowTiles, Move,
                            Drop, Box, Undefined, Dimension, Fetch, Interpret, CallValue, Invoke, Pause, PollInterrupt,
                            PushValue, PopValue, GrowNumbers, DrawAhead, MakeRoom, ListPush, ListSet, ListItem>;

}  // namespace step

struct Step {
  static constexpr SlotId nowhere = UINT32_MAX;  // as a result: it is not wanted
  step::Action action = step::Drop{};
  uint32_t place = 0;  // of the graph's places
  std::vector<Operand> operands = {};
  std::vector<SlotId> results = {};
  std::vector<SlotId> drops = {};  // emptied once the operands have been taken

  template <class Alternative>
  bool is() const {
    return std::holds_alternative<Alternative>(action);
  }
  template <class Alternative>
  const Alternative* get_if() const {
    return std::get_if<Alternative>(&action);
  }
  // The operator that it applies; null where it applies none.
  const step::Operator* op() const {
    return match<const step::Operator*>(action, [](const auto& alternative) -> const step::Operator* {
      if constexpr (requires { alternative.op; })
        return &alternative.op;
      else
        return nullptr;
    });
  }
};

// Why a kernel does not hold the operation that an operand of its comes from as well (`covec explain`).
enum class Boundary : uint8_t {
  none,       // it holds all
  elsewhere,  // no elementwise operation of the same region made it
  order,      // an effect or a possible failure lies between
  placement,  // something between needs its result, or makes what it needs
  shape,      // it would be computed again for each row, or is needed in its own shape
  inputs,     // too many arrays
  size,       // too many instructions
};

// A kernel over tensors. Its operations in program order are kept as they are: when one of them fails, the kernel is
// replayed step by step (jit/runtime/launch.hpp), so that the first one that fails raises its own error.
struct Launch {
  struct Input {
    SlotId slot = 0;
    bool last = false;  // nobody needs it afterwards: a result may lie where it lies
    Dtype dtype = Dtype::f64;
  };
  // An argument of one of the operations.
  struct Source {
    enum class Kind : uint8_t { input, number, member, constant };
    Kind kind = Kind::constant;
    uint32_t index = 0;
    Value value;
  };
  struct Member {
    const ops::Entry* entry = nullptr;
    std::vector<Source> args;
    uint32_t operands = 0;  // the first args are operands, another one an integer attribute
    uint32_t literals = 0;
    uint32_t place = 0;
    ir::Id value = 0;
    Boundary boundary = Boundary::none;
    bool cheap = true;  // may be computed again for each row (fuse.hpp)
  };
  struct Output {
    uint32_t member = 0;
    SlotId slot = 0;
    Dtype dtype = Dtype::f64;
  };
  // The last member reduced at once, instead of being stored: entry(member, …).
  struct Reduction {
    const ops::Entry* entry = nullptr;
    std::vector<Value> attributes;
    uint32_t member = 0;
    uint32_t axes = 0;  // the set of axes: the first ones or the last ones of `rank`
    uint32_t rank = 0;
    bool keepdims = false;
    bool stays = false;  // it gives a number that may stay on a device
    uint32_t place = 0;
    Dtype dtype = Dtype::f64;  // of what is reduced
    SlotId slot = 0;
  };
  uint32_t kernel = 0;
  bool of_numbers = false;  // all operands and results are numbers: one element
  // The same kernel for inputs that are columns, one element for each row (keepdims), where rows are long: they are
  // uniform. Bit i: input i.
  static constexpr uint32_t no_kernel = UINT32_MAX;
  uint32_t row_kernel = no_kernel;
  uint64_t columns = 0;
  bool can_fail = false;  // its elements can
  // The step that follows: it puts the only output into a part of a tensor, where the kernel may as well make it.
  static constexpr uint32_t nowhere = UINT32_MAX;
  uint32_t into = nowhere;
  // The matrix product that the kernel goes on with, as a step that the code does not call itself: the launch makes it,
  // and where it can the kernel takes its rows as they are finished.
  uint32_t product = nowhere;
  std::vector<Input> inputs;
  std::vector<SlotId> numbers;
  std::vector<Dtype> number_dtypes;  // that the kernel takes them in
  std::vector<Member> members;
  std::vector<Output> outputs;        // in the order of the kernel's
  std::vector<Reduction> reductions;  // none or one: the kernel's last output
  uint64_t decisive = 0;              // bit i: all results are made of input i, and have its shape where that is whole
  uint32_t weight = 1;                // an element's work against that of one addition, roughly
  // For people.
  Shape extents;
  uint32_t bytes_read = 0, bytes_written = 0, flops = 0;  // for each element
};

// A loop without loops of its own, each iteration of which sets one element of each carried tensor: adjacent elements
// in successive iterations. A kernel does that for all iterations, if when the loop is entered
//
//   range   all elements that it reads and sets are there (and no index but a fixed one counts from the end),
//   order   no iteration reads what an earlier one has set; iterations in increasing order may read what a later one
//           sets,
//   steps   elements of successive iterations are adjacent in memory.
//
// Each iteration may also put a number on stacks and take one off others: a stack is then left as the iterations would
// leave it. Nothing in such a loop can fail but an index, and room on a stack.
struct VectorLoop {
  // An element of the tensor in `slot` for each iteration, or a number that each takes off a stack or puts there. With
  // neither: the iteration's number as an i64, counted from the iteration of the array's first element. Where the index
  // decreases, the last iteration has the first element.
  struct Access {
    static constexpr uint32_t fixed = UINT32_MAX, no_stack = UINT32_MAX;
    SlotId slot = Step::nowhere;
    uint32_t axis = fixed;            // along which it moves by one from iteration to iteration; fixed: it does not
    std::vector<Operand> first = {};  // in the first iteration: an i64 for each axis
    uint32_t stack = no_stack;        // of numbers; not used by another access
    Dtype dtype = Dtype::f64;         // of the numbers there
  };
  // What the kernel takes as a number.
  struct Number {
    enum class Kind : uint8_t {
      slot,
      element,
      iteration
    } kind = Kind::slot;  // iteration: of the first element of an array
    SlotId slot = 0;
    Access element = {};
  };
  // Iterations for which it is worth looking; more of short ones with stacks. Measured: such a loop of 16 iterations of
  // 5 ns takes 1.5 times as long at once, one of 32 iterations 0.8 times; of 15 ns 0.7 and 0.4 times.
  static constexpr int64_t few = 16, few_with_stacks = 32;
  static constexpr size_t short_iteration = 64;  // instructions
  int64_t fewest = few;
  static constexpr size_t max_arrays = 24, max_numbers = 16;  // of a loop
  // Nothing is set, and no kernel is needed: the loop is there for the errors of its indices.
  static constexpr uint32_t no_kernel = UINT32_MAX;
  uint32_t kernel = no_kernel;
  bool backwards = false;
  SlotId count = 0;
  std::vector<Access> reads;   // in the order of the kernel's inputs
  std::vector<Access> writes;  // in the order of its outputs; each of another slot
  std::vector<Number> numbers;
  std::vector<Dtype> dtypes;  // of the numbers
  uint32_t weight = 1;        // as of a Launch
};

// Steps that follow each other and go along one axis, the first of all that they make: launches, and reductions along
// other axes. Some rows at a time may go through all of them, so that what one step makes still lies in the cache when
// another needs it, and what none needs any more is never whole (row_tiles.hpp, jit/runtime/row_tile_run.hpp).
struct RowTileSteps {
  struct Member {
    uint32_t step = 0;
    std::vector<uint32_t> reads;  // of RowTileSteps::reads
    bool reads_made = false;      // what another member has made
    std::optional<Launch::Reduction> reduction =
        {};  // an operator of the library's that combines elements two at a time
  };
  // A tensor from outside. Of `rank` axes it has the rows, or is the same for all of them; of fewer the latter.
  struct Read {
    SlotId slot = 0;
    uint32_t rank = 0;
    bool last = false;  // nobody needs it afterwards
  };
  struct Made {
    SlotId slot = 0;
    bool needed = false;  // afterwards
    bool whole = false;   // its elements are those that a step goes over: nothing has been reduced
    Dtype dtype = Dtype::f64;
  };
  std::vector<Member> members;
  std::vector<Read> reads;
  std::vector<Made> made;
};

// What a runtime keeps with a plan between two calls.
struct Spare {
  virtual ~Spare() = default;
};

// A copy of a plan has none yet.
struct Spares {
  Spares() = default;
  Spares(const Spares&) {}
  Spares& operator=(const Spares&) = delete;
  ~Spares() = default;
  std::vector<std::unique_ptr<Spare>> kept;
  // Of a function that calls itself: the first `open` of `kept` belong to its open calls, the outermost one first.
  // `objects` are the slots that may hold more than a number when a call ends.
  size_t open = 0;
  std::vector<SlotId> objects;
};

// Why iterations of a loop that do not depend on each other are not computed side by side, in lanes of vectors.
struct LaneRefusal {
  uint32_t place = 0;  // of the loop
  const char* why = "";
  uint32_t at = 0;  // the place of what hinders; 0: of the loop
};

struct Plan {
  std::shared_ptr<const ir::Graph> graph;
  Program program;
  std::vector<Step> steps;
  std::vector<Launch> launches;
  std::vector<VectorLoop> vector_loops;
  std::vector<RowTileSteps> row_tiles;
  std::vector<LaneRefusal> lane_refusals;
  uint32_t slots = 0;
  std::vector<SlotId> inputs;                       // of the graph's parameters
  std::vector<std::pair<SlotId, Value>> constants;  // slots that hold one value for ever
  // By slot: whether the code itself reads or sets elements of a tensor there. What a device has is fetched before.
  // (`reads_elements`: there are such slots.)
  std::vector<bool> elements;
  bool reads_elements = false;
  bool draws = false;  // the code itself, by instruction::Draw, or it knows call numbers
  uint32_t number_stacks = 0;
  uint32_t value_stacks = 0;
  Operand result;
  std::vector<Operand> results;  // of a function that calls itself, in place of `result`
  // Of a call that pauses: a bool in slot `goes_on` tells the code that it is called for the second time; then what it
  // is given lies in the slots `given`. Slots and stacks are as it left them.
  bool pauses = false;
  SlotId goes_on = 0;
  struct Given {
    SlotId slot;
    Value absent;  // stands for one that is none; of a number 0, so that what is made of it without looking is a number
  };
  std::vector<Given> given;
  // Of a function that calls itself and has a routine: a bool in this slot says that none of its own calls has called
  // it. Then the routine is tried, which fails where the function's code has to say what is wrong.
  std::optional<SlotId> from_outside = {};
  uint32_t frames_inside = 0;  // of the graph: calls that are part of it and open at once
  // The function is steps[0], an operator applied to inputs and constants: it can be applied without running code.
  bool one_step = false;
  mutable Spares spare;
};

}  // namespace covec::loops
