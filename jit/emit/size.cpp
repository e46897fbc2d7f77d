#include "jit/emit/size.hpp"

#include <algorithm>

#include "jit/emit/types.hpp"

namespace covec::emit {

namespace {

[[noreturn]] void fail_too_large() { throw Refusal{"it has more elements than can be counted"}; }

int64_t times(int64_t a, int64_t b) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) fail_too_large();
  return product;
}

int64_t plus(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) fail_too_large();
  return sum;
}

constexpr int64_t block = 64;  // bytes: a cache line, as `covec_blocks` has it

}  // namespace

bool Size::ByText::operator()(const std::vector<std::shared_ptr<const Atom>>& a,
                              const std::vector<std::shared_ptr<const Atom>>& b) const {
  return std::ranges::lexicographical_compare(a, b, [](const auto& x, const auto& y) { return x->text < y->text; });
}

Size Size::of(Atom atom) {
  Size size;
  size.terms_[{std::make_shared<const Atom>(std::move(atom))}] = 1;
  return size;
}

Size Size::named(const std::string& name) { return of({Atom::Kind::name, name, {}}); }

Size Size::not_negative(const Size& a) {
  if (a.known()) return std::max<int64_t>(0, a.number());
  if (!a.may_be_negative()) return a;
  return of({Atom::Kind::not_negative, "(" + a.text() + " > 0 ? " + a.text() + " : 0)", {a}});
}

void Size::add_parts(const Size& size, std::vector<Size>& parts) {
  if (size.terms_.size() == 1 && size.terms_.begin()->second == 1 && size.terms_.begin()->first.size() == 1 &&
      size.terms_.begin()->first[0]->kind == Atom::Kind::wider) {
    for (const Size& part : size.terms_.begin()->first[0]->of) add_parts(part, parts);
  } else if (!size.is(1) && std::ranges::find(parts, size) == parts.end()) {
    parts.push_back(size);
  }
}

// Where they fit together, a number other than 1 is all of them.
Size Size::wider(const Size& a, const Size& b) {
  std::vector<Size> parts;
  add_parts(a, parts);
  add_parts(b, parts);
  if (parts.empty()) return 1;
  for (const Size& part : parts) {
    if (part.known()) return part;
  }
  std::ranges::sort(parts, {}, &Size::text);
  std::string text = parts.back().text();
  for (size_t k = parts.size() - 1; k-- > 0;)
    text = "(" + parts[k].text() + " != 1 ? " + parts[k].text() + " : " + text + ")";
  return parts.size() == 1 ? parts[0] : of({Atom::Kind::wider, text, parts});
}

Size Size::unless_one(const Size& a) {
  if (a.known()) return a.number() == 1 ? 0 : 1;
  return of({Atom::Kind::unless_one, "(" + a.text() + " != 1)", {a}});
}

Size Size::blocks(const Size& bytes) {
  if (bytes.known()) return (bytes.number() + block - 1) / block * block;
  return of({Atom::Kind::blocks, "covec_blocks(" + bytes.text() + ")", {bytes}});
}

Size Size::product(std::span<const Size> factors) {
  Size product = 1;
  for (const Size& factor : factors) product *= factor;
  return product;
}

bool Size::operator==(const Size& other) const {
  return std::ranges::equal(terms_, other.terms_, [](const auto& a, const auto& b) {
    return a.second == b.second &&
           std::ranges::equal(a.first, b.first, [](const auto& x, const auto& y) { return x->text == y->text; });
  });
}

bool Size::may_be_negative() const {
  return std::ranges::any_of(terms_, [](const auto& term) { return term.second < 0; });
}

bool Size::is_countable() const {
  constexpr int64_t most = int64_t{1} << 20;  // times an extent; with 2^43 elements it is an i64
  return std::ranges::all_of(terms_, [](const auto& term) {
    const auto& [atoms, often] = term;
    const int64_t limit = atoms.empty() ? beyond : most;
    return often > -limit && often < limit && std::ranges::all_of(atoms, [](const auto& atom) {
             return std::ranges::all_of(atom->of, &Size::is_countable);
           });
  });
}

