// Computes convolutions in bands. A band is a few rows of the result, whose part of the image stays in the second-level
// cache, now really padded. A band's windows are copied into the panels that product tiles read, one block of k at a
// time. With a stride of s, every s-th column is stored together, so windows are contiguous runs whatever the stride.
// Start at correlate().
#include <cstring>
#include <limits>
#include <optional>

#include "stdlib/convolution/convolve_plan.hpp"
#include "stdlib/convolution/windows.hpp"
#include "stdlib/kernels/gemm.hpp"

namespace covec::kernels {

namespace {

// Of a band's image: it stays in the second-level cache.
constexpr int64_t band_bytes = int64_t{1} << 18;
constexpr int64_t max_image_bytes = int64_t{1} << 28;  // of a band; beyond, elements are fetched one by one
constexpr int64_t max_chain_rows = 8;                  // channels for which panels are not worth their copying
constexpr int64_t slack = 64;                          // bytes that registers may read or write too many

int64_t saturated_product(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max() : product;
}

// Results [row_begin, row_end) × [column_begin, column_end): whole rows, or a part of one.
struct Band {
  int64_t row_begin, row_end, column_begin, column_end;
  int64_t width() const { return column_end - column_begin; }
  int64_t positions() const { return (row_end - row_begin) * width(); }
};

struct Cuts {
  int64_t rows, columns;  // of a band
  int64_t down, across;   // bands

  Band at(const Correlation& c, int64_t index) const {
    const int64_t row = index / across * rows, column = index % across * columns;
    return {row, std::min(c.rows.out, row + rows), column, std::min(c.columns.out, column + columns)};
  }
};

// How a channel of a band's image lies: rows of `phases` parts.
struct Layout {
  int64_t rows, phases, part;
  int64_t row() const { return phases * part; }
  int64_t channel() const { return rows * row(); }
};

Layout layout_of(const Correlation& c, int64_t rows, int64_t columns) {
  if (c.rows.as_it_lies() && c.columns.as_it_lies() && c.columns.stride == 1)
    return {c.rows.source, 1, c.columns.source};
  const int64_t width = c.columns.extent(columns), phases = std::min(c.columns.stride, width);
  return {c.rows.extent(rows), phases, (width + phases - 1) / phases};
}

class Correlating {
 public:
  Correlating(ops::Context& context, const Correlation& c)
      : context_(context),
        c_(c),
        kernel_(gemm_kernel_for(context.isa, c.dtype)),
        size_(kernel_.size),
        copy_(size_ == 4 ? windows_for(context.isa).copy4 : windows_for(context.isa).copy8),
        chain_(windows_for(context.isa).chain[static_cast<int>(compute_of(c.dtype))]),
        straight_(c.rows.as_it_lies() && c.columns.as_it_lies() && c.columns.stride == 1),
        cuts_(cut()),
        layout_(layout_of(c, cuts_.rows, cuts_.columns)),
        image_bytes_(image_bytes(cuts_.rows, cuts_.columns)),
        fetched_(!straight_ && image_bytes_ > max_image_bytes),
        by_rows_(!fetched_ && c.out_channels <= max_chain_rows && cuts_.columns >= kernel_.width),
        together_(examples_together()),
        image_step_(straight_ ? c.groups * c.channels * c.rows.source * c.columns.source
                              : c.channels * layout_.channel()),
        panel_bytes_(by_rows_ ? 0 : product_block * kernel_.tile_columns() * size_ + slack),
        offsets_(*context.pool, fetched_ ? 0 : static_cast<uint64_t>(c.k()) * sizeof(int64_t)) {
    if (fetched_ || straight_) {
      image_bytes_ = 0;
    } else if (together_ > 1) {
      image_bytes_ = (together_ * image_step_ * size_ / slack + 2) * slack;
    }
    if (!fetched_) find_offsets();
  }

  void run() {
    const int64_t units = (c_.examples + together_ - 1) / together_ * c_.groups * cuts_.down * cuts_.across;
    const int64_t result_bytes = together_ == 1 ? 0 : c_.out_channels * together_ * c_.positions() * size_;
    ScratchSlots slots(context_, static_cast<uint64_t>(image_bytes_ + panel_bytes_ + result_bytes));
    const auto body = [&](int64_t begin, int64_t end) {
      const ScratchSlots::Slot slot(slots);
      for (int64_t i = begin; i < end; ++i) compute(i, slot.data());
    };
    if (context_.threads > 1 && units > 1 && work() >= parallel_multiplications) {
      parallel_units(context_, units, 1, body);
    } else {
      for (int64_t i = 0; i < units; ++i) {
        poll_interrupt(context_);
        body(i, i + 1);
      }
    }
  }

