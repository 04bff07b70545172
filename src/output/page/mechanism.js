// A mechanism that moves as its slow solution does, with a trail, play and speed.
//
//   t        times at equal distances
//   track    of each point [x at these times, y at these times]
//   links    {kind: "rod" or "spring", from, to}, from and to a point's number or [x, y]
//   page     what it shares with the page: {button, tidy, colour, palette}
//
// Gives a function that draws it anew, for other colours.
function animate(parent, t, track, links, { button, tidy, colour, palette }) {
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
  return draw;
}
