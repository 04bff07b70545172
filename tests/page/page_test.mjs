// The pages that the program writes, in a browser: they open without an error and without a request, draw, zoom, move, and can be read in the
// dark and on a telephone. LENTO is the program, LENTO_SOURCE_DIR the source, PAGE_DIR where pages and screenshots are kept.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

const { LENTO, LENTO_SOURCE_DIR, PAGE_DIR } = process.env;
const { chromium } = createRequire(path.join(PAGE_DIR, "package.json"))("playwright-core");
const models = name => path.join(LENTO_SOURCE_DIR, "models", `${name}.toml`);
const screenshots = path.join(PAGE_DIR, "screenshots");
mkdirSync(screenshots, { recursive: true });

let browser;
before(async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
});
after(() => browser.close());

function report(name, model, ...more) {
  const folder = path.join(PAGE_DIR, name);
  const done = spawnSync(LENTO, ["run", model, "-o", folder, "--quiet", ...more], { encoding: "utf8" });
  return { file: path.join(folder, "report.html"), status: done.status };
}

// A page that has said nothing on the console and asked for nothing.
async function open(file, { width = 1280, height = 900, dark = false } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light" });
  const page = await context.newPage();
  await page.addInitScript(() => {
    // The charts of the page, for what cannot be seen from outside.
    window.charts = [];
    let made;
    const construct = (type, options) => { const chart = new type(...options); window.charts.push(chart); return chart; };
    Object.defineProperty(window, "uPlot", { get: () => made, set: type => { made = new Proxy(type, { construct }); } });
  });
  const complaints = [];
  page.on("console", message => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", error => complaints.push(String(error)));
  page.on("request", request => request.url().startsWith("file:") && request.url().endsWith(".html") || request.url().startsWith("data:") || complaints.push(`asked for ${request.url()}`));
  await page.goto(pathToFileURL(file).href);
  await page.waitForFunction(() => !document.getElementById("data") || document.documentElement.dataset.ready === "yes");
  page.complaints = complaints;
  return page;
}
// The share of points of a canvas that something was drawn on.
const drawn = canvas => canvas.evaluate(element => {
  const { data } = element.getContext("2d").getImageData(0, 0, element.width, element.height);
  let count = 0;
  for (let k = 3; k < data.length; k += 4) {
    count += data[k] > 0;
  }
  return count / (data.length / 4);
});
const shows = page => page.evaluate(() => document.getElementById("view").dataset.shows);
// Nothing sticks out of the page on the right, and no two boxes of the answer overlap.
async function wellLaidOut(page) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(wide <= 0, `the page is ${wide} pixels too wide`);
  const overlaps = await page.evaluate(() => {
    const boxes = [...document.querySelectorAll("h1, h2, .answer > div, .chart, .tools > *, .wide")].map(element => element.getBoundingClientRect());
    let count = 0;
    boxes.forEach((a, i) => boxes.slice(i + 1).forEach(b => {
      const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      count += width > 1 && height > 1;
    }));
    return count;
  });
  assert.equal(overlaps, 0);
}
// Labels of an axis: at least two, no two alike, all with as many decimals and one exponent or none, clear of each other and of the axis' name.
async function wellLabelled(page) {
  const axes = await page.evaluate(() => {
    const pen = document.createElement("canvas").getContext("2d");
    return window.charts.filter(chart => document.contains(chart.root)).flatMap(chart => chart.axes.map((axis, at) => {
      pen.font = axis.font[0].replace(/[\d.]+px/, "12px");
      const widths = axis._values.map(text => pen.measureText(text).width);
      const places = axis._splits.map(value => chart.valToPos(value, axis.scale));
      const apart = at === 0 ? places.slice(1).map((x, k) => x - places[k] - (widths[k] + widths[k + 1]) / 2) : places.slice(1).map((y, k) => places[k] - y - 11);
      const linear = chart.scales[axis.scale].distr === 1;
      return { name: axis.label, values: axis._values, linear, free: axis._size - 15 - (at === 0 ? 14 : Math.max(...widths)), apart: Math.min(...apart) };
    }));
  });
  assert.ok(axes.length > 0);
  for (const { name, values, linear, free, apart } of axes) {
    const words = `${name}: ${values.join(" ")}`;
    assert.ok(values.length >= 2, words);
    assert.equal(new Set(values).size, values.length, words);
    assert.ok(!values.some(text => text.includes("e+")), words);
    assert.doesNotMatch(name, /[-+] -/);
    if (linear) {
      assert.equal(new Set(values.map(text => (text.split(".")[1] || "").length)).size, 1, words);
      assert.ok(values.every(text => /^-?\d+(\.\d+)?$/.test(text)), words);
    }
    assert.ok(free >= 2, `${words}: ${free} pixels to the name`);
    assert.ok(apart > 1, `${words}: ${apart} pixels apart`);
  }
}

