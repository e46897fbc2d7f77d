// Runs the steps that a compiled function's code asks for. Start at Activation::Perform: a function for each kind.
#include <algorithm>
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
#include "stdlib/ops/index/eager.hpp"
#include "stdlib/ops/index/index.hpp"
#include "stdlib/ops/random/ahead.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/small_vector.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::runtime {

using loops::Operand;
using loops::Step;

namespace {

// Stands for a variable that has got no value.
Value empty_value(const ir::ValueInfo& info, Pool& pool) {
  if (info.list) return make_list({});
  const int64_t extents[max_rank] = {};
  return make_tensor(pool, info.type.dtype, Shape(extents, info.type.shape.rank()));
}

}  // namespace

struct Activation::Perform {
  Activation& activation;
  const Step& step;

  void operator()(const loops::step::Apply& apply) const { activation.apply(step, apply); }
  void operator()(const loops::step::Raise& raise) const { activation.raise(step, raise.op); }
  [[noreturn]] void operator()(const loops::step::Assertion& assertion) const {
    throw OpError{"assertion", assertion.text, {}, {}, nullptr};
  }
  void operator()(loops::step::Replay) const {
    activation.failed = 0;
    activation.host_->replay(Host::Again::routine);
  }

  void operator()(loops::step::RunLaunch run) const { activation.launch(activation.plan_.launches[run.launch]); }
  void operator()(loops::step::RunVectorLoop run) const {
    VectorLoopRun loop(activation.plan_.vector_loops[run.loop], activation.backend_, *activation.host_,
                       activation.slots_.all(), *activation.stacks_);
    give(Value(loop.run()));
  }
  void operator()(const loops::step::RunLaneLoop& run) const {
    run_lane_loop(activation.plan_, run, activation.backend_, activation, activation.slots_.all(),
                  {activation.host_->eager().context(), activation.lane_room_});
  }
  void operator()(loops::step::RunRowTiles run) const {
    activation.run_row_tiles(step, activation.plan_.row_tiles[run.row_tiles]);
  }

  void operator()(loops::step::Move) const { activation.slots_.move(step); }
  void operator()(loops::step::Drop) const { activation.slots_.drop(step); }
  void operator()(loops::step::Box) const {
    Value value = taken(0);
    activation.slots_.drop(step);
    give(std::move(value));
  }
  void operator()(loops::step::Undefined undefined) const {
    give(empty_value(activation.plan_.graph->values[undefined.value], activation.host_->eager().pool()));
  }
  void operator()(loops::step::Dimension dimension) const {
    Value& x = activation.slots_[step.operands[0].slot];
    Value extent(x.tensor().dim(dimension.axis));
    if (step.operands[0].last) x = Value();
    activation.slots_.drop(step);
    give(std::move(extent));
  }
  void operator()(loops::step::Fetch) const {
    if (activation.backend_.device != nullptr)
      activation.backend_.device->fetch_number(activation.slots_[step.results[0]]);
  }

  void operator()(loops::step::Interpret interpreted) const {
    interpret(activation.plan_, *activation.host_, step, *interpreted.operation, activation.slots_);
  }
  void operator()(loops::step::CallValue) const { call(activation.plan_, *activation.host_, step, activation.slots_); }
  void operator()(loops::step::Invoke invoke) const {
    activation.invoke(step, activation.backend_.functions[invoke.function]);
  }
  void operator()(loops::step::Pause) const {
    activation.paused_ = taken(0);
    activation.slots_.drop(step);
  }
  void operator()(loops::step::PollInterrupt) const { kernels::poll_interrupt(activation.host_->eager().context()); }

  void operator()(loops::step::PushValue push) const { activation.stacks_->values(push.stack).push(taken(0)); }
  void operator()(loops::step::PopValue pop) const { give(activation.stacks_->values(pop.stack).pop()); }
  void operator()(loops::step::GrowNumbers grow) const { activation.stacks_->grow(grow.stack); }
  void operator()(const loops::step::DrawAhead& draw) const {
    ops::Context& context = activation.host_->eager().context();
    const bool keyed = !step.operands.empty();
    const uint64_t key =
        keyed ? static_cast<uint64_t>(activation.slots_[step.operands[0].slot].i64()) : context.random.key;
    ops::draw_ahead(context, draw.buffer, {key, context.random.calls});
  }

  void operator()(loops::step::MakeRoom) const { make_room(activation.slots_[step.operands[0].slot]); }
  void operator()(loops::step::ListPush) const { list_push(step, activation.slots_); }
  void operator()(const loops::step::ListSet& set) const {
    if (!list_set(step, activation.slots_)) activation.raise(step, set.op);
  }
  void operator()(const loops::step::ListItem& item) const {
    if (!list_item(step, activation.slots_)) activation.raise(step, item.op);
  }

 private:
  Value taken(size_t operand) const { return activation.slots_.taken(step.operands[operand]); }
  void give(Value&& result) const { activation.slots_.give(step.results[0], std::move(result)); }
};

