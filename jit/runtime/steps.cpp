// Runs the steps that a compiled function's code asks for: one function for each kind of step.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

#include "jit/device/code.hpp"
#include "jit/device/move.hpp"
#include "jit/runtime/activation.hpp"
#include "jit/runtime/host_steps.hpp"
#include "jit/runtime/launch.hpp"
#include "jit/runtime/lists.hpp"
#include "jit/runtime/meter.hpp"
#include "jit/runtime/product_launch.hpp"
#include "jit/runtime/row_run.hpp"
#include "jit/runtime/row_tile_run.hpp"
#include "jit/runtime/vector_loop.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/small_vector.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::runtime {

using loops::Operand;
using loops::Step;
using Kind = Step::Kind;

namespace {

// Stands for a variable that has got no value.
Value empty_value(const loops::Plan& plan, Pool& pool, const Step& step) {
  const ir::ValueInfo& info = plan.graph->values[static_cast<size_t>(step.number)];
  if (info.list) return make_list({});
  const int64_t extents[max_rank] = {};
  return make_tensor(pool, info.type.dtype, Shape(extents, info.type.shape.rank()));
}

}  // namespace

void Activation::perform(const Step& step) {
  switch (step.kind) {
    case Kind::apply: return apply(step);
    case Kind::launch: return launch(step);
    case Kind::move: return slots_.move(step);
    case Kind::drop: return slots_.drop(step);
    case Kind::box: {
      Value value = slots_.taken(step.operands[0]);
      slots_.drop(step);
      return slots_.give(step.results[0], std::move(value));
    }
    case Kind::undefined: return slots_.give(step.results[0], empty_value(plan_, host_->eager().pool(), step));
    case Kind::dimension: {
      const Value& x = slots_[step.operands[0].slot];
      Value extent(x.tensor().dim(static_cast<unsigned>(step.number)));
      if (step.operands[0].last) slots_[step.operands[0].slot] = Value();
      slots_.drop(step);
      return slots_.give(step.results[0], std::move(extent));
    }
    case Kind::interpret: return interpret(plan_, *host_, step, slots_);
    case Kind::call: return call(plan_, *host_, step, slots_);
    case Kind::invoke: return invoke(step);
    case Kind::push: return stacks_->values(static_cast<size_t>(step.number)).push(slots_.taken(step.operands[0]));
    case Kind::pop: return slots_.give(step.results[0], stacks_->values(static_cast<size_t>(step.number)).pop());
    case Kind::grow: return stacks_->grow(static_cast<size_t>(step.number));
    case Kind::room: return make_room(slots_[step.operands[0].slot]);
    case Kind::list_push: return list_push(step, slots_);
    case Kind::list_item:
      if (!list_item(step, slots_)) apply(step);
      return;
    case Kind::list_set:
      if (!list_set(step, slots_)) apply(step);
      return;
    case Kind::vector_loop: return vector_loop(step);
    case Kind::row_tiles: return run_row_tiles(step);
    case Kind::fetch: return fetch(step);
    case Kind::interrupt: return kernels::poll_interrupt(host_->eager().context());
    case Kind::again:
      failed = 0;
      host_->replay(Host::Again::routine);
      return;
    case Kind::assertion: throw OpError{"assertion", step.operands[0].value.string().text, {}, {}, nullptr};
    case Kind::pause: paused_ = slots_.taken(step.operands[0]); return slots_.drop(step);
  }
}

namespace {

// Numbers of one dtype as a tensor.
Value stacked_on_host(Pool& pool, std::span<const Value> numbers) {
  const Dtype dtype = numbers[0].scalar_dtype();
  const size_t size = size_of(dtype);
  Tensor* const tensor = Tensor::empty(pool, dtype, {Dim(static_cast<int64_t>(numbers.size()))});
  std::byte* to = tensor->data();
  for (const Value& number : numbers) {
    std::memcpy(to, number.scalar_data(), size);
    to += size;
  }
  return Value::adopt(tensor);
}

}  // namespace

void Activation::apply(const Step& step) {
  if (step.unless_done && slots_[step.operands[1].slot].is_none()) {
    Value done = slots_.taken(step.operands[0]);
    slots_.drop(step);
    return slots_.give(step.results[0], std::move(done));
  }
  slots_.with_room(step.operands.size(), [&](std::span<Value> all) { apply(step, all); });
}

