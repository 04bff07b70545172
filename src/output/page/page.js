// The page of a run: its charts, and the animation of mechanism.js. All data is in the page, in the element with the id "data":
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

  const short = (value, digits) => String(Number(value.toPrecision(digits))).replace("e+", "e");
  const tidy = value => value == null ? "-" : Math.abs(value) < 1e-300 ? "0" : short(value, 7);

  // ---- axes ----
  // The least of 1, 2 and 5 times a power of ten whose multiples have room for their labels.
  function step(chart, at, min, max) {
    const room = (at === 0 ? chart.bbox.width / 64 : chart.bbox.height / 21) / uPlot.pxRatio;
    const rough = (max - min) / Math.max(1, room);
    const power = 10 ** Math.floor(Math.log10(rough));
    return power * [1, 2, 5, 10].find(share => share * power >= .999 * rough);
  }
  function multiples(chart, at, min, max) {
    const by = step(chart, at, min, max);
    const first = Math.ceil(min / by - 1e-9);
    return Array.from({ length: Math.floor(max / by + 1e-9) - first + 1 }, (_, k) => (first + k) * by);
  }
  // All labels in one style: where values are near a large one they count from it, where large or small in a power of ten; the axis' name says so.
  const numbers = name => (chart, splits, at) => {
    const { min, max } = chart.scales[at === 0 ? "x" : "y"];
    const far = Math.max(Math.abs(min), Math.abs(max)) / (max - min);
    const base = far >= 1e4 ? Number(min.toPrecision(Math.min(15, Math.ceil(Math.log10(far))))) : 0;
    const apart = splits.map(value => value - base);
    const size = Math.floor(Math.log10(Math.max(...apart.map(Math.abs))) + 1e-9);
    const power = Number.isFinite(size) && (size >= 6 || size < -3) ? size : 0;
    const digits = Math.max(0, power - Math.floor(Math.log10(step(chart, at, min, max)) + 1e-9));
    chart.axes[at].label = name + (base > 0 ? ` - ${short(base, 15)}` : base < 0 ? ` + ${short(-base, 15)}` : "") + (power ? `, in 1e${power}` : "");
    return apart.map(value => (value / 10 ** power).toFixed(digits).replace(/^-([0.]+)$/, "$1"));
  };
  // Powers of ten, not too many; within two decades also twice and five times them.
  function decades(_, __, min, max) {
    const [low, high] = [Math.floor(Math.log10(min) + 1e-9), Math.ceil(Math.log10(max) - 1e-9)];
    const every = Math.ceil((high - low) / 8);
    const marks = [];
    for (let k = Math.ceil(low / every) * every; k <= high; k += every) {
      marks.push(...(max / min <= 150 ? [1, 2, 5] : [1]).map(factor => factor * 10 ** k));
    }
    return marks.filter(mark => mark >= min * (1 - 1e-9) && mark <= max * (1 + 1e-9));
  }
  // Of a scale that is even below a size and in decades above it, on both sides of zero.
  const bothWays = size => (chart, at, min, max) => {
    const most = Math.max(-min, max);
    const room = Math.asinh(most / size) / (min < 0 && max > 0 ? 4 : 8);
    const marks = [0];
    for (const mark of decades(chart, at, size, most)) {
      if (Math.asinh(mark / size) >= Math.asinh(marks.at(-1) / size) + room) {
        marks.push(mark);
      }
    }
    return [...marks.slice(1).reverse().map(mark => -mark), ...marks].filter(mark => mark >= min && mark <= max);
  };
  const powers = (_, splits) => {
    const plain = splits.every(value => value === 0 || Math.abs(value) >= 1e-3 && Math.abs(value) < 1e4);
    return splits.map(value => plain || value === 0 ? short(value, 3) : value.toExponential(0).replace("+", ""));
  };
  const font = "12px system-ui, sans-serif";
  const pen = document.createElement("canvas").getContext("2d");
  function besideLabels(_, labels) {
    pen.font = font;
    return Math.max(56, ...(labels || []).map(text => pen.measureText(text).width + 20));
  }
  function axis(name, side, splits = multiples, values = numbers(name)) {
    return {
      label: name, side, labelSize: 22, size: side === 3 ? besideLabels : 40, labelFont: "13px system-ui, sans-serif", font,
      stroke: () => colour("soft"), grid: { stroke: () => colour("line"), width: 1 }, ticks: { stroke: () => colour("line"), width: 1 },
      // NOTE: uPlot's own increments end at 1e16; it takes one that is as long as the axis, and asks for splits.
      incrs: (_, __, min, max) => [Math.max(5, max - min)], splits, values, filter: (_, marks) => marks
    };
  }
  // What is drawn of the values: those in the view and, of lines that lead out of it, the next ones.
  function extent(chart) {
    const [first, last] = chart.series[0].idxs;
    let low = Infinity, high = -Infinity;
    chart.data.slice(1).filter((_, k) => chart.series[k + 1].show).forEach(row => {
      let from = Math.max(0, first - 1), to = Math.min(row.length - 1, last + 1);
      while (from > 0 && row[from] == null) { --from; }
      while (to + 1 < row.length && row[to] == null) { ++to; }
      row.slice(from, to + 1).forEach(value => { if (value != null) { low = Math.min(low, value); high = Math.max(high, value); } });
    });
    return [low, high];
  }
  function widened([low, high]) {
    const margin = high > low ? Math.max(.06 * (high - low), 1e-13 * Math.abs(high)) : Math.max(1e-12, .1 * Math.abs(high));
    return low <= high ? [low - margin, high + margin] : [0, 1];
  }
  const evenScale = { range: chart => widened(extent(chart)) };
  const logScale = { distr: 3, range: chart => widened(extent(chart).map(Math.log10)).map(exponent => 10 ** exponent) };

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
  // Left and right move the cursor that shows values, by a fiftieth of the view's points.
  function cursorKey(chart, event) {
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!direction || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const [first, last] = chart.series[0].idxs;
    const by = Math.max(1, Math.round((last - first) / 50));
    const now = chart.cursor.idx == null ? (direction > 0 ? first - by : last + by) : chart.cursor.idx;
    const next = Math.min(Math.max(now + direction * by, first), last);
    chart.setCursor({ left: chart.valToPos(chart.data[0][next], "x"), top: chart.over.clientHeight / 2 }, true, true);
    event.preventDefault();
  }
  function focusable(figure, label) {
    figure.tabIndex = 0;
    figure.setAttribute("role", "group");
    figure.setAttribute("aria-label", label);
  }

  // ---- the solution over time ----
  const timeCharts = [];
  const overall = data.levels[0];
  let view = overall ? [overall.from, overall.to] : [0, 1];

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
    const points = level => length / (level.to - level.from) * (level.count - 1);
    const here = points(levelOf(name));
    if (here > 4) {
      return null;
    }
    const middle = (view[0] + view[1]) / 2;
    const away = level => Math.max(0, level.from - middle, middle - level.to);
    const finer = data.levels.filter(level => level.columns[name] && level.to - level.from >= length && points(level) > here);
    const fine = finer.filter(level => points(level) > 4);
    return (fine.length > 0 ? fine : finer)
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
    const start = near ? Math.min(Math.max(from, near.from), near.to - length) : from;
    view = [start, start + length];
    for (const { chart, name } of timeCharts) {
      chart.setData(table(name), false);
      chart.setScale("x", { min: view[0], max: view[1] });
    }
    followWindow();
    describeView(Math.abs(start - from) > 1e-3 * length);
  }
  function describeView(moved) {
    const note = document.getElementById("view");
    if (!note || timeCharts.length === 0) {
      return;
    }
    const column = levelOf(timeCharts[0].name).columns[timeCharts[0].name];
    const periods = data.period ? (view[1] - view[0]) / data.period : 0;
    note.textContent = `${moved ? "nearest known window: " : ""}t = ${tidy(view[0])} to ${tidy(view[1])}` +
      (periods ? `, ${periods >= 100 ? Math.round(periods).toLocaleString("en") : periods.toPrecision(2)} vibrations` : "") +
      (column.true ? ": each one is drawn" : column.low ? ": the band that they fill" : "") + (moved ? "; --fast A:B adds one elsewhere" : "");
    note.dataset.shows = column.true ? "ripples" : column.low ? "band" : "slow";
  }

  // Of a run that ended early as its values grew beyond all measure: the size of the first; else none.
  function blownUpFrom(name) {
    const column = overall.columns[name];
    const sizes = values(column, column.slow).filter(value => value).map(Math.abs);
    const grown = document.querySelector(".ended") && sizes.at(-1) > 1e4 * [...sizes].sort((a, b) => a - b)[sizes.length >> 1];
    return grown ? sizes[0] : null;
  }
  function timeChart(parent, name) {
    const figure = place(parent, name);
    focusable(figure, `${name} against time. Arrow keys move, with shift they move the cursor that shows values; plus and minus zoom, 0 shows the whole run, n the next window.`);
    const line = (label, name, width) => ({ label, stroke: () => colour(name), width, points: { show: false }, value: (_, value) => tidy(value) });
    const size = blownUpFrom(name);
    const hasBand = data.levels.some(level => level.columns[name] && (level.columns[name].low || level.columns[name].true));
    const chart = new uPlot({
      width: width(figure), height: 260,
      scales: { x: { time: false }, y: size ? { distr: 4, asinh: size, range: chart => extent(chart).map((end, k) => end + (2 * k - 1) * Math.abs(end)) } : evenScale },
      axes: [axis("t", 2), size ? axis(name, 3, bothWays(size), powers) : axis(name, 3)],
      series: [{ label: "t", value: (_, value) => value == null ? "-" : short(value, 15) }, line(data.slow_label, "slow", 2),
        ...(hasBand ? [line("lowest", "true", 0), line("highest", "true", 0), line("true", "true", 1.2)] : [])],
      bands: hasBand ? [{ series: [3, 2], fill: () => colour("band") }] : [],
      cursor: { sync: { key: "time" }, drag: { x: true, y: false, dist: 4 }, bind: { dblclick: () => () => { show(overall.from, overall.to); return null; } } },
      legend: { live: true },
      hooks: {
        setScale: [({ scales: { x: { min, max } } }, key) => {
          if (key === "x" && (min !== view[0] || max !== view[1])) {
            queueMicrotask(() => show(min, max));  // NOTE: uPlot is not done with this one, and would forget another
          }
        }]
      }
    }, hasBand ? table(name) : table(name).slice(0, 2), figure);
    const entry = { chart, name, figure };
    if (!hasBand) {
      const set = chart.setData.bind(chart);
      chart.setData = (rows, reset) => set(rows.slice(0, 2), reset);
    }
    figure.addEventListener("keydown", event => {
      if (event.shiftKey && event.key.startsWith("Arrow")) {
        cursorKey(chart, event);
        return;
      }
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

  // Windows in which each vibration is known.
  const windows = data.levels.filter(level => Object.values(level.columns).some(column => column.true)).sort((a, b) => a.from - b.from);
  let chosen = -1;
  function showWindow(k) {
    chosen = (k + windows.length) % windows.length;
    show(windows[chosen].from, windows[chosen].to);
  }
  // The slider stands at the window that is shown, or near what is.
  function followWindow() {
    const slider = document.getElementById("window");
    if (!slider) {
      return;
    }
    const middle = (view[0] + view[1]) / 2;
    const away = window => window ? Math.max(0, window.from - middle, middle - window.to) : Infinity;
    if (view[1] - view[0] < .5 * (overall.to - overall.from)) {
      chosen = windows.reduce((best, window, k) => away(window) < away(windows[best]) ? k : best, chosen);
    }
    slider.value = Math.max(0, chosen);
    const { from, to } = windows[slider.value];
    slider.previousElementSibling.textContent = `Window at t = ${short((from + to) / 2, 4)}`;
    slider.setAttribute("aria-valuetext", `t = ${tidy(from)} to ${tidy(to)}`);
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
    // Within less than a decade a logarithmic axis has hardly a mark.
    const spread = list => Math.max(...list) / Math.min(...list) >= 10;
    const logX = spec.log_x && spread(all), logY = spec.log_y && spread(rows.flat().filter(value => value != null));
    focusable(figure, `${spec.title}: ${spec.y} against ${spec.x}. Arrow keys move the cursor that shows values.`);
    const chart = new uPlot({
      width: width(figure), height: 240,
      scales: { x: { time: false, distr: logX ? 3 : 1 }, y: logY ? logScale : evenScale },
      axes: [logX ? axis(spec.x, 2, decades, powers) : axis(spec.x, 2), logY ? axis(spec.y, 3, decades, powers) : axis(spec.y, 3)],
      series: [{ label: spec.x, value: (_, value) => tidy(value) }, ...spec.curves.map((curve, k) => ({
        label: curve.label, stroke: () => colour(palette[k % palette.length]), width: 1.6, dash: k >= palette.length ? [6, 3] : undefined, spanGaps: true,
        points: { show: Boolean(spec.markers) || curve.x.length === 1, size: 7, fill: () => colour(palette[k % palette.length]) }, value: (_, value) => tidy(value)
      }))],
      cursor: { drag: { x: true, y: false, dist: 4 } }
    }, [all, ...rows], figure);
    figure.addEventListener("keydown", event => cursorKey(chart, event));
    follow(chart, figure, 240);
  }

  // ---- the page ----
  const element = id => document.getElementById(id);
  if (element("solution") && overall && overall.count > 1) {
    solution(element("solution"));
  }
  if (element("mechanism") && data.mechanism && overall.count > 1) {
    const { points, links } = data.mechanism;
    const track = points.map(point => point.map(name => values(overall.columns[name], overall.columns[name].slow)));
    redraws.push(animate(element("mechanism"), times(overall), track, links, { button, tidy, colour, palette }));
  }
  for (const parent of document.querySelectorAll("[data-charts]")) {
    (data.charts[parent.dataset.charts] || []).forEach(spec => plainChart(parent, spec));
  }
  const redraw = () => redraws.forEach(action => action());
  dark.addEventListener("change", redraw);
  printing.addEventListener("change", redraw);
  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    folded.forEach(details => { details.open = true; });
  });
  window.addEventListener("afterprint", () => folded.forEach(details => { details.open = false; }));
  document.documentElement.dataset.ready = "yes";
})();
