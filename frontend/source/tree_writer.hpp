// The dumps of the AST and of the core share this: both write a tree as lists in parentheses, and a statement a line. A
// loop writes left-deep chains: first the heads from the outside in, then the rests from the inside out.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/source/text_form.hpp"

namespace covec {

// `Dump` derives from this, and Expr is its tree's. It has left_of(e), the operand that an expression begins with, or
// nullptr; head(e) and rest(e), what stands before and behind that operand; leaf(e) for the other expressions;
// statement(s, depth); target(t), what is assigned to; stars_of(f, i) of a function's parameter; name_of(a, i) of what
// an annotation of a record holds, and type_of(a, i); and dimensions(a).
template <class Dump, class Expr>
class TreeWriter {
 public:
  std::string take() { return std::move(out_); }

  template <class Block>
  void block(const Block& body, size_t depth) {
    for (const auto* s : body) {
      out_.append(2 * depth, ' ');
      dump().statement(s, depth);
      out_ += "\n";
    }
  }

  void expr(const Expr* e) {
    std::vector<const Expr*> spine;
    for (; Dump::left_of(e) != nullptr; e = Dump::left_of(e)) {
      spine.push_back(e);
      out_ += "(";
      dump().head(e);
      out_ += " ";
    }
    dump().leaf(e);
    for (size_t i = spine.size(); i-- > 0;) {
      dump().rest(spine[i]);
      out_ += ")";
    }
  }

 protected:
  void word(std::string_view text) { (out_ += " ") += text; }
  void more(const Expr* e) {
    out_ += " ";
    expr(e);
  }
  void or_blank(const Expr* e) {
    if (e == nullptr)
      word("_");
    else
      more(e);
  }

  template <class Items>
  void list(std::string_view head, const Items& items) {
    out_ += head;
    for (const auto* item : items) more(item);
    out_ += ")";
  }

  template <class Arguments>
  void arguments(const Arguments& arguments) {
    for (const auto& a : arguments) {
      if (a.name.empty()) {
        more(a.value);
        continue;
      }
      (out_ += " (= ") += a.name;
      more(a.value);
      out_ += ")";
    }
  }

  template <class Item>
  void slice(const Item& item) {
    out_ += " (:";
    or_blank(item.start);
    or_blank(item.stop);
    if (item.step != nullptr) more(item.step);
    out_ += ")";
  }

  // Between blanks.
  template <class Items, class Write>
  void apart(const Items& items, Write write) {
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out_ += " ";
      write(items[i], i);
    }
  }

  template <class Function>
  void parameters(const Function& f) {
    out_ += "(";
    apart(f.parameters, [&](const auto& p, size_t i) {
      (out_ += Dump::stars_of(f, i)) += p.name;
      if (p.annotation != nullptr) {
        out_ += ":";
        annotation(*p.annotation);
      }
      if (p.fallback != nullptr) {
        out_ += "=";
        expr(p.fallback);
      }
    });
    out_ += ")";
    if (f.result == nullptr) return;
    out_ += " -> ";
    annotation(*f.result);
  }

  template <class Annotation>
  void annotation(const Annotation& a) {
    if (a.kind == Annotation::Kind::tensor) {
      out_ += a.dtype;
      return dump().dimensions(a);
    }
    const bool record = a.kind == Annotation::Kind::record;
    out_ += record ? "{" : "(";
    apart(a.fields, [&](const auto&, size_t i) {
      if (record) (out_ += Dump::name_of(a, i)) += ":";
      annotation(*Dump::type_of(a, i));
    });
    out_ += record ? "}" : ")";
  }

  // `(fn name … (parameters)` is written: what it does, and the end.
  template <class Function>
  void body(const Function& f, size_t depth) {
    if (f.expression != nullptr)
      more(f.expression);
    else
      nested(f.body, depth);
    out_ += ")";
  }

  template <class Format>
  void format(const Format& f) {
    out_ += "(format";
    for (const auto& piece : f.pieces) {
      if (piece.value == nullptr) {
        word(quoted_text(piece.text));
      } else {
        out_ += " {";
        expr(piece.value);
        if (!piece.spec.empty()) (out_ += ":") += piece.spec;
        out_ += "}";
      }
    }
    out_ += ")";
  }

  template <class Block>
  void nested(const Block& body, size_t depth) {
    const size_t outer = std::exchange(depth_, depth + 1);
    out_ += " {";
    if (!body.empty()) out_ += "\n";
    block(body, depth_);
    depth_ = outer;
    if (!body.empty()) out_.append(2 * depth, ' ');
    out_ += "}";
  }

  // Without the parenthesis behind them. What is assigned to is a `target`; nullptr: nothing is.
  template <class While>
  void while_statement(const While& s, size_t depth) {
    out_ += "(while";
    more(s.condition);
    nested(s.body, depth);
  }
  template <class For>
  void for_statement(const For& s, size_t depth) {
    out_ += "(for ";
    dump().target(s.target);
    out_ += " in";
    more(s.iterable);
    nested(s.body, depth);
  }
  template <class Try, class Target>
  void try_statement(const Try& s, const Target* target, size_t depth) {
    out_ += "(try";
    nested(s.body, depth);
    out_ += " catch";
    if (target != nullptr) {
      out_ += " ";
      dump().target(target);
    }
    nested(s.handler, depth);
  }
  template <class Statement>
  void return_statement(const Statement& s) {
    out_ += "return";
    if (s.value != nullptr) more(s.value);
  }
  template <class Statement>
  void assert_statement(const Statement& s) {
    out_ += "assert";
    more(s.condition);
    if (s.message != nullptr) more(s.message);
  }

  std::string out_;
  size_t depth_ = 0;  // of the statement that is written

 private:
  Dump& dump() { return static_cast<Dump&>(*this); }
};

}  // namespace covec
