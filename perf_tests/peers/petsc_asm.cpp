// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PETSc's PCASM with ILU(0) in the subdomains of terrace_perf_schwarz, and right-preconditioned GMRES(20) with it: a
// program of its own, since PETSc takes over MPI and the command line. Ranks share the rows in runs; a block belongs to
// the rank that has its first row. A line of JSON for each case.
//
//     mpirun -n 2 terrace_petsc_asm --size=full --shapes=grid7-120 --blocks=64 --overlap=0,1
//
// Options of PETSc itself come from the variable PETSC_OPTIONS.
#include <petscksp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "common/median.hpp"
#include "peers/serial_schwarz.hpp"
#include "schwarz/boxes.hpp"
#include "schwarz/schwarz_problem.hpp"

namespace terrace::perf {
namespace {

void check(PetscErrorCode code) {
  if (code != 0) throw std::runtime_error("PETSc failed with code " + std::to_string(code));
}

/// Between two moments at which all ranks are there.
template <class Work>
double seconds_of(const Work& work) {
  MPI_Barrier(PETSC_COMM_WORLD);
  const auto begin = std::chrono::steady_clock::now();
  work();
  MPI_Barrier(PETSC_COMM_WORLD);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The boxes as partition_grid makes them.
std::vector<int> box_numbers(const SchwarzSystem& system, const Grid& boxes) {
  const auto part = [](std::int64_t at, std::int64_t parts, std::int64_t cells) {
    return static_cast<int>(((at + 1) * parts - 1) / cells);
  };
  std::vector<int> numbers;
  for (std::int64_t cell = 0; cell < system.grid.cells(); ++cell) {
    const GridCell at = system.grid.cell(cell);
    const GridCell box{part(at.i, boxes.nx, system.grid.nx), part(at.j, boxes.ny, system.grid.ny),
                       part(at.k, boxes.nz, system.grid.nz)};
    numbers.insert(numbers.end(), static_cast<std::size_t>(system.unknowns_per_cell),
                   static_cast<int>(boxes.index(box)));
  }
  return numbers;
}

/// A, b, x and a vector to precondition, each rank its rows.
struct System {
  explicit System(const SchwarzSystem& from) {
    const Rows& A_ = from.A;
    check(MatCreate(PETSC_COMM_WORLD, &A));
    check(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, A_.n, A_.n));
    check(MatSetType(A, MATAIJ));
    check(MatSetUp(A));
    check(MatGetOwnershipRange(A, &begin, &end));
    std::vector<PetscInt> row_map{0};
    for (int row = begin; row < end; ++row) row_map.push_back(A_.row_map[row + 1] - A_.row_map[begin]);
    const std::vector<PetscInt> columns(A_.entries.begin() + A_.row_map[begin], A_.entries.begin() + A_.row_map[end]);
    check(MatSeqAIJSetPreallocationCSR(A, row_map.data(), columns.data(), A_.values.data() + A_.row_map[begin]));
    check(MatMPIAIJSetPreallocationCSR(A, row_map.data(), columns.data(), A_.values.data() + A_.row_map[begin]));
    check(MatCreateVecs(A, &x, &b));
    check(VecDuplicate(b, &r));
    fill(b, from.b);
  }
  System(const System&) = delete;
  System& operator=(const System&) = delete;
  ~System() {
    VecDestroy(&r);
    VecDestroy(&b);
    VecDestroy(&x);
    MatDestroy(&A);
  }

  void fill(Vec v, const std::vector<double>& numbers) const {
    PetscScalar* own = nullptr;
    check(VecGetArray(v, &own));
    std::copy(numbers.begin() + begin, numbers.begin() + end, own);
    check(VecRestoreArray(v, &own));
  }

  /// The largest difference of this rank's rows, relative to the largest number of all.
  double error(Vec v, const std::vector<double>& expected) const {
    const PetscScalar* own = nullptr;
    double largest = 0.0, scale = 0.0;
    check(VecGetArrayRead(v, &own));
    for (int row = begin; row < end; ++row) largest = std::max(largest, std::abs(own[row - begin] - expected[row]));
    check(VecRestoreArrayRead(v, &own));
    for (const double number : expected) scale = std::max(scale, std::abs(number));
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
    return largest / scale;
  }

  Mat A = nullptr;
  Vec x = nullptr, b = nullptr, r = nullptr;
  PetscInt begin = 0, end = 0;
};

/// The rows of each block that belongs to this rank, enlarged and not.
struct IndexSets {
  IndexSets(const SerialSchwarz& serial, const std::vector<int>& numbers, const System& system) {
    const std::vector<int>&map = serial.block_map(), &rows = serial.rows();
    for (int block = 0; block + 1 < static_cast<int>(map.size()); ++block) {
      const std::vector<PetscInt> all(rows.begin() + map[block], rows.begin() + map[block + 1]);
      std::vector<PetscInt> own;
      for (const PetscInt row : all)
        if (numbers[static_cast<std::size_t>(row)] == block) own.push_back(row);
      if (own.empty() || own.front() < system.begin || own.front() >= system.end) continue;
      enlarged.push_back(make(all));
      owned.push_back(make(own));
    }
  }
  IndexSets(const IndexSets&) = delete;
  IndexSets& operator=(const IndexSets&) = delete;
  ~IndexSets() {
    for (auto* sets : {&enlarged, &owned})
      for (IS& set : *sets) ISDestroy(&set);
  }

