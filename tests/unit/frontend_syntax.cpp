// The grammar: precedence, newlines, every construct, as the text form of the AST.
#include <gtest/gtest.h>

#include "tests/unit/frontend_support.hpp"

namespace covec::testing {
namespace {

struct Case {
  const char* text;
  const char* tree;
};

void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) EXPECT_EQ(ast_of(c.text), c.tree) << c.text;
}

TEST(Syntax, Precedence) {
  check({
      {"a + b * c", "(+ a (* b c))"},
      {"a * b + c", "(+ (* a b) c)"},
      {"a - b - c", "(- (- a b) c)"},
      {"a / b // c % d @ e", "(@ (% (// (/ a b) c) d) e)"},
      {"-x^2", "(- (^ x 2))"},
      {"2^-x", "(^ 2 (- x))"},
      {"2^-x^2*3", "(* (^ 2 (- (^ x 2))) 3)"},
      {"a ** b ^ c", "(^ a (^ b c))"},
      {"-a * b", "(* (- a) b)"},
      {"~a & b | c", "(| (& (~ a) b) c)"},
      {"+a.b", "(+ (. a b))"},
      {"-a.f(x)[1]", "(- (index (call (. a f) x) 1))"},
      {"a < b & c", "(& (< a b) c)"},
      {"a == b | c != d", "(| (== a b) (!= c d))"},
      {"not a == b and c", "(and (not (== a b)) c)"},
      {"not not a", "(not (not a))"},
      {"not a | b", "(not (| a b))"},
      {"a and b or c and d", "(or (and a b) (and c d))"},
      {"a or b if c else d", "(if c (or a b) d)"},
      {"a if b else c if d else e", "(if b a (if d c e))"},
      {"a if b if c else d else e", "(if (if c b d) a e)"},
      {"a + not b < c", "(+ a (not (< b c)))"},
      {"a * not b and c", "(and (* a (not b)) c)"},
      {"a * x -> y + z", "(* a (fn (x) (+ y z)))"},
      {"x -> y -> z + 1 if a else b", "(fn (x) (fn (y) (if a (+ z 1) b)))"},
      {"a ^ not b", "(^ a (not b))"},
      {"(a + b) * c", "(* (+ a b) c)"},
      {"a ^ b.c", "(^ a (. b c))"},
  });
}

TEST(Syntax, ComparisonsChain) {
  check({
      {"a < b", "(< a b)"},
      {"a < b <= c", "(compare a < b <= c)"},
      {"a < b + 1 == c > d", "(compare a < (+ b 1) == c > d)"},
      {"a < (b < c)", "(< a (< b c))"},
      {"(a < b) < c", "(< (< a b) c)"},
      {"a < b & b < c <= d", "(& (< a b) (compare b < c <= d))"},
  });
}

TEST(Syntax, Literals) {
  check({
      {"1_000", "1000"},
      {"0xff", "255"},
      {"0xFF_ff", "65535"},
      {"1.5", "1.5"},
      {"1e-3", "0.001"},
      {"1_0.2_5e1_0", "1.025e+11"},
      {"2.0", "2.0"},
      {"true", "true"},
      {"false", "false"},
      {"none", "none"},
      {R"("a\tb\"c\u00e9\x41\u{1F600}\0")", "\"a\tb\\\"céA😀\\0\""},
      {R"('it"s')", R"("it\"s")"},
      {"''", "\"\""},
      {"1.sum()", "(call (. 1 sum))"},
  });
}

TEST(Syntax, Names) {
  check({
      {"größe + αβγ", "(+ größe αβγ)"},
      {"数据 = 1", "(= 数据 1)"},
      {"_x1 + __", "(+ _x1 __)"},
      {"fnord + iffy + inner", "(+ (+ fnord iffy) inner)"},
      {"हिन्दी", "हिन्दी"},
      {"f + f1", "(+ f f1)"},
  });
}

