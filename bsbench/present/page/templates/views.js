// Charts, drawn as SVG in the width they have: each function returns an element.

function draw(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function picture(width, height, label) {
  return draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label });
}

const text = (x, y, words, name = "", anchor = "start") =>
  draw("text", { x, y, class: name, "text-anchor": anchor }, words);

const stroke = (strategy, name = "") => ({
  class: `series look-${strategy.look.colour} ${name}`,
  "stroke-dasharray": strategy.look.dashes,
  "data-who": strategy.index,
});

// A sample of a strategy's line, for lists and tables.
function swatch(strategy) {
  const made = draw("svg", { class: "swatch", viewBox: "0 0 28 10", width: 28, height: 10, "aria-hidden": "true" });
  made.append(draw("line", { x1: 1, x2: 27, y1: 5, y2: 5, ...stroke(strategy) }));
  return made;
}

// Round numbers that divide a range into about so many parts.
function ticks(least, most, parts) {
  const raw = (most - least) / Math.max(parts, 1) || 1, size = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * size).find((each) => each >= raw * 0.999);
  const found = [];
  for (let at = Math.ceil(least / step - 1e-9) * step; at <= most + step * 1e-9; at += step) found.push(Number(at.toPrecision(12)));
  return found;
}

const scale = (least, most, from, to) => (value) => from + ((value - least) / (most - least || 1)) * (to - from);
// About how wide a text is.
const wide = (words, size = 13) => words.length * size * 0.56;

// A name that has so much room: variants differ at the end, so that the middle is left out. It is
// longer where it would be that of another strategy, too.
function short(label, room, strategies) {
  let most = Math.max(Math.floor(room / wide("x") + 1e-6), 7);
  const cut = (each) => {
    const half = Math.floor((most - 1) / 2);
    return each.length <= most ? each : `${each.slice(0, half)}…${each.slice(-half)}`;
  };
  const others = strategies.map((each) => each.label).filter((each) => each !== label);
  while (others.some((each) => cut(each) === cut(label))) most++;
  return cut(label);
}

const pen = document.createElement("canvas").getContext("2d");

// Names written beside their lines: {x, y, strategy}, the most important first. One that has no room
// there stands farther away, and a thin line leads to it.
// `covers` says whether a box lies on a line.
function nameLines(chart, places, { width, box: { top, bottom } }, covers) {
  const taken = [], strategies = places.map((each) => each.strategy);
  pen.font = "600 13px system-ui, sans-serif";
  for (const { x, y, strategy } of places) {
    const called = short(strategy.label, 200, strategies), half = pen.measureText(called).width / 2 + 4;
    let found = null;
    for (let step = 0; step < 16 && !found; step++) {
      for (const [across, up] of [[0, 0], [0, -1], [1, 0], [1, -0.5], [-1, 0], [-1, -0.5], [0, 1]]) {
        const middle = Math.min(Math.max(x + across * (half + 14 * step), half), width - half), height = y + 15 * step * up;
        const own = [middle - half, height - 13, middle + half, height + 4];
        if (own[1] < top - 28 || own[3] > bottom) continue;
        if (covers(own) || taken.some((other) => own[0] < other[2] && other[0] < own[2] && own[1] < other[3] && other[1] < own[3])) continue;
        found = { middle, height, own };
        break;
      }
    }
    if (!found) continue;
    taken.push(found.own);
    const { middle, height, own } = found;
    const side = [Math.min(Math.max(x, own[0]), own[2]), height < y ? height + 3 : height > y ? height - 11 : height - 4];
    if (Math.hypot(side[0] - x, side[1] - y) > 14) {
      chart.append(draw("line", { class: `leader text-${strategy.look.colour}`, x1: x, y1: y, x2: side[0], y2: side[1] }));
    }
    const name = text(middle, height, called, `name text-${strategy.look.colour}`, "middle");
    name.dataset.who = strategy.index;
    chart.append(name);
  }
}