  static IS make(const std::vector<PetscInt>& rows) {
    IS set = nullptr;
    check(ISCreateGeneral(PETSC_COMM_SELF, static_cast<PetscInt>(rows.size()), rows.data(), PETSC_COPY_VALUES, &set));
    return set;
  }

  std::vector<IS> enlarged, owned;
};

struct Solver {
  Solver(const System& system, IndexSets& sets, double tolerance) {
    check(KSPCreate(PETSC_COMM_WORLD, &ksp));
    check(KSPSetOperators(ksp, system.A, system.A));
    check(KSPSetType(ksp, KSPGMRES));
    check(KSPGMRESSetRestart(ksp, gmres_restart));
    check(KSPSetPCSide(ksp, PC_RIGHT));
    check(KSPSetTolerances(ksp, tolerance, PETSC_DEFAULT, PETSC_DEFAULT, gmres_max_steps));
    check(KSPGetPC(ksp, &pc));
    check(PCSetType(pc, PCASM));
    check(PCASMSetType(pc, PC_ASM_RESTRICT));
    check(PCASMSetOverlap(pc, 0));  // it is in the index sets
    check(PCASMSetLocalSubdomains(pc, static_cast<PetscInt>(sets.enlarged.size()), sets.enlarged.data(),
                                  sets.owned.data()));
    check(KSPSetFromOptions(ksp));
  }
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;
  ~Solver() { KSPDestroy(&ksp); }

  /// ILU(0) of each block is PETSc's default, and part of the set-up.
  void set_up() const {
    check(KSPSetUp(ksp));
    check(PCSetUpOnBlocks(pc));
  }

  KSP ksp = nullptr;
  PC pc = nullptr;
};

void measure(const Flags& flags, const std::string& shape, const std::shared_ptr<const SchwarzSystem>& from, int blocks,
             int overlap) {
  const std::vector<int> numbers = box_numbers(*from, choose_boxes(from->grid, blocks));
  const SchwarzProblem problem(from, {numbers, blocks, overlap, {}, 0.0});
  const System system(*from);
  IndexSets sets(problem.serial(), numbers, system);
  const Solver solver(system, sets, from->tolerance);
  const double set_up = seconds_of([&] { solver.set_up(); });
  system.fill(system.r, problem.r());
  std::vector<double> applications;
  for (int k = 0; k <= flags.repetitions; ++k)
    applications.push_back(seconds_of([&] { check(PCApply(solver.pc, system.r, system.x)); }));
  applications.erase(applications.begin());
  const double error = system.error(system.x, problem.expected());
  const double solve = seconds_of([&] { check(KSPSolve(solver.ksp, system.b, system.x)); });
  PetscInt steps = 0;
  check(KSPGetIterationNumber(solver.ksp, &steps));
  int rank = 0, ranks = 1;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  if (!(error <= 1e-9)) throw std::runtime_error("PCApply differs from the serial loop's by " + std::to_string(error));
  if (rank == 0)
    std::printf("{\"matrix\": \"%s\", \"blocks\": %d, \"overlap\": %d, \"ranks\": %d, \"set_up_s\": %.6g, "
                "\"application_s\": %.6g, \"error\": %.2g, \"steps\": %d, \"cycles\": %d, \"step_s\": %.6g, "
                "\"solve_s\": %.6g}\n",
                shape.c_str(), blocks, overlap, ranks, set_up, common::median(applications), error,
                static_cast<int>(steps), static_cast<int>((steps + gmres_restart - 1) / gmres_restart),
                solve / std::max<double>(1.0, static_cast<double>(steps)), solve);
  std::fflush(stdout);
}

int run(const Flags& flags) {
  require_understood(flags, {"--shapes", "--data", "--blocks", "--overlap", "--wind"});
  const bool is_toy = flags.size == Size::Toy;
  const auto or_usual = [](const std::vector<int>& given, const std::vector<int>& usual) {
    return given.empty() ? usual : given;
  };
  for (const SchwarzShape& shape : chosen_schwarz_shapes(flags)) {
    const auto system = std::make_shared<const SchwarzSystem>(shape.make(flags));
    for (const int blocks : or_usual(flags.blocks, is_toy ? std::vector{4, 12} : std::vector{8, 64, 512, 2048}))
      for (const int overlap : or_usual(flags.overlap, {0, 1})) measure(flags, shape.name, system, blocks, overlap);
  }
  return 0;
}

}  // namespace
}  // namespace terrace::perf

int main(int argc, char** argv) {
  int none = 0;
  if (PetscInitialize(&none, nullptr, nullptr, nullptr) != 0) return 1;
  int status = 1;
  try {
    status = terrace::perf::run(terrace::perf::parse_flags(argc, argv));
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
  }
  PetscFinalize();
  return status;
}