int64_t Size::Atom::at(const Sample& sample) const {
  switch (kind) {
    case Kind::name: return sample.at(text);
    case Kind::not_negative: return std::max<int64_t>(0, of[0].at(sample));
    case Kind::unless_one: return of[0].at(sample) == 1 ? 0 : 1;
    case Kind::blocks: return (std::max<int64_t>(0, of[0].at(sample)) / block + 1) * block;
    case Kind::wider: break;
  }
  for (const Size& part : of) {
    if (part.at(sample) != 1) return part.at(sample);
  }
  return 1;
}

int64_t Size::at(const Sample& sample) const {
  int64_t sum = 0;
  for (const auto& [atoms, often] : terms_) {
    int64_t product = often;
    for (const auto& atom : atoms) product = times(product, atom->at(sample));
    sum = plus(sum, product);
  }
  return sum;
}

void Size::add_names(std::set<std::string>& names) const {
  for (const auto& term : terms_) {
    for (const auto& atom : term.first) {
      if (atom->kind == Atom::Kind::name) names.insert(atom->text);
      for (const Size& part : atom->of) part.add_names(names);
    }
  }
}

// --- sums and products ---

Size& Size::operator+=(const Size& other) {
  for (const auto& [atoms, often] : other.terms_) {
    int64_t& sum = terms_[atoms];
    sum = plus(sum, often);
    if (sum == 0) terms_.erase(atoms);
  }
  return *this;
}

Size operator*(const Size& a, const Size& b) {
  Size product;
  for (const auto& [atoms, often] : a.terms_) {
    for (const auto& [others, other] : b.terms_) {
      auto both = atoms;
      both.insert(both.end(), others.begin(), others.end());
      std::ranges::sort(both, [](const auto& x, const auto& y) { return x->text < y->text; });
      int64_t& sum = product.terms_[both];
      sum = plus(sum, times(often, other));
      if (sum == 0) product.terms_.erase(both);
    }
  }
  return product;
}

// --- texts ---

// Numbers stand last: in a product behind what they multiply, in a sum behind all.
std::string Size::joined(bool as_bound) const {
  std::string text;
  const auto add = [&](const auto& term) {
    const auto& [atoms, often] = term;
    const bool negative = often < 0 && !as_bound;
    std::string product;
    for (const auto& atom : atoms) {
      if (as_bound && atom->kind == Atom::Kind::unless_one) continue;
      std::string factor = atom->text;
      if (as_bound && atom->kind == Atom::Kind::name) factor = "(double)" + atom->text;
      if (as_bound && atom->kind == Atom::Kind::blocks) factor = "(" + atom->of[0].bound() + " + 64.0)";
      if (as_bound && (atom->kind == Atom::Kind::wider || atom->kind == Atom::Kind::not_negative)) {
        factor.clear();
        for (const Size& part : atom->of) factor += (factor.empty() ? "(" : " + ") + part.bound();
        factor += ")";
      }
      product += (product.empty() ? "" : " * ") + factor;
    }
    const uint64_t size = often < 0 ? uint64_t{0} - static_cast<uint64_t>(often) : static_cast<uint64_t>(often);
    if (product.empty())
      product = std::to_string(size) + (as_bound ? ".0" : "");
    else if (size != 1)
      product += " * " + std::to_string(size) + (as_bound ? ".0" : "");
    if (text.empty())
      text = (negative ? "-" : "") + product;
    else
      text += (negative ? " - " : " + ") + product;
  };
  for (const auto& term : terms_) {
    if (!term.first.empty()) add(term);
  }
  for (const auto& term : terms_) {
    if (term.first.empty()) add(term);
  }
  return text.empty() ? (as_bound ? "0.0" : "0") : text;
}

std::string Size::text() const { return joined(false); }
std::string Size::bound() const { return joined(true); }

std::string Size::factor() const {
  const std::string all = text();
  const bool is_word = known() || all.find_first_of(" -") == std::string::npos;
  return is_word || (terms_.size() == 1 && terms_.begin()->second == 1 && terms_.begin()->first.size() == 1)
             ? all
             : "(" + all + ")";
}

}  // namespace covec::emit
