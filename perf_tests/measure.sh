#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs every benchmark of docs/performance.md on one execution space, and writes the tables.
#
#     perf_tests/measure.sh BUILD RESULTS [SPACE [SIZE]]
#
# BUILD holds the programs (terrace_perf, terrace_perf_float, ...); they are run where they lie, nothing is built and
# nothing is fetched, so the folder may come from another machine. RESULTS gets a JSON file for each run, report.md and
# the times of triangular solves as CSV. SPACE is Cuda unless it is given, SIZE full. With TERRACE_DATA the matrices of
# that folder are measured too.
set -u
build=${1:?usage: measure.sh BUILD RESULTS [SPACE [SIZE]]}
results=${2:?usage: measure.sh BUILD RESULTS [SPACE [SIZE]]}
space=${3:-Cuda}
size=${4:-full}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$results" || exit 1
failed=0

# run NAME PROGRAM ARGUMENTS...: one JSON file.
run() {
  name=$1 program=$build/$2
  shift 2
  if [ ! -x "$program" ]; then
    echo "measure.sh: $name is left out: there is no $program"
    return
  fi
  echo "measure.sh: $name"
  "$program" --size="$size" --space="$space" "$@" --benchmark_out="$results/$name.json" \
    --benchmark_out_format=json > "$results/$name.log" 2>&1 || {
    echo "measure.sh: $name failed; see $results/$name.log"
    failed=1
  }
}

# The twelve shapes that the peers' users know; the first run takes all.
twelve=grid7-120,grid7-148x148x58,grid5-1024,elastic-28,elastic-60,dense,chain,road,web,social,kkt,random-band
chosen=automatic,once
# Factorizations and iterations with their peers. Left out: SPILUK, which asks for 74 GB on the large grids, and ILUT.
factors=ilu0,ic0,csrilu02,csric02
iterations=pcg_ic0,bicgstab_ilu0,pcg_cusparse,bicgstab_cusparse
case $space in
  Cuda)
    every=$chosen,level_scheduled,sync_free_rows peers=cusparse,kokkos_kernels vendor=cusparse
    on_grids=--algorithms=structured,cusparse
    ;;
  *) every=automatic peers=serial_loop,kokkos_kernels vendor=serial_loop on_grids= ;;
esac
data=${TERRACE_DATA:+--data=$TERRACE_DATA}

run triangular terrace_perf --algorithms=$every --peers=$peers $data
run triangular-upper terrace_perf --shapes=$twelve --triangle=upper --algorithms=$chosen --peers=$vendor $data
run triangular-float terrace_perf_float --shapes=$twelve --algorithms=$chosen --peers=$vendor $data
run triangular-32 terrace_perf --shapes=$twelve --right-hand-sides=32 --algorithms=automatic --peers=$vendor
case $space in
  Cuda)
    run incomplete terrace_perf_incomplete --algorithms=$factors,$iterations $data
    run incomplete-256 terrace_perf_incomplete --shapes=grid7-256 --repetitions=5 --algorithms=$factors
    run incomplete-fill terrace_perf_incomplete --shapes=elastic-28 --repetitions=5 \
      --algorithms=ilu0,ilu1,ilu2,spiluk0,spiluk1,spiluk2
    ;;
  *) run incomplete terrace_perf_incomplete ;;
esac
run grids terrace_grid_perf $on_grids
# Blocks of Schwarz preconditioners. The serial loops judge results anyway.
case $space in
  Cuda)
    run schwarz terrace_perf_schwarz --overlap=1 --repetitions=5 --peers=cusparse,kokkos_kernels $data
    run schwarz-overlap terrace_perf_schwarz --blocks=512,2048 --overlap=0,2 --repetitions=5 --peers=cusparse \
      --algorithms=automatic $data
    run schwarz-ilut terrace_perf_schwarz --shapes=grid7-120 --blocks=512 --overlap=1 --repetitions=5 --peers=none \
      --algorithms=automatic --block=ilut:20,1e-3
    ;;
  *) run schwarz terrace_perf_schwarz --blocks=64,512 --overlap=1 --repetitions=3 $data ;;
esac
# Direct factorizations: all sizes, the shapes of the paper's tables beside UMFPACK, and float.
case $space in
  Cuda)
    run direct terrace_perf_direct --repetitions=7 $data
    run direct-tables terrace_perf_direct --shapes=tables --repetitions=3 --peers=umfpack
    run direct-float terrace_perf_direct_float --repetitions=7 --algorithms=automatic
    ;;
  *) run direct terrace_perf_direct --shapes=hosts --repetitions=3 --algorithms=automatic $data ;;
esac

python3 "$here/report.py" "$results"/triangular*.json --csv "$results" > "$results/report.md" || failed=1
if [ -e "$results/schwarz.json" ]; then
  python3 "$here/report_schwarz.py" "$results"/schwarz*.json > "$results/schwarz.md" || failed=1
fi
for name in direct direct-tables direct-float; do
  if [ -e "$results/$name.json" ]; then
    python3 "$here/report_direct.py" "$results/$name.json" >> "$results/direct.md" || failed=1
  fi
done
exit $failed