 private:
  int64_t work() const {
    return saturated_product(saturated_product(c_.examples * c_.groups * c_.out_channels, c_.k()), c_.positions());
  }

  int64_t image_bytes(int64_t rows, int64_t columns) const {
    const Layout layout = layout_of(c_, rows, columns);
    const int64_t elements =
        saturated_product(saturated_product(c_.channels, layout.rows), saturated_product(layout.phases, layout.part));
    return std::min(saturated_product(elements, kernel_.size), int64_t{1} << 60) / slack * slack + 2 * slack;
  }

  // Bands as large as the cache likes, and enough of them for the threads.
  Cuts cut() const {
    int64_t rows = c_.rows.out, columns = c_.columns.out;
    while (rows > 1 && image_bytes(rows, columns) > band_bytes) rows = (rows + 1) / 2;
    const int64_t whole = c_.examples * c_.groups, wanted = 4 * int64_t{context_.threads};
    if (context_.threads > 1 && work() >= parallel_multiplications) {
      while (rows > 1 && whole * ((c_.rows.out + rows - 1) / rows) < wanted && rows * columns > 256)
        rows = (rows + 1) / 2;
    }
    if (rows == 1) {
      const int64_t least = 4 * kernel_.tile_columns();
      while (columns > least && image_bytes(1, columns) > band_bytes) columns = (columns + 1) / 2;
      columns = std::min(c_.columns.out, (columns + 63) / 64 * 64);
    }
    return {rows, columns, (c_.rows.out + rows - 1) / rows, (c_.columns.out + columns - 1) / columns};
  }

  // Small images are taken together, so that panels are full and the weights are read less often.
  int64_t examples_together() const {
    const int64_t enough = 8 * kernel_.tile_columns();
    if (by_rows_ || fetched_ || cuts_.down * cuts_.across > 1 || 2 * c_.positions() > enough) return 1;
    int64_t most = std::min(c_.examples, enough / c_.positions());
    if (context_.threads > 1) most = std::min(most, c_.examples * c_.groups / (2 * int64_t{context_.threads}));
    while (most > 1 && most * image_bytes_ > 4 * band_bytes) most /= 2;
    return std::max<int64_t>(1, most);
  }

  void find_offsets() {
    int64_t* offset = reinterpret_cast<int64_t*>(offsets_.data());
    for (int64_t channel = 0; channel < c_.channels; ++channel) {
      for (int64_t i = 0; i < c_.rows.window; ++i) {
        for (int64_t j = 0; j < c_.columns.window; ++j) {
          const int64_t column = j * c_.columns.dilation;
          *offset++ = channel * layout_.channel() + i * c_.rows.dilation * layout_.row() +
                      column % layout_.phases * layout_.part + column / layout_.phases;
        }
      }
    }
  }

  // Some examples' results of one group and band. Those of several examples are gathered first.
  void compute(int64_t unit, std::byte* memory) const {
    const int64_t bands = cuts_.down * cuts_.across, group = unit / bands % c_.groups,
                  first = unit / bands / c_.groups * together_, examples = std::min(together_, c_.examples - first);
    const Band band = cuts_.at(c_, unit % bands);
    const int64_t image = first * c_.groups + group;
    const std::byte* from = source_of(image);
    if (straight_) {
      from += (band.row_begin * c_.rows.stride * c_.columns.source + band.column_begin) * size_;
    } else if (!fetched_) {
      for (int64_t e = 0; e < examples; ++e)
        prepare(source_of(image + e * c_.groups), band, memory + e * image_step_ * size_);
      from = memory;
    }
    const std::byte* const a = c_.a + group * c_.out_channels * c_.k() * size_;
    std::byte* const to = result_of(image) + (band.row_begin * c_.columns.out + band.column_begin) * size_;
    if (by_rows_) return chain(from, a, band, to);
    if (together_ == 1) return multiply_band(image, from, a, band, 1, memory + image_bytes_, to, c_.positions());
    std::byte* const results = memory + image_bytes_ + panel_bytes_;
    const int64_t row = examples * band.positions();
    multiply_band(image, from, a, band, examples, memory + image_bytes_, results, row);
    for (int64_t e = 0; e < examples; ++e) {
      for (int64_t o = 0; o < c_.out_channels; ++o) {
        std::memcpy(result_of(image + e * c_.groups) + o * c_.positions() * size_,
                    results + (o * row + e * c_.positions()) * size_, static_cast<size_t>(c_.positions() * size_));
      }
    }
  }

  const std::byte* source_of(int64_t image) const {
    return c_.image + image * c_.channels * c_.rows.source * c_.columns.source * size_;
  }
  std::byte* result_of(int64_t image) const { return c_.c + image * c_.out_channels * c_.positions() * size_; }
  const int64_t* offsets() const { return reinterpret_cast<const int64_t*>(offsets_.data()); }

