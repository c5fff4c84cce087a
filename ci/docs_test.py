#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Every command of the pages is run: here, in reading order, or by the test that ELSEWHERE names.
Usage: docs_test.py accounts|commands|kernels SOURCE_DIR BUILD_DIR
accounts: each command is run or listed, what is listed is still there, and links lead to pages. commands: those that need
no other kernel. kernels: those that boot one (Debian's 6.1, 6.12, 7.2 are fetched where they are not).
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "lib"))
import doc_commands  # noqa: E402
import scratch  # noqa: E402

# Run by another test of Meson, or by a workflow: the name, a file, and what of the command is in it.
# Or not run at all: why.
BISECTS = ("bisect", "ci/bisect_test.sh")
PATCHES = ("patch", "ci/patch_test.py")
NEWCOMER = ("newcomer_bench", "ci/newcomer_test.py", "ADD_A_BENCH")
NEW_TEST = ("newcomer_test", "ci/newcomer_test.py", "ADD_A_TEST")
NEW_READER = ("newcomer_reader", "ci/newcomer_test.py", "ADD_A_READER")
NEW_REASON = ("newcomer_reason", "ci/newcomer_test.py", "ADD_A_REASON")
PACKAGE = ("package", "packaging/install_test.sh")
TREE = "works on the reader's tree of the kernel, which it builds"
MEASURING = "made the figures below it: a hundred boots, or nearly"
RECORDING = "made the figures below it: a quarter of an hour of measuring, and what it left"
REGISTRY = "asks npm's registry"
ELSEWHERE = {
    "ci/test": (None, "ci/workflows/bpfgate.yml", "run: sudo ci/test"),  # runs this test
    "ci/package": ("package", "ci/meson.build", "find_program('package')"),
    "apt install ./build/package/bpfgate_*.deb": (*PACKAGE, "apt-get install -y --no-install-recommends"),
    "bpfgate": (*PACKAGE, "offline bpfgate >"),
    "ninja -C build benchs/bench tools/gate/gate": NEWCOMER,
    "build/benchs/bench --net prandom": NEWCOMER,
    "build/tools/gate/gate record prandom && build/tools/gate/gate check prandom": NEWCOMER,
    "build/tools/gate/gate check --inject prandom=30% prandom": NEWCOMER,
    "ninja -C build prog_tests/test_progs": NEW_TEST,
    "build/prog_tests/test_progs -a array_ops -v": NEW_TEST,
    'for t in 100 120; do for i in $(seq 20); do echo "stopwatch lookup $t.$i ns"; done >build/$t.watch; done': NEW_READER,
    "ninja -C build tools/gate/gate": NEW_READER,
    "build/tools/gate/gate compare build/100.watch build/120.watch": NEW_READER,
    "(cat build/100.watch; echo stopwatch lookup 90 lightyears) >build/broken.watch": NEW_READER,
    "build/tools/gate/gate compare build/100.watch build/broken.watch": NEW_READER,
    "ci/architecture": NEW_REASON,
    "result=tools/gate/readers/data/google/repetitions.json": NEW_REASON,
    "sed 's/\"release\"/\"debug\"/' $result >build/debug.json": NEW_REASON,
    "build/tools/gate/gate compare $result build/debug.json": NEW_REASON,
    "npm pack uplot && tar xf uplot-*.tgz": REGISTRY,
    "cp package/LICENSE package/dist/uPlot.iife.min.js package/dist/uPlot.min.css CHECKOUT/third_party/uplot/":
        REGISTRY,
    "ci/gate --vm": (None, "ci/workflows/bpfgate.yml", 'run: ci/gate --vm "$KERNEL"'),
    "ci/patch --base main --head my-branch": (*PATCHES, '"--base", "HEAD", "--patch"'),
    "ci/patch --base HEAD --patch 0001-lpm.patch --kernel 6.12": (*PATCHES, '"--base", "HEAD", "--patch"'),
    'ci/patch --base main --head "$(git stash create)" --time': (*PATCHES, '"--base", "HEAD", "--patch"'),
    "ci/patch --kernel-a ../build-base --kernel-b ../build-head":
        (None, "ci/workflows/kernel-tree.yml", "run: ci/patch --kernel-a"),
    "make O=../build-head KCONFIG_ALLCONFIG=$PWD/../bpfgate/ci/kernel.config allnoconfig": TREE,
    "scripts/kconfig/merge_config.sh -m .config ../bpfgate/ci/kernel.config && make olddefconfig": TREE,
    "git checkout v6.12": TREE,
    "../bpfgate/ci/bisect --make --record ../good.json lpm-trie-lookup --nr_entries 1000": TREE,
    "git bisect start v6.13 v6.12": TREE,
    "git bisect run ../bpfgate/ci/bisect --make --good ../good.json lpm-trie-lookup --nr_entries 1000": TREE,
    "git bisect start HEAD v0.1.0": (*BISECTS, 'git bisect start HEAD "$good"'),
    "git bisect run ../bpfgate/ci/bisect --kernel debian:6.12 --good ../bpfgate/build/benchs/bench "
    "strncmp-helper --cmp-str-len 64": (*BISECTS, "strncmp-helper --cmp-str-len 64"),
    "ci/patch --kernel-a debian:6.12 --kernel-b ../linux/arch/x86/boot/bzImage --out report":
        (None, "ci/workflows/kernel-tree.yml", "run: ci/patch --kernel-a"),
    "$vmtest --kernel debian:7.2 --shell":
        ("vm_shell_gives_the_terminal_back_whatever_happens", "tools/vmtest/vm_test.cpp", '"--shell"'),
    "for k in 6_1_ 6_12_ 7_2_; do\n"
    "    export XDG_CACHE_HOME=$(mktemp -d)\n"
    "    time build/tools/vmtest/vmtest_kernels_test debian_$k\n"
    "    time build/tools/vmtest/vmtest_kernels_test debian_$k\n"
    "done": ("vmtest_kernels", "tools/vmtest/meson.build", "executable('vmtest_kernels_test'"),
    "build/tools/gate/research/power/power counts debian:6.1 debian:6.12 debian:7.2 --vmtest build/tools/vmtest/vmtest "
    "--bench build/benchs/bench --boots 10 --jobs 2": MEASURING,
    "build/tools/gate/research/power/power record native.jsonl --bench build/benchs/bench --budget 880 --burn 1 --units 50 "
    "--seed 1": RECORDING,
    "build/tools/gate/research/power/power judge native.jsonl --trials 60 --beyond-cache bloom-false --beyond-cache hashmap "
    "--beyond-cache 'lpm-trie-lookup nr_entries=10000'": RECORDING,
    "build/tools/gate/research/power/power record units.json --bench build/benchs/bench --budget 600": RECORDING,
    "build/tools/gate/research/power/power judge units.json": RECORDING,
    "gate selftest --aa": "takes minutes: the unit tests run it on a scripted bench",
    "$bench --suite seeds --quick --format commit --json before.json":
        "takes minutes: docs/bench.md runs that suite, and the other lines here that format",
    "build/benchs/bench -q -w1 -d1 --interval 200 --net --json native.json '*'":
        ("bench", "tools/bench/bench_run_test.cpp", "run_every_benchmark_prints_the_lines_of_the_kernels"),
    "for k in 6.1 6.12 7.2; do\n"
    "    build/tools/vmtest/vmtest --kernel debian:$k --memory 2048 --append lsm=lockdown,capability,yama,bpf --out $k -- "
    "bench -q -w1 -d1 --interval 200 --net --json r.json '*'\n"
    "done": "made the table below it: some minutes a kernel",
    "for k in 6.1 6.12 7.2; do\n"
    "    build/tools/vmtest/vmtest --kernel debian:$k --icount --out counts-$k -- bench -q --loads 3 --json r.json "
    "trig-kernel-count trig-kprobe trig-kretprobe trig-kprobe-multi trig-kretprobe-multi trig-fentry trig-fexit trig-fmodret "
    "trig-tp trig-rawtp trig-uprobe-nop trig-uretprobe-nop trig-uprobe-nop5 trig-usdt-nop rename-rawtp rename-fentry "
    "rename-kprobe 'bpf-*' 'crypto-*' 'local-storage-cache-*' rb-libbpf --nr_maps 16\n"
    "done": "made the table below it: two minutes a kernel",
    "ci/kernel_table counts-6.1/r.json counts-6.12/r.json counts-7.2/r.json": "reads what the command above it made",
    "ci/bench_names native=native.json 6.1=6.1/r.json 6.12=6.12/r.json 7.2=7.2/r.json":
        ("bench_names", "ci/meson.build", "bench_names_test.py"),
    "gate record --vm debian:6.12 --model --seeds 1-5 --baseline base.json -- --loads 1 bloom-lookup hashmap-without-bloom "
    "lpm-trie-lookup lpm-trie-update strncmp-helper": MEASURING,
    "gate check --vm debian:6.12 --model --seeds 6-10 --baseline base.json -- --loads 1 bloom-lookup hashmap-without-bloom "
    "lpm-trie-lookup": MEASURING,
    "gate check --vm debian:6.12 --model --seeds 6-10 --baseline base.json --bench ./bench-wide -- --loads 1 bloom-lookup":
        "needs a bench that the page says how to make",
    "for i in $(seq 100); do\n"
    "    nice build/tools/vmtest/vmtest --kernel debian:6.12 --json $i.json -- sh -c 'echo whole' >$i.out; "
    "echo $? >$i.rc\n"
    "done": MEASURING,
}

