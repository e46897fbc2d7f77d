#include "tests/effects/random_program.hpp"

namespace covec::test {

std::string RandomProgram::number() {
  switch (below(6)) {
    case 0: return one_of({"0.5", "1.5", "2.0", "-0.25", "7.5"});
    case 1: return "sum(x) * 0.125";
    case 2: return "x[" + one_of({"0", "-1", "n", "k"}) + "]";
    case 3: return "(" + numbers_[below(numbers_.size())] + " + n)";
    default: return numbers_[below(numbers_.size())];
  }
}

std::string RandomProgram::condition() { return number() + one_of({" < ", " > "}) + number(); }

// An expression of an example or variable q.
std::string RandomProgram::of_element(const std::string& q) {
  switch (below(5)) {
    case 0: return "noted(" + q + " * 2)";
    case 1: return "noted(" + number() + ") * " + q;
    case 2: return "tanh(noted(" + q + ")) + noted(" + q + " * 0.5)";
    case 3: return q + " * " + number();
    default: return "sin(" + q + ")";
  }
}

void RandomProgram::examples() {
  const std::string name = fresh();
  switch (below(7)) {
    case 0: put(name + " = sum(vmap(q -> " + of_element("q") + ")(x))"); break;
    case 1: put(name + " = sum(vmap(q -> q[k] * " + one_of({"2", "0.5"}) + ")(m))"); break;  // k may be out of range
    case 2: put(name + " = sum(vmap(q -> q // (n - 1))(arange(3)) * 0.5)"); break;           // n may be 1
    case 3: put(name + " = sum(vmap(q -> noted(q) * 0.5 if q > " + one_of({"0", "1", "2.5"}) + " else q)(x))"); break;
    case 4: put(name + " = sum([" + of_element("q") + " for q in x])"); break;
    case 5: put(name + " = sum(vmap((q, p) -> dot(q, p))(m, m[:, :k]))"); break;
    default: put(name + " = sum([x[i + k] for i in range(3)])");
  }
  numbers_.push_back(name);
}

void RandomProgram::derivative() {
  const std::string name = fresh(), at = number();
  switch (below(11)) {
    case 0: put(name + " = grad(q -> " + of_element("q") + ")(" + at + ")"); break;
    case 1: put(name + " = jvp(q -> " + of_element("q") + ", (" + at + " * 1.0,), (1.0,))[1]"); break;
    case 2: put(name + " = sum(grad(q -> sum(vmap(p -> " + of_element("p") + ")(q)))(x))"); break;
    case 3: put(name + " = sum(vmap(grad(q -> " + of_element("q") + "))(x))"); break;
    case 4: put(name + " = grad(q -> sum([noted(q * i) for i in range(n)]) * q)(" + at + ")"); break;
    case 5: put(name + " = grad(again(q -> " + of_element("q") + "))(" + at + ")"); break;
    case 6: put(name + " = sum(grad(again(q -> sum(vmap(p -> " + of_element("p") + ")(q))))(x))"); break;
    case 7: put(name + " = sum(grad(again(q -> sum(vmap(p -> p[k])(q)) * noted(2)))(m))"); break;
    case 8: put(name + " = grad(walk, memory=limit)(" + at + ", n + 1)"); break;
    case 9: put(name + " = sum(jacobian(again(q -> noted(q * 2) * " + of_element("q[0]") + "))(x))"); break;
    default: put(name + " = grad(grad(q -> noted(q * q) * q))(" + at + ")");
  }
  numbers_.push_back(name);
}

// What a block makes is not seen behind it; what it assigns of before is.
void RandomProgram::block() {
  const size_t before = numbers_.size();
  for (size_t i = 1 + below(3); i > 0; --i) statement();
  if (chance(60)) put(numbers_[below(before)] + " = " + number());
  numbers_.resize(before);
}

void RandomProgram::loop() {
  const std::string i = fresh();
  if (chance(70)) {
    open("for " + i + " in range(" + one_of({"2", "n", "n + 1"}) + ")");
  } else {
    put(i + " = 0.0");
    open("while " + i + " < " + one_of({"2", "n"}));
    put(i + " = " + i + " + 1");
  }
  if (chance(20)) put("if " + condition() + " { " + one_of({"break", "continue"}) + " }");
  block();
  close();
}

void RandomProgram::branch() {
  open("if " + condition());
  block();
  if (chance(50)) {
    close(" else {");
    ++depth_;
    block();
  }
  close();
}

void RandomProgram::attempt() {
  open("try");
  block();
  close(" catch err { print(\"caught\", err.message) }");
}

void RandomProgram::statement() {
  const std::string name = fresh();
  const bool deep = depth_ > 3;
  switch (below(deep ? 10 : 14)) {
    case 0:
    case 1: put(name + " = noted(" + number() + ")"); break;
    case 2: put("noted(" + one_of({"x", "x * 0.5", "m", "k"}) + ")"); return;
    case 3: put("print(\"p\", " + number() + ")"); return;
    case 4:
    case 5: return examples();
    case 6: return derivative();
    case 7: put(name + " = " + one_of({"down(n, ", "twice(", "inner(m, k, ", "inner(m, k, "}) + number() + ")"); break;
    case 8:
      put(name + " = (" + one_of({"noted", "sin", "f"}) + " if " + condition() + " else noted)(" + number() + ")");
      break;
    case 9:
      put(one_of({"print(f\"{n}|\" + str(k))", "x = x + 0.5", "x = noted(x) * 0.5", "x[0] = noted(x[1])",
                  "x = x + m[k]", "assert time() > 0", "x = x + 0 * rand(3)"}));
      return;
    case 10:
    case 11: return loop();
    case 12: return branch();
    default: return attempt();
  }
  numbers_.push_back(name);
}

void RandomProgram::function() {
  numbers_ = {"a"};
  open("@compile\nfn f(x, m, n, k, a, f)");
  for (size_t i = 2 + below(5); i > 0; --i) statement();
  std::string sum = "a";
  for (const std::string& name : numbers_) sum += " + " + name;
  put("return (" + sum + ", x)");
  close();
}

std::vector<std::string> RandomProgram::make() {
  text_.clear();
  put("fn again(f) = checkpoint(f)\nlimit = 64");
  put("fn down(n, x) {\n  if n < 1 { return x }\n  y = noted(x + n)\n  return down(n - 1, y) * 0.5\n}");
  put("fn twice(x) {\n  noted(x)\n  return noted(x * 2)\n}");
  put("fn walk(x, n) {\n  y = x\n  for i in range(n) { y = sin(y) * noted(i) + noted(x * y) }\n  return y\n}");
  put("@compile\nfn inner(m, k, y) {\n  y = noted(y)\n  y = y + sum(vmap(q -> q[k])(m))\n  return noted(y)\n}");
  function();
  std::vector<std::string> pieces = {text_};
  for (int call = 0; call < 4; ++call) {
    const std::string n = one_of({"0", "1", "2", "3"}), k = one_of({"0", "0", "1", "2", "3"});
    pieces.push_back("print(f([0.5, 1.25, " + one_of({"-2.0", "3.5", "7.0"}) + "], reshape(arange(6.0), (3, 2)), " + n +
                     ", " + k + ", " + one_of({"0.75", "3.5"}) + ", q -> noted(q) + 1), rand(), digits=17)\n");
  }
  return pieces;
}

}  // namespace covec::test
