#include "tests/cluster/random_collectives.hpp"

namespace covec::testing {

std::string RandomCollectives::same() {
  switch (below(5)) {
    case 0: return one_of({"0.5", "1.5", "-0.25", "2.0"});
    case 1: return "m[" + one_of({"0", "1"}) + ", " + one_of({"0", "-1"}) + "]";
    case 2: return "(" + one_of(same_) + " + n)";
    default: return one_of(same_);
  }
}

std::string RandomCollectives::own() {
  switch (below(5)) {
    case 0: return "sum(x) * 0.125";
    case 1: return "x[" + one_of({"0", "-1"}) + "]";
    case 2: return "sin(" + one_of(own_) + ")";
    case 3: return same();
    default: return one_of(own_);
  }
}

std::string RandomCollectives::condition() { return same() + one_of({" < ", " > "}) + same(); }

void RandomCollectives::collective() {
  const std::string name = fresh();
  switch (below(13)) {
    case 0: put("parallel.all_sum(" + own() + ")"); return;  // nobody uses what it gives
    case 1: put("parallel.barrier()"); return;
    case 2: put(name + " = parallel.all_max(" + own() + ")"); break;
    case 3: put(name + " = sum(parallel.all_gather(" + own() + "))"); break;
    case 4: put(name + " = parallel.broadcast(" + own() + ", root=1)"); break;
    case 5: put(name + " = sum(parallel.all_gather(parallel.shift(" + own() + ")))"); break;
    case 6:
      put(name + " = parallel.all_sum({a: x * " + own() + ", b: " + own() + "}).a[k]");
      break;  // k may be too large
    case 7: put(name + " = meet(" + own() + ", " + same() + ")"); break;
    case 8: put(name + " = down(" + one_of({"n", "2"}) + ", " + own() + ")"); break;
    case 9: put(name + " = " + (has_functions_ ? "inner(x, m, n, k, " + same() + ")" : "meet(x[0], a)")); break;
    case 10: put(name + " = parallel.all_sum(" + own() + ") if " + condition() + " else " + same()); break;
    case 11: put(name + " = parallel.sum(i -> i * " + same() + ", 3)"); break;
    default: put(name + " = parallel.all_sum(" + own() + ") * 0.25");
  }
  same_.push_back(name);
}

void RandomCollectives::examples() {
  const std::string name = fresh();
  switch (below(8)) {
    case 0: put(name + " = sum(vmap(q -> q[k] * " + one_of({"2", "0.5"}) + ")(m))"); break;  // k may be out of range
    case 1: put(name + " = sum(vmap(q -> q // (n - 1))(arange(3)) * 0.5)"); break;           // n may be 1
    case 2: put(name + " = sum(vmap(q -> parallel.all_sum(q * " + own() + "))(m[0]))"); break;
    case 3: put(name + " = sum([parallel.all_sum(" + own() + ") * q for q in m[0]])"); break;
    case 4: put(name + " = sum([m[0, i + k] for i in range(2)])"); break;
    case 5: put(name + " = sum(vmap(q -> parallel.all_sum(q) if q > 0.5 else q)(m[0]))"); break;  // is refused
    case 6: put(name + " = sum([parallel.all_max(q * " + own() + ") for q in m[0][:0]])"); break;
    default: put(name + " = sum(vmap(q -> sum(parallel.all_gather(q)) if n > 1 else q)(m[0]))");
  }
  same_.push_back(name);
}

void RandomCollectives::derivative() {
  const std::string name = fresh();
  switch (below(7)) {
    case 0: put(name + " = parallel.all_sum(grad(q -> q^2 * " + own() + ")(" + same() + "))"); break;
    case 1: put(name + " = grad(q -> q^2 * parallel.all_sum(" + own() + "))(" + same() + ")"); break;
    case 2: put(name + " = grad(checkpoint(q -> q^2 * parallel.all_sum(" + own() + ")))(" + same() + ")"); break;
    case 3: put(name + " = jvp(q -> parallel.all_sum(q * " + own() + "), (" + same() + " * 1.0,), (1.0,))[1]"); break;
    case 4:
      put(name + " = grad(checkpoint(q -> q * parallel.all_sum(" + own() + ") * sum(vmap(p -> p[k])(m))))(" + same() +
          " * 1.0)");
      break;
    case 5:
      put(name + " = grad(checkpoint(twice))(" + same() + " * 1.0, m[0], [0, 1, " + one_of({"0", "1"}) + "][n:])");
      break;
    default: put(name + " = parallel.grad(q -> parallel.all_sum(q^2 * " + own() + "))(" + same() + " * 1.0)");
  }
  same_.push_back(name);
}

void RandomCollectives::local() {
  const std::string name = fresh();
  switch (below(5)) {
    case 0: put("print(\"p\", " + own() + ")"); return;
    case 1: put("x = x * 0.5 + " + own()); return;
    case 2: put("x[0] = " + own()); return;
    case 3: put(name + " = " + same() + " * rand()"); return same_.push_back(name);  // all ranks draw the same
    default: put(name + " = " + own() + " * " + own()); return own_.push_back(name);
  }
}

// What a block makes is not seen behind it; what it assigns of before is.
void RandomCollectives::block() {
  const std::vector<std::string> same_before = same_, own_before = own_;
  for (size_t i = 1 + below(3); i > 0; --i) statement();
  if (chance(60)) put(one_of(same_before) + " = " + same());
  if (chance(30)) put(one_of(own_before) + " = " + own());
  same_ = same_before;
  own_ = own_before;
}

void RandomCollectives::loop() {
  const std::string i = fresh();
  switch (below(4)) {
    case 0:
    case 1: open("for " + i + " in range(" + one_of({"2", "n", "n + 1"}) + ")"); break;
    case 2:
      put(i + " = 0.0");
      open("while " + i + " < " + one_of({"2", "n"}));
      put(i + " = " + i + " + 1");
      break;
    default:  // work of each rank alone, of different length
      open("for " + i + " in range(3 + 40 * r)");
      put("x = 0.5 * x + 0.25");
      return close();
  }
  if (chance(30)) put("if " + condition() + " { " + one_of({"break", "continue", "return a + " + same()}) + " }");
  block();
  close();
}

void RandomCollectives::branch() {
  open("if " + condition());
  block();
  if (chance(20)) put("return " + same());
  if (chance(50)) {
    close(" else {");
    ++depth_;
    block();
  }
  close();
}

void RandomCollectives::attempt() {
  open("try");
  block();
  close(" catch err { print(\"caught\", err.message) }");
}

void RandomCollectives::statement() {
  switch (below(depth_ > 3 ? 9 : 14)) {
    case 0:
    case 1:
    case 2:
    case 3: return collective();
    case 4:
    case 5: return examples();
    case 6: return derivative();
    case 7:
    case 8: return local();
    case 9:
    case 10:
    case 11: return loop();
    case 12: return branch();
    default: return attempt();
  }
}

void RandomCollectives::function(const std::string& head) {
  same_ = {"a"};
  own_ = {"o"};
  open(head);
  put("o = x[0]");
  for (size_t i = 2 + below(5); i > 0; --i) statement();
  std::string sum = "a";
  for (const std::string& name : same_) sum += " + " + name;
  put("return " + sum);
  close();
}

std::string RandomCollectives::make() {
  put("import parallel\nr = parallel.rank()");
  put("fn meet(y, z) {\n  if z < 0 { return z }\n  w = parallel.all_sum(y)\n  return w * 0.5 if w > z else "
      "parallel.all_max(y)\n}");
  put("fn down(n, y) {\n  if n < 1 { return parallel.all_sum(y) }\n  return down(n - 1, y * 0.5) + "
      "0.1 * parallel.all_max(y)\n}");
  put("@compile\nfn twice(q, z, at) {\n  y = parallel.all_sum(z[0])\n  z[at] *= 2.0\n  return q^2 * sum(z) * y\n}");
  function("@compile\nfn inner(x, m, n, k, a)");
  has_functions_ = true;
  function("@compile\nfn f(x, m, n, k, a)");
  for (int call = 0; call < calls; ++call) {
    const std::string n = one_of({"0", "1", "2", "3"}), k = one_of({"0", "0", "1", "2"});
    put("try { print(f([0.5 + r, 1.25, " + one_of({"-2.0", "3.5"}) + " * r], [[0.25, 0.75], [1.5, -0.5]], " + n + ", " +
        k + ", " + one_of({"0.75", "3.5"}) +
        "), rand(), digits=17) } catch err { print(\"\\nfailed\", err.kind, err.line, err.message) }");
  }
  return text_;
}

}  // namespace covec::testing
