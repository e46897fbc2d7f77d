#include "tests/cluster/random_losses.hpp"

namespace covec::testing {

std::string RandomLoss::same() {
  switch (below(4)) {
    case 0: return one_of({"0.5", "-1.25", "0.75"});
    case 1: return "p[" + one_of({"0", "1", "-1"}) + "]";
    default: return one_of(numbers_.same);
  }
}

std::string RandomLoss::own() {
  switch (below(5)) {
    case 0: return "sum(x * " + same() + ")";
    case 1: return "mean(sin(" + same() + " + x))";
    case 2: return "x[" + one_of({"0", "-1"}) + "]";
    case 3: return same();
    default: return one_of(numbers_.own);
  }
}

void RandomLoss::collective() {
  const std::string name = fresh();
  switch (below(13)) {
    case 0: put(name + " = 0.2 * parallel.all_sum(" + own() + ")"); break;
    case 1: put(name + " = sum(parallel.all_sum(p * " + own() + ")) * 0.1"); break;
    case 2: put("parallel.all_sum(" + own() + ")"); return;  // nobody uses what it gives
    case 3: put(name + " = checkpoint(q -> tanh(parallel.all_sum(q * " + own() + ")))(" + same() + ")"); break;
    case 4: put(name + " = meet(" + own() + ")"); break;
    case 5: put(name + " = checkpoint(q -> cos(parallel.all_sum(q)) * " + same() + ")(" + own() + ")"); break;
    case 6: put(name + " = jvp(q -> parallel.all_sum(sin(q) * " + own() + "), (" + own() + ",), (0.3,))[1]"); break;
    case 7: put(name + " = parallel." + one_of({"all_max", "all_min"}) + "(sin(" + own() + "))"); break;
    case 8:
      put(name + " = sum(parallel.all_gather(" + own() + " * p, axis=" + one_of({"0", "-1"}) + ")^2) * 0.1");
      break;
    case 9:
      put(name + " = parallel.broadcast(cos(" + own() + "), root=" + one_of({"0", "parallel.size() - 1"}) + ")");
      break;
    case 10: put(name + " = 0.1 * parallel.sum(i -> sin(" + own() + " * i) + " + same() + ", 5)"); break;
    case 11: put(name + " = parallel.broadcast(cos(" + own() + ") if first == 0 else none)"); break;
    default: put(name + " = parallel.all_sum({a: [" + own() + ", 1.0], b: " + own() + "}).a[0] * 0.2");
  }
  numbers_.same.push_back(name);
}

void RandomLoss::local() {
  const std::string name = fresh();
  const std::string f = one_of({"sin", "tanh", "cos"});
  switch (below(8)) {
    case 0: put(name + " = " + f + "(" + own() + ") * " + own()); break;
    case 1: put(name + " = " + own() + " + " + own()); break;
    case 2: put(name + " = (" + f + "(" + own() + ") if first == 0 else " + own() + ")"); break;  // on one rank
    case 4:
      put(name + " = parallel.shift(" + f + "(" + own() + "), edge=" + one_of({"0.5", "\"wrap\"", own()}) + ")");
      break;
    case 5: put(name + " = sum(parallel.scatter(p * " + own() + "))"); break;
    case 6: put(name + " = ring(" + own() + ")"); break;
    case 3: put(name + " = (" + one_of({"0.5", own()}) + " if first == 0 else " + own() + ")"); break;
    default: put(name + " = (" + own() + " if x[0] > 0.3 else 0.5 * " + own() + ")");
  }
  numbers_.own.push_back(name);
}

// All ranks have as many of them.
void RandomLoss::examples() {
  const std::string name = fresh();
  put(name + " = sum(vmap(q -> " +
      one_of({"parallel.all_sum(q * " + own() + ")", "tanh(parallel.all_sum(sin(q) + " + own() + ")) * q",
              "q * parallel.all_sum(" + own() + ")", "parallel.all_max(q * " + own() + ")",
              "sum(parallel.all_gather(sin(q * " + own() + ")))", "parallel.broadcast(q * " + own() + ")",
              "parallel.all_sum(parallel.shift(q * " + own() + ", edge=q) * " + own() + ")"}) +
      ")(p)) * 0.1");
  numbers_.same.push_back(name);
}

// Names of a block are not seen behind it; what it assigns of before is.
void RandomLoss::block() {
  const Numbers before = numbers_;
  ++depth_;
  for (size_t i = 1 + below(3); i > 0; --i) statement();
  put(before.same[below(before.same.size())] + " = " + same());
  if (chance(50)) put(before.own[below(before.own.size())] + " = " + own());
  --depth_;
  numbers_ = before;
}

// Code has no derivative of a loop with a collective in its condition: there are few of these.
void RandomLoss::begin_loop() {
  const std::string number = fresh();
  if (!chance(20)) return put("for " + number + " in range(" + one_of({"2", "3", "n"}) + ") {");
  put(number + " = 0");
  put("while " + number + " < " + one_of({"2", "n"}) + " and parallel.all_sum(" + own() + ") < " +
      one_of({"0.5", "9"}) + " {");
  put("  " + number + " = " + number + " + 1");
}

void RandomLoss::statement() {
  switch (below(depth_ > 2 ? 8 : 11)) {
    case 0:
    case 1:
    case 2:
    case 3: return collective();
    case 4:
    case 5:
    case 6: return local();
    case 7: return examples();
    case 8: begin_loop(); break;
    default: put("if " + same() + one_of({" < ", " > "}) + same() + " {");
  }
  block();
  put("}");
}

std::string RandomLoss::make() {
  text_ = R"(import parallel
parts = parallel.map(i -> f64(i), 12)
first = parts.first
x = 0.1 * stack(parts.items)
fn meet(y) = 0.2 * parallel.all_sum(sin(y))
fn ring(y) {
  r, n = parallel.rank(), parallel.size()
  return parallel.sendrecv(y, (r + 1) % n, (r - 1) % n)
}
fn loss(p, x, n) {
  s1 = p[0] * 0.5
  s2 = sum(p^2) * 0.25
  o1 = sum(x) * p[1]
  o2 = mean(x * p[0])
)";
  numbers_ = {{"o1", "o2"}, {"s1", "s2"}};
  for (size_t i = 3 + below(5); i > 0; --i) statement();
  std::string own, same;
  for (const std::string& name : numbers_.own) own += (own.empty() ? "" : " + ") + name;
  for (const std::string& name : numbers_.same) same += " + " + name;
  put("return parallel.all_sum(" + own + ")" + same);
  text_ += R"(}
p = [0.7, 1.3]
fn shown(label, f) {
  try { print(label, f(), digits=17) } catch err { print(label, err.message) }
}
g = parallel.grad(loss)(p, x, 2)
print(g, digits=17)
fn moved(h) = (loss(p + h, x, 2) - loss(p - h, x, 2)) / 2e-5
d = [moved([1e-5, 0.0]), moved([0.0, 1e-5])]
if max(abs(g - d)) > 1e-5 * (1 + max(abs(d))) { print("wrong:", g, d) }
both = compile(parallel.value_and_grad(loss))
v, c = both(p, x, 2)
print(v, c, digits=17)
print(c == g)
shown("step", () -> compile(q -> q - 0.1 * parallel.grad(loss)(q, x, 2))(p))
shown("jvp", () -> jvp(q -> loss(q, x, 2), (p,), ([1.0, 0.5],)))
shown("second", () -> jacobian(q -> parallel.grad(loss)(q, x, 2), mode="forward")(p))
shown("both", () -> parallel.grad(q -> sum(parallel.grad(loss)(q, x, 2)^2))(p))
fn of_all(q, u) = loss(q, u, 2)
shown("local", () -> parallel.grad(of_all, local="u")(p, x))
shown("compiled local", () -> compile(parallel.grad(of_all, local="u"))(p, x))
own, other = parallel.grad(of_all, local="u")(p, x), x + 1e-5 * sin(x)
slope = (of_all(p, other) - of_all(p, 2 * x - other)) / 2e-5
along = parallel.all_sum(own[1] @ sin(x))
if abs(along - slope) > 1e-5 * (1 + abs(slope)) { print("wrong by u:", along, slope) }
shown("plain", () -> grad(loss)(p, x, 2))
)";
  return std::move(text_);
}

}  // namespace covec::testing
