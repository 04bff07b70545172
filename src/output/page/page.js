// Charts and animation of a report. All data is in the page, in the element with the id "data":
//
//   levels      the solution over ever shorter pieces of the run: {from, to, count, columns: {name: {base, step, slow, low, high, true}}};
//               a value is base + step * number; low and high are the band of the vibration, true the vibration itself
//   charts      {title, x, y, log_x, log_y, markers, curves: [{label, x: [...], y: [...]}]}
//   mechanism   {points: [[x column, y column], ...], links: [{kind, from, to}, ...]}, from and to a point's number or [x, y]
//
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const printing = window.matchMedia("print");
  const colour = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  const palette = ["slow", "true", "third", "fourth"];
  const redraws = [];

  const tidy = value => value == null ? "" : Math.abs(value) < 1e-300 ? "0" : String(Number(value.toPrecision(7)));

  const tidyLong = value => String(Number(value.toPrecision(15)));

  function labels(splits, increment) {
    let digits = Math.max(0, Math.min(20, -Math.floor(Math.log10(increment) + 1e-9)));
    if (Math.abs(increment * 10 ** digits - Math.round(increment * 10 ** digits)) > 1e-6) {
      ++digits;  // steps of 0.25
    }
    return splits.map(value => {
      const size = Math.abs(value);
      if (size < 1e-9 * increment) {
        return "0";
      }
      if (size !== 0 && (size >= 1e6 || size < 1e-4)) {
        return value.toExponential(Math.max(0, Math.min(6, Math.round(Math.log10(size / increment) - .3))));
      }
      return value.toFixed(digits);
    });
  }
  // Powers of ten, not too many; within two decades also twice and five times them.
  function decades(_, __, min, max) {
    const [low, high] = [Math.floor(Math.log10(min) + 1e-9), Math.ceil(Math.log10(max) - 1e-9)];
    const every = Math.ceil((high - low) / 8);
    const marks = [];
    for (let k = Math.ceil(low / every) * every; k <= high; k += every) {
      marks.push(...(high - low <= 2 ? [1, 2, 5] : [1]).map(factor => factor * 10 ** k));
    }
    return marks.filter(mark => mark >= min * (1 - 1e-9) && mark <= max * (1 + 1e-9));
  }
  const powers = splits => splits.map(value => value == null ? "" : value >= 1e-3 && value < 1e4 ? String(Number(value.toPrecision(3))) : value.toExponential(0).replace("+", ""));

  function axis(label, side, values, splits) {
    return {
      ...(splits ? { splits, filter: (_, marks) => marks } : {}),
      label, side, labelSize: 22, size: side === 3 ? 76 : 40, labelFont: "13px system-ui, sans-serif", font: "12px system-ui, sans-serif",
      stroke: () => colour("soft"), grid: { stroke: () => colour("line"), width: 1 }, ticks: { stroke: () => colour("line"), width: 1 }, values
    };
  }

  function place(parent, title) {
    const figure = document.createElement("div");
    figure.className = "chart";
    if (title) {
      const heading = document.createElement("h3");
      heading.textContent = title;
      figure.append(heading);
    }
    parent.append(figure);
    return figure;
  }
  const width = figure => Math.max(240, figure.clientWidth);
  function follow(chart, figure, height) {
    new ResizeObserver(() => chart.setSize({ width: width(figure), height })).observe(figure);
    redraws.push(() => chart.redraw(false, true));
  }

  // ---- the solution over time ----
  const timeCharts = [];
  const overall = data.levels[0];
  let view = overall ? [overall.from, overall.to] : [0, 1];
  let busy = false;

  const times = level => level.t || (level.t = Float64Array.from({ length: level.count },
    (_, k) => k + 1 === level.count ? level.to : level.from + (level.to - level.from) * k / (level.count - 1)));
  const values = (column, numbers) => numbers ? numbers.map(n => n == null ? null : column.base + column.step * n) : null;

  // The finest level that the view lies in.
  function levelOf(name) {
    const margin = 1e-6 * (view[1] - view[0]);
    let best = null;
    for (const level of data.levels) {
      if (level.columns[name] && level.from <= view[0] + margin && level.to >= view[1] - margin &&
          (!best || level.to - level.from < best.to - best.from)) {
        best = level;
      }
    }
    return best || overall;
  }
  // Where too few points are known in the view, the nearest piece of the run of which more are; none where there are enough.
  function nearest(length) {
    const name = timeCharts.length > 0 ? timeCharts[0].name : data.columns[0];
    const here = levelOf(name);
    if (length > 4 * (here.to - here.from) / (here.count - 1)) {
      return null;
    }
    const middle = (view[0] + view[1]) / 2;
    const away = level => Math.max(0, level.from - middle, middle - level.to);
    return data.levels.filter(level => level.columns[name] && level.to - level.from >= length && level.count / (level.to - level.from) > here.count / (here.to - here.from))
      .reduce((best, level) => !best || away(level) < away(best) || away(level) === away(best) && level.to - level.from < best.to - best.from ? level : best, null);
  }
  function table(name) {
    const level = levelOf(name);
    const column = level.columns[name];
    column.table = column.table || [times(level), ...["slow", "low", "high", "true"].map(kind => {
      const list = values(column, column[kind]);
      return list || new Array(level.count).fill(null);
    })];
    return column.table;
  }

  function show(from, to) {
    const shortest = data.shortest;
    if (to - from < shortest) {
      const middle = (from + to) / 2;
      [from, to] = [middle - shortest / 2, middle + shortest / 2];
    }
    const length = Math.min(to - from, overall.to - overall.from);
    from = Math.min(Math.max(from, overall.from), overall.to - length);
    view = [from, from + length];
    const near = nearest(length);
    if (near) {
      const start = Math.min(Math.max(from, near.from), near.to - length);
      view = [start, start + length];
    }
    busy = true;
    for (const { chart, name } of timeCharts) {
      chart.setData(table(name), false);
      chart.setScale("x", { min: view[0], max: view[1] });
    }
    busy = false;
    describeView();
  }
  function describeView() {
    const note = document.getElementById("view");
    if (!note || timeCharts.length === 0) {
      return;
    }
    const column = levelOf(timeCharts[0].name).columns[timeCharts[0].name];
    const periods = data.period ? (view[1] - view[0]) / data.period : 0;
    note.textContent = `t = ${tidy(view[0])} to ${tidy(view[1])}` +
      (periods ? `, ${periods >= 100 ? Math.round(periods).toLocaleString("en") : periods.toPrecision(2)} vibrations` : "") +
      (column.true ? ": each one is drawn" : column.low ? ": the band that they fill" : "");
    note.dataset.shows = column.true ? "ripples" : column.low ? "band" : "slow";
  }

  // Near a value that is large against what is shown, labels count from it.
  const fromBase = (name, scale) => (chart, splits, at, _, increment) => {
    const { min, max } = chart.scales[scale];
    const far = Math.max(Math.abs(min), Math.abs(max)) / (max - min);
    if (!(far >= 1e4)) {
      chart.axes[at].label = name;
      return labels(splits, increment);
    }
    const base = Number(min.toPrecision(Math.min(15, Math.ceil(Math.log10(far)))));
    chart.axes[at].label = `${name} - ${tidyLong(base)}`;
    return labels(splits.map(value => value - base), increment);
  };
  function timeChart(parent, name) {
    const figure = place(parent, name);
    figure.tabIndex = 0;
    figure.setAttribute("role", "group");
    figure.setAttribute("aria-label", `${name} against time. Arrow keys move, plus and minus zoom, 0 shows the whole run, n the next window.`);
    const line = (label, name, width) => ({ label, stroke: () => colour(name), width, points: { show: false }, value: (_, value) => value == null ? "-" : tidy(value) });
    const hasBand = data.levels.some(level => level.columns[name] && (level.columns[name].low || level.columns[name].true));
    const chart = new uPlot({
      width: width(figure), height: 260,
      scales: { x: { time: false }, y: { range: (_, low, high) => low == null ? [0, 1] : widened(low, high) } },
      axes: [axis("t", 2, fromBase("t", "x")), axis(name, 3, fromBase(name, "y"))],
      series: [{ label: "t", value: (_, value) => value == null ? "-" : tidyLong(value) }, line(data.slow_label, "slow", 2),
        ...(hasBand ? [line("lowest", "true", 0), line("highest", "true", 0), line("true", "true", 1.2)] : [])],
      bands: hasBand ? [{ series: [3, 2], fill: () => colour("band") }] : [],
      cursor: { sync: { key: "time" }, drag: { x: true, y: false, dist: 4 }, bind: { dblclick: () => () => { show(overall.from, overall.to); return null; } } },
      legend: { live: true },
      hooks: { setScale: [(self, key) => { if (key === "x" && !busy) { show(self.scales.x.min, self.scales.x.max); } }] }
    }, hasBand ? table(name) : table(name).slice(0, 2), figure);
    const entry = { chart, name, figure };
    if (!hasBand) {
      const set = chart.setData.bind(chart);
      chart.setData = (rows, reset) => set(rows.slice(0, 2), reset);
    }
    figure.addEventListener("keydown", event => {
      const length = view[1] - view[0];
      const moves = {
        ArrowLeft: [view[0] - length / 8, view[1] - length / 8], ArrowRight: [view[0] + length / 8, view[1] + length / 8],
        "+": [view[0] + length / 4, view[1] - length / 4], "=": [view[0] + length / 4, view[1] - length / 4],
        "-": [view[0] - length / 2, view[1] + length / 2], "0": [overall.from, overall.to], Home: [overall.from, overall.to]
      };
      if (moves[event.key] && !event.ctrlKey && !event.metaKey && !event.altKey) {
        show(...moves[event.key]);
        event.preventDefault();
      } else if (event.key === "n") {
        nextWindow();
      }
    });
    figure.addEventListener("wheel", event => {
      if (!event.ctrlKey) {
        return;  // the page scrolls
      }
      event.preventDefault();
      const at = chart.posToVal(event.clientX - chart.over.getBoundingClientRect().left, "x");
      const factor = event.deltaY > 0 ? 1.25 : 0.8;
      show(at - (at - view[0]) * factor, at + (view[1] - at) * factor);
    }, { passive: false });
    follow(chart, figure, 260);
    timeCharts.push(entry);
    chart.setScale("x", { min: view[0], max: view[1] });
    return entry;
  }
  function widened(low, high) {
    const margin = high > low ? .06 * (high - low) : Math.max(1e-12, .1 * Math.abs(high));
    return [low - margin, high + margin];
  }

  // Windows in which each vibration is known.
  const windows = [...new Set(data.levels.filter(level => Object.values(level.columns).some(column => column.true)).map(level => level))]
    .sort((a, b) => a.from - b.from);
  let chosen = -1;
  function showWindow(k) {
    chosen = (k + windows.length) % windows.length;
    const slider = document.getElementById("window");
    if (slider) {
      slider.value = chosen;
    }
    const { from, to } = windows[chosen];
    show(from, to);
  }
  const nextWindow = () => windows.length && showWindow(chosen + 1);

  function button(text, action, title) {
    const element = document.createElement("button");
    element.type = "button";
    element.textContent = text;
    element.title = title || "";
    element.addEventListener("click", action);
    return element;
  }
  function solution(parent) {
    const tools = document.createElement("div");
    tools.className = "tools";
    tools.append(button("Whole run", () => show(overall.from, overall.to), "Shows the whole run (0)"));
    const zoom = factor => () => {
      const middle = chosen >= 0 && windows[chosen].from < view[1] && windows[chosen].to > view[0]
        ? (windows[chosen].from + windows[chosen].to) / 2 : (view[0] + view[1]) / 2;
      const half = factor * (view[1] - view[0]) / 2;
      show(middle - half, middle + half);
    };
    tools.append(button("Zoom in", zoom(1 / 4), "Around the middle, or around the window (+)"), button("Zoom out", zoom(4), "(-)"));
    if (windows.length > 0) {
      const label = document.createElement("label");
      const slider = Object.assign(document.createElement("input"), { type: "range", id: "window", min: 0, max: windows.length - 1, step: 1, value: 0 });
      const words = document.createElement("span");
      words.textContent = "Window at";
      slider.addEventListener("input", () => showWindow(Number(slider.value)));
      slider.setAttribute("aria-label", "window in which single vibrations are known");
      label.append(words, slider);
      tools.append(label, button("Next window", nextWindow, "Shows single vibrations at another time (n)"));
    }
    const note = document.createElement("p");
    note.id = "view";
    note.className = "soft";
    note.setAttribute("aria-live", "polite");
    parent.append(tools, note);
    const most = 4;
    const names = data.columns;
    const charts = document.createElement("div");
    if (names.length > most) {
      const choice = document.createElement("fieldset");
      const legend = document.createElement("legend");
      legend.textContent = "Shown";
      choice.append(legend);
      names.forEach((name, k) => {
        const label = document.createElement("label");
        const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: k < most });
        box.addEventListener("change", () => {
          const at = timeCharts.findIndex(entry => entry.name === name);
          if (box.checked) {
            timeChart(charts, name);
            show(...view);
          } else if (at >= 0) {
            timeCharts[at].chart.destroy();
            timeCharts[at].figure.remove();
            timeCharts.splice(at, 1);
          }
        });
        label.append(box, name);
        choice.append(label);
      });
      parent.append(choice);
    }
    parent.append(charts);
    names.slice(0, most).forEach(name => timeChart(charts, name));
    show(overall.from, overall.to);
  }

  // ---- other charts ----
  function plainChart(parent, spec) {
    const figure = place(parent, spec.title);
    const all = [...new Set(spec.curves.flatMap(curve => curve.x))].sort((a, b) => a - b);
    const index = new Map(all.map((value, k) => [value, k]));
    const rows = spec.curves.map(curve => {
      const row = new Array(all.length).fill(undefined);
      curve.x.forEach((value, k) => { row[index.get(value)] = curve.y[k]; });
      return row.map(value => value === undefined ? null : spec.log_y && !(value > 0) ? null : value);
    });
    const chart = new uPlot({
      width: width(figure), height: 240,
      scales: {
        x: { time: false, distr: spec.log_x ? 3 : 1 },
        y: spec.log_y ? { distr: 3 } : { range: (_, low, high) => low == null ? [0, 1] : widened(low, high) }
      },
      axes: [spec.log_x ? axis(spec.x, 2, (_, splits) => powers(splits), decades) : axis(spec.x, 2, (_, splits, __, ___, increment) => labels(splits, increment)),
        spec.log_y ? axis(spec.y, 3, (_, splits) => powers(splits), decades) : axis(spec.y, 3, (_, splits, __, ___, increment) => labels(splits, increment))],
      series: [{ label: spec.x, value: (_, value) => value == null ? "-" : tidy(value) }, ...spec.curves.map((curve, k) => ({
        label: curve.label, stroke: () => colour(palette[k % palette.length]), width: 1.6, dash: k >= palette.length ? [6, 3] : undefined, spanGaps: true,
        points: { show: Boolean(spec.markers) || curve.x.length === 1, size: 7, fill: () => colour(palette[k % palette.length]) }, value: (_, value) => value == null ? "-" : tidy(value)
      }))],
      cursor: { drag: { x: true, y: false, dist: 4 } }
    }, [all, ...rows], figure);
    follow(chart, figure, 240);
  }

  // ---- animation ----
  function animation(parent) {
    const { points, links } = data.mechanism;
    const t = times(overall);
    const track = points.map(point => point.map(name => {
      const column = overall.columns[name];
      return values(column, column.slow);
    }));
    const anchors = links.flatMap(link => [link.from, link.to]).filter(Array.isArray);
    const finite = track.flatMap(([x, y]) => x.map((value, k) => [value, y[k]])).concat(anchors).filter(p => Number.isFinite(p[0]) && Number.isFinite(p[1]));
    const box = finite.reduce((b, [x, y]) => [Math.min(b[0], x), Math.max(b[1], x), Math.min(b[2], y), Math.max(b[3], y)], [Infinity, -Infinity, Infinity, -Infinity]);
    const canvas = document.createElement("canvas");
    canvas.className = "mechanism";
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "The mechanism, moving as in the slow solution");
    const tools = document.createElement("div");
    tools.className = "tools";
    const clock = document.createElement("span");
    clock.className = "soft";
    let now = t[0], playing = false, last = 0, speed = 1;
    const seconds = 10;  // for the whole run at speed 1
    const play = button("Play", () => { playing = !playing; play.textContent = playing ? "Pause" : "Play"; last = 0; if (playing && now >= t[t.length - 1]) { now = t[0]; } requestAnimationFrame(frame); });
    play.id = "play";
    const slider = Object.assign(document.createElement("input"), { type: "range", min: 0, max: 1000, value: 0 });
    slider.setAttribute("aria-label", "time");
    slider.addEventListener("input", () => { now = t[0] + slider.value / 1000 * (t[t.length - 1] - t[0]); draw(); });
    const rate = document.createElement("select");
    rate.setAttribute("aria-label", "speed");
    for (const factor of [.1, .25, .5, 1, 2, 4]) {
      rate.add(new Option(`${factor} x`, factor, factor === 1, factor === 1));
    }
    rate.addEventListener("change", () => { speed = Number(rate.value); });
    tools.append(play, slider, rate, clock);
    parent.append(tools, canvas);

    const at = k => track.map(([x, y]) => [x[k], y[k]]);
    function state(time) {
      const share = (time - t[0]) / (t[t.length - 1] - t[0]) * (t.length - 1);
      const k = Math.min(Math.max(0, Math.floor(share)), Math.max(0, t.length - 2));
      const part = Math.min(1, Math.max(0, share - k));
      const next = at(Math.min(k + 1, t.length - 1));
      return [k, at(k).map(([x, y], i) => [x + part * (next[i][0] - x), y + part * (next[i][1] - y)])];
    }
    function draw() {
      const ratio = window.devicePixelRatio || 1;
      const w = canvas.clientWidth || 600, h = Math.min(420, Math.max(240, w * .6));
      canvas.style.height = `${h}px`;
      canvas.width = w * ratio;
      canvas.height = h * ratio;
      const g = canvas.getContext("2d");
      g.scale(ratio, ratio);
      const edge = 28;
      const scale = Math.min((w - 2 * edge) / Math.max(1e-12, box[1] - box[0]), (h - 2 * edge) / Math.max(1e-12, box[3] - box[2]));
      const to = ([x, y]) => [w / 2 + scale * (x - (box[0] + box[1]) / 2), h / 2 - scale * (y - (box[2] + box[3]) / 2)];
      const [k, here] = state(now);
      const trail = Math.max(2, Math.round(t.length / 8));
      here.forEach((_, i) => {
        g.strokeStyle = colour(palette[(i + 1) % palette.length]);
        g.lineWidth = 1.2;
        g.globalAlpha = .6;
        g.beginPath();
        for (let j = Math.max(0, k - trail); j <= k; ++j) {
          g.lineTo(...to([track[i][0][j], track[i][1][j]]));
        }
        g.lineTo(...to(here[i]));
        g.stroke();
        g.globalAlpha = 1;
      });
      for (const link of links) {
        const [a, b] = [link.from, link.to].map(end => to(Array.isArray(end) ? end : here[end]));
        g.strokeStyle = colour("ink");
        g.lineWidth = link.kind === "spring" ? 1.4 : 3;
        g.beginPath();
        g.moveTo(...a);
        if (link.kind === "spring") {
          const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
          const length = Math.hypot(dx, dy) || 1;
          for (let j = 1; j < 16; ++j) {
            const side = j < 3 || j > 13 ? 0 : (j % 2 ? 5 : -5);
            g.lineTo(a[0] + dx * j / 16 - dy / length * side, a[1] + dy * j / 16 + dx / length * side);
          }
        }
        g.lineTo(...b);
        g.stroke();
        for (const end of [link.from, link.to].filter(Array.isArray)) {
          const [x, y] = to(end);
          g.fillStyle = colour("soft");
          g.fillRect(x - 5, y - 5, 10, 10);
        }
      }
      here.forEach((point, i) => {
        g.fillStyle = colour(palette[(i + 1) % palette.length]);
        g.beginPath();
        g.arc(...to(point), 6, 0, 2 * Math.PI);
        g.fill();
      });
      clock.textContent = `t = ${tidy(now)}`;
      slider.value = 1000 * (now - t[0]) / (t[t.length - 1] - t[0]);
    }
    function frame(stamp) {
      if (!playing) {
        return;
      }
      if (last) {
        now += speed * (stamp - last) / 1000 / seconds * (t[t.length - 1] - t[0]);
      }
      last = stamp;
      if (now >= t[t.length - 1]) {
        now = t[t.length - 1];
        playing = false;
        play.textContent = "Play";
      }
      draw();
      requestAnimationFrame(frame);
    }
    draw();
    new ResizeObserver(draw).observe(canvas);
    redraws.push(draw);
  }

  // ---- the page ----
  const element = id => document.getElementById(id);
  if (element("solution") && overall && overall.count > 1) {
    solution(element("solution"));
  }
  if (element("mechanism") && data.mechanism && overall.count > 1) {
    animation(element("mechanism"));
  }
  for (const parent of document.querySelectorAll("[data-charts]")) {
    (data.charts[parent.dataset.charts] || []).forEach(spec => plainChart(parent, spec));
  }
  const redraw = () => redraws.forEach(action => action());
  dark.addEventListener("change", redraw);
  printing.addEventListener("change", redraw);
  document.documentElement.dataset.ready = "yes";
})();
