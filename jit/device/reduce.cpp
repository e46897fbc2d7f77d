#include "jit/device/reduce.hpp"

namespace covec::runtime {

using source::DeviceReduction;

namespace {

void put_extents(DeviceArguments& arguments, const ReducedExtents& extents, int64_t blocks) {
  for (const int64_t number : {extents.n, extents.outer, extents.inner, blocks}) arguments.number(number);
}

int64_t parts(int64_t whole, int64_t part) { return (whole + part - 1) / part; }

class Reducing {
 public:
  Reducing(device::Accelerator& accelerator, const DeviceKernel& kernel, const ReducedExtents& extents,
           device::DeviceAddress result)
      : accelerator_(accelerator), kernel_(kernel), reduction_(*kernel.reduction), extents_(extents), result_(result) {}

  void run(bool flat, device::Handle flag, FunctionRef<void(DeviceArguments&)> rest) {
    DeviceArguments arguments(accelerator_);
    int64_t blocks = parts(extents_.n, reduction_.block());
    put_extents(arguments, extents_, blocks);
    if (kernel_.can_fail) arguments.memory(flag);
    DeviceArguments kept(accelerator_);  // has the partial results until they are joined
    device::DeviceAddress partial = place_for(blocks, kept);
    arguments.array(partial);
    arguments.array(result_);
    rest(arguments);
    const device::Function first = flat ? kernel_.flat : kernel_.strided;
    reduction_.last_axis ? arguments.launch_groups(first, extents_.outer * blocks, reduction_.lanes())
                         : arguments.launch(first, extents_.outer * extents_.inner * blocks);
    while (blocks > 1) {
      const int64_t left = reduction_.last_axis ? parts(blocks, DeviceReduction::joined) : 1;
      const device::DeviceAddress joined = place_for(left, kept);
      join(blocks, left, partial, joined);
      partial = joined;
      blocks = left;
    }
  }

 private:
  // Of partial results. Where one block is all there are none, and nothing is written there.
  device::DeviceAddress place_for(int64_t blocks, DeviceArguments& kept) const {
    if (blocks == 1) return result_;
    const int64_t each = reduction_.last_axis ? reduction_.lanes() : extents_.inner;
    return kept.scratch(static_cast<size_t>(extents_.outer * blocks * each) * size_of(reduction_.accumulator()),
                        reduction_.accumulator());
  }

  void join(int64_t blocks, int64_t left, device::DeviceAddress partial, device::DeviceAddress rest) {
    DeviceArguments arguments(accelerator_);
    put_extents(arguments, extents_, blocks);
    arguments.array(partial);
    arguments.array(rest);
    arguments.array(result_);
    reduction_.last_axis ? arguments.launch_groups(kernel_.join, extents_.outer * left, reduction_.lanes())
                         : arguments.launch(kernel_.join, extents_.outer * extents_.inner);
  }

  device::Accelerator& accelerator_;
  const DeviceKernel& kernel_;
  const DeviceReduction& reduction_;
  const ReducedExtents extents_;
  const device::DeviceAddress result_;
};

}  // namespace

Value reduce_on_device(device::Accelerator& accelerator, Pool& pool, const DeviceKernel& kernel, bool flat,
                       const ReducedExtents& extents, const Shape& shape, device::Handle flag,
                       FunctionRef<void(DeviceArguments&)> rest) {
  const Dtype dtype = kernel.reduction->result();
  Value result = accelerator.blocks().make(pool, dtype, shape.empty() ? Shape{Dim(1)} : shape);
  std::vector<device::Blocks::Temporary> none;
  Reducing(accelerator, kernel, extents, accelerator.blocks().place_of(result.tensor(), none)).run(flat, flag, rest);
  return result;
}

}  // namespace covec::runtime
