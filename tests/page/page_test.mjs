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

const kinds = [["inverted-pendulum", "inverted-pendulum"], ["double-pendulum", "double-pendulum"], ["double-spring", "two-springs-iii"]];
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

test("compare shows errors and work", async () => {
  const folder = path.join(PAGE_DIR, "compared");
  execFileSync(LENTO, ["compare", models("inverted-pendulum"), "--set", "omega=1e4", "-o", folder, "--quiet"]);
  const page = await open(path.join(folder, "report.html"));
  const titles = await page.locator("[data-charts=comparison] h3").allTextContents();
  assert.deepEqual(titles, ["Error", "Work and precision"]);
  await page.screenshot({ path: path.join(screenshots, "compared.png"), fullPage: true });
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test("it prints in black on white, with all charts", async () => {
  const { file } = report("inverted-pendulum", models("inverted-pendulum"));
  const page = await open(file, { dark: true });
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
  assert.equal(await page.locator(".tools").first().isVisible(), false);
  const pdf = await page.pdf({ path: path.join(screenshots, "printed.pdf") });
  assert.ok(pdf.length > 10_000);
  await page.context().close();
});

test("reproductions have a page each and an index", async () => {
  const folder = path.join(PAGE_DIR, "reproduced");
  execFileSync(LENTO, ["reproduce", "vibrated/table-2.3", "reversible/figure-3.1", "-o", folder, "--quiet"]);
  const page = await open(path.join(folder, "index.html"), { width: 390 });
  assert.match(await page.textContent("body"), /2 of 2 agree with print/);
  await wellLaidOut(page);
  await page.getByRole("link", { name: "reversible/figure-3.1" }).click();
  assert.match(await page.textContent("body"), /agrees with print/);
  assert.ok(await page.locator("svg.picture").count() > 0);
  await page.screenshot({ path: path.join(screenshots, "reproduction.png"), fullPage: true });
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});