// Mean with its interval, middle half and 90 % of the games, and the difference to the reference.
function drawRanking(state, width) {
  const { scene } = state, rows = shown(state), narrow = width < 640;
  const reference = scene.strategies[state.reference];
  const longest = Math.min(Math.max(...rows.map((each) => wide(each.label)), 60), 220);
  const tall = narrow ? 50 : 30, top = 26, bottom = 44;
  const left = narrow ? 8 : longest + 16;
  const numbers = narrow ? 0 : 118, split = narrow ? 0 : Math.max(260, width * 0.28);
  const right = width - (narrow ? 8 : split + numbers + 22);
  const height = top + rows.length * tall + bottom;
  const chart = picture(width, height, `Ranking. ${finding(state)}`);
  const least = Math.min(...rows.map((each) => each.low)), most = Math.max(...rows.map((each) => each.high));
  const x = scale(least - 1, most + 1, left, right);
  const end = top + rows.length * tall;
  for (const tick of ticks(least, most, narrow ? 5 : 9)) {
    chart.append(draw("line", { class: "grid-line", x1: x(tick), x2: x(tick), y1: top - 4, y2: end }));
    chart.append(text(x(tick), end + 16, String(tick), "tick", "middle"));
  }
  chart.append(text(left, end + 34, `${scene.moves} (lower is better)`, "axis"));
  // The second panel.
  const pairs = rows.map((each) => pairOf(scene, each.index, state.reference));
  // As far as the contenders; arrows point to the others.
  const near = contenders(pairs.map((pair) => (pair ? Math.abs(pair.mean) + (pair.half ?? 0) : 0)));
  const reach = pairs.flatMap((pair, index) => (pair && near[index] ? [pair.mean - (pair.half ?? 0), pair.mean + (pair.half ?? 0)] : [0]));
  const from = width - split, far = width - 12, low = Math.min(...reach, 0), high = Math.max(...reach, low ? 0 : 0.001);
  const d = scale(low, high, from + 24, far - 136);
  if (!narrow && scene.strategies.length > 1) {
    chart.append(text(from + 10, 12, `${scene.moves} more than ${short(reference.label, 150, scene.strategies)}`, "axis"));
    for (const tick of ticks(low, high, 4)) {
      chart.append(draw("line", { class: tick === 0 ? "zero" : "grid-line", x1: d(tick), x2: d(tick), y1: top - 4, y2: end }));
      chart.append(text(d(tick), end + 16, minus(String(tick)), "tick", "middle"));
    }
  }
  rows.forEach((each, index) => {
    const pair = pairs[index], begin = top + index * tall, y = begin + (narrow ? 33 : tall / 2);
    const row = draw("g", { class: `rank look-${each.look.colour}`, "data-who": each.index });
    row.append(draw("rect", { class: "hit", x: 0, y: begin, width, height: tall }));
    const sign = pair ? minus(pair.text) : scene.strategies.length > 1 ? "reference" : "";
    if (narrow) {
      row.append(text(left, begin + 16, short(each.label, width - 190, rows), "label"));
      const mean = text(width - 8, begin + 16, each.text, "label number", "end");
      if (pair) mean.append(draw("tspan", { class: "aside" }, `  (${sign.split(" ±")[0]})`));
      row.append(mean);
    } else {
      const label = text(longest + 6, y + 4, short(each.label, longest, rows), "label", "end");
      row.append(label);
      row.append(text(right + 14, y + 4, each.text, "label number"));
      row.append(text(far, y + 4, sign, `label number${pair && !pair.clear && !scene.exact ? " unclear" : ""}`, "end"));
    }
    row.append(draw("line", { class: "range", x1: x(each.low), x2: x(each.high), y1: y, y2: y }));
    row.append(draw("rect", {
      class: "half", x: x(each.quarters[0]), y: y - 5, width: Math.max(x(each.quarters[1]) - x(each.quarters[0]), 1), height: 10, rx: 2,
    }));
    if (each.half) row.append(draw("line", { class: "whisker", x1: x(each.mean - each.half), x2: x(each.mean + each.half), y1: y, y2: y }));
    row.append(draw("circle", { class: "dot", cx: x(each.mean), cy: y, r: 4.5 }));
    if (!narrow && pair && !near[index]) {
      const [at, way] = pair.mean > 0 ? [far - 122, 1] : [from + 10, -1];
      row.append(draw("path", { class: "arrow", d: `M${at - 12 * way} ${y}H${at - 4 * way}M${at - 6 * way} ${y - 4}L${at} ${y}L${at - 6 * way} ${y + 4}Z` }));
    } else if (!narrow && pair) {
      if (pair.half) row.append(draw("line", { class: "whisker", x1: d(pair.mean - pair.half), x2: d(pair.mean + pair.half), y1: y, y2: y }));
      row.append(draw("circle", { class: `dot${pair.clear || scene.exact ? "" : " open"}`, cx: d(pair.mean), cy: y, r: 4 }));
    }
    row.append(draw("title", {}, `${each.label}: mean ${each.text}, half of the games ${each.quarters.join(" to ")}, 5 to 95 % ${each.low} to ${each.high}`
      + (pair ? `; ${minus(pair.text)} ${scene.moves} to ${reference.label}, ${basis(scene, each, reference)}` : "")));
    chart.append(row);
  });
  return chart;
}