  // Few channels: rows of results straight from the image.
  void chain(const std::byte* image, const std::byte* a, const Band& band, std::byte* to) const {
    for (int64_t row = band.row_begin; row < band.row_end; ++row) {
      for (int64_t k = 0; k < c_.k(); k += product_block) {
        chain_({image, offsets() + k, std::min(product_block, c_.k() - k), a + k * size_, c_.k(), to, c_.positions(),
                c_.out_channels, band.width(), straight_, k != 0});
      }
      image += c_.rows.stride * layout_.row() * size_;
      to += c_.columns.out * size_;
    }
  }

  // Panels of windows, and what they give for all channels; rows of results are `row` apart.
  void multiply_band(int64_t image, const std::byte* from, const std::byte* a, const Band& band, int64_t examples,
                     std::byte* panel, std::byte* to, int64_t row) const {
    const int64_t positions = examples * band.positions();
    const Cut panels = Cut::into((positions + kernel_.width - 1) / kernel_.width, kernel_.tile_vectors);
    for (int64_t k = 0; k < c_.k(); k += product_block) {
      const int64_t steps = std::min(product_block, c_.k() - k);
      for (int64_t p = 0; p < panels.pieces; ++p) {
        const int64_t begin = panels.at(p) * kernel_.width, padded = panels.at(p + 1) * kernel_.width - begin,
                      columns = std::min(positions, begin + padded) - begin;
        if (fetched_) {
          fetch(source_of(image), band, k, steps, begin, columns, panel, padded);
        } else {
          copy(from, band, k, steps, begin, columns, panel, padded);
        }
        multiply(a + k * size_, steps, panel, padded, to + begin * size_, row, columns,
                 k == 0 ? Store::replace : Store::add);
      }
    }
  }

  void multiply(const std::byte* a, int64_t steps, const std::byte* panel, int64_t padded, std::byte* to,
                int64_t to_row, int64_t columns, Store store) const {
    const Cut rows = Cut::into(c_.out_channels, kernel_.tile_rows);
    const int64_t k = c_.k();
    for (int64_t r = 0; r < rows.pieces; ++r) {
      const int64_t row = rows.at(r);
      kernel_.tile({steps, a + row * k * size_, k, 1, panel, padded, to + row * to_row * size_, to_row,
                    rows.at(r + 1) - row, columns, store});
    }
  }

  // Positions [begin, begin + columns) of the band's examples, as runs along rows.
  void copy(const std::byte* image, const Band& band, int64_t k, int64_t steps, int64_t begin, int64_t columns,
            std::byte* panel, int64_t padded) const {
    Run runs[64];
    int64_t count = 0;
    const int64_t down = c_.rows.stride * layout_.row();
    for (int64_t at = 0; at < columns; at += runs[count++].length) {
      const int64_t line = (begin + at) / band.width(), column = (begin + at) % band.width(),
                    height = band.row_end - band.row_begin;
      const int64_t from = line / height * image_step_ + line % height * down + column;
      runs[count] = {from, at, std::min(band.width() - column, columns - at)};
    }
    copy_(image, offsets() + k, steps, runs, count, straight_, panel, padded);
  }

  // The band's part of the image, zeros where it has no elements.
  void prepare(const std::byte* source, const Band& band, std::byte* to) const {
    if (size_ == 4) {
      prepare_as(reinterpret_cast<const uint32_t*>(source), band, reinterpret_cast<uint32_t*>(to));
    } else {
      prepare_as(reinterpret_cast<const uint64_t*>(source), band, reinterpret_cast<uint64_t*>(to));
    }
  }

  template <class T>
  void prepare_as(const T* source, const Band& band, T* to) const {
    const ImageAxis &rows = c_.rows, &columns = c_.columns;
    const int64_t top = band.row_begin * rows.stride, height = rows.extent(band.row_end - band.row_begin);
    const int64_t left = band.column_begin * columns.stride, width = columns.extent(band.width());
    const int64_t first = columns.begin(left), last = columns.end(left + width);
    for (int64_t channel = 0; channel < c_.channels; ++channel, source += rows.source * columns.source) {
      for (int64_t r = 0; r < layout_.rows; ++r, to += layout_.row()) {
        const int64_t from = top + r - rows.before;
        const bool there = r < height && from >= 0 && from < rows.source;
        if (!there || last <= first) {
          std::fill_n(to, layout_.row(), T(0));
        } else {
          place(source + from * columns.source, first, last, columns.before - left, to);
        }
      }
    }
  }

