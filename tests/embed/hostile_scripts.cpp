#include "hostile_scripts.hpp"

#include <functional>

namespace hostile {

namespace {

using Texts = std::vector<std::string>;

std::string times(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

// `each` for 0 … count-1.
std::string lines(int count, const std::function<std::string(const std::string&)>& each) {
  std::string all;
  for (int i = 0; i < count; ++i) all += each(std::to_string(i)) + "\n";
  return all;
}

// Each body as it is, in a function, compiled, and caught again and again.
Texts in_every_way(const Texts& bodies) {
  Texts all;
  for (const std::string& body : bodies) {
    all.push_back(body);
    all.push_back("fn f() {\n" + body + "\n}\nf()");
    all.push_back("@compile\nfn f() {\n" + body + "\n}\nf()");
    all.push_back("while true {\ntry {\n" + body + "\n} catch err {\ns = err.message\n}\n}");
  }
  return all;
}

Texts endless_loops() {
  Texts all = in_every_way({
      "while true { }",
      "x = 1.0\nwhile x > 0.0 { x = x + 1.0 }",
      "n = 0\nfor i in range(1000000000000) { n = n + i }",
      "x = ones(100)\nwhile true { x = sin(x) }",
      "for i in range(1000000000) { for j in range(1000000000) { k = i * j } }",
  });
  const Texts more = {
      "s = sum([i * 1.0 for i in range(100000000000)])",
      "@compile\nfn f(x) {\nwhile x < 2.0 { x = x * 0.5 + 0.5 }\nreturn x\n}\ngrad(f)(1.0)",
      "fn f(x) {\nwhile x < 2.0 { x = x * 0.5 + 0.5 }\nreturn x\n}\ngrad(f)(1.0)",
      "fn f(x) {\nfor i in range(1000000000) { x = sin(x) }\nreturn x\n}\nvmap(f)(ones(10))",
      "fn f(x) {\nfor i in range(1000000000) { x = sin(x) }\nreturn x\n}\njacobian(f)(ones(10))",
      "fn f(x) = sin(x)\ntimeit(f, 1.0, seconds=1e9)",
      "import ode\node.solve((t, y) -> sin(1e6 * y), [1.0], [0.0, 1e9])",
      "import integrate\nintegrate.quad(x -> sin(1e9 * x * x), 0.0, 1e9)",
      "import optim\noptim.bfgs(x -> sum(sin(1e6 * x)), ones(100))",
      "xs = list(1)\nfor x in xs { xs.push(x) }",
      "sort(list(3, 1, 2), by=x -> { while true { }\nreturn 0 })",
      "filter(list(1), x -> { while true { }\nreturn true })",
  };
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

Texts recursions() {
  return {
      "fn f(x) = f(x)\nf(1)",
      "fn f(x) = 1 + f(x + 1)\nf(1)",
      "@compile\nfn f(x) = f(x + 1.0) + 1.0\nf(1.0)",
      "fn f(x) = g(x)\nfn g(x) = f(x)\nf(1)",
      "f = x -> f(x) + 1\nf(1)",
      "fn f(n) {\nif n < 2 { return 1 }\nreturn f(n - 1) + f(n - 2)\n}\nf(60)",
      "@compile\nfn f(n) {\nif n < 2 { return 1 }\nreturn f(n - 1) + f(n - 2)\n}\nf(80)",
      "fn f(m, n) {\nif m == 0 { return n + 1 }\nif n == 0 { return f(m - 1, 1) }\nreturn f(m - 1, f(m, n - "
      "1))\n}\nf(4, 4)",
      "fn f(x) = grad(f)(x)\nf(1.0)",
      "fn f(x) = vmap(f)(x)\nf(ones(2))",
      "fn f(x) { a = ones(10000)\nreturn f(a) + sum(a) }\nf(1)",
      "fn f(xs) { xs.push(1)\nreturn f(list(xs, xs)) }\nf(list())",
      "while true { try { fn f(x) = f(x) + 1\nf(1) } catch err { s = err.message } }",
      "fn f(x) { try { return f(x) } catch err { return f(x) } }\nf(1)",
      "fn f(s) = f(s + s)\nf(\"ab\")",
      "fn f(x) = jvp(f, (x,), (x,))\nf(1.0)",
  };
}

Texts huge_tensors() {
  Texts all = in_every_way({"x = zeros(1000000000000)", "x = ones(100000, 100000) + 1.0"});
  for (const char* size : {"100000000", "10000000000", "9000000000000000000"}) {
    for (const char* text : {"zeros(N)", "linspace(0.0, 1.0, N)", "arange(N)", "eye(N)", "rand(N)", "tile([1.0], N)",
                             "repeat([1.0], N)", "broadcast_to([1.0], N) + 1.0", "one_hot([1, 2], N)",
                             "pad([1.0], ((N, N),))", "randint(0, 5, N)", "bincount([N - 1])"}) {
      std::string made = text;
      for (size_t at = made.find('N'); at != std::string::npos; at = made.find('N')) made.replace(at, 1, size);
      all.push_back(made);
    }
  }
  const Texts more = {
      "x = ones(2)\nwhile true { x = concat((x, x)) }",
      "x = ones(2)\nwhile true { x = outer(x, x) }",
      "x = ones(2, 2)\nwhile true { x = kron(x, x) }",
      "xs = list()\nwhile true { xs.push(ones(1000)) }",
      "fn f(x) {\nfor i in range(100000) { x = sin(x) }\nreturn sum(x)\n}\ngrad(f)(ones(10000))",
      "jacobian(x -> sin(x))(ones(100000))",
      "hessian(x -> sum(sin(x) * sum(x)))(ones(10000))",
      "x = ones(3000)\ny = x[i] * x[j] for i, j",
      "@compile\nfn f(x) = sum(outer(x, x) * outer(x, x))\nf(ones(20000))",
      "@compile\nfn f() = sum(ones(1000000000))\nf()",
      "histogram(ones(10), bins=1000000000)",
      "windows(ones(100000), 50000) + 1.0",
      "einsum(\"i,j,k->ijk\", ones(1000), ones(1000), ones(1000))",
      "meshgrid(ones(100000), ones(100000))",
      "shift_left(1, 62) * ones(1000000000)",
  };
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

Texts huge_texts() {
  Texts all = in_every_way({"s = \"ab\"\nwhile true { s = s + s }"});
  const Texts more = {
      "s = \"a,\"\nwhile true { s = s.replace(\",\", s) }",
      "s = \"ab\"\nfor i in range(24) { s = s + s }\nxs = s.split(\"a\")",
      "s = \"ab\"\nfor i in range(24) { s = s + s }\nn = 0\nwhile true { n = n + len(s.split(\"b\")) }",
      "s = \"a\"\nwhile true { s = f\"{s}{s}{s}\" }",
      "s = \"a\"\nfor i in range(23) { s = s + s }\nwhile true { t = s.upper()\nu = t.lower() }",
      "format(1.0, \">1000000000\")",
      "format(1.0, \".1000000000f\")",
      "xs = list()\nwhile true { xs.push(\"a text of some length that is kept in the list\") }",
      "xs = [\"a\"] \nwhile true { xs = xs + xs }",
      "s = \"a\"\nfor i in range(23) { s = s + s }\nwhile true { b = (s + \"b\") == (s + \"c\") }",
      "s = \"a\"\nfor i in range(22) { s = s + s }\nm = map()\nwhile true { m[s + str(len(m))] = 1 }",
      "s = str(ones(1000, 1000))\nwhile true { s = s + str(ones(100, 100)) }",
      "s = \"a\"\nfor i in range(22) { s = s + s }\nx = f64(s)",
      "s = \"1\"\nfor i in range(22) { s = s + s }\nx = i64(s)",
      "s = \"é\"\nfor i in range(22) { s = s + s }\nwhile true { c = s[len(s) - 1] }",
      "s = \"aaaaaaaaab\"\nfor i in range(20) { s = s + s }\nn = 0\nwhile true { if \"aaaaaaaac\" in s { n = 1 } }",
      "s = \"a b \"\nfor i in range(20) { s = s + s }\nwhile true { t = \" \".join(s.split()) }",
  };
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

Texts growing_trees() {
  return {
      "xs = list(1)\nwhile true { xs = xs + xs }",
      "t = (1, 2)\nwhile true { t = (t, t) }",
      "t = (1, 2)\nfor i in range(40) { t = (t, t) }\nprint(t)",
      "t = (1, 2)\nfor i in range(40) { t = (t, t) }\nu = (1, 2)\nfor i in range(40) { u = (u, u) }\nb = t == u",
      "t = (1.0, 2.0)\nfor i in range(40) { t = (t, t) }\nx = tree_leaves(t)",
      "t = (1.0, 2.0)\nfor i in range(40) { t = (t, t) }\nx = tree_map(sin, t)",
      "t = (1.0, 2.0)\nfor i in range(40) { t = (t, t) }\nx = tree_vector(t)",
      "t = (1.0, 2.0)\nfor i in range(40) { t = (t, t) }\ns = str(t)",
      "t = (1.0, 2.0)\nfor i in range(40) { t = (t, t) }\n@compile\nfn f(t) = 1\nf(t)",
      "t = (1.0, 2.0)\nfor i in range(40) { t = (t, t) }\nf = grad(t -> t[0][0] * 1.0)\nf(t)",
      "t = (1.0, 2.0)\nfor i in range(40) { t = (t, t) }\nm = map()\nm[t] = 1",
      "t = (1.0, 2.0)\nfor i in range(40) { t = (t, t) }\nb = t < t",
      "t = (1.0, 2.0)\nfor i in range(40) { t = (t, t) }\nsave(\"x.npz\", t)",
      "t = {a: 1}\nwhile true { t = {a: t, b: t} }",
      "t = {a: 1}\nfor i in range(1000000) { t = {a: t} }\nprint(t)",
      "t = list()\nfor i in range(1000000) { t = list(t) }\ns = str(t)",
      "t = list()\nfor i in range(1000000) { t = list(t) }\nu = list()\nfor i in range(1000000) { u = list(u) }\nb = t "
      "== u",
      "f = x -> x\nfor i in range(1000000) { g = f\nf = x -> g(x) }\nf(1)",
      "m = map()\ni = 0\nwhile true { m[i] = i\ni = i + 1 }",
      "xs = list()\nwhile true { xs.push(x -> x) }",
      "xs = list()\nwhile true { xs.push(xs) }",
      "xs = list(1)\nwhile true { xs.push(list(xs, xs, xs)) }",
      "xs = [i for i in range(2000000)]\nwhile true { ys = sort(list(3, 2, 1)) }",
      "zip(range(1000000000), range(1000000000))",
      "xs = list()\nfor i in range(1000000) { xs.push(i) }\nwhile true { ys = sort(xs, by=x -> 0 - x) }",
  };
}

Texts slow_operators() {
  return {
      "a = rand(1500, 1500)\nwhile true { b = a @ a }",
      "inv(rand(1200, 1200))",
      "svd(rand(900, 900))",
      "eigh(rand(900, 900))",
      "expm(rand(800, 800))",
      "sqrtm(rand(300, 300) + 300.0 * eye(300))",
      "qr(rand(1200, 1200))",
      "matrix_power(rand(600, 600), 1000000)",
      "lstsq(rand(1500, 800), rand(1500))",
      "while true { x = sort(rand(2000000)) }",
      "convolve(rand(1000000), rand(1000000))",
      "conv2d(rand(1, 8, 200, 200), rand(8, 8, 31, 31))",
      "while true { x = cumsum(rand(1000000)) }",
      "while true { x = randn(3000000) }",
      "while true { x = permutation(1000000) }",
      "choice(1000000, 500000, replace=false)",
      "while true { x = unique(randint(0, 1000000, 1000000)) }",
      "zeta(linspace(1.0001, 1.1, 1000000))",
      "betaincinv(linspace(0.1, 9.0, 1000000), 2.5, 0.3)",
      "gammainccinv(linspace(0.1, 900.0, 1000000), 0.3)",
      "median(rand(3000, 1000), axis=0)",
      "einsum(\"ij,jk,kl,li->\", rand(300, 300), rand(300, 300), rand(300, 300), rand(300, 300))",
      "import linalg\nlinalg.cg(x -> 2.0 * x + roll(x, 1) + roll(x, -1), rand(1000000))",
      "import signal\nsignal.resample(rand(1000000), 1009, 1000)",
      "import stats\nx = rand(1000000)\nwhile true { y = stats.regression(x, x) }",
      "interp(rand(2000000), linspace(0.0, 1.0, 1000000), rand(1000000))",
      "einsum(\"ij,kj,lj->ikl\", rand(200, 200), rand(200, 200), rand(200, 200))",
      "max_pool2d(rand(1, 1, 2000, 2000), 500, stride=1)",
      "@compile\nfn f(x) {\nfor i in range(1000000) { x = x @ x / norm(x) }\nreturn x\n}\nf(rand(200, 200))",
      "import image\nimage.resize(rand(2000, 1000, 3), 3000, 2000)",
  };
}

std::string operations(int count) {
  return "@compile\nfn f(x) {\n" +
         lines(count, [](const std::string& i) { return "x = sin(x) + cos(x * " + i + ".5)"; }) +
         "return x\n}\nf(1.5)\n";
}

Texts slow_compiles() {
  Texts all;
  for (const int count : {200, 1000, 3000, 8000}) {
    all.push_back(operations(count));
    all.push_back(operations(count) + "f(ones(10))");
    all.push_back(operations(count) + "grad(f)(1.5)");
  }
  const std::string nested = times("for i in range(3) {\n", 12) + "x = x + 1.0\n" + times("}\n", 12);
  const std::string branches = times("if x > 0.5 {\nx = x * 1.5\n} else {\nx = x + 1.0\n}\n", 300);
  const Texts more = {
      "@compile\nfn f(x) {\n" + nested + "return x\n}\nf(1.0)",
      "@compile\nfn f(x) {\n" + nested + "return x\n}\ngrad(f)(1.0)",
      "@compile\nfn f(x) {\n" + branches + "return x\n}\nf(1.0)",
      "@compile\nfn f(x) {\n" + branches + "return x\n}\ngrad(grad(f))(1.0)",
      "fn f0(x) = x * x\n" +
          lines(20,
                [](const std::string& i) {
                  return "fn f" + std::to_string(std::stoi(i) + 1) + "(x) = f" + i + "(f" + i + "(x)) + f" + i + "(x)";
                }) +
          "@compile\nfn g(x) = f20(x)\ng(1.0)",
      "f = x -> sin(x) * exp(x)\nfor i in range(14) { f = grad(f) }\nf(1.0)",
      "@compile\nfn g(x) {\nf = x -> sin(x) * exp(x)\nfor i in range(14) { f = grad(f) }\nreturn f(x)\n}\ng(1.0)",
      "@compile\nfn f(xs) = sum(xs[0])\nfor n in range(100000) { f(tuple(ones(2) for i in range(n))) }",
      "@compile\nfn f(x) = x + 1.0\nfor n in range(1000000) { g = compile(x -> f(x) + n)\ng(1.0) }",
      "@compile\nfn f(xs) {\ns = 0.0\nfor x in xs { s = s + x }\nreturn s\n}\nxs = list()\nwhile true { "
      "xs.push(1.0)\nf(xs) }",
      "@compile\nfn f(x) {\nfor i in range(5000) { x = x[::-1] + 1.0 }\nreturn x\n}\nhessian(f)(ones(3))",
      "@compile\nfn f(x) {\nxs = list(x)\nfor i in range(10) { xs = xs + xs }\nreturn xs\n}\nf(1.0)",
      "@compile\nfn f(x) {\nt = (x, x)\nfor i in range(30) { t = (t, t) }\nreturn t\n}\nf(1.0)",
  };
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

Texts long_texts() {
  return {
      times("(", 900) + "1" + times(")", 900),
      times("(", 100000),
      times("[", 5000) + times("]", 5000),
      "x = 1" + times(" + 1", 200000),
      "x = " + times("-", 100000) + "1",
      "x = " + times("not ", 100000) + "true",
      times("x = 1\n", 200000),
      lines(60000, [](const std::string& i) { return "x" + i + " = " + i; }),
      lines(20000, [](const std::string& i) { return "fn f" + i + "(x) = x + " + i; }),
      times("a b c d ", 50000),
      times("if true {\n", 900) + times("}\n", 900),
      times("if true {\n", 20000),
      "x = \"" + times("a", 4000000) + "\"",
      times("# a comment\n", 400000),
      times("\n", 4000000),
      "x = f\"" + times("{", 3000) + "1" + times("}", 3000) + "\"",
      "x = [" + times("1, ", 300000) + "]",
      "x = {" + lines(50000, [](const std::string& i) { return "a" + i + ": 1,"; }) + "}",
      "f = " + times("x -> ", 5000) + "1",
      "x = " + times("f(", 900) + times(")", 900),
      "x = a" + times(".b", 100000),
      "x = a" + times("[0]", 100000),
      "x = 1" + times("0", 1000000),
      "x = 1" + times(" if true else 1", 20000),
      "fn f(" + lines(20000, [](const std::string& i) { return "a" + i + ","; }) + ") = 1",
      "x = " + times("fn_unknown() + ", 30000) + "1",
      lines(30000, [](const std::string& i) { return "y" + i + " = unknown" + i; }),
      times("\xff\xfe", 100000),
      times("\"", 100001),
  };
}

Texts prints() {
  Texts all = in_every_way({"while true { print(1) }", "while true { print(\"a line that is longer\") }"});
  const Texts more = {
      "while true { print(ones(30, 30)) }",
      "while true { print(1, to=\"stderr\") }",
      "i = 0\nwhile true { print(i, to=\"warning\")\ni = i + 1 }",
      "s = \"a\"\nfor i in range(23) { s = s + s }\nwhile true { print(s) }",
      "vmap(x -> { print(x)\nreturn x })(ones(1000000))",
      "@compile\nfn f(x) {\nfor i in range(1000000000) { print(i) }\nreturn x\n}\nf(1.0)",
      "for i in progress(range(1000000000)) { print(i) }",
  };
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

Texts ways_out() {
  Texts all = {"sleep(1e9)",
               "while true { time() }",
               "input()",
               "to([1.0], device=\"gpu\")",
               "import nothing",
               "exit(0)",
               "args()",
               "save(\"/tmp/x.npy\", [1.0])",
               "write_text(\"x.txt\", \"a\")"};
  for (const char* path :
       {"/etc/passwd", "/proc/self/environ", "/proc/self/mem", "/proc/self/fd/0", "/dev/zero", "/dev/random",
        "/dev/stdin", "/dev/tty", "../secret", "/proc/self/root/etc/passwd", "/sys/kernel/notes", "/", "", ".",
        "//etc//passwd", "/tmp/../etc/passwd", "/etc/passwd/", "/dev/fd/0"})
    all.push_back("read_text(\"" + std::string(path) + "\")");
  for (const char* path : {"/proc/self/mem", "/dev/mem", "/dev/full", "/tmp/../tmp/x", "/proc/self/oom_score_adj"})
    all.push_back("write_text(\"" + std::string(path) + "\", \"a\")");
  for (const char* path : {"/etc/passwd", "/dev/zero", "/proc/self/maps"}) {
    all.push_back("import \"" + std::string(path) + "\" as it");
    all.push_back("import table\ntable.read_csv(\"" + std::string(path) + "\")");
    all.push_back("import image\nimage.load(\"" + std::string(path) + ".png\")");
  }
  return all;
}

}  // namespace

std::vector<Script> scripts() {
  std::vector<Script> all;
  const auto add = [&](const std::string& kind, const Texts& texts) {
    for (const std::string& text : texts) all.push_back({kind, text});
  };
  add("endless loop", endless_loops());
  add("recursion", recursions());
  add("huge tensor", huge_tensors());
  add("huge text", huge_texts());
  add("growing tree", growing_trees());
  add("slow operator", slow_operators());
  add("slow compile", slow_compiles());
  add("long program", long_texts());
  add("printing", prints());
  add("way out", ways_out());
  return all;
}

}  // namespace hostile
