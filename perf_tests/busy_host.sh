#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Solves with one and two threads on two cores, which are free at first, and one of which then has another process.
#
#     perf_tests/busy_host.sh BUILD [SECONDS [CORE,CORE]]
#
# BUILD holds terrace_repeated_solves. The machine should be quiet otherwise. What to look for: with one busy core two
# threads take at most 1.5 times what one takes (`mean`), except where the algorithm was asked for.
set -u
build=${1:?usage: busy_host.sh BUILD [SECONDS [CORE,CORE]]}
seconds=${2:-3}
cores=${3:-0,1}
solves=$build/terrace_repeated_solves

measure() {
  for threads in 1 2; do
    OMP_NUM_THREADS=$threads OMP_PROC_BIND=false taskset -c "$cores" "$solves" "$seconds"
  done
}

echo "quiet:"
measure
echo "one busy core:"
taskset -c "${cores%%,*}" sh -c 'while :; do :; done' &
other=$!
trap 'kill $other' EXIT INT TERM
measure
