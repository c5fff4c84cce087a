# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh
# What ci/gate and ci/test share: check that BPF can be had, install what is missing, build.
# Sourced from the top of the checkout; sets build. Exits 4 where nothing can run here.

build=${BPFGATE_BUILD:-build}
no_install=

say() { printf '%s: %s\n' "$me" "$*"; }
skip() {
    say "skipped: $*" >&2
    exit 4
}
fail() {
    say "$*" >&2
    exit 1
}

# One line and exit 4 instead of a hundred errors later.
need_bpf() {
    [ "$(uname -s)" = Linux ] || skip "BPF needs Linux"
    [ -e /proc/sys/kernel/unprivileged_bpf_disabled ] ||
        skip "this kernel has no bpf() system call (CONFIG_BPF_SYSCALL)"
    caps=$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status)
    [ $((0x$caps >> 21 & 1)) = 1 ] || skip "no right to use BPF: run as root (CAP_SYS_ADMIN is needed)"
}

have_candidate() { [ -n "$(apt-cache policy "$1" 2>/dev/null | sed -n 's/^  Candidate: *\((none)\)\{0,1\}//p')" ]; }
installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# clang 16 or newer if the distribution has one: 14 works, and truncates 64-bit enums in BTF.
clang_package() {
    for version in 22 21 20 19 18 17 16; do
        if installed "clang-$version"; then
            return # good enough
        fi
    done
    major=$(clang -dumpversion 2>/dev/null | cut -d. -f1)
    [ "${major:-0}" -ge 16 ] && return
    for version in 19 18 17 16; do
        if have_candidate "clang-$version"; then
            echo "clang-$version"
            return
        fi
    done
    echo clang
}

# Ubuntu has no package of that name that works for every kernel: linux-tools brings one.
bpftool_package() {
    command -v bpftool >/dev/null || [ -x /usr/sbin/bpftool ] && return
    if have_candidate bpftool; then echo bpftool; else echo linux-tools-generic; fi
}

# What bench and gate are built with; only the tests need cmocka, the linters and QEMU, and ci/gate
# QEMU for --vm.
wanted_packages() {
    echo g++ git meson ninja-build pkg-config libbpf-dev libfmt-dev libcli11-dev nlohmann-json3-dev \
        libboost-dev libsqlite3-dev libarchive-dev liblzma-dev libzstd-dev liblz4-dev libbz2-dev \
        zlib1g-dev nettle-dev libtomlplusplus-dev
    [ "$me" = ci/gate ] || echo libcmocka-dev clang-format clang-tidy qemu-system-x86
    [ -z "${wanted_vm-}" ] || echo "$wanted_vm"
}

# Tools that read what gate writes. Their tests skip without them, so --no-install does not ask for
# them; nor is a distribution asked that has none.
packages_for_tests() {
    [ "$me" = ci/test ] && [ -z "$no_install" ] || return
    for package in chromium libxml2-utils perl python3-jsonschema python3-prometheus-client; do
        if have_candidate "$package"; then echo "$package"; fi
    done
    fuzzing_package
}

# libFuzzer and the sanitizers, for ci/fuzz: of the newest clang that is or will be here, unless
# another one's are here already.
fuzzing_package() {
    for version in 22 21 20 19 18 17 16 15 14; do
        if installed "libclang-rt-$version-dev"; then return; fi
    done
    for version in 22 21 20 19 18 17 16 15 14; do
        if installed "clang-$version" || [ "$(clang_package)" = "clang-$version" ]; then
            if have_candidate "libclang-rt-$version-dev"; then echo "libclang-rt-$version-dev"; fi
            return
        fi
    done
}

missing_packages() {
    for package in $(wanted_packages) $(packages_for_tests); do
        installed "$package" || echo "$package"
    done
    clang_package
    bpftool_package
}

install_missing() {
    command -v dpkg-query >/dev/null || {
        say "no Debian or Ubuntu: nothing is installed, README.md lists what is needed"
        return
    }
    missing=$(missing_packages | sort -u | tr '\n' ' ')
    [ -n "$missing" ] || return 0
    if [ -n "$no_install" ]; then
        fail "--no-install was given and these packages are missing: $missing"
    fi
    [ "$(id -u)" = 0 ] || fail "only root can install packages, and these are missing: $missing"
    say "installing: $missing"
    apt-get update -qq || fail "apt-get update failed"
    missing=$(missing_packages | sort -u | tr '\n' ' ') # candidates may be known only now
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing \
        >/dev/null || fail "apt-get install failed"
}

find_bpftool() {
    command -v bpftool >/dev/null && bpftool version >/dev/null 2>&1 && return
    find /usr/lib/linux-tools* -name bpftool 2>/dev/null | sort -V | tail -1
}

# One line a step in a log; on a terminal ninja's own line, which says how far it is.
run_ninja() {
    say "building $build/"
    if [ -t 1 ]; then
        NINJA_STATUS="$me: building %f of %t, %es  " ninja -C "$build" "$@" || fail "the build failed"
    else
        ninja -C "$build" --quiet "$@" || fail "the build failed"
    fi
}

# All, or the given targets.
build_all() {
    set_up=
    if [ ! -e "$build/build.ninja" ]; then
        say "configuring $build/"
        mkdir -p "$build"
        set_up="setup -Dbpftool=$(find_bpftool)"
    elif [ "$me" != ci/gate ] && ! grep -q 'libcmocka' "$build/build.ninja"; then
        say "configuring $build/ for the tests, too" # ci/gate was here first
        set_up="configure -Dtests=enabled"
    fi
    if [ -n "$set_up" ]; then
        # shellcheck disable=SC2086
        meson $set_up "$build" >"$build/setup.log" 2>&1 || {
            tail -n 20 "$build/setup.log" >&2
            fail "meson setup failed; all of it is in $build/setup.log"
        }
    fi
    run_ninja "$@"
}
