#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2016
# Installs the packages in a clean root of this machine's distribution, without a network, and runs
# the main job there: it must reach a verdict.
# usage: install_test.sh DIRECTORY_OF_DEBS
# Exit 77 where this cannot be tried. The root is a tmpfs in a mount namespace of our own and its
# processes are in a PID namespace: however this ends, the kernel removes both.
set -eu
packages=$(cd "$1" && pwd)

say() { echo "install_test: $*"; }
skip() {
    say "skipped: $*"
    exit 77
}
fail() {
    say "FAIL: $*" >&2
    exit 1
}

# Outside: only a directory to mount on, which is empty again when we are back.
if [ "${2-}" != --inside ]; then
    [ "$(id -u)" = 0 ] || skip "a root is made by root only"
    for tool in debootstrap unshare setpriv; do
        command -v $tool >/dev/null || skip "no $tool"
    done
    [ -n "$(ls "$packages"/*.deb 2>/dev/null)" ] || skip "no packages in $packages: ci/package makes them"
    root=$(mktemp -d)
    trap 'rmdir "$root"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    trap 'exit 129' HUP
    unshare --mount --propagation private true 2>/dev/null || skip "no right to a mount namespace"
    code=0
    # In the background, so that a signal is taken at once. unshare itself ignores signals that can be
    # ignored; --kill-child ends all that is inside.
    unshare --mount --propagation private --pid --fork --kill-child --mount-proc \
        "$0" "$packages" --inside "$root" &
    child=$!
    trap 'kill -KILL "$child" 2>/dev/null; wait "$child" 2>/dev/null || :; rmdir "$root"' EXIT
    wait $child || code=$?
    trap 'rmdir "$root"' EXIT
    exit $code
fi

mount -t tmpfs -o mode=755,size=3g install_test "$3"
log=$3/log
root=$3/root
mkdir "$root"

quietly() { "$@" >"$log" 2>&1 || {
    tail -n 30 "$log" >&2
    fail "$*"
}; }
inside() { chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive "$@"; }
seconds_since() { echo $(($(date +%s) - $1)); }

# The distribution's own archives, as this machine's apt has them.
. /etc/os-release
sources() {
    apt-get indextargets --format 'deb [SIGNED] $(REPO_URI) $(RELEASE) $(COMPONENT)' \
        "Origin: ${NAME%% *}" 'Created-By: Packages' | sort -u |
        sed "s|\[SIGNED\]|[signed-by=$keyring]|"
}
keyring=/usr/share/keyrings/${ID:-debian}-archive-keyring.gpg
[ -e "$keyring" ] || skip "no $keyring"
mirror=$(sources | sed -n "s|^deb [^ ]* \([^ ]*\) $VERSION_CODENAME main$|\1|p" | head -n 1)
[ -n "$mirror" ] || skip "this machine's apt has no main archive of ${VERSION_CODENAME-this distribution}"

began=$(date +%s)
quietly debootstrap --variant=minbase --keyring="$keyring" "$VERSION_CODENAME" "$root" "$mirror"
sources >"$root/etc/apt/sources.list"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mkdir "$root/packages"
cp "$packages"/*.deb "$root/packages"

# What they depend on is fetched before; from then on there is no network.
for setting in http_proxy https_proxy; do
    eval "value=\${$setting-}"
    [ -z "$value" ] || echo "Acquire::${setting%_proxy}::Proxy \"$value\";" >>"$root/etc/apt/apt.conf.d/proxy"
done
quietly inside apt-get update
# shellcheck disable=SC2016
quietly inside sh -c 'apt-get install -y --no-install-recommends --download-only /packages/*.deb'
say "a clean root of $VERSION_CODENAME after $(seconds_since "$began") s"
for compiler in cc gcc g++ clang meson ninja bpftool; do
    ! inside sh -c "command -v $compiler" >/dev/null || fail "there is a $compiler in the clean root"
done
offline() { unshare --net chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive "$@"; }

load=$(cut -d ' ' -f 1-3 /proc/loadavg)
began=$(date +%s)
quietly offline sh -c 'apt-get install -y --no-install-recommends /packages/bpfgate_*.deb'
installed=$(seconds_since "$began")
code=0
offline bpfgate >"$log" 2>&1 || code=$?
took=$(seconds_since "$began")
cat "$log"
say "installed after $installed s, verdict after $took s, without a network, at load $load"
[ $code = 0 ] || fail "bpfgate ended with exit code $code"
grep -q '^gate: verdict=' "$log" || fail "no line 'gate: verdict='"

# The rest of what is installed. gate finds bench beside itself, too.
quietly offline /usr/libexec/bpfgate/gate record --if-missing
line() {
    wanted=$1
    shift
    offline "$@" >"$log" 2>&1 || fail "$*: $(cat "$log")"
    grep -qxF -- "$wanted" "$log" || fail "$*: no line '$wanted' but $(head -n 5 "$log")"
}
line 'Usage: bpfgate gate check [OPTIONS] [BENCH ARGS...]' bpfgate gate check --help
line '  bpfgate gate compare old.log new.log --better latency=lower' bpfgate gate compare --help
line 'Usage: bpfgate bench [OPTIONS] [NAME...]' bpfgate bench --help
line '- bloom-lookup' bpfgate bench -l
offline bpfgate test_progs >"$log" 2>&1 && fail "test_progs is there before its package"
grep -q 'bpfgate-kselftest' "$log" || fail "nothing says which package has test_progs"
quietly offline sh -c 'apt-get install -y --no-install-recommends /packages/*.deb'
quietly offline bpfgate test_progs -a smoke
quietly offline bash -c '. /usr/share/bash-completion/completions/bpfgate
    COMP_WORDS=(bpfgate gate ba) COMP_CWORD=2
    _bpfgate_command bpfgate ba gate
    [[ ${COMPREPLY[*]} == baseline ]]'

# Without rights: exit 4, and what can be done instead.
code=0
offline setpriv --reuid 65534 --regid 65534 --clear-groups \
    bpfgate --store /tmp/store >"$log" 2>&1 || code=$?
[ $code = 4 ] || fail "as an ordinary user: exit code $code: $(cat "$log")"
grep -q 'bpfgate vmtest' "$log" || fail "as an ordinary user: no word of vmtest: $(cat "$log")"

quietly offline sh -c 'dpkg --purge bpfgate-kselftest bpfgate'
[ ! -e "$root/usr/libexec/bpfgate" ] || fail "purged, /usr/libexec/bpfgate is still there"
say "passed"