TEST(Syntax, Collections) {
  check({
      {"[]", "(tensor)"},
      {"[1, 2,]", "(tensor 1 2)"},
      {"[[1], [2]]", "(tensor (tensor 1) (tensor 2))"},
      {"()", "(tuple)"},
      {"(a,)", "(tuple a)"},
      {"(a, b)", "(tuple a b)"},
      {"(a, b,)", "(tuple a b)"},
      {"((a))", "a"},
      {"{}", "(record)"},
      {"{w: 1.0, b: zeros(3)}", "(record (w 1.0) (b (call zeros 3)))"},
      {"{w: 1,}", "(record (w 1))"},
      {"{\n  w: 1\n  b: 2,\n\n  c: 3\n}", "(record (w 1) (b 2) (c 3))"},
      {"{ w: 1 # first\n , b: 2 }", "(record (w 1) (b 2))"},
      {"{a: {b: [1,\n2]}}", "(record (a (record (b (tensor 1 2)))))"},
  });
}

TEST(Syntax, CallsIndicesFields) {
  check({
      {"f()", "(call f)"},
      {"f(a, b=1,)", "(call f a (= b 1))"},
      {"f(a)(b)", "(call (call f a) b)"},
      {"x.T.shape", "(. (. x T) shape)"},
      {"x[1]", "(index x 1)"},
      {"x[a:b:s]", "(index x (: a b s))"},
      {"x[:]", "(index x (: _ _))"},
      {"x[::2]", "(index x (: _ _ 2))"},
      {"x[1:]", "(index x (: 1 _))"},
      {"x[:-1, ...]", "(index x (: _ (- 1)) ...)"},
      {"x[..., newaxis, i]", "(index x ... newaxis i)"},
      {"x[1, 2,]", "(index x 1 2)"},
      {"x[a if b else c:d]", "(index x (: (if b a c) d))"},
      {"x.sum(axis=0)[1].y", "(. (index (call (. x sum) (= axis 0)) 1) y)"},
  });
}

TEST(Syntax, Functions) {
  check({
      {"x -> x", "(fn (x) x)"},
      {"(x, y) -> x + y", "(fn (x y) (+ x y))"},
      {"() -> 1", "(fn () 1)"},
      {"(x,) -> x", "(fn (x) x)"},
      {"f(x -> x, 1)", "(call f (fn (x) x) 1)"},
      {"fn(x, k=1) { return x }", "(fn (x k=1) { (return x) })"},
      {"f = fn() { a = 1; a }", "(= f (fn () { (= a 1); a }))"},
      {"fn f() = 1", "(fn f () 1)"},
      {"fn f(x, y=1.0,) = x", "(fn f (x y=1.0) x)"},
      {"fn f(x, *rest, k=1, **options) = x", "(fn f (x *rest k=1 **options) x)"},
      {"f = (x, **options) -> x", "(= f (fn (x **options) x))"},
      {"fn f(x) {}", "(fn f (x) {})"},
      {"fn f(x) { return x, 1 }", "(fn f (x) {\n  (return (tuple x 1))\n})"},
      {"fn mm(a: f32[n, k], b: f32[k, m]) -> f32[n, m] = a @ b", "(fn mm (a:f32[n k] b:f32[k m]) -> f32[n m] (@ a b))"},
      {"fn f(x: any, y: float[...], z: f64[_, 3, n + 1] = 0) = x",
       "(fn f (x:any y:float[...] z:f64[_ 3 (+ n 1)]=0) x)"},
      {"fn f(p: {w: f64[n, k], b: f64[k]}) -> {w: f64} { return p }",
       "(fn f (p:{w:f64[n k] b:f64[k]}) -> {w:f64} {\n  (return p)\n})"},
      {"fn f(s: (f64[2], {w: f64}), t: (f64,)) -> (f64, (int, f64),) = s",
       "(fn f (s:(f64[2] {w:f64}) t:(f64)) -> (f64 (int f64)) s)"},
      {"fn f(x) -> f64 {\n  fn g() = x\n  g\n}", "(fn f (x) -> f64 {\n  (fn g () x)\n  g\n})"},
  });
}

