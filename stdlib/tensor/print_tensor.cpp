// Prints tensors in NumPy's layout with commas. Columns are aligned, and all elements use either fixed or scientific
// form. Trailing zeros are dropped, and the middle of large tensors is left out. A single row has no columns to align,
// so it has no padding. Only the elements that are shown are ever read. Start at tensor_text.
#include <algorithm>
#include <cmath>
#include <vector>

#include "stdlib/tensor/format.hpp"
#include "stdlib/tensor/number_text.hpp"
#include "stdlib/tensor/print.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/half.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

namespace {

// Elements from which on only edges are shown, and elements of an edge; NumPy's.
constexpr int64_t summary_threshold = 1000, summary_edge = 3;
constexpr int default_digits = 8;                                           // NumPy's precision
constexpr double fixed_limit = 1e8, small_limit = 1e-4, ratio_limit = 1e3;  // NumPy's

// Which indices of an axis are shown: all, or the edges with a gap between them.
struct Window {
  int64_t count;
  bool gap;
  std::vector<int64_t> shown() const {
    std::vector<int64_t> out;
    for (int64_t i = 0; i < count; ++i) {
      if (gap && i == summary_edge) i = count - summary_edge;
      out.push_back(i);
    }
    return out;
  }
};

class TensorText {
 public:
  // `imaginary`: the other part of a complex tensor, or nullptr.
  TensorText(const Tensor& tensor, const Tensor* imaginary, const NumberStyle& style, unsigned column)
      : tensor_(tensor),
        imaginary_(imaginary),
        spec_(style.spec),
        part_spec_(style.spec != nullptr && imaginary != nullptr ? spec_of_parts(*style.spec) : FormatSpec()),
        digits_(style.digits == 0 ? default_digits : style.digits),
        column_(column) {
    for (unsigned i = 0; i < tensor.rank(); ++i) {
      const int64_t count = tensor.dim(i);
      windows_.push_back({count, tensor.size() > summary_threshold && count > 2 * summary_edge});
    }
  }

  std::vector<std::string> words_at(const std::vector<int64_t>& places) {
    collect_at(tensor_, places);
    if (imaginary_ != nullptr) collect_at(*imaginary_, places);
    make_words();
    if (imaginary_ != nullptr) join_parts();
    align_words();
    return std::move(words_);
  }

  std::string text() {
    collect(tensor_, 0, tensor_.data());
    if (imaginary_ != nullptr) collect(*imaginary_, 0, imaginary_->data());
    make_words();
    if (imaginary_ != nullptr) join_parts();
    if (rows() == 1) {
      if (std::string line = single_line(); column_ + line.size() <= line_width) return line;
    }
    align_words();
    next_ = 0;
    return block(0);
  }

 private:
  void collect(const Tensor& tensor, unsigned axis, const std::byte* at) {
    const int64_t step = tensor.stride(axis) * static_cast<int64_t>(size_of(tensor.dtype()));
    for (int64_t i : windows_[axis].shown()) {
      if (axis + 1 == tensor.rank()) {
        elements_.push_back(Value::scalar(tensor.dtype(), at + i * step));
      } else {
        collect(tensor, axis + 1, at + i * step);
      }
    }
  }

  void collect_at(const Tensor& tensor, const std::vector<int64_t>& places) {
    for (int64_t place : places) {
      int64_t offset = 0;
      for (unsigned axis = tensor.rank(); axis-- > 0; place /= tensor.dim(axis))
        offset += place % tensor.dim(axis) * tensor.stride(axis);
      elements_.push_back(
          Value::scalar(tensor.dtype(), tensor.data() + offset * static_cast<int64_t>(size_of(tensor.dtype()))));
    }
  }

  // Words of real parts, then as many of imaginary ones, become those of the elements.
  void join_parts() {
    const size_t count = words_.size() / 2;
    for (size_t i = 0; i < count; ++i)
      words_[i] =
          complex_word({words_[i], words_[count + i]}, real_of(elements_[i]), real_of(elements_[count + i]), spec_);
    words_.resize(count);
  }

  void make_words() {
    if (spec_ != nullptr) {
      const FormatSpec& spec = imaginary_ != nullptr ? part_spec_ : *spec_;
      for (const Value& v : elements_) words_.push_back(format_number(v, spec));
    } else if (is_float(tensor_.dtype())) {
      make_float_words();
    } else {
      for (const Value& v : elements_) words_.push_back(number_text(v));
    }
  }

  Decimal decimal_of(const Value& v) const {
    if (is_half(tensor_.dtype())) return rounded_decimal(shown_half(v), digits_);
    return tensor_.dtype() == Dtype::f32 ? rounded_decimal(v.f32(), digits_) : rounded_decimal(v.f64(), digits_);
  }
  static double real_of(const Value& v) { return real_at(v.scalar_dtype(), v.scalar_data()); }

  void make_float_words() {
    std::vector<Decimal> decimals;
    double largest = 0, smallest = INFINITY;
    int fraction = 0, mantissa = 0, exponent_digits = 2;
    for (const Value& v : elements_) {
      const double real = real_of(v);
      if (!std::isfinite(real)) {
        decimals.emplace_back();
        continue;
      }
      decimals.push_back(decimal_of(v));
      const Decimal& d = decimals.back();
      if (real != 0) {
        largest = std::max(largest, std::fabs(real));
        smallest = std::min(smallest, std::fabs(real));
      }
      fraction = std::max(fraction, d.fraction());
      mantissa = std::max(mantissa, static_cast<int>(d.digits.size()) - 1);
      if (std::abs(d.exponent) > 99) exponent_digits = 3;
    }
    const bool wide = largest / smallest > ratio_limit && fraction > digits_;
    scientific_ = largest > 0 && (largest >= fixed_limit || smallest < small_limit || wide);
    for (size_t i = 0; i < elements_.size(); ++i) {
      if (decimals[i].digits.empty()) {
        words_.push_back(number_text(elements_[i]));
      } else {
        words_.push_back(scientific_ ? scientific_text(decimals[i], mantissa, exponent_digits)
                                     : fixed_text(decimals[i], 1));
      }
    }
  }

