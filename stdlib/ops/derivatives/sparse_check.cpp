// Finds an entry that the pattern of a plan lacks. Rows that differ from one product of the function are suspected:
// rounding may explain the difference. A product with a vector that is 0 where a row has entries tells exactly, as it
// is 0 unless the row has others. Start at Plan::missing.
#include <bit>
#include <cfloat>
#include <cmath>

#include "stdlib/autodiff/level.hpp"
#include "stdlib/ops/contract/rules.hpp"
#include "stdlib/ops/derivatives/sparse_plan.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::autodiff {

using sparse::ColorKind;

sparse::Rounding rounding_of(Dtype dtype) {
  // Allowances in epsilons, chosen: a function adds up to a row's rounding what it computes on the way. Less would have
  // more rows examined, and find smaller entries.
  switch (dtype) {
    case Dtype::f64: return {DBL_EPSILON, 64};
    case Dtype::f32: return {FLT_EPSILON, 64};
    case Dtype::f16: return {0x1p-10, 8};
    default: return {0x1p-7, 8};  // bf16
  }
}

namespace {

Value as_doubles(ops::Builder& b, Value vector) {
  return contiguous(b.pool(), ops::RuleContext(b, false).cast(std::move(vector), Dtype::f64));
}

// Rows (of a reverse plan: columns) of the Jacobian, asked of the function by products.
class Examination {
 public:
  Examination(ops::Builder& b, FirstRun& first, const Products& products, const Arguments& arguments, bool reverse)
      : b_(b), first_(first), products_(products), arguments_(arguments), reverse_(reverse) {}

  // Of all rows.
  Value product(std::span<const double> numbers) const {
    Value vector = make_tensor(b_.pool(), Dtype::f64, {Dim(static_cast<int64_t>(numbers.size()))});
    std::ranges::copy(numbers, vector.tensor().as<double>());
    return first_.run_again(b_, [&] {
      return as_doubles(b_,
                        reverse_ ? products_.against(b_, arguments_, vector) : products_.along(b_, arguments_, vector));
    });
  }

  // A place where the row is not 0, among those where `numbers` is not 0 and their product with the row is not. Where
  // that product is NaN there may be none.
  std::optional<int64_t> find(const std::vector<double>& numbers, size_t row) const {
    std::vector<size_t> places;
    for (size_t place = 0; place < numbers.size(); ++place) {
      if (numbers[place] != 0) places.push_back(place);
    }
    const auto is_zero = [&](auto first, auto last) {
      std::vector<double> part(numbers.size(), 0.0);
      for (auto place = first; place != last; ++place) part[*place] = numbers[*place];
      return numbers_in<double>(product(part))[row] == 0;
    };
    while (places.size() > 1) {
      const auto middle = places.begin() + static_cast<std::ptrdiff_t>(places.size() / 2);
      if (is_zero(places.begin(), middle)) {
        places.erase(places.begin(), middle);
      } else {
        places.erase(middle, places.end());
      }
    }
    if (places.empty() || is_zero(places.begin(), places.end())) return {};
    return static_cast<int64_t>(places[0]);
  }

 private:
  ops::Builder& b_;
  FirstRun& first_;
  const Products& products_;
  const Arguments& arguments_;
  const bool reverse_;
};

struct EntryPlace {
  int64_t row, column;  // of a reverse plan: the other way round
};

// Asks of each row by itself.
std::optional<EntryPlace> missing_by_row(const Examination& examination, const sparse::Graph& graph,
                                         std::span<const int64_t> rows, std::span<const double> probe) {
  for (const int64_t row : rows) {
    std::vector<double> outside(probe.begin(), probe.end());
    for (const uint32_t column : graph.row(static_cast<uint32_t>(row))) outside[column] = 0;
    if (numbers_in<double>(examination.product(outside))[static_cast<size_t>(row)] == 0) continue;
    if (const auto column = examination.find(outside, static_cast<size_t>(row))) return EntryPlace{row, *column};
  }
  return {};
}

// Asks of many rows at once, by parts of the columns of a colour: each row has at most one entry there. Of two columns
// a bit of their numbers differs, so each column is in a part that has no entry of the row.
class ByColor {
 public:
  ByColor(const ops::Context& context, const sparse::Graph& graph, std::span<const int64_t> rows) {
    rows_.columns = graph.columns;
    rows_.starts.push_back(0);
    for (const int64_t row : rows) {
      const auto entries = graph.row(static_cast<uint32_t>(row));
      rows_.indices.insert(rows_.indices.end(), entries.begin(), entries.end());
      rows_.starts.push_back(static_cast<uint32_t>(rows_.indices.size()));
      ++rows_.rows;
    }
    colors_ = sparse::color(context, rows_, ColorKind::forward).columns;
    bits_ = static_cast<unsigned>(std::bit_width(graph.columns));
  }
  // A column without a colour has no entry in any of the rows: all these make one part more.
  size_t products() const { return size_t{2} * bits_ * static_cast<size_t>(colors_.count) + 1; }

  std::optional<EntryPlace> missing(const Examination& examination, std::span<const int64_t> rows,
                                    std::span<const double> probe) const {
    for (int32_t color = -1; color < colors_.count; ++color) {
      for (unsigned bit = 0; bit < (color < 0 ? 1 : bits_); ++bit) {
        for (unsigned side = 0; side < (color < 0 ? 1u : 2u); ++side) {
          const auto is_in = [&](size_t column) {
            return colors_.of[column] == color && (color < 0 || (column >> bit & 1) == side);
          };
          if (const auto found = missing_in(examination, rows, probe, is_in)) return found;
        }
      }
    }
    return {};
  }