TEST(Syntax, Decorators) {
  check({
      {"@compile fn f() = 1", "(@compile) (fn f () 1)"},
      {"@compile\nfn f() = 1", "(@compile) (fn f () 1)"},
      {"@compile(device=\"gpu\") @test\n\nfn f() = 1", "(@compile (= device \"gpu\")) (@test) (fn f () 1)"},
      {"@derivative(of=f) fn g() = 1", "(@derivative (= of f)) (fn g () 1)"},
      {"x = a @\nb", "(= x (@ a b))"},
  });
}

TEST(Syntax, DocumentationIsTheCommentBlockAbove) {
  check({
      {"# one\n# two\nfn f() = 1", "(doc \"one\\ntwo\") (fn f () 1)"},
      {"# far\n\n#near\nfn f() = 1", "(doc \"near\") (fn f () 1)"},
      {"# far\n\nfn f() = 1", "(fn f () 1)"},
      {"# doc\n@compile\nfn f() = 1", "(doc \"doc\") (@compile) (fn f () 1)"},
      {"if a {\n  # doc\n  fn f() = 1\n}", "(if a {\n  (doc \"doc\") (fn f () 1)\n})"},
      {"# no\nx = 1; fn f() = 1", "(= x 1)\n(fn f () 1)"},
  });
}

TEST(Syntax, Comprehensions) {
  check({
      {"[e for i in range(n), j in range(m)]", "(for e (i in (call range n)) (j in (call range m)))"},
      {"[x for (i, x) in enumerate(xs)]", "(for x ((tuple i x) in (call enumerate xs)))"},
      {"sum(e for k)", "(call sum (each e (k)))"},
      {"[sum(A[i, k] * B[k, j] for k) for i, j]",
       "(for (call sum (each (* (index A i k) (index B k j)) (k))) (i) (j))"},
      {"list(x -> y for x in xs)", "(call list (each (fn (x) y) (x in xs)))"},
  });
}

TEST(Syntax, Statements) {
  check({
      {"a, b = f(x)", "(= (tuple a b) (call f x))"},
      {"a, (b, c[0]), d.e = 1, 2", "(= (tuple a (tuple b (index c 0)) (. d e)) (tuple 1 2))"},
      {"(a, b) = c", "(= (tuple a b) c)"},
      {"x[i, :] = v", "(= (index x i (: _ _)) v)"},
      {"p.layer.w = v", "(= (. (. p layer) w) v)"},
      {"x += 1; x -= 1; x *= 1; x /= 1", "(+= x 1)\n(-= x 1)\n(*= x 1)\n(/= x 1)"},
      {"x //= 1; x %= 1; x ^= 1; x **= 1", "(//= x 1)\n(%= x 1)\n(^= x 1)\n(^= x 1)"},
      {"x @= 1; x &= 1; x |= 1", "(@= x 1)\n(&= x 1)\n(|= x 1)"},
      {"A[1:] += A[:-1]", "(+= (index A (: 1 _)) (index A (: _ (- 1))))"},
      {"if a { } else if b { } else { }", "(if a {} else if b {})"},
      {"if a { b } else { c }", "(if a {\n  b\n} else {\n  c\n})"},
      {"while a { break }", "(while a {\n  (break)\n})"},
      {"for i, x in enumerate(xs) { continue }", "(for (tuple i x) in (call enumerate xs) {\n  (continue)\n})"},
      {"for x in 1, 2 { }", "(for x in (tuple 1 2) {})"},
      {"return_ = 1", "(= return_ 1)"},
      {"fn f() { return }", "(fn f () {\n  (return)\n})"},
      {"assert a, \"m\"", "(assert a \"m\")"},
      {"assert a", "(assert a)"},
      {"import nn", "(import nn nn)"},
      {"import nn as n", "(import nn n)"},
      {"import \"lib/util.covec\" as util", "(import \"lib/util.covec\" util)"},
      {"if {a: 1} == r { }", "(if (== (record (a 1)) r) {})"},
      {"{a: 1}", "(record (a 1))"},
      {"", ""},
      {"# only a comment", ""},
      {";;\n;", ""},
  });
}