const kinds = [["inverted-pendulum", "inverted-pendulum"], ["double-pendulum", "double-pendulum"], ["double-spring", "two-springs-iii"],
  ["satellite", "j2-satellite"], ["van-der-pol", "van-der-pol"]];
for (const [name, model] of kinds) {
  for (const dark of [false, true]) {
    for (const width of [1280, 390]) {
      test(`${name}, ${dark ? "dark" : "light"}, ${width} pixels wide`, async () => {
        const { file, status } = report(name, models(model));
        assert.equal(status, 0);
        assert.ok(statSync(file).size < 1.5e6);
        const page = await open(file, { width, dark });
        const canvases = await page.locator(".chart canvas").all();
        assert.ok(canvases.length >= 2);
        for (const canvas of canvases) {
          assert.ok(await drawn(canvas) > 0.005, "a chart is empty");
        }
        const labels = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).columns);
        assert.ok(labels.length > 0);
        await wellLaidOut(page);
        await wellLabelled(page);
        const [ink, paper] = await page.evaluate(() => { const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]; });
        const light = text => text.match(/\d+/g).slice(0, 3).reduce((sum, n) => sum + Number(n), 0) / 3;
        assert.ok(dark ? light(ink) > light(paper) + 120 : light(paper) > light(ink) + 120, `${ink} on ${paper}`);
        await page.screenshot({ path: path.join(screenshots, `${name}-${dark ? "dark" : "light"}-${width}.png`), fullPage: true });
        assert.deepEqual(page.complaints, []);
        await page.context().close();
      });
    }
  }
}

