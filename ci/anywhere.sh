# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh disable=SC2034
# Whether this machine gives BPF, found out by asking for it: a capability bit says nothing of
# seccomp, containers or user namespaces. perl does it, since Debian and Ubuntu always have it.
# Sourced by ci/gate and ci/test, which have sourced ci/setup.sh.

# What is booted where BPF cannot be had: of ci/kernels.json the newest of a stable distribution.
guest_kernel=6.12

# Prints why BPF cannot be had; nothing where it can. An LPM trie and a program for a network device
# take the rights that bench and test_progs take; neither is attached to anything.
why_no_bpf() {
    case $(uname -m) in
    x86_64) number=321 ;;
    aarch64) number=280 ;;
    *)
        echo "bpf() is not known on this architecture"
        return
        ;;
    esac
    perl -e '
        sub bpf { my ($command, $attr) = @_;
            $attr .= "\0" x (128 - length $attr);
            return syscall($ARGV[0] + 0, $command, $attr, 128) >= 0; }
        bpf(0, pack("L5", 11, 8, 8, 1, 1)) or print("bpf() makes no map: $!\n"), exit;
        my $code = pack("Q2", 0xb7, 0x95);
        bpf(5, pack("L2P P", 3, 2, $code, "GPL")) or print("bpf() loads no program: $!\n"), exit;
    ' "$number" 2>/dev/null || echo "perl cannot ask for bpf()"
}
