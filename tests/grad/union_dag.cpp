// Sets as nodes of a graph of unions, against std::set.
#include "stdlib/sparse/union_dag.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "stdlib/value/context.hpp"

namespace covec::sparse {
namespace {

using Members = std::vector<std::vector<Set>>;

// The members of all sets, as the graph lists them; none where there are more than `most`.
Members listed(UnionDag& dag, const std::vector<int64_t>& sets, size_t most) {
  std::vector<Set> inputs;
  std::vector<int64_t> ends(sets.size());
  if (!dag.list(sets, most, inputs, ends.data())) return {};
  Members rows;
  size_t begin = 0;
  for (const int64_t end : ends) {
    rows.emplace_back(inputs.begin() + static_cast<ptrdiff_t>(begin), inputs.begin() + end);
    begin = static_cast<size_t>(end);
  }
  return rows;
}

// Unions of random sets: of all that are there, and of the last with others, which makes deep graphs.
struct Unions {
  std::vector<int64_t> numbers;
  Members wanted;
  size_t members = 0;
  Unions(UnionDag& dag, unsigned seed, unsigned count) {
    std::mt19937 random(seed);
    std::vector<std::set<Set>> sets(1 + dag.inputs());
    for (Set i = 0; i <= dag.inputs(); ++i) {
      if (i > 0) sets[i].insert(i - 1);
      numbers.push_back(i);
    }
    for (unsigned k = 0; k < count; ++k) {
      const size_t a = random() % sets.size(), b = random() % 2 == 0 ? sets.size() - 1 : random() % sets.size();
      std::set<Set> both = sets[a];
      both.insert(sets[b].begin(), sets[b].end());
      sets.push_back(std::move(both));
      numbers.push_back(dag.unite(static_cast<Set>(numbers[a]), static_cast<Set>(numbers[b])));
    }
    for (const std::set<Set>& set : sets) {
      wanted.emplace_back(set.begin(), set.end());
      members += set.size();
    }
  }
};

TEST(UnionDag, ListsTheMembersOfRandomUnions) {
  const ops::Context context;
  for (unsigned seed = 0; seed < 200; ++seed) {
    UnionDag dag(context, 1 + seed % 40);
    const Unions unions(dag, seed, 400);
    EXPECT_EQ(listed(dag, unions.numbers, size_t{1} << 28), unions.wanted) << seed;
  }
}

TEST(UnionDag, GivesUpWhereThereAreMoreThanTheMost) {
  const ops::Context context;
  UnionDag dag(context, 30);
  const Unions unions(dag, 1, 300);
  EXPECT_EQ(listed(dag, unions.numbers, unions.members), unions.wanted);
  EXPECT_TRUE(listed(dag, unions.numbers, unions.members - 1).empty());
}

// Many steps: without flat sets each row would visit nearly all of 1.2 million nodes.
TEST(UnionDag, FlattensSetsThatAreReachedOnManyPaths) {
  const ops::Context context;
  constexpr Set size = 300;
  UnionDag dag(context, size);
  std::vector<int64_t> now(size);
  for (Set i = 0; i < size; ++i) now[i] = i + 1;
  for (unsigned step = 0; step < 2000; ++step) {
    std::vector<int64_t> next = now;
    for (Set i = 1; i + 1 < size; ++i) {
      const Set sides = dag.unite(static_cast<Set>(now[i - 1]), static_cast<Set>(now[i + 1]));
      next[i] = dag.unite(sides, static_cast<Set>(now[i]));
    }
    now = next;
  }
  const Members rows = listed(dag, now, size_t{1} << 28);
  ASSERT_EQ(rows.size(), size);
  EXPECT_EQ(rows[0].size(), 1U);
  EXPECT_EQ(rows[size / 2].size(), size);
}

}  // namespace
}  // namespace covec::sparse
