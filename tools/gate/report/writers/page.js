// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Draws the plots of the page with uPlot: axes, scales and points are uPlot's; intervals and bands
// are drawn by its hooks. Everything drawn is in the page's text too.
(function () {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const font = "13px system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
  let color = {};

  function readColors() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["text", "soft", "line", "bad", "good", "odd", "base", "comp", "band"])
      color[name] = style.getPropertyValue("--" + name).trim();
  }

  function verdictColor(row) {
    if (row.verdict === "regressed") return color.bad;
    if (row.verdict === "improved" || row.verdict === "unchanged") return color.good;
    return row.verdict === "inconclusive" || row.verdict === "new" ? color.soft : color.odd;
  }

  function shortNumber(value) {
    return Number(value.toPrecision(5)).toString();
  }

  // What draws in device pixels: p(1) is one CSS pixel.
  function onDraw(draw) {
    return function (u) {
      const ctx = u.ctx;
      ctx.save();
      draw(u, ctx, (px) => px * devicePixelRatio, (x) => u.valToPos(x, "x", true),
           (y) => u.valToPos(y, "y", true));
      ctx.restore();
    };
  }

  function line(ctx, x0, y0, x1, y1, width, stroke, dash) {
    ctx.beginPath();
    ctx.setLineDash(dash || []);
    ctx.lineWidth = width;
    ctx.strokeStyle = stroke;
    ctx.moveTo(x0, y0);
    ctx.lineTo(x1, y1);
    ctx.stroke();
    ctx.setLineDash([]);
  }

  function axis(extra) {
    return Object.assign({stroke: color.soft, font: font, grid: {stroke: color.line, width: 1},
                          ticks: {stroke: color.line, width: 1, size: 4}}, extra);
  }

  function median(values) {
    const sorted = values.slice().sort((a, b) => a - b), half = sorted.length >> 1;
    return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }

  function quantile(sorted, q) {
    return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
  }

  function options(box, height, extra) {
    return Object.assign({width: Math.max(200, box.clientWidth), height: height,
                          legend: {show: false}, cursor: {show: false}, select: {show: false}}, extra);
  }

  // ---- all changes ----

  const order = ["regressed", "invalid", "missing", "incomparable", "inconclusive", "waived", "improved",
                 "unchanged", "new"];

  function forestRows() {
    const rows = data.rows.filter((row) => row.gated && row.relative && row.change !== null);
    return rows.sort((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict));
  }

  // Wide enough for all estimates, tolerances and what is sensible of the intervals.
  function forestRange(rows) {
    let low = -1, high = 1;
    for (const row of rows) {
      const tolerance = row.tolerance || 0, ends = row.interval || [];
      low = Math.min(low, 105 * row.change, -120 * tolerance, Math.max(105 * (ends[0] || 0), -50));
      high = Math.max(high, 105 * row.change, 120 * tolerance, Math.min(105 * (ends[1] || 0), 50));
    }
    return [low, high];
  }

  function drawMark(ctx, px, x, y, row) {
    const r = px(5.5);
    ctx.beginPath();
    ctx.fillStyle = ctx.strokeStyle = verdictColor(row);
    ctx.lineWidth = px(2);
    if (row.verdict === "regressed" || row.verdict === "improved") {
      const tip = row.verdict === "regressed" ? -1 : 1;
      ctx.moveTo(x, y + tip * r);
      ctx.lineTo(x + r, y - tip * r);
      ctx.lineTo(x - r, y - tip * r);
      ctx.closePath();
    } else {
      ctx.arc(x, y, r * .8, 0, 2 * Math.PI);
    }
    if (row.verdict === "inconclusive") ctx.stroke(); else ctx.fill();
  }

  function fitted(ctx, text, width) {
    if (ctx.measureText(text).width <= width) return text;
    let end = text.length;
    while (end > 1 && ctx.measureText(text.slice(0, end) + "…").width > width) end--;
    return text.slice(0, end) + "…";
  }

  // The name in two lines: as many words in the first as fit there.
  function twoLines(ctx, text, first, second) {
    const words = text.split(" ");
    let count = words.length;
    while (count > 1 && ctx.measureText(words.slice(0, count).join(" ")).width > first) count--;
    return [fitted(ctx, words.slice(0, count).join(" "), first),
            fitted(ctx, words.slice(count).join(" "), second)];
  }

  function drawLabel(u, ctx, px, row, y, lines) {
    const left = u.bbox.left, width = u.bbox.width;
    ctx.font = font.replace("13px", px(13) + "px");
    ctx.textBaseline = "middle";
    ctx.textAlign = "right";
    ctx.fillStyle = verdictColor(row);
    ctx.fillText(row.verdict, left + width, y);
    const room = width - ctx.measureText(row.verdict).width - px(12);
    ctx.textAlign = "left";
    ctx.fillStyle = color.text;
    const text = lines === 2 ? twoLines(ctx, row.name, room, width) : [fitted(ctx, row.name, room)];
    text.forEach((part, i) => ctx.fillText(part, left, y + i * px(16)));
  }

  function drawForest(rows, height, lines) {
    return onDraw(function (u, ctx, px, X) {
      const left = u.bbox.left, right = left + u.bbox.width;
      const clamp = (x) => Math.min(right, Math.max(left, X(x)));
      rows.forEach(function (row, i) {
        const top = u.bbox.top + px(i * height), middle = top + px(height - 14);
        if (row.tolerance !== null) {
          const from = clamp(-100 * row.tolerance), to = clamp(100 * row.tolerance);
          ctx.fillStyle = color.band;
          ctx.fillRect(from, middle - px(9), to - from, px(18));
        }
        line(ctx, X(0), middle - px(11), X(0), middle + px(11), px(1), color.soft);
        if (row.interval) {
          const bound = (value, end) => value === null ? end : clamp(100 * value);
          line(ctx, bound(row.interval[0], left), middle, bound(row.interval[1], right), middle,
               px(3), verdictColor(row));
        }
        drawMark(ctx, px, clamp(100 * row.change), middle, row);
        drawLabel(u, ctx, px, row, top + px(9), lines);
      });
    });
  }

  function percent(x) {
    return (x > 0 ? "+" : "") + shortNumber(x) + " %";
  }

  function forest(box) {
    const rows = forestRows();
    if (!rows.length) return null;
    const lines = box.clientWidth < 640 ? 2 : 1, height = lines === 2 ? 62 : 46;
    const sorted = rows.map((row) => 100 * row.change).sort((a, b) => a - b);
    return new uPlot(options(box, rows.length * height + 34, {
      padding: [0, 16, 0, 16],
      scales: {x: {time: false, range: forestRange(rows)}, y: {range: [0, 1]}},
      series: [{}, {paths: () => null, points: {show: false}}],
      axes: [axis({size: 30, space: 60, grid: {show: false}, values: (u, ticks) => ticks.map(percent)}), {show: false}],
      hooks: {draw: [drawForest(rows, height, lines)]},
    }), [sorted, sorted.map(() => 0)], box);
  }

  // ---- one benchmark ----

  // Most figures; a few loads far away would squeeze all others into one dot.
  function valueRange(row, marks) {
    const all = row.base.concat(row.comp).sort((a, b) => a - b);
    const middle = quantile(all, .5), spread = quantile(all, .75) - quantile(all, .25);
    const reach = spread > 0 ? 8 * spread : Math.abs(middle) * .05 || 1;
    let low = Math.max(all[0], quantile(all, .25) - reach);
    let high = Math.min(all[all.length - 1], quantile(all, .75) + reach);
    for (const mark of marks) {
      low = Math.min(low, Math.max(mark, middle - 2 * reach));
      high = Math.max(high, Math.min(mark, middle + 2 * reach));
    }
    const margin = (high - low) * .05 || Math.abs(middle) * .02 || 1;
    return [low - margin, high + margin];
  }

  // Places of the estimate, the interval's ends and the limit, in the unit of the row.
  function changeMarks(row) {
    if (row.change === null || !row.base.length) return null;
    const base = median(row.base);
    const at = (change) => change === null ? null : row.relative ? base * (1 + change) : base + change;
    return {estimate: at(row.change), low: row.interval && at(row.interval[0]),
            high: row.interval && at(row.interval[1]), has: !!row.interval,
            limit: row.tolerance === null ? null : at(row.higher ? -row.tolerance : row.tolerance)};
  }

  function drawBenchmark(row, marks) {
    return onDraw(function (u, ctx, px, X, Y) {
      const left = u.bbox.left, right = left + u.bbox.width;
      const clamp = (x) => Math.min(right, Math.max(left, x));
      for (const [values, y, stroke] of [[row.base, 2, color.base], [row.comp, 1, color.comp]])
        if (values.length) {
          const x = clamp(X(median(values)));
          line(ctx, x, Y(y + .42), x, Y(y - .42), px(2.5), stroke);
        }
      if (!marks) return;
      if (marks.limit !== null)
        line(ctx, clamp(X(marks.limit)), u.bbox.top, clamp(X(marks.limit)),
             u.bbox.top + u.bbox.height, px(1.5), color.bad, [px(5), px(4)]);
      if (marks.has)
        line(ctx, marks.low === null ? left : clamp(X(marks.low)), Y(.15),
             marks.high === null ? right : clamp(X(marks.high)), Y(.15), px(3), verdictColor(row));
      drawMark(ctx, px, clamp(X(marks.estimate)), Y(.15), row);
    });
  }

  // Dots that lie on each other are spread a little, the same way each time.
  function lanes(row, range) {
    const points = [];
    for (const [values, lane, at] of [[row.base, 0, 2], [row.comp, 1, 1]])
      values.forEach(function (value, i) {
        const x = Math.min(range[1], Math.max(range[0], value));
        points.push([x, lane, at + ((i * 7) % 11 - 5) * .05]);
      });
    points.sort((a, b) => a[0] - b[0]);
    return [points.map((p) => p[0]), points.map((p) => p[1] === 0 ? p[2] : null),
            points.map((p) => p[1] === 1 ? p[2] : null)];
  }

  function benchmark(box) {
    const row = data.rows[Number(box.dataset.row)], marks = changeMarks(row);
    const extra = marks ? [marks.estimate, marks.low, marks.high, marks.limit].filter(Number.isFinite) : [];
    const range = valueRange(row, extra);
    const dots = (stroke, fill) => ({paths: () => null, points: {show: true, size: 8, width: 1.5,
                                     stroke: stroke, fill: fill}});
    return new uPlot(options(box, 156, {
      padding: [4, 16, 0, 0],
      scales: {x: {time: false, range: range}, y: {range: [-.3, 2.6]}},
      series: [{}, dots(color.base, "transparent"), dots(color.comp, color.comp)],
      axes: [axis({size: 26, space: 70, values: (u, ticks) => ticks.map(shortNumber), label: row.unit,
                   labelFont: font, labelGap: 0, labelSize: 18}),
             axis({size: 58, grid: {show: false}, ticks: {show: false},
                   splits: () => marks ? [0.15, 1, 2] : [1, 2],
                   values: (u, ticks) => ticks.map((y) => y === 2 ? "base" : y === 1 ? "comp" : "change")})],
      hooks: {draw: [drawBenchmark(row, marks)]},
    }), lanes(row, range), box);
  }

  // ---- history ----

  function history(box) {
    const series = data.history[Number(box.dataset.history)];
    const numbers = series.values.filter((x) => x !== null);
    const low = Math.min(...numbers), high = Math.max(...numbers);
    const margin = (high - low) * .1 || Math.abs(high) * .05 || 1;
    return new uPlot(options(box, 190, {
      padding: [8, 16, 0, 0],
      scales: {x: {time: false}, y: {range: [low - margin, high + margin]}},
      series: [{}, {stroke: color.comp, width: 1.5, points: {show: true, size: 6, fill: color.comp}}],
      axes: [axis({size: 26, label: "run", labelFont: font, labelGap: 0, labelSize: 18, incrs: [1, 2, 5, 10, 20, 50, 100, 500]}),
             axis({size: 70, values: (u, ticks) => ticks.map(shortNumber)})],
      hooks: {draw: [onDraw(function (u, ctx, px, X) {
        for (const change of series.changes)
          line(ctx, X(change + .5), u.bbox.top, X(change + .5), u.bbox.top + u.bbox.height, px(1.5),
               color.bad, [px(5), px(4)]);
      })]},
    }), [series.values.map((v, i) => i + 1), series.values], box);
  }

  // ---- all of them, again when the colours or the width change ----

  const plots = new Map();

  function draw(box) {
    const old = plots.get(box);
    if (old) old.destroy();
    plots.set(box, box.id === "forest" ? forest(box) : box.dataset.row ? benchmark(box) : history(box));
  }

  function drawAll() {
    readColors();
    document.querySelectorAll(".plot").forEach(draw);
  }

  drawAll();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  let width = document.documentElement.clientWidth;
  addEventListener("resize", function () {
    if (document.documentElement.clientWidth === width) return;
    width = document.documentElement.clientWidth;
    drawAll();
  });
})();