# What a command answers, where that is not 0: exit codes, and what its output must match.
INJECTED = r"regressed=1 .*missing=0 invalid=0"
EXPECTED = {
    # Both sides are the same file; its own noise may be more than the budget, and that is said.
    "gate compare A B --anchor v1.json --drift-budget 10%": ({0, 3}, r"note: since v1\.json: 1 rows"),
    "$gate check --inject bloom-lookup=30% 'bloom-*'": ({1}, rf"bloom-lookup .* regressed\n(.*\n)*.*{INJECTED}"),
    "$gate check --inject bloom-update=30% bloom-lookup bloom-update":
        ({1}, rf"bloom-update .* regressed\n(.*\n)*.*{INJECTED}"),
    "ci/gate --vm 6.12 -- --inject bloom-lookup=1%":
        ({1}, r"bloom-lookup .* regressed\n(.*\n)*.*improved=0 .*missing=0 invalid=0"),
    "$gate compare old.log new.log": ({3}, "inconclusive\n *needs 8 loads a side, has 1"),  # a log is one load
    # 6.12 does in some benchmarks worse than 6.1: the table of docs/gate-vm.md.
    "$gate compare ci/baselines/6.1-x86_64.json ci/baselines/6.12-x86_64.json": ({1}, "bloom-lookup .* regressed"),
}
# The pages on the statistics: each shows its rule at work.
EXPECTED |= {
    "gate compare 100.txt 101.txt": ({1}, "allocs/op .* regressed"),
    "gate compare 100.txt 120.txt": ({1}, "regressed"),
    "gate compare 100.txt few.txt": ({3}, "inconclusive\n *needs 8 loads a side, has 5"),
    "gate compare 7.6.txt 8.4.txt": ({1}, r"\+10.5 % .* regressed\n *direction unknown"),
    "gate compare 100.log 120.log": ({1}, "memory .* regressed"),
    "gate check --inject bloom-lookup=30% bloom-lookup": ({1}, rf"latency .* regressed\n(.*\n)*.*{INJECTED}"),
    "gate check --inject 'bloom-*=30%' bloom-lookup bloom-update": ({1}, r"regressed=2 .*missing=0 invalid=0"),
    "gate check --gate-tail --inject bloom-lookup=200% bloom-lookup": ({1}, "latency tail .* regressed"),
    "gate check --tolerance 0.01% bloom-lookup": ({0}, "latency .* inconclusive"),
    "gate check --inject bloom-lookup=10% --tolerance 50% bloom-lookup": ({0}, "latency .* unchanged"),
}

