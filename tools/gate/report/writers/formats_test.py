#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Gives what gate writes to the tools that read it: formats_test.py WHAT, with GATE in the environment.

A check whose tool is not installed skips (77) with the tool's name. The report is test_report.json:
every verdict, every class of metric, and names that try to be markup.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
DOCS = HERE.parents[3] / "docs"
REPORT = HERE / "test_report.json"
GATE = os.path.abspath(os.environ["GATE"])


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def need(program):
    return shutil.which(program) or skip(f"no {program}")


def expect(holds, what):
    if not holds:
        sys.exit(f"FAILED: {what}")


def run(*command, code=0, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", **options)
    expect(code is None or done.returncode == code,
           f"{command}: exit {done.returncode}, wanted {code}\n{done.stdout}{done.stderr}")
    return done.stdout


def convert(form, report=REPORT):
    return run(GATE, "report", str(report), "--format", form)


def rows():
    return json.loads(REPORT.read_text(encoding="utf-8"))["rows"]


def gated():
    return [row for row in rows() if row["gated"]]


def only(directory, verdicts):
    """A report of the rows with these verdicts."""
    report = json.loads(REPORT.read_text(encoding="utf-8"))
    report["rows"] = [row for row in report["rows"] if row["verdict"] in verdicts]
    path = directory / "some.json"
    path.write_text(json.dumps(report), encoding="utf-8")
    return path


def junit(directory):
    need("xmllint")
    path = directory / "junit.xml"
    path.write_text(convert("junit"), encoding="utf-8")
    run("xmllint", "--noout", "--nonet", "--schema", str(HERE / "junit.xsd"), str(path))
    suite = xml.etree.ElementTree.parse(path).getroot().find("testsuite")
    cases = suite.findall("testcase")
    expect(len(cases) == len(gated()) == int(suite.get("tests")), "one case for each gated row")
    expect(len(suite.findall("testcase/failure")) == int(suite.get("failures")) == 3, "3 failures")
    # A schema that accepts anything would prove nothing.
    path.write_text(convert("junit").replace("<failure", "<fail", 1).replace("</failure", "</fail", 1))
    run("xmllint", "--noout", "--nonet", "--schema", str(HERE / "junit.xsd"), str(path), code=3)


def ktap(directory):
    need("prove")
    path = directory / "gate.ktap"
    path.write_text(convert("ktap"), encoding="utf-8")
    out = run("prove", "--verbose", "--exec", "cat", str(path), code=1)
    bad = [i + 1 for i, row in enumerate(gated())
           if row["verdict"] in ("regressed", "invalid", "missing", "incomparable")]
    told = re.search(r"Failed tests?:\s+([-\d, ]+)", out).group(1)
    numbers = [n for part in told.split(",") for n in
               range(int(part.split("-")[0]), int(part.split("-")[-1]) + 1)]
    expect(numbers == bad, f"prove tells {numbers} failed, not {bad}")
    path.write_text(convert("ktap", only(directory, ["unchanged", "improved", "new"])), encoding="utf-8")
    expect("Result: PASS" in run("prove", "--exec", "cat", str(path)), "a good report passes")


def openmetrics(_):
    try:
        from prometheus_client.openmetrics.parser import text_string_to_metric_families
    except ImportError:
        skip("no python3-prometheus-client")
    families = {f.name: f for f in text_string_to_metric_families(convert("openmetrics"))}
    times = families["bpf_gate_time_seconds"]
    expect(times.unit == "seconds" and times.type == "gauge", "a gauge of seconds")
    update = [s.value for s in times.samples
              if s.labels["bench"] == "lpm-trie-update" and s.labels["side"] == "comp"]
    wanted = next(row["comp"] for row in rows() if row["name"] == "lpm-trie-update")
    expect(abs(update[0] * 1e9 - wanted) < 1e-6, "the figure in seconds")
    expect(len(families["bpf_gate_verdict"].samples) == len(gated()), "a verdict for each gated row")
    names = {s.labels["bench"] for s in families["bpf_gate_verdict"].samples}
    expect(any('"a\'b<script>' in name for name in names), "the hostile name comes back")


def google(directory):
    script = pathlib.Path("/usr/share/benchmark/compare.py")
    if not script.exists():
        skip("no compare.py of Google Benchmark (libbenchmark-tools)")
    if subprocess.run([sys.executable, "-c", "import scipy"], stderr=subprocess.DEVNULL).returncode:
        skip("no python3-scipy, which compare.py needs")
    for side in ("base", "comp"):
        (directory / f"{side}.json").write_text(convert(f"google-{side}"), encoding="utf-8")
    dump = directory / "diff.json"
    out = run(sys.executable, str(script), "--no-color", "-d", str(dump), "benchmarks",
              str(directory / "base.json"), str(directory / "comp.json"))
    expect("OVERALL_GEOMEAN" in out, "compare.py compared")
    told = {entry["name"]: entry for entry in json.loads(dump.read_text())}
    update = told["lpm-trie-update/nr_entries:1000/prefix_len:32/random:false/producers:1"]
    expect(len(update["measurements"]) == 12, "each load is a repetition")
    expect(update["utest"]["time_pvalue"] < .001, "compare.py's test sees the regression")
    median = told["lpm-trie-update/nr_entries:1000/prefix_len:32/random:false/producers:1_median"]
    expect(.25 < median["measurements"][0]["time"] < .33, "and its size")


def roundtrip(directory):
    """What gate writes for Go's and Google's tools, read by gate itself: the same figures."""
    wanted = next(row for row in rows() if row["name"] == "lpm-trie-update")
    for form, metric, name in (("go", "time", "Lpm-trie-update/"), ("google", "real_time", "lpm-trie-update/")):
        for side in ("base", "comp"):
            (directory / side).write_text(convert(f"{form}-{side}"), encoding="utf-8")
        out = directory / "report.json"
        run(GATE, "compare", str(directory / "base"), str(directory / "comp"), "--json", str(out), code=None)
        read = [row for row in json.loads(out.read_text())["rows"]
                if row["name"].startswith(name) and row["metric"] == metric]
        expect(len(read) == 1, f"{form}: the row comes back once")
        for member in ("base_samples", "comp_samples", "unit", "better"):
            same = read[0][member] == wanted[member] or read[0][member] + "/op" == wanted[member]
            expect(same, f"{form}: {member} {read[0][member]} was {wanted[member]}")


def documented(directory):
    """The commands of docs/reports.md that convert a report, and those of bench that take seconds."""
    text = (DOCS / "reports.md").read_text(encoding="utf-8")
    blocks = "\n".join(re.findall(r"```sh\n(.*?)```", text, re.S))
    lines = [line.split("  #")[0].strip() for line in blocks.splitlines()] + re.findall(r"`(\$gate [^`]*)`", text)
    converting = [line for line in lines if line.startswith("$gate report")]
    expect(len(converting) >= 15, f"commands are found: {converting}")
    shutil.copy(REPORT, directory / "report.json")
    measuring = [line for line in lines if line.startswith("$bench") and "--suite" not in line]
    bench = os.path.abspath(os.environ["BENCH"]) if "BENCH" in os.environ else ""
    for line in converting + (measuring if bench else []):
        done = subprocess.run(["sh", "-c", line.replace("$gate", GATE).replace("$bench", bench)], cwd=directory,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        if done.returncode == 4 and line in measuring:
            print("not run, nothing can be measured here:", line)
            continue
        expect(done.returncode == 0, f"{line}: exit {done.returncode} {done.stderr}")
        files = re.findall(r"(?:=|--html )(\S+\.\w+)", line)
        expect(all((directory / name).stat().st_size for name in files), f"{line}: {files}")


def validator(schema):
    try:
        import jsonschema
    except ImportError:
        skip("no python3-jsonschema")
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def valid(schema, value, what):
    errors = [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in validator(schema).iter_errors(value)]
    expect(not errors, f"{what}: {errors}")


def schema_of(name):
    return json.loads((DOCS / name).read_text())


TEXT = {"type": "string", "pattern": "^[^\\x00]*$"}
IDENTITY = {"type": "string", "pattern": "^[a-z0-9_]+:.+$"}
# The facts of kcidb_io's schema 5.3 about what gate writes. Unknown members are refused there too.
KCIDB = {
    "type": "object", "additionalProperties": False, "required": ["version"],
    "properties": {
        "version": {"type": "object", "properties": {"major": {"const": 5}, "minor": {"const": 3}}},
        "tests": {"type": "array", "items": {
            "type": "object", "additionalProperties": False, "required": ["build_id", "id", "origin"],
            "properties": {
                "id": IDENTITY, "build_id": IDENTITY, "origin": {"type": "string", "pattern": "^[a-z0-9_]+$"},
                "environment": {
                    "type": "object", "additionalProperties": False,
                    "properties": {"comment": TEXT, "misc": {"type": "object"},
                                   "compatible": {"type": "array"}}},
                "path": {"type": "string", "pattern": "^[a-zA-Z0-9_-]+(\\.[a-zA-Z0-9_-]+)*$"},
                "comment": TEXT, "misc": {"type": "object"},
                "status": {"enum": ["FAIL", "ERROR", "MISS", "PASS", "DONE", "SKIP"]},
                "start_time": {"type": "string", "format": "date-time"}, "duration": {"type": "number"},
                "number": {
                    "type": "object", "additionalProperties": False, "required": ["value"],
                    "properties": {"value": {"type": "number"}, "unit": TEXT,
                                   "prefix": {"enum": ["metric", "binary"]}}}}}}}}
NUMBER = {"type": "number"}
BENCHER = {
    "type": "object", "additionalProperties": {
        "type": "object", "minProperties": 1, "additionalProperties": {
            "type": "object", "required": ["value"], "additionalProperties": False,
            "properties": {"value": NUMBER, "lower_value": NUMBER, "upper_value": NUMBER}}}}
ACTION = {
    "type": "array", "items": {
        "type": "object", "required": ["name", "unit", "value"], "additionalProperties": False,
        "properties": {"name": {"type": "string"}, "unit": {"type": "string"}, "value": NUMBER,
                       "range": {"type": "string"}, "extra": {"type": "string"}}}}


def no_null(value):
    if isinstance(value, dict):
        return all(no_null(member) for member in value.values())
    return all(map(no_null, value)) if isinstance(value, list) else value is not None


def made_result(factor):
    latency = {"name": "latency", "unit": "ns/op", "better": "lower", "class": "time", "gated": True,
               "samples": [[factor * (100 + i % 7)] for i in range(20)]}
    return {"schema": "bpfgate-result", "version": 1, "tool": {"name": "bench", "version": "1", "revision": "a"},
            "command": ["bench"], "started": "2026-11-30T15:05:43Z", "environment": {"cpus": 2, "kernel": "6.1"},
            "benchmarks": [{"name": "lookup", "definition": 1, "parameters": {}, "status": "ok", "metrics": [latency]},
                           {"name": "no", "definition": 1, "status": "skipped", "reason": "no map", "metrics": []}]}


# A bench of two benchmarks that speaks docs/serve.md: "one" takes 50 ns an op, "two" what NS says.
SERVE_BENCH = """#!/bin/sh
while read -r verb n ops seed; do
  case $verb in
  list) echo 'ok {"protocol": 1, "tool": {"name": "bench"}, "environment": {"cpu_model": "A", "cpus": 2, "kernel": "KERNEL"},
    "benchmarks": [ROW1, ROW2]}' | tr -d '\\n'; echo ;;
  load) echo 'ok {"bytecode": "a1"}' ;;
  epoch) [ $n = 0 ] && ns=50 || ns=NS; echo "ok {\\"hits\\": $ops, \\"ns\\": $((ops * ns)), \\"values\\": {}}" ;;
  unload) echo ok ;;
  quit) exit 0 ;;
  esac
done
"""


def write_bench(path, ns, kernel="6.1"):
    script = SERVE_BENCH.replace("NS", str(ns)).replace("KERNEL", kernel)
    for number, name in ((1, "one"), (2, "two")):
        latency = {"name": "latency", "unit": "ns/op", "better": "lower", "class": "time", "gated": True}
        row = {"name": name, "definition": 1, "status": "ok", "batched": True, "metrics": [latency]}
        script = script.replace(f"ROW{number}", json.dumps(row))
    path.write_text(script)
    path.chmod(0o755)


def closed(schema):
    """The same schema, refusing members that it does not name: what gate writes is in it."""
    if isinstance(schema, dict):
        schema = {name: closed(value) for name, value in schema.items()}
        if "properties" in schema and schema.get("type") == "object":
            schema["additionalProperties"] = False
        return schema
    return [closed(value) for value in schema] if isinstance(schema, list) else schema


def checked(directory, schema):
    """Reports of gate check: waived rows, drift, the tail, predictions from a history."""
    bench, store, out = directory / "bench", directory / "store", directory / "check.json"

    def gate(command, *more, code=0):
        run(GATE, command, "--store", str(store), "--bench", str(bench), "--seed", "1", *more, code=code)

    def check(*more, code=0):
        gate("check", "--json", str(out), *more, code=code)
        report = json.loads(out.read_text())
        valid(schema, report, "a report of gate check")
        return {(row["name"], row["metric"]): row for row in report["rows"]}

    write_bench(bench, 50)
    for _ in range(8):
        gate("record")
    history = directory / "trend.json"
    run(GATE, "trend", "--store", str(store), "--json", str(history))
    run(GATE, "report", str(REPORT), "--html", str(directory / "page.html"), "--history", str(history))
    expect("8 runs: first 50 ns/op" in (directory / "page.html").read_text(encoding="utf-8"), "the history is in the page")
    write_bench(bench, 65, kernel="6.2")
    predicted = check(code=1)["two", "latency"]
    expect(predicted["method"] == "prediction" and predicted["tests"], "a prediction")
    write_bench(bench, 65)
    run(GATE, "baseline", "anchor", "v1", "--store", str(store))
    run(GATE, "baseline", "waive", "two", "--store", str(store), "--owner", "me", "--reason", "later",
        "--until", "2999-12-31", "--bound", "50")
    rows = check("--tail", "--drift-budget", "80")
    expect(rows["two", "latency"]["waived"]["verdict"] == "regressed", "a waived row")
    expect(rows["two", "latency"]["drift"]["budget"] == .8, "a row with drift")
    expect(rows["one", "latency tail"]["secondary"], "the row of a tail")
    expect(rows["one", "latency"]["tests"]["family"] == 2, "what the tests of a row said")


def schemas(directory):
    report, result = closed(schema_of("gate-report.schema.json")), schema_of("result.schema.json")
    valid(report, json.loads(convert("json")), "the report of test_report.json")
    for name, factor in (("a", 1), ("b", 1.5)):
        valid(result, made_result(factor), "a result file")
        (directory / f"{name}.json").write_text(json.dumps(made_result(factor)))
    out = directory / "report.json"
    run(GATE, "compare", str(directory / "a.json"), str(directory / "b.json"), "--json", str(out), code=1)
    fresh = json.loads(out.read_text())
    valid(report, fresh, "a report of gate compare")
    for broken in ({**fresh, "version": 2}, {**fresh, "rows": [{**fresh["rows"][0], "verdict": "odd"}]}):
        expect(list(validator(report).iter_errors(broken)), "the schema refuses what is wrong")
    checked(directory, report)
    kcidb = json.loads(convert("kcidb"))
    valid(KCIDB, kcidb, "kcidb")
    expect(no_null(kcidb), "kcidb has no null")
    expect(len({test["id"] for test in kcidb["tests"]}) == len(gated()), "each test has its own id")
    valid(BENCHER, json.loads(convert("bencher")), "bencher")
    for name in ("smaller-is-better", "bigger-is-better"):
        valid(ACTION, json.loads(convert(name)), name)
    if os.environ.get("BENCH"):
        measured(directory, result)


def measured(directory, schema):
    out = directory / "bench.json"
    run(os.environ["BENCH"], "--loads", "2", "--interval", "20", "--json", str(out), "strncmp-helper",
        "htab-mem", code=None)
    if out.exists():
        valid(schema, json.loads(out.read_text()), "what bench wrote")


def page_of(directory, report=REPORT):
    history = directory / "history.json"
    points = [{"time": f"2026-11-{day:02}T10:00:00Z", "value": 50 + day % 3} for day in range(1, 21)]
    history.write_text(json.dumps({"schema": "bpfgate-trend", "version": 1, "series": [
        {"name": "<i>", "metric": "latency", "unit": "ns/op", "points": points, "changes": [{"first": 12}]}]}))
    path = directory / "page.html"
    run(GATE, "report", str(report), "--html", str(path), "--history", str(history))
    return path


# Told by the page itself, once it has drawn: what a reader would see of the plots. Ink: pixels that
# are not transparent.
PROBE = """<script>
const boxes = [...document.querySelectorAll(".plot")].map(function (box) {
  const canvas = box.querySelector("canvas");
  const data = canvas ? canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data : [];
  let ink = 0;
  for (let i = 3; i < data.length; i += 4) ink += data[i] > 0;
  return {row: box.dataset.row, ink: ink};
});
document.body.dataset.probe = JSON.stringify({
  boxes: boxes, width: document.documentElement.scrollWidth, window: innerWidth,
  requests: performance.getEntriesByType("resource").map((entry) => entry.name)});
</script></body>"""


def browse(directory, page, width):
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    done = subprocess.run(
        [chromium, "--headless", "--no-sandbox", f"--user-data-dir={directory}/profile", "--disable-gpu",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
         "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr",
         f"--window-size={width},900", "--virtual-time-budget=5000", "--dump-dom", f"file://{page}"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace", timeout=150)
    expect(done.returncode == 0, f"chromium: exit {done.returncode}\n{done.stderr[-2000:]}")
    told = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
    expect(not told, f"the console has no message: {told}")
    return done.stdout


def browser(directory):
    if not (shutil.which("chromium") or shutil.which("chromium-browser")):
        skip("no chromium")
    page = page_of(directory)
    plots = sum(1 for row in rows() if len(row["base_samples"] + row["comp_samples"]) >= 2)
    page.write_text(page.read_text(encoding="utf-8").replace("</body>", PROBE), encoding="utf-8")
    for width in (400, 1400):
        dom = browse(directory, page, width)
        expect(re.search(r'<h1 id="verdict">3 of 13 rows regressed', dom), "the verdict is in the page")
        told = json.loads(re.search(r'data-probe="([^"]*)"', dom).group(1).replace("&quot;", '"'))
        drawn = [box for box in told["boxes"] if box["ink"] > 200]
        expect(len(drawn) == len(told["boxes"]) == plots + 2, f"{plots} plots, the overview and the history: {told}")
        expect(told["width"] <= told["window"], f"nothing is wider than the window: {told['width']}")
        expect(told["requests"] == [], f"the page requests nothing: {told['requests']}")
    # Chromium would tell: an image from elsewhere is refused by the page's policy.
    page.write_text(page.read_text(encoding="utf-8").replace("</main>", '<img src="https://example.invalid/x"></main>'),
                    encoding="utf-8")
    try:
        browse(directory, page, 400)
    except SystemExit as told:
        expect("Content Security Policy" in str(told), f"the refusal names the policy: {told}")
    else:
        sys.exit("FAILED: a page that loads an image is found out")


def main():
    checks = {"junit": junit, "ktap": ktap, "openmetrics": openmetrics, "google": google, "schemas": schemas,
              "roundtrip": roundtrip, "documented": documented,
              "browser": browser}
    with tempfile.TemporaryDirectory(prefix="formats_test.") as directory:
        checks[sys.argv[1]](pathlib.Path(directory))
    print("passed")


main()