  // Elements [first, last) of a row to their places, `shift` further.
  template <class T>
  void place(const T* source, int64_t first, int64_t last, int64_t shift, T* to) const {
    const int64_t at = shift + first;
    if (layout_.phases == 1) {
      std::fill_n(to, at, T(0));
      std::copy_n(source + first, last - first, to + at);
      std::fill(to + at + last - first, to + layout_.row(), T(0));
      return;
    }
    std::fill_n(to, layout_.row(), T(0));
    for (int64_t skipped = 0; skipped < std::min(layout_.phases, last - first); ++skipped) {
      const int64_t place = at + skipped, count = (last - first - skipped + layout_.phases - 1) / layout_.phases;
      take_every(source + first + skipped, layout_.phases, count,
                 to + place % layout_.phases * layout_.part + place / layout_.phases);
    }
  }

  template <class T>
  static void take_every(const T* from, int64_t step, int64_t count, T* to) {
    if (step == 2) {
      for (int64_t i = 0; i < count; ++i) to[i] = from[2 * i];
    } else {
      for (int64_t i = 0; i < count; ++i) to[i] = from[i * step];
    }
  }

  // What copy() does, element by element, for images that are nearly all padding.
  void fetch(const std::byte* source, const Band& band, int64_t k, int64_t steps, int64_t begin, int64_t columns,
             std::byte* panel, int64_t padded) const {
    const size_t size = static_cast<size_t>(size_);
    std::memset(panel, 0, static_cast<size_t>(steps * padded) * size);
    for (int64_t t = 0; t < steps; ++t) {
      const int64_t j = (k + t) % c_.columns.window, i = (k + t) / c_.columns.window % c_.rows.window,
                    channel = (k + t) / c_.columns.window / c_.rows.window;
      for (int64_t p = 0; p < columns; ++p) {
        const int64_t row = band.row_begin + (begin + p) / band.width(),
                      column = band.column_begin + (begin + p) % band.width();
        const std::optional<int64_t> y = element(c_.rows, row, i), x = element(c_.columns, column, j);
        if (!y || !x) continue;
        std::memcpy(panel + static_cast<size_t>(t * padded + p) * size,
                    source + static_cast<size_t>((channel * c_.rows.source + *y) * c_.columns.source + *x) * size,
                    size);
      }
    }
  }

  static std::optional<int64_t> element(const ImageAxis& axis, int64_t out, int64_t i) {
    const int64_t at = out * axis.stride + i * axis.dilation - axis.before;
    if (at < 0 || at >= axis.source) return std::nullopt;
    return at;
  }

  ops::Context& context_;
  const Correlation& c_;
  const GemmKernel& kernel_;
  const int64_t size_;
  const CopyRuns copy_;
  const ChainRowKernel chain_;
  const bool straight_;  // the image is read where it lies
  const Cuts cuts_;
  const Layout layout_;
  int64_t image_bytes_;
  const bool fetched_;
  const bool by_rows_;
  const int64_t together_;    // examples
  const int64_t image_step_;  // elements from an example's image to the next one's
  const int64_t panel_bytes_;
  Scratch offsets_;  // of each k in a band's image
};

// Windows of one element on neighbours are the image itself.
bool is_product(const Correlation& c) {
  const auto plain = [](const ImageAxis& axis) { return axis.window == 1 && axis.stride == 1 && axis.as_it_lies(); };
  return plain(c.rows) && plain(c.columns) && c.rows.out == c.rows.source && c.columns.out == c.columns.source;
}

void multiply_whole(ops::Context& context, const Correlation& c) {
  const int64_t positions = c.positions(), k = c.channels, m = c.out_channels;
  ProductBatch batch;
  if (c.examples > 1) batch.push(c.examples, 0, c.groups * k * positions, c.groups * m * positions);
  if (c.groups > 1) batch.push(c.groups, m * k, k * positions, m * positions);
  multiply(context, {c.dtype, m, positions, k, {c.a, k, 1}, {c.image, positions, 1}, c.c, positions}, batch);
}

}  // namespace

const WindowKernels& windows_for(ops::Isa isa) {
  static constexpr ops::PerIsa<const WindowKernels&()> kernels = COVEC_PER_ISA(window_kernels);
  return kernels[isa]();
}

void correlate(ops::Context& context, const Correlation& c) {
  const int64_t results = c.examples * c.groups * c.out_channels * c.positions();
  if (results == 0) return;
  if (c.k() == 0) {
    std::memset(c.c, 0, static_cast<size_t>(results) * size_of(c.dtype));
  } else if (is_product(c)) {
    multiply_whole(context, c);
  } else {
    Correlating(context, c).run();
  }
}

}  // namespace covec::kernels
