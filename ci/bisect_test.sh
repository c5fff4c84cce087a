#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# `git bisect run ci/bisect` over eight commits in a clone of this tree, one of which slows
# bpf_strncmp() by 2 % and one of which does not compile, must find the slow one.
# Usage: bisect_test.sh SOURCE_DIR BUILD_DIR BPFTOOL
set -eu
source=$1 build=$2
export BPFTOOL="$3" BPFGATE_BUILD="$build"
git -C "$source" rev-parse --git-dir >/dev/null 2>&1 || {
    echo "skipped: $source is no git checkout"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
fail() {
    echo "FAIL: $*"
    tail -n 30 "$work"/clone/.git/bpfgate-bisect/*.log 2>/dev/null
    exit 1
}

git clone -q --shared --no-tags "$source" "$work/clone"
cd "$work/clone"
git config user.name bisect
git config user.email bisect@example.org
# step SUBJECT SED_SCRIPT FILE: a commit, which must change something.
step() {
    sed -i "$2" "$3"
    git commit -qam "$1" || fail "step '$1' changes nothing: mend this test"
    echo "prepared: $1"
}
bench=progs/strncmp_bench.c
good=$(git rev-parse HEAD)
step "comment" 's/^ \* bpf_strncmp() against/ * Compares: bpf_strncmp() against/' $bench
step "rename a variable" '/^static long op_helper/,/^}/s/\<result\>/order/g' $bench
step "name a pointer" 's/\<hidden\>/concealed/g' $bench
step "break the build" 's/^BENCH_PROG(helper, op_helper)/BENCH_PROG(helper, op_helpre)/' $bench
step "mend the build" 's/op_helpre/op_helper/' $bench
step "slow" '/^static long op_helper/,/^}/s/^\(\tint order.*\)$/\1\n\
\tfor (int i = 0; i < 5; i++) {\n\t\tindex = index * 31 + i;\n\t\tbarrier_var(index);\n\t}/' $bench
slow=$(git rev-parse HEAD)
step "comment in the bench" 's/no system call is part/and no system call is part/' benchs/bench_strncmp.cpp
step "rename back" '/^static long op_helper/,/^}/s/\<order\>/result/g' $bench

git bisect start HEAD "$good"
# Of a good build, so that two figures of this machine are compared.
good_bench=$build/benchs/bench
[ -z "$(git -C "$source" status --porcelain -- progs benchs tools)" ] ||
    echo "the tree has changes: the good build is not that of the clone's HEAD"
git bisect run "$source/ci/bisect" --good "$good_bench" --kernel "${KERNEL:-debian:6.12}" \
    strncmp-helper --cmp-str-len 64 2>&1 | tee "$work/log"
grep -q "^$slow is the first bad commit" "$work/log" || fail "another commit was found than $slow"
grep -q 'skipped: does not build' "$work/log" || fail "the step that does not build was not met"

# The same by a number, and on a step that is as good.
figure=$(sed -n 's/.*good: .*//; s/.* latency *\([0-9.]*\) insns.*/\1/p' .git/bpfgate-bisect/good.log)
git checkout -q "$good"
"$source/ci/bisect" --good "$figure" --kernel "${KERNEL:-debian:6.12}" strncmp-helper \
    --cmp-str-len 64 || fail "the good commit is not as good as $figure"
if "$source/ci/bisect" --good nowhere.json; then fail "a missing file was taken"; fi
if "$source/ci/bisect" --good "$figure
1"; then fail "two numbers were taken for one"; fi
# Two figures are no figure: of two benchmarks the awk of judge_number would compare texts.
code=0
"$source/ci/bisect" --good "$figure" --kernel "${KERNEL:-debian:6.12}" strncmp-helper \
    strncmp-no-helper --cmp-str-len 64 || code=$?
[ $code = 125 ] || fail "two benchmarks against one number: exit $code"
