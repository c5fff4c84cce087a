# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh
# ci/gate --vm: counts of instructions in Debian's kernels against ci/baselines. Needs neither root
# (but for packages that are missing) nor BPF nor KVM on this machine. Sourced by ci/gate.

default_kernels='6.1 6.12 7.2'

vm_record=
vm_seeds=
vm_kernels=
vm_shift=0

# What is left for bench are the arguments after the first $vm_shift.
parse_vm() {
    given=$#
    while [ $# -gt 0 ]; do
        case $1 in
        --no-install) no_install=1 ;;
        --record) vm_record=1 ;;
        --seeds)
            [ $# -gt 1 ] || fail "--seeds needs a number"
            vm_seeds=$2
            shift
            ;;
        --)
            shift
            break
            ;;
        -*) fail "$1 is no option of --vm; options of bench come behind --" ;;
        *) vm_kernels="$vm_kernels ${1#debian:}" ;;
        esac
        shift
    done
    vm_shift=$((given - $#))
    vm_kernels=${vm_kernels:-$default_kernels}
}

# Of several kernels: a regression outweighs all, else what one kernel could not tell makes the whole
# incomplete, unless none could be measured.
worse_code() {
    case "$1 $2" in
    "1 "* | *" 1") echo 1 ;;
    "2 "* | *" 2") echo 2 ;;
    "0 0") echo 0 ;;
    "4 4") echo 4 ;;
    *) echo 3 ;;
    esac
}

baseline_of() { echo "ci/baselines/$1-$(uname -m).json"; }

# One kernel: its table, and how long it took. Returns gate's exit code.
gate_kernel() {
    kernel=$1
    shift
    baseline=$(baseline_of "$kernel")
    began=$(date +%s)
    if [ -n "$vm_record" ]; then
        "$gate" record --vm "debian:$kernel" --baseline "$baseline" \
            ${vm_seeds:+--seeds "$vm_seeds"} -- "$@"
        code=$?
    elif [ ! -e "$baseline" ]; then
        say "no $baseline: ci/gate --vm --record $kernel makes it"
        code=3
    else
        "$gate" check --vm "debian:$kernel" --baseline "$baseline" --json "$out/vm-$kernel.json" \
            --figures "$out/vm-$kernel-figures.json" ${vm_seeds:+--seeds "$vm_seeds"} -- "$@" \
            >"$out/vm-$kernel.txt"
        code=$?
        cat "$out/vm-$kernel.txt"
    fi
    say "$kernel: exit $code after $(($(date +%s) - began)) s"
    return $code
}

gate_vm() {
    parse_vm "$@"
    shift "$vm_shift"
    [ "$(uname -m)" = x86_64 ] || skip "kernels are booted on x86_64 only"
    wanted_vm=qemu-system-x86
    install_missing
    build_all benchs/bench tools/gate/gate tools/vmtest/vmtest
    out=$build/gate
    gate=$build/tools/gate/gate
    mkdir -p "$out"
    worst=
    for each in $vm_kernels; do
        gate_kernel "$each" "$@"
        code=$?
        [ "$code" -lt 128 ] || return "$code" # Ctrl-C
        worst=$(worse_code "${worst:-$code}" "$code")
    done
    [ -n "$vm_record" ] || say "results: $out/vm-*.txt, $out/vm-*.json"
    return "$worst"
}