void Activation::perform(const Step& step) { match(step.action, Perform{*this, step}); }

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

[[gnu::always_inline]] inline Value Activation::result_of(const Step& step, const loops::step::Operator& op,
                                                          std::span<Value> all) {
  const ops::Effects& effects = op.entry->effects;
  if (effects.outside || effects.calls) host_->note_effect();
  if (effects.prints) host_->note_print();
  return apply_at(plan_, *host_, step.place, op, all);
}

namespace {

const Value& number_of(const Operand& operand, const Slots& slots) {
  return operand.kind == Operand::Kind::slot ? slots[operand.slot] : operand.value;
}

// x[i] = number and x[i, j] = number where somebody else has x too: what a function that calls itself does with an
// argument. False: nothing has happened, as it is not that, or not as simple.
bool set_in_copy(const Step& step, const loops::step::Operator& op, Slots& slots, Pool& pool) {
  constexpr size_t before_indices = 3;  // operands: x, the number, what the indices are
  if (op.entry != &ops::index_update_entry() || !step.operands[0].last) return false;
  const size_t rank = step.operands.size() - before_indices;
  Value& x = slots[step.operands[0].slot];
  const Value &number = number_of(step.operands[1], slots), &indices = step.operands[2].value;
  if (!x.is_tensor() || x.tensor().rank() != rank || rank > 2) return false;
  if (indices.i64() != (rank == 1 ? ops::one_number : ops::two_numbers)) return false;
  if (!number.is_scalar() || number.scalar_dtype() != x.tensor().dtype()) return false;
  int64_t steps[2] = {};
  const auto in_range = [&] {
    for (size_t axis = 0; axis < rank; ++axis) {
      const Value& index = number_of(step.operands[before_indices + axis], slots);
      if (!index.is_integer() || !ops::plain_offset(x.tensor(), static_cast<unsigned>(axis), index, steps[axis]))
        return false;
    }
    return true;
  };
  if (!in_range()) return false;
  Tensor& own = writable(x, pool);
  in_range();  // now of that one
  const auto size = static_cast<int64_t>(size_of(own.dtype()));
  std::memcpy(own.data() + (steps[0] + steps[1]) * size, number.scalar_data(), static_cast<size_t>(size));
  if (step.results[0] != step.operands[0].slot) slots.give(step.results[0], std::move(x));
  slots.drop(step);
  return true;
}

}  // namespace

void Activation::apply(const Step& step, const loops::step::Apply& apply) {
  if (apply.unless_done && slots_[step.operands[1].slot].is_none()) {
    Value done = slots_.taken(step.operands[0]);
    slots_.drop(step);
    return slots_.give(step.results[0], std::move(done));
  }
  if (backend_.device == nullptr && set_in_copy(step, apply.op, slots_, host_->eager().pool())) return;
  slots_.with_room(step.operands.size(), [&](std::span<Value> all) { this->apply(step, apply, all); });
}

// `all` becomes the operands.
void Activation::apply(const Step& step, const loops::step::Apply& apply, std::span<Value> all) {
  slots_.take_operands(step, all);
  if (apply.stacks_numbers && backend_.device == nullptr)
    return slots_.give(step.results[0], stacked_on_host(host_->eager().pool(), all.subspan(apply.op.parameters)));
  if (backend_.device != nullptr) [[unlikely]] {
    if (apply.stacks_numbers && std::ranges::any_of(all, &Value::is_tensor))
      return slots_.give(step.results[0], stacked_on_device(backend_.device->accelerator(), host_->eager().pool(),
                                                            all.subspan(apply.op.parameters)));
    backend_.device->number_stays = apply.stays;
  }
  slots_.give(step.results[0], result_of(step, apply.op, all));
}

void Activation::raise(const Step& step, const loops::step::Operator& op) {
  slots_.with_room(step.operands.size(), [&](std::span<Value> all) {
    slots_.take_operands(step, all);
    if (backend_.device != nullptr) [[unlikely]]
      backend_.device->number_stays = false;
    result_of(step, op, all);
  });
  fail(message("internal"), {"an operation that must fail did not"});
}

void Activation::launch(const loops::Launch& launch) {
  if (launch.product != loops::Launch::nowhere) {
    if (ProductLaunch(plan_, launch, backend_, *host_, slots_.all()).run()) return;
    const Step& product = plan_.steps[launch.product];
    apply(product, std::get<loops::step::Apply>(product.action));
  }
  KernelLaunch(plan_, launch, backend_, *host_, slots_.all()).run(std::exchange(places_, {}));
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
    backend_.meter->add(static_cast<size_t>(&step - plan_.steps.data()), sample, loop);
  return true;
}

void Activation::run_row_tiles(const Step& step, const loops::RowTileSteps& row_tiles) {
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

// What a step raises is the program's error, in its place: no memory and interrupts too.
void Activation::keep_error(const Step& step) noexcept {
  try {
    host_->raise(current_error(), *plan_.graph, step.place);
  } catch (...) {
    error_ = std::current_exception();
  }
}

}  // namespace covec::runtime