// The frame of a chart over shots: returns the chart, both scales and what moves with the shot.
function overShots(state, width, least, most, unit, label) {
  const { scene } = state, on = shown(state), height = Math.round(Math.min(Math.max(width * 0.6, 260), 440));
  const box = { left: 46, right: width - 10, top: 42, bottom: height - 40 };
  const chart = picture(width, height, label);
  const first = Math.max(Math.min(...on.map((each) => each.best)) - 1, 0);
  const last = Math.min(Math.max(...on.map((each) => each.worst)) + 1, scene.cells + 1);
  const x = scale(first, last, box.left, box.right), y = scale(least, most, box.bottom, box.top);
  for (const tick of ticks(least, most, 5)) {
    chart.append(draw("line", { class: tick === 0 ? "zero" : "grid-line", x1: box.left, x2: box.right, y1: y(tick), y2: y(tick) }));
    chart.append(text(box.left - 6, y(tick) + 4, minus(String(Number((100 * tick).toFixed(6)))), "tick", "end"));
  }
  for (const tick of ticks(first, last, width < 640 ? 6 : 10)) {
    chart.append(draw("line", { class: "mark", x1: x(tick), x2: x(tick), y1: box.bottom, y2: box.bottom + 4 }));
    chart.append(text(x(tick), box.bottom + 17, String(tick), "tick", "middle"));
  }
  chart.append(text(box.left - 40, 12, unit, "axis"));
  chart.append(text(box.right, height - 6, scene.shot, "axis", "end"));
  return { chart, x, y, box, first, last, width };
}

// A line with a step for each shot; each bin lies around its number.
function steps(frame, value) {
  let path = "";
  for (let shot = frame.first; shot <= frame.last; shot++) {
    const here = frame.y(value(shot)).toFixed(1);
    path += `${path ? "V" : `M${frame.x(Math.max(shot - 0.5, frame.first)).toFixed(1)} `}${here}H${frame.x(Math.min(shot + 0.5, frame.last)).toFixed(1)}`;
  }
  return path;
}

// What a chart shows of each strategy: the share at a shot.
function valueOf(state) {
  const reference = state.scene.strategies[state.reference];
  if (state.view === "ahead") return (each, shot) => shareBy(each, shot) - shareBy(reference, shot);
  return state.mode.distribution === "by" ? shareBy : shareAt;
}