MOST_README_LINES, GLOSSARY = 120, "docs/glossary.md"
OWN_STORE = {"docs/baselines.md"}  # it begins with the first baseline

BOOTS = re.compile(r"vmtest|--vm|--kernel|debian:")
SETTING = re.compile(r"\w+=[\w/.]+$|cd ")
SECONDS = 1500


def listed_commands(top):
    return [(block, command) for page in doc_commands.pages(top) for block in doc_commands.blocks(top, page)
            for command in block.commands]


def check_source(top, tests, command, where):
    """What is wrong with what ELSEWHERE says."""
    if isinstance(where, str):
        return
    test, name, text = where
    if test and test not in tests:
        yield f"'{command}': Meson knows no test '{test}'"
    if text not in (top / name).read_text(encoding="utf-8"):
        yield f"'{command}': {name} does not run it any more ('{text}')"


def bad_links(top):
    """What a reader would not find: where a page leads nowhere, or nothing leads to it or to the terms."""
    lines = len((top / doc_commands.READ_FIRST).read_text(encoding="utf-8").splitlines())
    if lines > MOST_README_LINES:
        yield f"{doc_commands.READ_FIRST} has {lines} lines, at most {MOST_README_LINES} are wanted"
    started = doc_commands.links(top, doc_commands.START)
    for page in doc_commands.pages(top):
        linked = doc_commands.links(top, page)
        yield from (f"{page} links {link}, which is not there" for link in linked if not (top / link).exists())
        if page.startswith("docs/") and GLOSSARY not in [page, *linked]:
            yield f"{page} does not link {GLOSSARY}"
        if page not in [doc_commands.READ_FIRST, doc_commands.START, *started]:
            yield f"{doc_commands.START} does not link {page}"


