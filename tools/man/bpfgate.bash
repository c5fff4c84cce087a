# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
# Completion for bench, gate, test_progs and vmtest: options and subcommands from their --help, names
# from their lists, so that nothing is listed twice. What is not known here is a file.

# The names that PROGRAM -l lists.
_bpfgate_names() {
    "$1" -l 2>/dev/null | sed -n -e 's/^- //p' -e t -e '/^[a-z][a-z_0-9]*$/p'
}

# Of a --help what stands between usage and examples.
_bpfgate_body() {
    local body=${1#*$'\n\n'}
    echo "${body%%$'\n\n'*}"
}

# The bench that belongs to a gate: beside it when installed, in the build tree else.
_bpfgate_bench() {
    local each
    for each in "${1%/*}/bench" "${1%/*}/../../benchs/bench"; do
        [[ $1 == */* && -x $each ]] && echo "$each" && return
    done
    echo bench
}

_bpfgate() {
    local program=${1/#\~\//$HOME/} name=${1##*/} current=$2 previous=$3
    local help body word value='' start=''
    local -a command=() before=()
    COMPREPLY=()
    help=$("$program" --help 2>/dev/null)
    [[ $help == "Usage: $name "* ]] || return # another program of that name
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        [[ $word == -- ]] && return # what follows is for another program
        if [[ $help == *' COMMAND [OPTIONS]'* && $help == *$'\n'"  $word "* ]]; then
            command+=("$word")
            help=$("$program" "${command[@]}" --help 2>/dev/null)
        fi
    done
    # bench shows the options of the benchmarks that are named; all where none is.
    if [[ $name == bench ]]; then
        for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
            [[ $word != -* ]] && before+=("$word")
        done
        help=$("$program" "${before[@]}" --help 2>/dev/null)
        [[ $help == *'Of the benchmarks'* ]] || help=$("$program" '*' --help 2>/dev/null)
    fi
    body=$(_bpfgate_body "$help")
    # Its value, and the choices where they are told in its place or behind it.
    local option="(^|[[:space:],])${previous//\?/\\?}(,[^[:space:]]+)? ([^[:space:]]+)( +([^[:space:]]+[|][^[:space:]]+))?"
    [[ $previous == -* && $body =~ $option ]] && value=${BASH_REMATCH[5]:-${BASH_REMATCH[3]}}
    case $value in
    *'|'*) mapfile -t COMPREPLY < <(compgen -W "${value//|/ }" -- "$current") ;;
    NAMES)
        start=${current%"${current##*,}"} # of several, the last
        mapfile -t COMPREPLY < <(compgen -P "$start" -W "$(_bpfgate_names "$program")" -- "${current##*,}")
        ;;
    '')
        [[ $help == *'[BENCH ARGS...]'* ]] && program=$(_bpfgate_bench "$program") && name=bench
        if [[ $current == -* ]]; then
            [[ ${#command[@]} -gt 0 && $name == bench ]] && body+=$(_bpfgate_body "$("$program" '*' --help)")
            value=$(grep -oE '(^|[[:space:],])--?[a-zA-Z][-_a-zA-Z0-9]*' <<<"$body" | tr -d ' ,')
        elif [[ $help == *' COMMAND [OPTIONS]'* ]]; then
            value=$(sed -n 's/^  \([a-z][-a-z]*\)  .*/\1/p' <<<"$body")
        elif [[ $name == bench ]]; then
            value=$(_bpfgate_names "$program")
        fi
        mapfile -t COMPREPLY < <(compgen -W "$value" -- "$current")
        ;;
    esac
}

# The installed command: behind "bpfgate gate" as behind gate.
_bpfgate_command() {
    local programs=/usr/libexec/bpfgate name=${COMP_WORDS[1]-}
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W 'run bench gate test_progs vmtest --store --help --version' -- "$2")
        return
    fi
    case $name in
    run) name=bench ;;
    bench | gate | vmtest) ;;
    test_progs) programs+=/kselftest/bpfgate ;;
    *) return ;;
    esac
    COMP_WORDS=("$programs/$name" "${COMP_WORDS[@]:2}")
    COMP_CWORD=$((COMP_CWORD - 1))
    _bpfgate "${COMP_WORDS[0]}" "$2" "$([[ $COMP_CWORD == 1 ]] && echo "$name" || echo "$3")"
}

complete -o bashdefault -o default -F _bpfgate bench gate test_progs vmtest
complete -o bashdefault -o default -F _bpfgate_command bpfgate
