// Plans matrix products. A product packs its right operand into panels (if it is large or not row-major) and then walks
// tiles of rows, distributed over the threads. Vectors have kernels of their own that read the matrix once. A batch of
// small products distributes its examples. Start at multiply().
#include "stdlib/kernels/gemm.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "stdlib/kernels/gemm_plan.hpp"
#include "stdlib/kernels/interrupt_polls.hpp"

namespace covec::kernels {

const GemmKernel& gemm_kernel_for(ops::Isa isa, Dtype dtype) {
  static constexpr ops::PerIsa<const GemmKernel*(Compute)> kernels = COVEC_PER_ISA(gemm_kernel);
  return *kernels[isa](compute_of(dtype));
}

namespace {

// On the session's threads, or (nullptr) here.
template <class F>
void run(ops::Context* context, int64_t units, int64_t grain, F&& body) {
  if (context == nullptr) {
    body(int64_t{0}, units);
  } else {
    parallel_units(*context, units, grain, body);
  }
}

const std::byte* moved(const std::byte* data, int64_t elements, size_t size) {
  return data + elements * static_cast<int64_t>(size);
}
std::byte* moved(std::byte* data, int64_t elements, size_t size) {
  return data + elements * static_cast<int64_t>(size);
}

// c = x · matrix (n results), the matrix given as steps of k and of columns.
void multiply_vector(ops::Context* context, const GemmKernel& kernel, const Product& p, int64_t n, const std::byte* x,
                     int64_t x_k, const Matrix& matrix) {
  const int64_t k = p.k;
  const bool across = matrix.column == 1 || (matrix.row != 1 && matrix.column < matrix.row);
  const int64_t grain = std::max<int64_t>(1, 65536 / std::max<int64_t>(1, k * 64));  // in units of 64 columns
  run(context, (n + 63) / 64, grain, [&](int64_t begin, int64_t end) {
    const int64_t first = begin * 64, columns = std::min(n, end * 64) - first;
    for (int64_t t = 0; t < k; t += product_block) {
      const int64_t steps = std::min(product_block, k - t);
      const Store store = p.store_at(t);
      const std::byte* from = moved(matrix.data, t * matrix.row + first * matrix.column, kernel.size);
      const std::byte* vector = moved(x, t * x_k, kernel.size);
      std::byte* to = moved(p.c, first, kernel.size);
      if (across) {
        kernel.rows_of_k(steps, vector, x_k, from, matrix.row, columns, to, store);
      } else {
        kernel.columns_of_k(steps, vector, x_k, from, matrix.column, columns, to, store);
      }
    }
  });
}

// The kernels for vectors want one of the matrix's strides to be 1.
bool suits_vector(const Matrix& matrix) { return matrix.row == 1 || matrix.column == 1; }

struct Range {
  int64_t begin, end;
};

// The rows of `a` at block k that tiles read, where they read them from: all of a group, or of a pack.
struct LeftRows {
  const std::byte* data;
  int64_t row, k, first_row;
};

// Packs the rows of a group of tiles at block k.
void pack_rows(const GemmPlan& plan, const Range& tiles, int64_t k, int64_t steps, std::byte* group) {
  const Product& p = plan.p;
  for (int64_t t = tiles.begin; t < tiles.end; t += plan.pack_tiles()) {
    const int64_t first = plan.rows.at(t), rows = plan.rows.at(std::min(tiles.end, t + plan.pack_tiles())) - first;
    plan.kernel.pack(moved(p.a.data, first * p.a.row + k * p.a.column, plan.kernel.size), p.a.column, p.a.row, steps,
                     rows, plan.pack_width(), group);
    group = moved(group, steps * plan.pack_width(), plan.kernel.size);
  }
}

LeftRows left_rows(const GemmPlan& plan, const Range& tiles, int64_t tile, int64_t k, int64_t steps,
                   const std::byte* group) {
  const Product& p = plan.p;
  if (!plan.packs_a) {
    const int64_t first = plan.rows.at(tile);
    return {moved(p.a.data, first * p.a.row + k * p.a.column, plan.kernel.size), p.a.row, p.a.column, first};
  }
  const int64_t pack = (tile - tiles.begin) / plan.pack_tiles();
  return {moved(group, pack * steps * plan.pack_width(), plan.kernel.size), 1, plan.pack_width(),
          plan.rows.at(tiles.begin + pack * plan.pack_tiles())};
}

// One panel of columns times some tiles of rows, over one block of k.
void multiply_panel(const GemmPlan& plan, const std::byte* group, const Range& tiles, int64_t panel, int64_t k,
                    int64_t steps, const std::byte* b, int64_t b_k, const std::byte* next) {
  const Product& p = plan.p;
  // Each tile brings its share of the next panel, which another thread may have packed.
  const int64_t share = next == nullptr ? 0 : steps * b_k * plan.kernel.size / (tiles.end - tiles.begin);
  const int64_t column = plan.columns_at(panel), columns = plan.columns_at(panel + 1) - column;
  for (int64_t t = tiles.begin; t < tiles.end; ++t) {
    const int64_t row = plan.rows.at(t);
    const LeftRows left = left_rows(plan, tiles, t, k, steps, group);
    plan.kernel.tile({steps, moved(left.data, (row - left.first_row) * left.row, plan.kernel.size), left.row, left.k, b,
                      b_k, moved(p.c, row * p.c_row + column, plan.kernel.size), p.c_row, plan.rows.at(t + 1) - row,
                      columns, p.store_at(k), next == nullptr ? b : moved(next, (t - tiles.begin) * share, 1),
                      share / steps});
  }
}

const std::byte* panel_of(const GemmPlan& plan, const PackedColumns* packed, int64_t k, int64_t panel, int64_t& b_k) {
  if (packed == nullptr) {
    b_k = plan.p.b.row;
    return moved(plan.p.b.data, k * plan.p.b.row + plan.columns_at(panel), plan.kernel.size);
  }
  b_k = (plan.vectors.at(panel + 1) - plan.vectors.at(panel)) * plan.kernel.width;
  return packed->panel(plan, k, panel);
}

// The one that multiply_tiles takes after this one; a group of rows begins where the one before it has begun.
const std::byte* next_panel(const GemmPlan& plan, const PackedColumns& packed, const Range& panels,
                            const Range& k_range, int64_t k, int64_t panel) {
  if (panel + 1 < panels.end) return packed.panel(plan, k, panel + 1);
  const int64_t next = k + product_block;
  return packed.panel(plan, next < k_range.end ? next : k_range.begin, panels.begin);
}

// Tiles [tiles) × panels [panels) over k in [k_range). Rows in groups whose part of `a` stays in the second-level cache
// while panels of b pass by.
void multiply_tiles(const GemmPlan& plan, const Range& tiles, const Range& panels, const Range& k_range,
                    const PackedColumns* packed, std::byte* group) {
  InterruptPolls polls(plan.context);
  const int64_t most = plan.group_tiles();
  for (int64_t t = tiles.begin; t < tiles.end; t += most) {
    const Range some{t, std::min(tiles.end, t + most)};
    for (int64_t k = k_range.begin; k < k_range.end; k += product_block) {
      const int64_t steps = std::min(product_block, k_range.end - k);
      if (plan.packs_a) pack_rows(plan, some, k, steps, group);
      for (int64_t panel = panels.begin; panel < panels.end; ++panel) {
        const int64_t rows = plan.rows.at(some.end) - plan.rows.at(some.begin);
        if (polls.stop(rows * steps * (plan.columns_at(panel + 1) - plan.columns_at(panel)))) return;
        int64_t b_k;
        const std::byte* b = panel_of(plan, packed, k, panel, b_k);
        const std::byte* next = packed == nullptr ? nullptr : next_panel(plan, *packed, panels, k_range, k, panel);
        multiply_panel(plan, group, some, panel, k, steps, b, b_k, next);
      }
    }
    if (plan.finished != nullptr && k_range.end == plan.p.k)
      plan.finished->some(plan.finished->state, plan.rows.at(some.begin), plan.rows.at(some.end));
  }
}

void pack_columns(ops::Context* context, const GemmPlan& plan, const PackedColumns& packed) {
  const int64_t panels = plan.vectors.pieces,
                blocks = (packed.k_end - packed.k_begin + product_block - 1) / product_block;
  const Matrix& b = plan.p.b;
  run(context, blocks * panels, 1, [&](int64_t begin, int64_t end) {
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t k = packed.k_begin + unit / panels * product_block, panel = unit % panels;
      const int64_t column = plan.columns_at(panel),
                    width = (plan.vectors.at(panel + 1) - plan.vectors.at(panel)) * plan.kernel.width;
      plan.kernel.pack(moved(b.data, k * b.row + column * b.column, plan.kernel.size), b.row, b.column,
                       std::min(product_block, packed.k_end - k), plan.columns_at(panel + 1) - column, width,
                       const_cast<std::byte*>(packed.panel(plan, k, panel)));
    }
  });
}

// Tiles of rows that a thread takes at once: all panels go by for each group of them, so these are as large as groups
// may be, if every thread gets two or more.
int64_t rows_for_a_thread(const GemmPlan& plan, int64_t threads) {
  const int64_t each = (plan.rows.pieces + threads - 1) / threads,
                groups = (each + plan.group_tiles() - 1) / plan.group_tiles();
  const int64_t parts = threads * std::max<int64_t>(2, groups);
  return (plan.rows.pieces + parts - 1) / parts;
}

// One part of the columns (all that fits into `memory`, packed), all rows.
void multiply_part(ops::Context* context, const GemmPlan& plan, const Range& k, std::byte* memory, ScratchSlots* slots,
                   std::byte* group) {
  const PackedColumns packed{memory, k.begin, k.end};
  if (plan.packs_b) pack_columns(context, plan, packed);
  const PackedColumns* b = plan.packs_b ? &packed : nullptr;
  const bool by_rows = context == nullptr || plan.finished != nullptr ||
                       plan.rows.pieces >= 4 * int64_t{context->threads} || plan.rows.pieces >= plan.vectors.pieces;
  const auto body = [&](int64_t begin, int64_t end, std::byte* packed_rows) {
    const Range tiles = by_rows ? Range{begin, end} : Range{0, plan.rows.pieces};
    const Range panels = by_rows ? Range{0, plan.vectors.pieces} : Range{begin, end};
    multiply_tiles(plan, tiles, panels, k, b, packed_rows);
  };
  const int64_t grain = by_rows && context != nullptr ? rows_for_a_thread(plan, context->threads) : 1;
  run(context, by_rows ? plan.rows.pieces : plan.vectors.pieces, grain, [&](int64_t begin, int64_t end) {
    if (slots == nullptr) return body(begin, end, group);
    const ScratchSlots::Slot slot(*slots);
    body(begin, end, slot.data());
  });
}

// Columns of a product, as a product.
Product columns_of(const Product& p, int64_t begin, int64_t end, size_t size) {
  Product part = p;
  part.n = end - begin;
  part.b.data = moved(p.b.data, begin * p.b.column, size);
  part.c = moved(p.c, begin, size);
  return part;
}

bool is_worth_threads(const ops::Context& context, const Product& p) {
  return context.threads > 1 && p.m * p.n * p.k >= parallel_multiplications;
}

int64_t max_columns_packed(const GemmKernel& kernel, int64_t k) {
  return static_cast<int64_t>(max_packed_bytes / kernel.size) / k / kernel.tile_columns() * kernel.tile_columns();
}

// A product of matrices on the session's threads, its right operand packed in parts of bounded size.
void multiply_large(ops::Context& context, const GemmKernel& kernel, const Product& p,
                    const FinishedRows* finished = nullptr) {
  const GemmPlan whole(context, kernel, p);
  ops::Context* threads = is_worth_threads(context, p) ? &context : nullptr;
  const int64_t max_k = std::min<int64_t>(p.k, 64 * product_block);
  const int64_t columns = whole.packs_b ? std::min(p.n, max_columns_packed(kernel, max_k)) : p.n,
                k_part = whole.packs_b ? max_k : p.k;
  const uint64_t packed_bytes =
      whole.packs_b ? static_cast<uint64_t>(k_part * (columns + kernel.tile_columns())) * kernel.size : 0;
  const Scratch packed(*context.pool, packed_bytes);
  ScratchSlots slots(context, whole.group_bytes());
  for (int64_t begin = 0; begin < p.n; begin += columns) {
    GemmPlan plan(context, kernel, columns_of(p, begin, std::min(p.n, begin + columns), kernel.size));
    plan.finished = finished;
    for (int64_t k = 0; k < p.k; k += k_part)
      multiply_part(threads, plan, {k, std::min(p.k, k + k_part)}, packed.data(), &slots, nullptr);
  }
  poll_interrupt(context);
}

// A product on the calling thread with memory given.
void multiply_here(const ops::Context& context, const GemmKernel& kernel, const Product& p, std::byte* memory) {
  const GemmPlan plan(context, kernel, p);
  multiply_part(nullptr, plan, {0, p.k}, memory + plan.group_bytes(), nullptr, memory);
}

// A product of few tiles whose operands lie as tiles like them: for so little work a plan would count.
bool is_small_product(const Product& p) {
  constexpr int64_t max_small_multiplications = 1 << 15;  // multiplications
  return p.b.column == 1 && p.m * p.n * p.k <= max_small_multiplications;
}

void multiply_small(const GemmKernel& kernel, const Product& p) {
  for (int64_t t = 0; t < p.k; t += product_block) {
    const int64_t steps = std::min(product_block, p.k - t);
    for (int64_t i = 0; i < p.m; i += kernel.tile_rows) {
      for (int64_t j = 0; j < p.n; j += kernel.tile_columns()) {
        kernel.tile({steps, moved(p.a.data, i * p.a.row + t * p.a.column, kernel.size), p.a.row, p.a.column,
                     moved(p.b.data, t * p.b.row + j, kernel.size), p.b.row, moved(p.c, i * p.c_row + j, kernel.size),
                     p.c_row, std::min<int64_t>(kernel.tile_rows, p.m - i),
                     std::min<int64_t>(kernel.tile_columns(), p.n - j), p.store_at(t)});
      }
    }
  }
}

bool is_vector_product(const Product& p) {
  if (p.m == 1 && p.n == 1) return true;
  return (p.m == 1 && suits_vector(p.b)) || (p.n == 1 && p.c_row == 1 && suits_vector(p.a));
}

// One factor is a vector; on threads only when a context is given.
void multiply_vectors(ops::Context* context, const GemmKernel& kernel, const Product& p) {
  if (p.m == 1 && p.n == 1) return kernel.dot(p.k, p.a.data, p.a.column, p.b.data, p.b.row, p.c);
  if (p.m == 1) return multiply_vector(context, kernel, p, p.n, p.a.data, p.a.column, p.b);
  multiply_vector(context, kernel, p, p.m, p.b.data, p.b.row, {p.a.data, p.a.column, p.a.row});
}

// Of either sign.
template <class T>
bool are_zeros(const T* x, int64_t n) {
  static constexpr T zeros[512] = {};
  for (int64_t i = 0; i < n; i += std::size(zeros)) {
    const int64_t some = std::min<int64_t>(n - i, std::size(zeros));
    if (std::memcmp(x + i, zeros, static_cast<size_t>(some) * sizeof(T)) == 0) continue;
    if (!std::all_of(x + i, x + i + some, [](T number) { return number == 0; })) return false;
  }
  return true;
}

// A square left factor of floats with zeros beside its diagonal.
template <class T>
bool is_diagonal(const Product& p) {
  const T* row = reinterpret_cast<const T*>(p.a.data);
  for (int64_t i = 0; i < p.m; ++i, row += p.a.row) {
    if (!are_zeros(row, i) || !are_zeros(row + i + 1, p.k - i - 1)) return false;
  }
  return true;
}

// A diagonal left factor (a Jacobian begins with one): each chain adds one product to zeros, which is d · b + 0, so
// long as b is finite and no product is too small (a tiny negative one is -0, until a later zero makes +0 of it).
// False: it is not so, or the factor is none; c is to be written then.
bool multiply_diagonal(ops::Context& context, const GemmKernel& kernel, const Product& p) {
  constexpr int64_t fewest = 32;  // rows; below, a product is not checked for a diagonal
  if (kernel.scaled_row == nullptr || p.m != p.k || p.m < fewest || p.a.column != 1 || p.subtracts) return false;
  if (!(p.dtype == Dtype::f32 ? is_diagonal<float>(p) : is_diagonal<double>(p))) return false;
  const bool lies = p.b.column == 1;
  const int64_t width = lies ? p.n : kernel.tile_columns();
  const Scratch packed(*context.pool, lies ? 0 : static_cast<uint64_t>(p.k * width) * kernel.size);
  InterruptPolls polls(context);
  for (int64_t column = 0; column < p.n; column += width) {
    const int64_t columns = std::min(width, p.n - column);
    const std::byte* b = moved(p.b.data, column * p.b.column, kernel.size);
    int64_t b_row = p.b.row;
    if (!lies) {
      kernel.pack(b, p.b.row, p.b.column, p.k, columns, width, packed.data());
      b = packed.data();
      b_row = width;
    }
    for (int64_t i = 0; i < p.m; ++i) {
      if (polls.stop(columns)) break;
      const std::byte* d = moved(p.a.data, i * p.a.row + i, kernel.size);
      if (!kernel.scaled_row(d, moved(b, i * b_row, kernel.size), columns,
                             moved(p.c, i * p.c_row + column, kernel.size)))
        return false;
    }
  }
  poll_interrupt(context);
  return true;
}

void multiply_one(ops::Context& context, const GemmKernel& kernel, const Product& p) {
  if (multiply_diagonal(context, kernel, p)) return;
  if (is_vector_product(p)) {
    multiply_vectors(p.m * p.n * p.k >= parallel_multiplications / 8 ? &context : nullptr, kernel, p);
  } else if (is_small_product(p)) {
    multiply_small(kernel, p);
  } else {
    multiply_large(context, kernel, p);
  }
}

Product example_of(const Product& p, const ProductBatch& batch, int64_t index, size_t size) {
  Product example = p;
  for (unsigned i = batch.count; i-- > 0; index /= batch.dim[i]) {
    const int64_t at = i == 0 ? index : index % batch.dim[i];
    example.a.data = moved(example.a.data, at * batch.a[i], size);
    example.b.data = moved(example.b.data, at * batch.b[i], size);
    example.c = moved(example.c, at * batch.c[i], size);
  }
  return example;
}

// Examples that share their right operand and follow each other in the left one and the result are one product of more
// rows.
bool fold_rows(Product& p, ProductBatch& batch) {
  if (batch.count == 0) return false;
  const unsigned last = batch.count - 1;
  if (batch.b[last] != 0 || batch.a[last] != p.m * p.a.row || batch.c[last] != p.m * p.c_row) return false;
  p.m *= batch.dim[last];
  --batch.count;
  return true;
}

void clear_result(const Product& p, const ProductBatch& batch, int64_t examples, size_t size) {
  for (int64_t e = 0; e < examples; ++e) {
    std::byte* c = example_of(p, batch, e, size).c;
    for (int64_t i = 0; i < p.m; ++i) std::memset(moved(c, i * p.c_row, size), 0, static_cast<size_t>(p.n) * size);
  }
}

// Every example on one thread.
void multiply_examples(ops::Context& context, const GemmKernel& kernel, const Product& p, const ProductBatch& batch,
                       int64_t examples) {
  const GemmPlan plan(context, kernel, p);
  const bool vectors = is_vector_product(p), small_product = !vectors && is_small_product(p);
  ScratchSlots slots(context, vectors || small_product ? 0 : plan.group_bytes() + plan.packed_bytes());
  const int64_t grain = std::max<int64_t>(1, parallel_multiplications / 4 / std::max<int64_t>(1, p.m * p.n * p.k));
  parallel_units(context, examples, grain, [&](int64_t begin, int64_t end) {
    const ScratchSlots::Slot slot(slots);
    for (int64_t e = begin; e < end; ++e) {
      const Product example = example_of(p, batch, e, kernel.size);
      if (vectors) {
        multiply_vectors(nullptr, kernel, example);
      } else if (small_product) {
        multiply_small(kernel, example);
      } else {
        multiply_here(context, kernel, example, slot.data());
      }
    }
  });
}

}  // namespace