def accounts(top, build):
    tests = {test["name"] for test in json.loads((build / "meson-info/intro-tests.json").read_text())}
    there = listed_commands(top)
    commands = {command for _, command in there}
    bad = [f"'{command}' is listed here and in no page" for command in {*ELSEWHERE, *EXPECTED} - commands]
    for command, where in ELSEWHERE.items():
        bad += check_source(top, tests, command, where)
    for block, command in there:
        programs = re.findall(r"(?:^|\s)((?:ci|build|\.\./bpfgate/ci)/[\w/-]+)(?=\s|$)", command)
        for program in programs:
            path = program.removeprefix("../bpfgate/")
            path = build / path.removeprefix("build/") if path.startswith("build/") else top / path
            if command not in ELSEWHERE and not path.exists():
                bad.append(f"{block.page}:{block.line}: no {program}")
    bad += bad_links(top)
    unrun = [command for command in ELSEWHERE if isinstance(ELSEWHERE[command], str)]
    print("\n".join(bad + [f"{len(there)} commands in {len(doc_commands.pages(top))} pages, "
                           f"{len(ELSEWHERE) - len(unrun)} run elsewhere, {len(unrun)} not run"]))
    return 1 if bad else 0


def would_install(source):
    """ci/gate installs what is missing: this must not be how it gets there."""
    script = "me=ci/gate; . ci/setup.sh; command -v dpkg-query >/dev/null && missing_packages"
    return subprocess.run(["sh", "-c", script], cwd=source, stdout=subprocess.PIPE, encoding="utf-8",
                          check=False).stdout.split()