test("the page is self-contained", () => {
  const { file } = report("inverted-pendulum", models("inverted-pendulum"));
  const text = readFileSync(file, "utf8").replace(/"http:\/\/www\.w3\.org\/[^"]*"/g, "");
  assert.doesNotMatch(text.replace(/<script>[^]*?<\/script>/g, ""), /(src|href)\s*=\s*"(?!data:|#)/);
});

test("zoom leads from the band to single ripples", async () => {
  const { file } = report("inverted-pendulum", models("inverted-pendulum"));
  const page = await open(file);
  assert.equal(await shows(page), "band");
  // Dragging over half of the chart again and again, towards the middle.
  const over = page.locator(".chart .u-over").first();
  for (let k = 0; k < 30 && await shows(page) !== "ripples"; ++k) {
    await over.scrollIntoViewIfNeeded();
    const box = await over.boundingBox();
    await page.mouse.move(box.x + box.width * .3, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * .7, box.y + 60, { steps: 4 });
    await page.mouse.up();
  }
  assert.equal(await shows(page), "ripples");
  const vibrations = Number((await page.textContent("#view")).match(/([\d.]+) vibrations/)[1]);
  assert.ok(vibrations <= 16);
  // The ripples go up and down about the slow line as often as there are vibrations.
  const crossings = await page.evaluate(() => {
    const data = JSON.parse(document.getElementById("data").textContent);
    const level = data.levels.find(level => level.columns.q && level.columns.q.true);
    const column = level.columns.q;
    const apart = column.true.map((n, k) => n - column.slow[k]).filter(value => value !== 0);
    return apart.slice(1).filter((value, k) => value * apart[k] < 0).length;
  });
  assert.ok(crossings >= 30 && crossings <= 34, `${crossings} crossings`);
  await page.screenshot({ path: path.join(screenshots, "ripples.png") });
  await page.getByRole("button", { name: "Whole run" }).click();
  assert.equal(await shows(page), "band");
  await page.getByRole("button", { name: "Next window" }).click();
  assert.equal(await shows(page), "ripples");
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test("labels count in powers of ten, and from a value near by", async () => {
  const { file } = report("inverted-pendulum", models("inverted-pendulum"));
  const page = await open(file);
  const labels = (low, high) => page.evaluate(ends => {
    const chart = window.charts[0];
    const range = chart.scales.y.range;
    chart.scales.y.range = () => ends;
    chart.redraw(false, true);
    chart.setScale("y", { min: ends[0], max: ends[1] });
    chart.scales.y.range = range;
    return new Promise(done => requestAnimationFrame(() => done([chart.axes[1].label, ...chart.axes[1]._values])));
  }, [low, high]);
  assert.deepEqual(await labels(.95e6, 1.45e6), ["q, in 1e6", "1.0", "1.1", "1.2", "1.3", "1.4"]);
  assert.deepEqual(await labels(5e-5, 1.05e-4), ["q, in 1e-4", "0.5", "0.6", "0.7", "0.8", "0.9", "1.0"]);
  assert.deepEqual(await labels(-.5e291, 4.5e291), ["q, in 1e291", "0", "1", "2", "3", "4"]);
  assert.deepEqual(await labels(-100, 25), ["q", "-100", "-80", "-60", "-40", "-20", "0", "20"]);
  assert.equal((await labels(-.30558, -.305575))[0], "q + 0.30558, in 1e-6");
  assert.equal((await labels(.30558, .305585))[0], "q - 0.30558, in 1e-6");
  for (let size = -12; size <= 12; ++size) {
    for (const from of [-1.7, 0, 1.9, 123, 54321.7]) {
      await labels(from * 10 ** size, (from + 1.3) * 10 ** size);
      await wellLabelled(page);
    }
  }
  await page.context().close();
});

test("a view that is not known says where it went", async () => {
  const { file } = report("inverted-pendulum", models("inverted-pendulum"));
  const page = await open(file, { height: 1200 });
  const slider = page.locator("#window");
  const over = page.locator(".chart .u-over").first();
  for (let k = 0; k < 2; ++k) {
    const box = await over.boundingBox();
    await page.mouse.move(box.x + box.width * .6, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * .7, box.y + 60, { steps: 4 });
    await page.mouse.up();
  }
  await wellLabelled(page);
  const views = await page.evaluate(() => window.charts.slice(0, 3).map(({ scales: { x } }) => `${x.min} ${x.max}`));
  assert.equal(new Set(views).size, 1, `${views}`);
  const [, from, to] = (await page.textContent("#view")).match(/^nearest known window: t = ([\d.e-]+) to ([\d.e-]+), .*; --fast A:B adds one elsewhere$/).map(Number);
  const [, first, last] = (await slider.getAttribute("aria-valuetext")).match(/^t = ([\d.e-]+) to ([\d.e-]+)$/).map(Number);
  assert.ok(from <= first && last <= to && Number(await slider.inputValue()) > 0, `${from} to ${to}, the slider says ${first} to ${last}`);
  assert.match(await page.locator(".tools label").textContent(), /^Window at t = 0\.\d+$/);
  await page.screenshot({ path: path.join(screenshots, "nearest.png") });
  await slider.focus();
  await page.keyboard.press("Home");
  assert.notEqual(await slider.getAttribute("aria-valuetext"), `t = ${first} to ${last}`);
  assert.doesNotMatch(await page.textContent("#view"), /nearest/);
  await page.context().close();
});

test("a line stays in the chart however far it is zoomed", async () => {
  const { file } = report("double-spring", models("two-springs-iii"));
  const page = await open(file);
  await page.locator(".chart").first().focus();
  for (let k = 0; k < 5; ++k) {
    await page.keyboard.press("+");
    const out = await page.evaluate(() => window.charts.slice(0, 4).map(chart => {
      const { x, y } = chart.scales;
      const [t, values] = chart.data;
      const at = time => { const j = Math.max(1, t.findIndex(value => value >= time)); return values[j - 1] + (values[j] - values[j - 1]) * (time - t[j - 1]) / (t[j] - t[j - 1]); };
      return [x.min, x.max].map(at).filter(value => value < y.min || value > y.max).length;
    }));
    assert.deepEqual(out, [0, 0, 0, 0]);
  }
  await page.context().close();
});

test("charts obey the keyboard", async () => {
  const { file } = report("inverted-pendulum", models("inverted-pendulum"));
  const page = await open(file);
  await page.locator(".chart").first().focus();
  const view = () => page.textContent("#view");
  const whole = await view();
  await page.keyboard.press("+");
  const closer = await view();
  assert.notEqual(closer, whole);
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await view(), closer);
  await page.keyboard.press("n");
  assert.equal(await shows(page), "ripples");
  await page.keyboard.press("0");
  assert.equal(await view(), whole);
  const read = async chart => (await chart.locator(".u-value").allTextContents()).slice(0, 2);
  const time = page.locator(".chart").first();
  assert.deepEqual(await read(time), ["-", "-"]);
  await page.keyboard.press("Shift+ArrowRight");
  assert.equal((await read(time))[0], "0");
  await page.keyboard.press("Shift+ArrowRight");
  assert.ok(Number((await read(time))[0]) > 0);
  assert.equal(await view(), whole);
  for (const chart of await page.locator("[data-charts] .chart").all()) {
    assert.match(await chart.getAttribute("aria-label"), / against /);
    await chart.focus();
    await page.keyboard.press("ArrowRight");
    const start = await read(chart);
    await page.keyboard.press("ArrowRight");
    assert.ok(Number((await read(chart))[0]) > Number(start[0]), `${start}`);
    await page.keyboard.press("ArrowLeft");
    assert.deepEqual(await read(chart), start);
  }
  await page.context().close();
});

test("the animation moves", async () => {
  const { file } = report("double-pendulum", models("double-pendulum"));
  const page = await open(file);
  const canvas = page.locator("canvas.mechanism");
  const picture = () => canvas.evaluate(element => element.toDataURL());
  const still = await picture();
  await page.waitForTimeout(200);
  assert.equal(await picture(), still);
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForTimeout(600);
  const moved = await picture();
  assert.notEqual(moved, still);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.waitForTimeout(100);
  const stopped = await picture();
  await page.waitForTimeout(200);
  assert.equal(await picture(), stopped);
  const data = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).mechanism);
  assert.deepEqual(data.links.map(link => link.kind), ["rod", "rod"]);
  assert.deepEqual(data.links[0].from.map(value => Math.abs(value) < 1e-9), [true, true]);
  assert.deepEqual(data.points, [["x1", "y1"], ["x2", "y2"]]);
  await page.context().close();
});