 private:
  template <class IsIn>
  std::optional<EntryPlace> missing_in(const Examination& examination, std::span<const int64_t> rows,
                                       std::span<const double> probe, IsIn is_in) const {
    std::vector<double> part(probe.size(), 0.0);
    for (size_t column = 0; column < part.size(); ++column) part[column] = is_in(column) ? probe[column] : 0;
    const Value product = examination.product(part);
    for (size_t i = 0; i < rows.size(); ++i) {
      const auto row = static_cast<size_t>(rows[i]);
      if (numbers_in<double>(product)[row] == 0) continue;
      if (std::ranges::any_of(rows_.row(static_cast<uint32_t>(i)), is_in)) continue;
      if (const auto column = examination.find(part, row)) return EntryPlace{rows[i], *column};
    }
    return {};
  }

  sparse::Graph rows_;  // the rows that are asked for
  sparse::Colors colors_;
  unsigned bits_ = 0;
};

// Of a row's largest number, chosen: well above rounding.
double max_asymmetry(Dtype dtype) { return dtype == Dtype::f64 ? 1e-6 : dtype == Dtype::f32 ? 1e-3 : 1e-1; }

constexpr size_t max_single = 16;  // rows that are examined without a look at a cheaper way

}  // namespace

// A rule of the program's may have made a gradient whose Jacobian is not symmetric.
void Plan::require_symmetric(ops::Builder& b, const Products& products, const Arguments& arguments, const Value& data,
                             int64_t row) const {
  Value unit = make_tensor(b.pool(), Dtype::f64, {Dim(prepared_.columns.integer())});
  std::fill_n(unit.tensor().as<double>(), unit.tensor().size(), 0.0);
  unit.tensor().as<double>()[row] = 1;
  const Value exact = as_doubles(b, products.against(b, arguments, unit)), found = as_doubles(b, data);
  const auto starts = numbers_in<int64_t>(prepared_.indptr), indices = numbers_in<int64_t>(prepared_.indices);
  const double most = max_asymmetry(logical_type(data).dtype);
  double largest = 0;
  for (const double number : numbers_in<double>(exact)) largest = std::max(largest, std::abs(number));
  for (int64_t at = starts[static_cast<size_t>(row)]; at < starts[static_cast<size_t>(row) + 1]; ++at) {
    const int64_t column = indices[static_cast<size_t>(at)];
    const double error = std::abs(numbers_in<double>(found)[static_cast<size_t>(at)] -
                                  numbers_in<double>(exact)[static_cast<size_t>(column)]);
    if (!(error > most * largest)) continue;
    const std::string place = "row " + std::to_string(row) + ", column " + std::to_string(column);
    fail_value(options_.name, "the matrix of second derivatives", "symmetric", "one that is not at " + place,
               "jacobian(grad(f), sparse=true) takes any matrix");
  }
}

std::optional<Plan::Missing> Plan::missing(ops::Builder& b, FirstRun& first, const Arguments& given,
                                           const Value& found) const {
  std::vector<Value> args;
  for (const Value& value : given.all()) args.push_back(without_derivatives(value));
  const Value f = without_derivatives(function_), data = without_derivatives(found);
  const Products products = products_of(b, f);
  const Arguments arguments(f.function(), args, given.keywords());
  const sparse::Graph by_row = graph_of(pattern());
  const sparse::Graph graph = is_reverse() ? sparse::transposed(by_row) : by_row;
  const auto probe = numbers_in<double>(prepared_.probe);
  const Examination examination(b, first, products, arguments, is_reverse());
  const Value product = examination.product(probe), numbers = as_doubles(b, data);
  const sparse::Probed probed{numbers_in<int64_t>(prepared_.indptr), numbers_in<int64_t>(prepared_.indices),
                              numbers_in<double>(numbers), probe, numbers_in<double>(product)};
  const auto suspected = [&](const sparse::Rounding& rounding, bool full) {
    return is_reverse() ? sparse::misses_of_columns(probed, rounding, full, SIZE_MAX)
                        : sparse::misses(probed, rounding, full, SIZE_MAX);
  };
  const sparse::Rounding rounding = rounding_of(logical_type(data).dtype);
  const std::vector<int64_t> rows = suspected(rounding, false);
  std::optional<EntryPlace> place;
  if (rows.size() <= max_single) {
    place = missing_by_row(examination, graph, rows, probe);
  } else {
    const ByColor by_color(b.context(), graph, rows);
    place = by_color.products() < rows.size() ? by_color.missing(examination, rows, probe)
                                              : missing_by_row(examination, graph, rows, probe);
  }
  if (place) return is_reverse() ? Missing{place->column, place->row} : Missing{place->row, place->column};
  if (is_symmetric()) {
    constexpr double margin = 100;  // by which a sum shows less of an error than the entry that has it
    for (const int64_t row : suspected({max_asymmetry(logical_type(data).dtype) / margin, 0}, true)) {
      if (!std::isfinite(probed.product[static_cast<size_t>(row)])) continue;
      first.run_again(b, [&] { require_symmetric(b, products, arguments, data, row); });
    }
  }
  return {};
}

void Plan::fail_missing(Missing entry) const {
  const std::string place = "row " + std::to_string(entry.row) + ", column " + std::to_string(entry.column);
  fail_value(options_.name, "the pattern", "nonzero at " + place + ", as the function depends on it", "no entry there");
}

void Plan::require_entries(ops::Builder& b, FirstRun& first, const Arguments& arguments, const Value& data) const {
  if (const auto entry = missing(b, first, arguments, data)) fail_missing(*entry);
}

}  // namespace covec::autodiff