TEST(Syntax, NewlinesEndStatements) {
  check({
      {"a\nb", "a\nb"},
      {"a; b;c", "a\nb\nc"},
      {"a\r\nb\r\n", "a\nb"},
      {"\n\n  a  \n\n\n b\n", "a\nb"},
      {"a # c\nb", "a\nb"},
      {"\xEF\xBB\xBF"
       "a",
       "a"},
  });
}

TEST(Syntax, NewlinesAreDroppedWhereALineGoesOn) {
  for (const char* op : {"+", "-",  "*",  "/",  "//", "%", "@",  "^",  "**",  "<", "<=",
                         ">", ">=", "==", "!=", "&",  "|", "<<", ">>", "and", "or"}) {
    std::string joined = ast_of("a " + std::string(op) + " b");
    EXPECT_EQ(ast_of("a " + std::string(op) + "\n b"), joined) << op;
    EXPECT_EQ(ast_of("a " + std::string(op) + " # comment\n\n b"), joined) << op;
  }
  check({
      {"x =\n 1", "(= x 1)"},
      {"x +=\n 1", "(+= x 1)"},
      {"not\n a", "(not a)"},
      {"-\n a", "(- a)"},
      {"~\n a", "(~ a)"},
      {"x ->\n x", "(fn (x) x)"},
      {"a,\n b = c", "(= (tuple a b) c)"},
      {"f(\na\n,\nb\n)", "(call f a b)"},
      {"x[\n1\n:\n2\n]", "(index x (: 1 2))"},
      {"fn f(x) ->\n f64 {\n x\n}", "(fn f (x) -> f64 {\n  x\n})"},
      {"a\n.b", "(. a b)"},
      {"a\n  # comment\n\n  .b(1)\n  .c", "(. (call (. a b) 1) c)"},
  });
}

TEST(Syntax, TheInnermostBracketDecides) {
  check({
      {"f(fn(x) {\n a\n b\n}, 1)", "(call f (fn (x) { a; b }) 1)"},
      {"f({a: 1\n b: 2})", "(call f (record (a 1) (b 2)))"},
      {"[fn() {\n a(\n1)\n b\n}]", "(tensor (fn () { (call a 1); b }))"},
      {"f\"{fn() {\n a\n b\n}}\"", "(format {(fn () { a; b })})"},
      {"f\"{a +\n b\n}\"", "(format {(+ a b)})"},
  });
}

TEST(Syntax, FormatStrings) {
  check({
      {R"(f"loss {x:.3f}")", R"((format "loss " {x:.3f}))"},
      {R"(f"{{{x}}}")", R"((format "{" {x} "}"))"},
      {R"(f'{x}')", R"((format {x}))"},
      {R"(f"{d["k"]}")", R"((format {(index d "k")}))"},
      {R"(f"{f"{x}" + 'y'}")", R"((format {(+ (format {x}) "y")}))"},
      {R"(f"{x[1:2]:>8} {(a, b)}")", R"((format {(index x (: 1 2)):>8} " " {(tuple a b)}))"},
      {R"(f"{ {a: 1}.a }")", R"((format {(. (record (a 1)) a)}))"},
      {R"(f"{x: }")", R"((format {x: }))"},
      {R"(f"\t\"{x}\n")", "(format \"\t\\\"\" {x} \"\\n\")"},
      {R"(f"{x:}")", R"((format {x}))"},
      {R"(f"")", R"((format))"},
      {R"(f"{x -> y}")", R"((format {(fn (x) y)}))"},
  });
}

TEST(Syntax, ABlockEndsWithoutANewline) {
  check({
      {"fn f() { if a { return 1 } else { return 2 } }",
       "(fn f () {\n  (if a {\n    (return 1)\n  } else {\n    (return 2)\n  })\n})"},
      {"while a { x = 1; y = 2; }", "(while a {\n  (= x 1)\n  (= y 2)\n})"},
  });
}

}  // namespace
}  // namespace covec::testing
