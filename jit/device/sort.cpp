#include "jit/device/sort.hpp"

#include <bit>

#include "jit/device/arguments.hpp"
#include "jit/device/move.hpp"
#include "jit/source/device_library.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/order/order.hpp"
#include "stdlib/tensor/views.hpp"

namespace covec::runtime {

namespace {

enum Part { start, step, local, places, values };

// What a call asks for: `count` of each row along `axis`.
struct Sorting {
  unsigned axis;
  bool descending, gives_values;
  int64_t count;

  explicit Sorting(const ops::Call& call) {
    const Tensor& x = call.args[0].tensor();
    const bool first = call.entry.device == ops::DeviceForm::first_positions;
    axis = ops::normal_axis(call, ops::integer_argument(call, first ? 2 : 1), x.rank());
    descending = first || ops::flag_argument(call, 2);
    gives_values = call.entry.device == ops::DeviceForm::sort;
    count = first ? ops::integer_argument(call, 1) : x.dim(axis);
  }
};

// The keys and places of rows of one length, on the device.
class Sorter {
 public:
  Sorter(device::Accelerator& accelerator, Tensor& x)
      : accelerator_(accelerator),
        kept_(accelerator),
        x_(x),
        length_(x.dim(x.rank() - 1)),
        rows_(x.size() / length_),
        padded_(static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(length_)))),
        elements_(rows_ * padded_) {}

  bool fits() const { return accelerator_.blocks().has_room(static_cast<uint64_t>(elements_) * 2 * sizeof(int64_t)); }

  void run(bool descending) {
    const size_t bytes = static_cast<size_t>(elements_) * sizeof(int64_t);
    keys_ = kept_.scratch(bytes, Dtype::i64);
    places_ = kept_.scratch(bytes, Dtype::i64);
    begin(descending);
    constexpr int64_t block = source::device_sort_block;
    merge_locally(2, std::min(padded_, block));
    for (int64_t size = 2 * block; size <= padded_; size *= 2) {
      for (int64_t reach = size / 2; reach >= block; reach /= 2) merge(size, reach);
      merge_locally(size, size);
    }
  }

  void give(Tensor& result, int64_t count, Part part) {
    DeviceArguments arguments(accelerator_);
    for (const int64_t number : {rows_ * count, length_, padded_, count}) arguments.number(number);
    arguments.tensor(x_);
    arguments.array(places_);
    arguments.tensor(result);
    arguments.launch(kernel(part), rows_ * count);
  }

 private:
  void begin(bool descending) {
    DeviceArguments arguments(accelerator_);
    for (const int64_t number : {elements_, length_, padded_}) arguments.number(number);
    arguments.tensor(x_);
    arguments.array(keys_);
    arguments.array(places_);
    arguments.number(descending ? 1 : 0);
    arguments.launch(kernel(start), elements_);
  }
  void merge(int64_t size, int64_t reach) {
    DeviceArguments arguments(accelerator_);
    put(arguments, elements_ / 2, size, reach);
    arguments.launch(kernel(step), elements_ / 2);
  }
  void merge_locally(int64_t first, int64_t last) {
    if (first > last) return;
    constexpr int64_t block = source::device_sort_block;
    DeviceArguments arguments(accelerator_);
    put(arguments, elements_, first, last);
    arguments.launch_groups(kernel(local), (elements_ + block - 1) / block, block / 2);
  }
  void put(DeviceArguments& arguments, int64_t n, int64_t a, int64_t b) {
    arguments.number(n);
    arguments.array(keys_);
    arguments.array(places_);
    for (const int64_t number : {padded_, a, b}) arguments.number(number);
  }
  device::Function kernel(Part part) const {
    const char* const endings[] = {"_start", "_step", "_local", "_places", "_values"};
    return library_kernels(accelerator_, "sort_" + std::string(name_of(x_.dtype())), endings,
                           [&](const std::string& name) { return source::device_sort(x_.dtype(), name); })[part];
  }

  device::Accelerator& accelerator_;
  DeviceArguments kept_;
  Tensor& x_;
  const int64_t length_, rows_, padded_, elements_;
  device::DeviceAddress keys_{}, places_{};
};

// With `axis` last, or the last axis back at its place.
Value with_axis_last(const Value& x, unsigned axis, bool back) {
  std::vector<unsigned> order;
  const unsigned rank = x.tensor().rank();
  for (unsigned i = 0; i < rank; ++i) {
    if (back)
      order.push_back(i < axis ? i : i == axis ? rank - 1 : i - 1);
    else if (i != axis)
      order.push_back(i);
  }
  if (!back) order.push_back(axis);
  return permute_value(x, order);
}

}  // namespace

Value sort_on_device(device::Accelerator& accelerator, ops::Builder& builder, ops::Call& call) {
  const Type type = call.entry.type(builder, call);
  if (type.shape.elements() == 0) return Value::unbound();
  const Sorting sorting(call);
  Value x = with_axis_last(call.args[0], sorting.axis, false);
  if (!x.tensor().contiguous()) x = packed_on_device(accelerator, builder.pool(), x);
  if (x.is_unbound()) return x;
  Sorter sorter(accelerator, x.tensor());
  if (!sorter.fits()) return Value::unbound();
  Shape shape = x.tensor().shape();
  shape[shape.rank() - 1] = Dim(sorting.count);
  Value result = accelerator.blocks().make(builder.pool(), type.dtype, shape);
  sorter.run(sorting.descending);
  sorter.give(result.tensor(), sorting.count, sorting.gives_values ? values : places);
  return with_axis_last(result, sorting.axis, true);
}

std::optional<Sorted> sorted_on_device(device::Accelerator& accelerator, Pool& pool, Tensor& x) {
  Sorter sorter(accelerator, x);
  if (!sorter.fits()) return std::nullopt;
  Sorted sorted{accelerator.blocks().make(pool, x.dtype(), x.shape()),
                accelerator.blocks().make(pool, Dtype::i64, x.shape())};
  sorter.run(false);
  sorter.give(sorted.values.tensor(), x.size(), values);
  sorter.give(sorted.places.tensor(), x.size(), places);
  return sorted;
}

}  // namespace covec::runtime
