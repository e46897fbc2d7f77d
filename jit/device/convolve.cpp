#include "jit/device/convolve.hpp"

#include <algorithm>
#include <array>

#include "jit/device/arguments.hpp"
#include "jit/device/move.hpp"
#include "jit/source/device_library.hpp"
#include "stdlib/convolution/convolve_plan.hpp"
#include "stdlib/tensor/views.hpp"

namespace covec::runtime {

namespace {

using kernels::Convolution;
using kernels::ImageAxis;

// Of the device's memory, for windows side by side.
constexpr uint64_t largest_share = 8;

enum PoolKernel { finds, reads, adds_up, averages, spreads };

device::Function pool_kernel(device::Accelerator& accelerator, Dtype dtype, PoolKernel which) {
  const char* const endings[] = {"_places", "_read", "_add", "_mean", "_spread"};
  return library_kernels(accelerator, "pools_" + std::string(name_of(dtype)), endings,
                         [&](const std::string& name) { return source::device_pools(dtype, name); })[which];
}

// false: one is too large.
template <size_t n>
bool put_words(const std::array<int64_t, n>& numbers, int32_t* words) {
  for (size_t i = 0; i < n; ++i) {
    words[i] = static_cast<int32_t>(numbers[i]);
    if (words[i] != numbers[i]) return false;
  }
  return true;
}

Shape shape_of(std::initializer_list<int64_t> dims) {
  Shape shape;
  for (const int64_t dim : dims) shape.push_back(Dim(dim));
  return shape;
}

// (groups · channels, examples · positions) as what has its examples first: `shape` ends in channels, rows, columns.
Value examples_first(const Value& product, const Shape& shape, int64_t examples) {
  const unsigned rank = shape.rank();
  int64_t strides[max_rank];
  const int64_t positions = shape[rank - 2].number() * shape[rank - 1].number();
  strides[rank - 1] = 1;
  strides[rank - 2] = shape[rank - 1].number();
  strides[rank - 3] = examples * positions;
  int64_t step = positions;
  for (unsigned axis = rank - 3; axis-- > 0; step *= shape[axis].number()) strides[axis] = step;
  return view_at(product, 0, shape, strides);
}

}  // namespace

Value DeviceConvolutions::apply(ops::Builder& builder, ops::Call& call) {
  const Value& first = call.args[0];
  const Dtype dtype = first.tensor().dtype();
  if ((dtype != Dtype::f32 && dtype != Dtype::f64) || first.tensor().size() == 0) return Value::unbound();
  using Form = ops::DeviceForm;
  const Form form = call.entry.device;
  Pool& pool = builder.pool();
  if (form == Form::convolution || form == Form::convolution_input || form == Form::convolution_weight) {
    const ops::ConvolutionCall given = ops::describe_convolution(builder, call);
    const Value& second = call.args[1];
    if (given.leading != 1 || second.tensor().dtype() != dtype || second.tensor().size() == 0 ||
        given.type.shape.elements() == 0)
      return Value::unbound();
    return form == Form::convolution         ? convolve(pool, given, first, second)
           : form == Form::convolution_input ? convolve_input(pool, given, first, second)
                                             : convolve_weight(pool, given, first, second);
  }
  const Type type = call.entry.type(builder, call);
  if (type.shape.elements() == 0) return Value::unbound();
  if (form == Form::window_mean_spread) return pooled(pool, first, ops::describe_spread(call, type), type, spreads);
  if (form == Form::read_at_positions) return at_places(pool, first, call.args[1], type, false);
  if (form == Form::add_at_positions) return at_places(pool, first, call.args[1], type, true);
  const kernels::Pool2d windows = ops::describe_pool(call);
  if (form == Form::window_mean) return pooled(pool, first, windows, type, averages);
  const Value places = pooled(pool, first, windows, {Dtype::i64, type.shape}, finds);
  if (form == Form::window_argmax) return places;
  return places.is_unbound() ? places : at_places(pool, first, places, type, false);
}

Value DeviceConvolutions::packed(Pool& pool, const Value& x) {
  return x.tensor().contiguous() ? x : packed_on_device(accelerator_, pool, x);
}

// (groups, channels · window, examples · positions)
Value DeviceConvolutions::windows(Pool& pool, const Value& image, int64_t examples, int64_t groups, int64_t channels,
                                  const ImageAxis& rows, const ImageAxis& columns) {
  const Dtype dtype = image.tensor().dtype();
  const Shape shape = shape_of({groups, channels * rows.window * columns.window, examples * rows.out * columns.out});
  int32_t words[15];
  if (!put_words<15>(
          {groups, channels, rows.window, columns.window, examples, rows.out, columns.out, rows.source, columns.source,
           rows.before, columns.before, rows.stride, columns.stride, rows.dilation, columns.dilation},
          words) ||
      !accelerator_.blocks().has_room(static_cast<uint64_t>(shape.elements()) * size_of(dtype)))
    return Value::unbound();
  Value from = packed(pool, image);
  if (from.is_unbound()) return from;
  Value result = accelerator_.blocks().make(pool, dtype, shape);
  const char* const endings[] = {""};
  DeviceArguments arguments(accelerator_);
  arguments.number(shape.elements());
  arguments.tensor(result.tensor());
  arguments.tensor(from.tensor());
  arguments.bytes(words, sizeof words);
  arguments.launch(library_kernels(accelerator_, "windows_" + std::string(name_of(dtype)), endings,
                                   [&](const std::string& name) { return source::device_windows(dtype, name); })[0],
                   shape.elements());
  return result;
}

namespace {

DeviceProducts::Adjoint adjoint_of(const ops::ConvolutionCall& given) {
  return {given.zeros != 0 ? DeviceProducts::Adjoint::Way::leave : DeviceProducts::Adjoint::Way::none};
}

}  // namespace

Value DeviceConvolutions::convolve(Pool& pool, const ops::ConvolutionCall& given, const Value& x, const Value& w) {
  const Convolution& c = given.convolution;
  const Value right = windows(pool, x, c.examples, c.groups, c.in_channels, forwards(c.rows), forwards(c.columns));
  const Value weights = packed(pool, w);
  if (right.is_unbound() || weights.is_unbound()) return Value::unbound();
  const Shape& of_windows = right.tensor().shape();
  const Value left = reshape_value(pool, weights, shape_of({c.groups, c.out_channels, of_windows[1].number()}));
  const Value y = products_.product(pool, left.tensor(), right.tensor(),
                                    shape_of({c.groups, c.out_channels, of_windows[2].number()}), adjoint_of(given));
  return y.is_unbound() ? y : examples_first(y, given.type.shape, c.examples);
}

// By shares of the stride, as the processor does it (convolution/convolve_forms.cpp).
Value DeviceConvolutions::convolve_input(Pool& pool, const ops::ConvolutionCall& given, const Value& y,
                                         const Value& w) {
  const Convolution& c = given.convolution;
  const Value weights = packed(pool, w);
  if (weights.is_unbound()) return weights;
  Value x = accelerator_.blocks().make(pool, c.dtype, given.type.shape);
  clear_on_device(accelerator_, x.tensor());
  const int64_t width = c.columns.window, window = c.rows.window * width;
  for (int64_t i = 0; i < std::min(c.rows.stride, c.rows.in); ++i) {
    const kernels::Share rows(c.rows, i);
    for (int64_t j = 0; j < std::min(c.columns.stride, c.columns.in); ++j) {
      const kernels::Share columns(c.columns, j);
      if (rows.count == 0 || columns.count == 0) continue;
      const int64_t flipped_strides[] = {c.out_channels * c.in_channels * window, window, c.in_channels * window,
                                         -rows.step * width, -columns.step};
      const int64_t last =
          (rows.first + (rows.count - 1) * rows.step) * width + columns.first + (columns.count - 1) * columns.step;
      const Value flipped = packed_on_device(
          accelerator_, pool,
          view_at(weights, last, shape_of({c.groups, c.in_channels, c.out_channels, rows.count, columns.count}),
                  flipped_strides));
      const Value right = windows(pool, y, c.examples, c.groups, c.out_channels, rows.axis, columns.axis);
      if (flipped.is_unbound() || right.is_unbound()) return Value::unbound();
      const Shape& of_windows = right.tensor().shape();
      const Value left = reshape_value(pool, flipped, shape_of({c.groups, c.in_channels, of_windows[1].number()}));
      const Value part =
          products_.product(pool, left.tensor(), right.tensor(),
                            shape_of({c.groups, c.in_channels, of_windows[2].number()}), adjoint_of(given));
      if (part.is_unbound()) return part;
      const int64_t channels = c.groups * c.in_channels, image = c.rows.in * c.columns.in;
      const Shape shape = shape_of({c.examples, channels, rows.axis.out, columns.axis.out});
      const int64_t strides[] = {channels * image, image, c.rows.stride * c.columns.in, c.columns.stride};
      const Value from = examples_first(part, shape, c.examples);
      const Value to = view_at(x, rows.place * c.columns.in + columns.place, shape, strides);
      if (!copy_on_device(accelerator_, to.tensor(), from.tensor())) return Value::unbound();
    }
  }
  return x;
}

Value DeviceConvolutions::convolve_weight(Pool& pool, const ops::ConvolutionCall& given, const Value& y,
                                          const Value& x) {
  const Convolution& c = given.convolution;
  const Value columns = windows(pool, x, c.examples, c.groups, c.in_channels, forwards(c.rows), forwards(c.columns));
  const Value cotangent = packed(pool, y);
  if (columns.is_unbound() || cotangent.is_unbound()) return Value::unbound();
  const int64_t positions = c.rows.out * c.columns.out, all = c.examples * positions;
  const int64_t weights = columns.tensor().dim(1);
  const int64_t of_y[] = {c.out_channels * positions, positions, c.groups * c.out_channels * positions, 1};
  const Value together = packed_on_device(
      accelerator_, pool, view_at(cotangent, 0, shape_of({c.groups, c.out_channels, c.examples, positions}), of_y));
  if (together.is_unbound()) return together;
  const Value left = reshape_value(pool, together, shape_of({c.groups, c.out_channels, all}));
  const int64_t transposed_strides[] = {weights * all, 1, all};
  const Value right = view_at(columns, 0, shape_of({c.groups, all, weights}), transposed_strides);
  const Value w = products_.product(pool, left.tensor(), right.tensor(), shape_of({c.groups, c.out_channels, weights}),
                                    adjoint_of(given));
  return w.is_unbound() ? w : reshape_value(pool, w, given.type.shape);
}

// --- pools ---

Value DeviceConvolutions::pooled(Pool& pool, const Value& x, const kernels::Pool2d& p, const Type& type, int kernel) {
  int32_t words[10];
  if (!put_words<10>({p.rows.in, p.columns.in, p.rows.out, p.columns.out, p.rows.window, p.columns.window,
                      p.rows.stride, p.columns.stride, p.rows.before, p.columns.before},
                     words))
    return Value::unbound();
  const Value from = packed(pool, x);
  if (from.is_unbound()) return from;
  Value result = accelerator_.blocks().make(pool, type.dtype, type.shape);
  DeviceArguments arguments(accelerator_);
  arguments.number(type.shape.elements());
  arguments.tensor(result.tensor());
  arguments.tensor(from.tensor());
  arguments.bytes(words, sizeof words);
  arguments.launch(pool_kernel(accelerator_, p.dtype, static_cast<PoolKernel>(kernel)), type.shape.elements());
  return result;
}

Value DeviceConvolutions::at_places(Pool& pool, const Value& from, const Value& places, const Type& type, bool adds) {
  const auto elements_of_image = [](const Shape& shape) {
    return shape[shape.rank() - 2].number() * shape[shape.rank() - 1].number();
  };
  const Value source = packed(pool, from), where = packed(pool, places);
  if (source.is_unbound() || where.is_unbound()) return Value::unbound();
  Value result = accelerator_.blocks().make(pool, type.dtype, type.shape);
  const Shape& image = adds ? type.shape : from.tensor().shape();
  const Shape& outside = adds ? from.tensor().shape() : type.shape;
  const int64_t units = adds ? type.shape.elements() / elements_of_image(type.shape) : type.shape.elements();
  DeviceArguments arguments(accelerator_);
  arguments.number(units);
  arguments.tensor(result.tensor());
  arguments.tensor(source.tensor());
  arguments.tensor(where.tensor());
  arguments.number(elements_of_image(image));
  arguments.number(elements_of_image(outside));
  arguments.launch(pool_kernel(accelerator_, type.dtype, adds ? adds_up : reads), units);
  return result;
}

}  // namespace covec::runtime