test("a million samples stay responsive", async () => {
  const { file, status } = report("million", models("duffing"), "--samples", "1000000");
  assert.equal(status, 0);
  assert.ok(statSync(file).size < 1.5e6, `${statSync(file).size} bytes`);
  const page = await open(file);
  const milliseconds = await page.evaluate(() => {
    const before = performance.now();
    for (let k = 0; k < 20; ++k) {
      document.querySelector(".chart").dispatchEvent(new KeyboardEvent("keydown", { key: k < 10 ? "+" : "-", bubbles: true }));
    }
    return (performance.now() - before) / 20;
  });
  assert.ok(milliseconds < 100, `${milliseconds} ms a zoom`);
  await page.context().close();
});

test("a run that failed says so at the top and shows what there is", async () => {
  const model = path.join(PAGE_DIR, "blows-up.toml");
  writeFileSync(model, "lento = 1\ntitle = \"Blows up\"\n[variables]\ny = { start = 1, rate = \"y^2\" }\n[run]\nt_end = 2\nmethod = \"direct\"\n");
  const { file, status } = report("failed", model);
  assert.equal(status, 1);
  const page = await open(file);
  const banner = page.locator(".ended");
  assert.match(await banner.textContent(), /at t = /);
  assert.ok((await banner.boundingBox()).y < 200);
  assert.ok(await drawn(page.locator(".chart canvas").first()) > 0.005);
  await page.screenshot({ path: path.join(screenshots, "failed.png"), fullPage: true });
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test("what blew up leaves the rest to be seen", async () => {
  const { file } = report("failed", path.join(PAGE_DIR, "blows-up.toml"));
  for (const growth of [5, -300]) {
    // Values that grow by so many decades, or change sign as they do, in 100 samples.
    const text = readFileSync(file, "utf8").replace(/(id="data">)([^]*?)(<\/script>)/, (_, head, json, tail) => {
      const data = JSON.parse(json);
      const y = data.levels[0].columns.y;
      const slow = y.slow.map((__, k) => (growth < 0 && k % 2 ? -1 : 1) * (growth < 0 ? 10 ** (-growth * k / y.slow.length) : 1 / (1.00000001 - k / (y.slow.length - 1))));
      Object.assign(y, { base: 0, step: 1, slow });
      return head + JSON.stringify(data) + tail;
    });
    writeFileSync(path.join(PAGE_DIR, "grown.html"), text);
    const page = await open(path.join(PAGE_DIR, "grown.html"));
    const rise = await page.evaluate(() => { const chart = window.charts[0]; return Math.abs(chart.valToPos(chart.data[1][50], "y") - chart.valToPos(chart.data[1][0], "y")); });
    assert.ok(rise > 3, `${rise} pixels from the start to the middle`);
    await wellLabelled(page);
    await page.screenshot({ path: path.join(screenshots, `grown${growth}.png`) });
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  }
});

test("compare shows errors and work", async () => {
  const folder = path.join(PAGE_DIR, "compared");
  execFileSync(LENTO, ["compare", models("inverted-pendulum"), "--set", "omega=1e4", "-o", folder, "--quiet"]);
  const page = await open(path.join(folder, "report.html"));
  const titles = await page.locator("[data-charts=comparison] h3").allTextContents();
  assert.deepEqual(titles, ["Error", "Work and precision"]);
  await wellLabelled(page);
  await page.screenshot({ path: path.join(screenshots, "compared.png"), fullPage: true });
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test("it prints in black on white, with all charts", async () => {
  const { file } = report("inverted-pendulum", models("inverted-pendulum"));
  const page = await open(file, { dark: true });
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
  for (const what of [".tools", ".u-legend .u-value", "p:has(+ #solution)"]) {
    assert.equal(await page.locator(what).first().isVisible(), false, what);
  }
  await page.evaluate(() => window.addEventListener("beforeprint", () => { window.unfolded = document.querySelectorAll("details[open]").length; }));
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--fourth")), "#8a4fa3");
  const pdf = await page.pdf({ path: path.join(screenshots, "printed.pdf") });
  assert.ok(pdf.length > 10_000);
  assert.ok(await page.evaluate(() => window.unfolded) > 0);
  assert.equal(await page.locator("details[open]").count(), 0);
  await page.context().close();
});

test("reproductions have a page each and an index", async () => {
  const folder = path.join(PAGE_DIR, "reproduced");
  execFileSync(LENTO, ["reproduce", "vibrated/table-2.3", "reversible/figure-3.1", "-o", folder, "--quiet"]);
  const page = await open(path.join(folder, "index.html"), { width: 390 });
  assert.match(await page.textContent("body"), /2 of 2 agree with print/);
  await wellLaidOut(page);
  const broken = () => page.evaluate(() => [...document.querySelectorAll("td:not(.text)")].filter(cell => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return range.getBoundingClientRect().height > 30;
  }).map(cell => cell.textContent));
  assert.deepEqual(await broken(), []);
  await page.screenshot({ path: path.join(screenshots, "index.png") });
  await page.getByRole("link", { name: "reversible/figure-3.1" }).click();
  assert.match(await page.textContent("body"), /agrees with print/);
  assert.deepEqual(await broken(), []);
  assert.ok(await page.locator("svg.picture").count() > 0);
  await page.screenshot({ path: path.join(screenshots, "reproduction.png"), fullPage: true });
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});