  // Pads all words to one width; the points of numbers in fixed form stand below each other.
  void align_words() {
    size_t right = 0, width = 0;
    const auto behind_point = [&](const std::string& word) {
      const size_t point = word.find('.');
      return scientific_ || spec_ != nullptr || imaginary_ != nullptr || point == std::string::npos
                 ? size_t{0}
                 : word.size() - point;
    };
    for (const std::string& word : words_) right = std::max(right, behind_point(word));
    for (std::string& word : words_) {
      const size_t own = behind_point(word);
      if (own > 0) word.append(right - own, ' ');
      width = std::max(width, word.size());
    }
    for (std::string& word : words_) word.insert(0, width - word.size(), ' ');
  }

  int64_t rows() const {
    int64_t count = 1;
    for (unsigned i = 0; i + 1 < tensor_.rank(); ++i) count *= tensor_.dim(i);
    return count;
  }

  std::string single_line() const {
    std::string out(tensor_.rank(), '[');
    for (size_t i = 0; i < words_.size(); ++i) {
      if (i > 0) out += ", ";
      if (windows_.back().gap && i == summary_edge) out += "..., ";
      out += words_[i];
    }
    return out + std::string(tensor_.rank(), ']');
  }

  std::string new_line(unsigned depth) const { return "\n" + std::string(column_ + depth, ' '); }

  // The innermost axis: words, with a new line where the next would not fit.
  std::string row() {
    const unsigned depth = tensor_.rank();
    const unsigned room = column_ + 2 * depth + 20 < line_width ? line_width - depth : column_ + depth + 20;
    const auto shown = windows_.back().shown();
    std::string out = "[";
    size_t line = column_ + depth;
    const auto put = [&](const std::string& word, bool first) {
      if (!first) {
        out += ",";
        if (line + 2 + word.size() > room) {
          out += new_line(depth);
          line = column_ + depth;
        } else {
          out += " ";
          line += 2;
        }
      }
      out += word;
      line += word.size();
    };
    for (size_t i = 0; i < shown.size(); ++i) {
      if (windows_.back().gap && i == summary_edge) put("...", false);
      put(words_[next_++], i == 0);
    }
    return out + "]";
  }

  std::string block(unsigned axis) {
    if (axis + 1 == tensor_.rank()) return row();
    const auto shown = windows_[axis].shown();
    // NumPy leaves an empty line between matrices, two between stacks of them, and so on.
    const std::string separator = "," + std::string(tensor_.rank() - axis - 2, '\n') + new_line(axis + 1);
    std::string out = "[";
    for (size_t i = 0; i < shown.size(); ++i) {
      if (i > 0) out += separator;
      if (windows_[axis].gap && i == summary_edge) out += "..." + separator;
      out += block(axis + 1);
    }
    return out + "]";
  }

  const Tensor& tensor_;
  const Tensor* const imaginary_;
  const FormatSpec* const spec_;
  const FormatSpec part_spec_;  // of the parts of complex numbers
  const int digits_;
  const unsigned column_;
  std::vector<Window> windows_;
  std::vector<Value> elements_;     // those that are shown, row-major
  std::vector<std::string> words_;  // their texts
  bool scientific_ = false;
  size_t next_ = 0;  // word of the row being written
};

}  // namespace

// As sums are written where these give the same number back: −0.0 + 2im has a real part of +0.
std::string complex_word(const ComplexWords& words, double real, double imaginary, const FormatSpec* spec) {
  const auto& [re, im] = words;
  const bool reads_back =
      std::isfinite(real) && std::isfinite(imaginary) && (real != 0 || !std::signbit(real) || std::signbit(imaginary));
  std::string word = reads_back ? re + (im.starts_with('-') || im.starts_with('+') ? "" : "+") + im + "im"
                                : "complex(" + re + ", " + im + ")";
  return spec == nullptr ? word : padded(*spec, "", std::move(word), '>');
}

FormatSpec spec_of_parts(const FormatSpec& spec) {
  FormatSpec parts = spec;
  parts.width = 0;
  return parts;
}

std::vector<std::string> element_words(const Value& value, const std::vector<int64_t>& places) {
  const NumberStyle style;
  if (!is_complex(value)) return TensorText(value.tensor(), nullptr, style, 0).words_at(places);
  const Complex& z = complex_of(value);
  return TensorText(z.re().tensor(), &z.im().tensor(), style, 0).words_at(places);
}

std::string complex_tensor_text(const Complex& z, const NumberStyle& style, unsigned column) {
  const Tensor& re = z.re().tensor();
  if (re.size() == 0) return "[] (" + describe(reference_to(const_cast<Complex*>(&z))) + ")";
  return TensorText(re, &z.im().tensor(), style, column).text();
}

std::string tensor_text(const Value& tensor, const NumberStyle& style, unsigned column) {
  if (tensor.tensor().size() == 0) return "[] (" + tensor.tensor().type().text() + ")";
  return TensorText(tensor.tensor(), nullptr, style, column).text();
}

}  // namespace covec
