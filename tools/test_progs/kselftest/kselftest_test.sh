#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Installs the collection beside the kernel's own test runner and lets that run it.
# usage: kselftest_test.sh BUILD_DIR COLLECTION_ROOT
#   COLLECTION_ROOT: where "meson install" puts kselftest-list.txt.
# The runner comes from $KSELFTEST_SOURCE (a tools/testing/selftests directory) or from Debian's
# linux-source package; exit 77 where there is neither.
set -eu

build=$1
root=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
	echo "FAIL: $1"
	echo "--- the runner said:"
	cat "$work/log"
	exit 1
}

# The runner of the newest linux-source package, out of its tarball.
unpack_source()
{
	tarball=$(ls /usr/src/linux-source-*.tar.xz 2>/dev/null | sort -V | tail -n 1)
	[ -n "$tarball" ] || return 1
	echo "runner from $tarball" >&2
	tar -xJf "$tarball" -C "$work" --wildcards --strip-components=1 \
		'*/tools/testing/selftests/kselftest/*' '*/tools/testing/selftests/run_kselftest.sh'
	echo "$work/tools/testing/selftests"
}

source=${KSELFTEST_SOURCE:-}
if [ -z "$source" ]; then
	source=$(unpack_source) || {
		echo "skipped: no KSELFTEST_SOURCE and no linux-source package"
		exit 77
	}
fi

DESTDIR="$work/install" meson install -C "$build" --no-rebuild --quiet --tags kselftest
collection="$work/install$root"
cp -r "$source/kselftest" "$source/run_kselftest.sh" "$collection"

# run ARGUMENTS_OF_TEST_PROGS: what the runner prints goes to the log, through a pipe, since the
# runner opens /dev/stdout again, which would cut a file short.
run()
{
	KSELFTEST_TEST_PROGS_ARGS=$1 "$collection/run_kselftest.sh" -c bpfgate \
		2>&1 </dev/null | cat >"$work/log"
}

expect()
{
	grep -qxF -- "$1" "$work/log" || fail "no line '$1'"
}

"$collection/run_kselftest.sh" -l >"$work/log"
expect 'bpfgate:test_progs'

run '-a selftest_pass'
expect 'ok 1 selftests: bpfgate: test_progs'

run '-a selftest_mixed,selftest_pass --ktap'
expect '# # ok 1 one'
expect '# # not ok 2 bad'
expect '# # ok 3 skipped # SKIP the moon is missing'
expect '# not ok 1 selftest_mixed'
expect '# ok 2 selftest_pass'
expect 'not ok 1 selftests: bpfgate: test_progs # exit=1'

run '-a selftest_skip'
expect 'ok 1 selftests: bpfgate: test_progs # SKIP'

run '-a selftest_segv,selftest_pass'
expect 'not ok 1 selftests: bpfgate: test_progs # exit=1'

run '-a no_such_test --ktap'
expect 'not ok 1 selftests: bpfgate: test_progs # exit=1'

# The runner's timeout sends SIGTERM, twice: the summary must still come.
sed -i 's/^timeout=.*/timeout=2/' "$collection/bpfgate/settings"
run '-a selftest_pass,selftest_wait'
expect '# Summary: 1/2 PASSED, 0 SKIPPED, 1 FAILED'
expect 'not ok 1 selftests: bpfgate: test_progs # TIMEOUT 2 seconds'

echo "the kernel's runner takes the collection"