function drawShots(state, width) {
  const on = shown(state), { scene } = state, ahead = state.view === "ahead", value = valueOf(state);
  const by = !ahead && state.mode.distribution === "by";
  const shots = Array.from({ length: scene.most - scene.least + 1 }, (_, index) => scene.least + index);
  const peaks = on.map((strategy) => {
    const values = shots.map((shot) => value(strategy, shot)), sizes = values.map(Math.abs), size = Math.max(...sizes);
    return { strategy, size, values, at: sizes.findIndex((each) => each > size - 1e-12) };
  });
  const near = contenders(peaks.map((peak) => peak.size)), isFar = (each) => ahead && !near[on.indexOf(each)];
  const seen = peaks.filter((peak) => !isFar(peak.strategy)).flatMap((peak) => peak.values);
  const least = Math.min(0, ...seen), most = by ? 1 : Math.max(0, ...seen), room = (most - least) * 0.1 || 0.01;
  const unit = ahead ? `points ahead of ${short(scene.strategies[state.reference].label, 150, scene.strategies)}, by that ${scene.shot}`
    : `% of games over ${by ? "by" : "at"} that ${scene.shot}`;
  const frame = overShots(state, width, least < 0 ? least - room : 0, by ? 1 : most + room, unit, headline(state));
  const { left, right, top, bottom } = frame.box;
  frame.chart.append(draw("clipPath", { id: "inside" }, draw("rect", { x: left, y: top, width: right - left, height: bottom - top })));
  for (const each of [...on].reverse()) {
    frame.chart.append(draw("path", { d: steps(frame, (shot) => value(each, shot)), "clip-path": "url(#inside)", ...stroke(each) }));
  }
  // Those beyond the scale leave the chart: arrows say which way, and how far.
  frame.beyond = peaks.filter((peak) => isFar(peak.strategy)).map(({ strategy, values, at }) =>
    `${values[at] < 0 ? "↓" : "↑"} ${strategy.label} ${points(values[at])}`);
  // Where all lines end at 100 %, they have no place of their own: the list beside names them.
  const places = by ? []
    : peaks.filter((peak) => peak.size > 0 && !isFar(peak.strategy))
      .sort((a, b) => b.size - a.size)
      .map(({ strategy, values, at }) => ({ x: frame.x(shots[at]), y: frame.y(values[at]) + (values[at] < 0 ? 16 : -6), strategy }));
  const covers = ([left, upper, right, lower]) => on.some((each) => {
    for (let shot = frame.first; shot <= frame.last; shot++) {
      if (frame.x(shot + 0.5) < left || frame.x(shot - 0.5) > right) continue;
      const y = frame.y(value(each, shot));
      if (y > upper - 1 && y < lower + 1) return true;
    }
    return false;
  });
  nameLines(frame.chart, places, frame, covers);
  frame.cursor = draw("line", { class: "cursor", y1: frame.box.top - 6, y2: frame.box.bottom });
  frame.dots = on.map((each) => [each, draw("circle", { class: `dot look-${each.look.colour}`, r: 3.5, "data-who": each.index })]);
  frame.number = text(0, frame.box.top - 10, "", "cursor-number", "middle");
  frame.chart.append(frame.cursor, ...frame.dots.map(([, dot]) => dot), frame.number);
  frame.move = (shot) => {
    const at = frame.x(shot);
    frame.cursor.setAttribute("x1", at);
    frame.cursor.setAttribute("x2", at);
    frame.number.textContent = shot;
    frame.number.setAttribute("x", Math.min(Math.max(at, 60), width - 14));
    for (const [each, dot] of frame.dots) {
      dot.setAttribute("cx", at);
      const y = frame.y(value(each, shot));
      dot.setAttribute("cy", y);
      dot.toggleAttribute("hidden", y < top || y > bottom);
    }
  };
  return frame;
}

// The finding of a view, in a sentence.
function headline(state) {
  const on = shown(state), { scene } = state, reference = scene.strategies[state.reference];
  if (!on.length) return "Switch a strategy on to see it";
  if (state.view === "ranking") return finding(state);
  if (state.view === "distribution") {
    const best = on[0], last = on[on.length - 1];
    const others = last === best ? "" : `, of ${last.label} by ${scene.shot} ${last.median}${last.median === best.median ? " as well" : ""}`;
    return `Half of the games of ${best.label} are over by ${scene.shot} ${best.median}${others}`;
  }
  if (state.view === "ahead") {
    return aheadFinding(scene, reference, on.filter((each) => each !== reference));
  }
  if (state.mode.pairs === "first") {
    const beats = (one, other) => {
      const race = pairOf(scene, one.index, other.index)?.race;
      return race && race[0] > race[2];
    };
    const first = on.length > 1 && on.find((one) => on.every((other) => one === other || beats(one, other)));
    if (first) return `${first.label} wins more games than it loses against every other strategy`;
    if (on.length > 1) return "No strategy wins more games than it loses against every other strategy";
  }
  if (on.length < 2) return "Switch on another strategy to compare two";
  if (on.length === 2) return finding(state);
  const decided = on.flatMap((one, index) => on.slice(index + 1).filter((other) => pairOf(scene, one.index, other.index).clear)).length;
  return `${finding(state)}; ${decided} of ${(on.length * (on.length - 1)) / 2} pairs differ clearly`;
}

// Who leads the reference most, by more than chance.
function aheadFinding(scene, reference, others) {
  if (!others.length) return `Only the reference, ${reference.label}, is switched on`;
  let found = null;
  for (const each of others) {
    for (let shot = scene.least; shot <= scene.most; shot++) {
      const share = shareBy(reference, shot), lead = shareBy(each, shot) - share;
      const chance = 1.96 * Math.sqrt(share * (1 - share) * (1 / each.games + 1 / reference.games));
      if (lead > (found?.lead ?? 0) && lead > chance) found = { each, shot, lead };
    }
  }
  if (!found) return `Nobody is clearly ahead of ${reference.label} at any ${scene.shot}`;
  return `${found.each.label} is ahead of ${reference.label} by up to ${points(found.lead).slice(1)} points, at ${scene.shot} ${found.shot}`;
}