def prepare(tree, env, kernels):
    """The files that the pages name as the reader's own."""
    top = tree.parent
    (top / "linux/arch/x86/boot").mkdir(parents=True)
    (tree / "mine.json").write_bytes((tree / "ci/kernels.json").read_bytes())
    if kernels:
        scratch.run("build/tools/vmtest/vmtest", "--kernel", "debian:6.12", "--", "true", cwd=tree, env=env)
        fetched = pathlib.Path(env["XDG_CACHE_HOME"]) / "bpfgate/kernels/debian-6.12"
        image = json.loads((fetched / "kernel.json").read_text())["image"]  # an ELF will do for a bzImage
        shutil.copy(fetched / image, top / "linux/arch/x86/boot/bzImage")
        shutil.copy(fetched / "config", top / "linux/.config")
        return
    scratch.run("build/benchs/bench", "-w1", "-d1", "--loads", "20", "--interval", "100", "--json",
                "a.json", "lpm-trie-update", cwd=tree, env=env, stdout=subprocess.DEVNULL)
    for name in ("b.json", "c.json", "base.json", "comp.json", "v1.json", "A", "B"):
        shutil.copy(tree / "a.json", tree / name)
    log = "Summary: throughput    5.757 ± 0.195 M ops/s (  5.757M ops/prod), latency  173.701 ns/op\n"
    for name in ("old.log", "new.log"):
        (tree / name).write_text("Setting up benchmark 'lpm-trie-lookup'...\n" + log)


def script_of(block, kernels):
    """Each command tells how it ended; its output is kept."""
    lines = []
    for number, command in enumerate(block.commands):
        if SETTING.match(command) and command not in ELSEWHERE:
            lines.append(command)
        elif command not in ELSEWHERE and bool(BOOTS.search(command)) == kernels:
            lines.append(f'{{ {command}\n}} >"$TMPDIR/out.{number}" 2>&1\n'
                         f'echo "{number} $? $(date +%s.%N)" >>"$TMPDIR/codes"')
    return "\n".join(lines) if any("codes" in line for line in lines) else ""


def judge(command, code, output):
    codes, pattern = EXPECTED.get(command, ({0}, ""))
    if code not in codes:
        return f"exit {code}, wanted {sorted(codes)}"
    return "" if re.search(pattern, output) else f"its output has nothing like /{pattern}/"


def run_block(block, script, tree, env):
    """How many commands failed."""
    temporary = pathlib.Path(env["TMPDIR"])
    (temporary / "codes").write_text("")
    began, failed = time.time(), 0
    scratch.shell(script, tree, env, SECONDS)
    ended = {int(line.split()[0]): line.split()[1:] for line in (temporary / "codes").read_text().splitlines()}
    for number in (int(found) for found in re.findall(r"out\.(\d+)", script)):
        command = block.commands[number]
        output = (temporary / f"out.{number}").read_text(errors="replace") if number in ended else ""
        code, at = ended.get(number, ("128", str(began)))
        wrong = judge(command, int(code), output)
        print(f"{'FAIL' if wrong else 'ok'}: {block.page}:{block.line}: {command} ({float(at) - began:.1f} s)",
              flush=True)
        began = float(at)
        if wrong:
            failed += 1
            print(f"    {wrong}\n{output[-3000:]}", flush=True)
    return failed


def run_pages(source, build, kernels):
    failed = 0
    with scratch.scratch(source, build) as (tree, env):
        prepare(tree, env, kernels)
        state, first = tree.parent / "state", tree.parent / "state-of-the-first-page"
        for page in doc_commands.pages(tree):
            if page in OWN_STORE:
                shutil.rmtree(state, ignore_errors=True)
            elif first.exists():  # a page's reader has the README's baseline, and nothing of the other pages
                shutil.rmtree(state, ignore_errors=True)
                shutil.copytree(first, state)
            for block in doc_commands.blocks(tree, page):
                script = script_of(block, kernels)
                failed += run_block(block, script, tree, env) if script else 0
            if page == doc_commands.READ_FIRST and state.exists():
                shutil.copytree(state, first)
    print(f"{failed} commands failed")
    return 1 if failed else 0


def main():
    part, (source, build) = sys.argv[1], (pathlib.Path(name).resolve() for name in sys.argv[2:4])
    if part == "accounts":
        return accounts(source, build)
    missing = would_install(source)
    if missing:
        print("ci/gate would install:", *missing)
        return 1
    scratch.enter()
    return run_pages(source, build, part == "kernels")


if __name__ == "__main__":
    sys.exit(main())