GemmPlan::GemmPlan(const ops::Context& session, const GemmKernel& k, const Product& product)
    : kernel(k), p(product), context(session) {
  rows = Cut::into(p.m, kernel.tile_rows);
  vectors = Cut::into((p.n + kernel.width - 1) / kernel.width, kernel.tile_vectors);
  const uint64_t b_bytes = static_cast<uint64_t>(p.k * p.n) * kernel.size,
                 a_bytes = static_cast<uint64_t>(p.m * p.k) * kernel.size;
  // Packing pays with the number of tiles that read a panel; sooner where they would read it from beyond the
  // second-level cache.
  const int64_t small_product = b_bytes <= medium_bytes ? 16 : 2;
  packs_b = p.b.column != 1 || (b_bytes > small_bytes && p.m > small_product * kernel.tile_rows);
  packs_a = p.a.column != 1 && a_bytes > small_bytes && p.n > kernel.width;
}

const std::byte* PackedColumns::panel(const GemmPlan& plan, int64_t k, int64_t index) const {
  const int64_t steps = std::min(product_block, k_end - k), width = plan.kernel.width;
  return moved(data, ((k - k_begin) * plan.vectors.length + steps * plan.vectors.at(index)) * width, plan.kernel.size);
}

bool multiply_by_rows(ops::Context& context, const Product& p, const FinishedRows& finished) {
  const GemmKernel& kernel = gemm_kernel_for(context.isa, p.dtype);
  if (p.m == 0 || p.n == 0 || p.k == 0 || is_vector_product(p)) return false;
  const GemmPlan plan(context, kernel, p);
  if (plan.packs_b && max_columns_packed(kernel, std::min<int64_t>(p.k, 64 * product_block)) < p.n) return false;
  if (is_worth_threads(context, p) && plan.rows.pieces < 4 * int64_t{context.threads}) return false;
  // Too little for threads, though whoever goes on with the rows may have enough for them.
  if (context.threads > 1 && !is_worth_threads(context, p) && p.m * p.n > parallel_multiplications / 8) return false;
  multiply_large(context, kernel, p, &finished);
  return true;
}

void multiply(ops::Context& context, const Product& product, const ProductBatch& batches) {
  const GemmKernel& kernel = gemm_kernel_for(context.isa, product.dtype);
  Product p = product;
  ProductBatch batch = batches;
  while (fold_rows(p, batch)) {
  }
  int64_t examples = 1;
  for (unsigned i = 0; i < batch.count; ++i) examples *= batch.dim[i];
  if (p.m == 0 || p.n == 0 || examples == 0) return;
  if (p.k == 0) return clear_result(p, batch, examples, kernel.size);
  const bool small = GemmPlan(context, kernel, p).packed_bytes() <= max_packed_bytes / 8;
  if (examples > 1 && small &&
      (examples >= 4 * int64_t{context.threads} || p.m * p.n * p.k < parallel_multiplications)) {
    return multiply_examples(context, kernel, p, batch, examples);
  }
  for (int64_t e = 0; e < examples; ++e) multiply_one(context, kernel, example_of(p, batch, e, kernel.size));
}

}  // namespace covec::kernels