// `all` becomes the operands.
void Activation::apply(const Step& step, std::span<Value> all) {
  slots_.take_operands(step, all);
  if (step.stacks_numbers && backend_.device == nullptr)
    return slots_.give(step.results[0], stacked_on_host(host_->eager().pool(), all.subspan(step.parameters)));
  if (backend_.device != nullptr) [[unlikely]] {
    if (step.stacks_numbers && std::ranges::any_of(all, &Value::is_tensor))
      return slots_.give(step.results[0], stacked_on_device(backend_.device->accelerator(), host_->eager().pool(),
                                                            all.subspan(step.parameters)));
    backend_.device->number_stays = step.stays;
  }
  const ops::Effects& effects = step.entry->effects;
  if (effects.prints || effects.outside || effects.calls) host_->note_effect();
  Value result = apply_at(plan_, *host_, step.place, *step.entry, all.first(step.parameters),
                          all.subspan(step.parameters), step.literals);
  if (step.raises) fail(message("internal"), {"an operation that must fail did not"});
  slots_.give(step.results[0], std::move(result));
}

void Activation::launch(const Step& step) {
  const loops::Launch& launch = plan_.launches[static_cast<size_t>(step.number)];
  if (launch.product != loops::Launch::nowhere) {
    if (ProductLaunch(plan_, launch, backend_, *host_, slots_.all()).run()) return;
    apply(plan_.steps[launch.product]);
  }
  KernelLaunch(plan_, launch, backend_, *host_, slots_.all()).run(std::exchange(places_, {}));
}

void Activation::fetch(const Step& step) {
  if (backend_.device != nullptr) backend_.device->fetch_number(slots_[step.results[0]]);
}

void Activation::vector_loop(const Step& step) {
  const loops::VectorLoop& loop = plan_.vector_loops[static_cast<size_t>(step.number)];
  slots_.give(step.results[0], Value(VectorLoopRun(loop, backend_, *host_, slots_.all()).run()));
}

void Activation::perform_member(uint32_t index) {
  if (backend_.meter != nullptr) return measure(index);
  perform(plan_.steps[index]);
}

bool Activation::run_rows(const Step& step, const loops::RowTileSteps& row_tiles) {
  using Clock = std::chrono::steady_clock;
  if (backend_.meter == nullptr)
    return RowRun(plan_, row_tiles, backend_, host_->eager().context(), slots_.all()).run();
  Sample sample{.work = work_before(plan_, step, slots_.all())};
  const Clock::time_point begin = Clock::now();
  if (!RowRun(plan_, row_tiles, backend_, host_->eager().context(), slots_.all()).run()) return false;
  sample.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (add_work_after(plan_, step, slots_.all(), sample.work))
    backend_.meter->of(static_cast<size_t>(&step - plan_.steps.data())).add(sample);
  return true;
}

void Activation::run_row_tiles(const Step& step) {
  const loops::RowTileSteps& row_tiles = plan_.row_tiles[static_cast<size_t>(step.number)];
  if (backend_.device == nullptr) {
    if (run_rows(step, row_tiles)) return;
    const auto perform = [&](uint32_t member, std::span<const Value> places) {
      places_ = places;
      perform_member(member);
    };
    if (RowTileRun(plan_, row_tiles, host_->eager().context(), slots_.all(), perform).run()) return;
    places_ = {};
  }
  for (const loops::RowTileSteps::Member& member : row_tiles.members) {
    at_place(*host_, *plan_.graph, plan_.steps[member.step].place, [&] { perform_member(member.step); });
  }
}

// Where there may be too many calls the interpreter makes the whole call again, and says so.
void Activation::invoke(const Step& step) {
  constexpr size_t stack_bytes = 4096;  // more than one call takes of the machine's stack
  kernels::poll_interrupt(host_->eager().context());
  if (calls_left_ == unknown) calls_left_ = host_->calls_left(stack_bytes);
  if (calls_left_ <= static_cast<int64_t>(plan_.frames_inside)) host_->replay(Host::Again::too_deep);
  const Function& function = backend_.functions[static_cast<size_t>(step.number)];
  Lease lease(*function.plan);
  lease.activation().invoke(step, *function.backend, *this);
}

// What a step raises is the program's error, in its place: no memory and interrupts too.
void Activation::keep_error(const Step& step) noexcept {
  try {
    host_->raise(current_error(), *plan_.graph, step.place);
  } catch (...) {
    error_ = std::current_exception();
  }
}

}  // namespace covec::runtime
