# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh disable=SC2034,SC2154
# ci/gate --vm: counts of instructions in the kernels of ci/kernels.json against their baselines.
# Needs neither root (but for packages that are missing) nor BPF nor KVM on this machine. Sourced by
# ci/gate, which has sourced ci/setup.sh.

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
            [ $# -gt 1 ] || misused "--seeds needs a number"
            vm_seeds=$2
            shift
            ;;
        --)
            shift
            break
            ;;
        -*) misused "$1 is no option of --vm; options of bench come behind --" ;;
        [0-9]*) vm_kernels="$vm_kernels debian:$1" ;;
        *) vm_kernels="$vm_kernels $1" ;;
        esac
        shift
    done
    vm_shift=$((given - $#))
    [ -n "$vm_kernels" ] || vm_kernels=$(ci/kernels list) || exit 2
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

# One member of a kernel's row in ci/kernels.json.
kernel_member() {
    value=$(ci/kernels get "$1" "$2") || exit 2
    eval "printf '%s\n' $value"
}

# One kernel: its table, and how long it took. Returns gate's exit code.
gate_kernel() {
    kernel=$1
    name=$(kernel_member "$1" name) || return 2
    baseline=$(kernel_member "$1" baseline) || return 2
    seeds=${vm_seeds:-$(kernel_member "$1" seeds)}
    tolerance=$(kernel_member "$1" tolerance_pct)
    model=$(kernel_member "$1" model)
    shift
    say "$name: counting instructions${model:+ and events} in $seeds boots"
    set -- --vm "$kernel" --baseline "$baseline" ${model:+--model="$model"} --seeds "$seeds" -- "$@"
    began=$(date +%s)
    if [ -n "$vm_record" ]; then
        mkdir -p "${baseline%/*}" && "$gate" record "$@"
        code=$?
    elif [ ! -e "$baseline" ]; then
        say "no $baseline: ci/gate --vm --record makes it"
        code=3
    else
        "$gate" check --tolerance "$tolerance" --json "$out/$name.json" \
            --figures "$out/$name-figures.json" "$@" >"$out/$name.txt"
        code=$?
        cat "$out/$name.txt"
    fi
    say "$name: exit $code after $(($(date +%s) - began)) s"
    return $code
}

gate_vm() {
    [ "$(uname -m)" = x86_64 ] || skip "kernels are booted on x86_64 only"
    parse_vm "$@"
    shift "$vm_shift"
    wanted_vm=qemu-system-x86
    install_missing
    build_all benchs/bench tools/gate/gate tools/vmtest/vmtest tools/model/bpfgate_model.so
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
    if [ -z "$vm_record" ]; then
        say "results: $out/"
        say_next "$worst" "ci/gate --vm --record"
    fi
    return "$worst"
}
