// What a Battleship replay shows: boards, maps, ships and moves of one or more games on one layout,
// and what the shots were worth.
function battleship(data) {
  const { rows, cols, fleet, announced, symbols, meanings, colours } = data;
  const cells = rows * cols, closed = 255;
  const make = (tag, parent, name = "", text = "") => {
    const made = document.createElement(tag);
    if (name) made.className = name;
    if (text) made.textContent = text;
    parent.append(made);
    return made;
  };
  const nameOf = (cell) => data.rowNames[Math.floor(cell / cols)] + ((cell % cols) + 1);
  const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;
  const shipName = (ship) => {
    const letter = fleet.filter((length) => length === fleet[ship]).length > 1
      ? ` (${String.fromCharCode(97 + fleet.slice(0, ship).filter((length) => length === fleet[ship]).length)})` : "";
    return `ship of ${fleet[ship]}${letter}`;
  };
  const place = document.getElementById("games");
  const several = data.rounds[0].games.length > 1;
  const wide = window.matchMedia("(min-width: 50rem)").matches;
  const beside = wide && !several;
  const layers = [
    { name: "map beside the board", on: beside },
    { name: "map on the board", on: !beside },
    { name: "numbers in maps", on: false },
    { name: "most likely cell", on: true },
    { name: "hidden fleet", on: false },
    { name: "order of shots", on: false },
  ];
  const [BESIDE, ONTO, NUMBERS, LIKELIEST, FLEET, ORDER] = layers.keys();
  const everyGame = data.rounds.flatMap((round) => round.games);
  // Beside the curve stands which one it is.
  const choices = [
    {
      key: "map",
      name: "Map",
      options: data.maps.filter(([kind]) => everyGame.some((game) => game.maps[kind])),
    },
    {
      key: "scale",
      name: "Scale",
      options: [["move", "to the move's highest"], ["game", "to the game's highest"], ["rank", "ranks"]],
    },
    {
      key: "curve",
      name: "Curve",
      place: "curve-choice",
      options: [["chance", "chance of a hit"], ["lost", "chance lost, summed up"], ["left", "ship cells to find"]],
    },
  ].filter((choice) => choice.options.length);
  const rated = everyGame.some((game) => game.chance.some((chance) => chance !== null));
  if (!rated) choices.pop();
  for (const choice of choices) choice.chosen = choice.options[0][0];
  if (rated && several) choices.at(-1).chosen = "lost";

  function grid(parent, label) {
    const table = make("table", parent, "grid");
    table.setAttribute("aria-label", label);
    const head = make("tr", make("thead", table));
    make("td", head);
    for (let col = 0; col < cols; col++) make("th", head, "", String(col + 1)).scope = "col";
    const body = make("tbody", table), found = [];
    for (let row = 0; row < rows; row++) {
      const line = make("tr", body);
      make("th", line, "", data.rowNames[row]).scope = "row";
      for (let col = 0; col < cols; col++) found.push(make("td", line));
    }
    return found;
  }

  let games = [], ships = [], shipAt = new Map(), edges = [];

  // A game, and what draws it.
  function gameOf(game) {
    const section = make("section", place, "game");
    section.setAttribute("aria-label", game.label);
    section.style.setProperty("--stroke", `var(--look-${game.look})`);
    const head = make("div", section, "head");
    make("h2", head, "", game.label);
    const caption = make("p", head, "note after");
    const boards = make("div", section, "boards");
    const board = make("figure", boards, "board");
    const marks = grid(board, `Board of ${game.label}`);
    const below = make("div", board, "below");
    const list = make("ul", below, "fleet");
    const items = fleet.map((length) => {
      const item = make("li", list);
      make("span", item, "", "▪".repeat(Math.min(length, 9))).setAttribute("aria-hidden", "true");
      return [item, make("span", item, "unseen")];
    });
    if (!announced) make("span", below, "note", "These rules do not announce which ships have sunk.");
    const heat = make("figure", boards, "heat");
    const scores = grid(heat, `Map of ${game.label}`);
    const scale = make("div", heat, "scale");
    const least = make("span", scale), bar = make("span", scale, "bar"), most = make("span", scale);
    for (const [ground] of colours) make("i", bar).style.backgroundColor = ground;
    const unit = make("span", scale, "unit");
    const aside = make("div", section, "aside");
    const facts = make("p", aside, "note facts", game.facts.join(" "));
    facts.hidden = !game.facts.length;
    const note = make("div", aside, "words");
    note.setAttribute("role", "group");
    note.setAttribute("aria-label", "Next shot");
    const known = game.chance.some((chance) => chance !== null);
    if (known) {
      const titles = make("p", aside, "note titles");
      for (const title of ["", "shot", "chance", "lost"]) make("span", titles, "", title);
    }
    const record = make("ol", aside, known ? "moves rated" : "moves");
    record.tabIndex = 0;
    record.setAttribute("aria-label", `Moves of ${game.label}`);
    const lost = game.lost.map((each) => each ?? 0);
    const worst = lost.map((_, shot) => shot).filter((shot) => lost[shot] >= 0.0005)
      .sort((a, b) => lost[b] - lost[a]);
    const buttons = game.moves.map(([cell, outcome], shot) => {
      const bad = worst.indexOf(shot);
      const name = ["", "hit", "sank"][outcome] + (bad >= 0 && bad < 3 ? " worst" : "");
      const button = make("button", make("li", record), name);
      button.type = "button";
      button.dataset.move = shot + 1;
      make("span", button, "at", `${nameOf(cell)} ${symbols[outcome + 1]}`);
      // The number of the move stands before it.
      let label = `${nameOf(cell)}: ${outcomeText(game, shot)}`;
      if (game.chance[shot] !== null && known) {
        make("span", button, "chance", (100 * game.chance[shot]).toFixed(1));
        const shown = game.lost[shot] === null ? "" : lost[shot] >= 0.0005 ? (100 * lost[shot]).toFixed(1) : "–";
        make("span", button, "lost", shown);
        label += `, ${chanceText(game, shot)}${lost[shot] >= 0.0005 ? `, ${points(lost[shot])} lost` : ""}`;
      }
      speak(button, label);
      return button;
    });
    if (game.fault) make("p", aside, "fault", game.fault);
    const maps = Object.fromEntries(Object.entries(game.maps).map(([kind, map]) => [kind, {
      ...map,
      levels: Uint8Array.from(atob(map.levels), (letter) => letter.charCodeAt(0)),
      top: Math.max(0, ...map.highest),
    }]));
    return {
      ...game, lost, losses: game.lost, worst, section, below, caption, heat, marks, scores, scale, least, most, unit, note, items,
      record, buttons, maps,
    };
  }

  const points = (share) => `${(100 * share).toFixed(1)} points`;
  const about = (game, shot) => (game.samples[shot] > 0 ? "about " : "");
  const chanceText = (game, shot) =>
    `${about(game, shot)}${percent(game.chance[shot])}${game.samples[shot] < 0 ? " by its own estimate" : ""}`;

  function outcomeText(game, number) {
    const [, outcome, ship] = game.moves[number];
    if (outcome === 0) return "miss";
    const what = outcome === 1 ? "hit" : "sunk";
    return ship < 0 ? what : `${what}, ${shipName(ship)}`;
  }

  // What a map holds before a shot: for each cell a share for its colour and a text, or null.
  function mapBefore(game, shot, kind, scale) {
    const map = game.maps[kind], index = map ? map.of[shot] ?? -1 : -1;
    if (index < 0) return null;
    const highest = map.highest[index];
    const levels = map.levels.subarray(index * cells, (index + 1) * cells);
    const write = (value) => (map.percent ? percent(value, value < 0.0995 ? 1 : 0) : data.format(value));
    const shares = Array.from(levels, (level) => (level === closed ? null : level / 254));
    if (scale === "rank") {
      const open = [...levels].filter((level) => level !== closed).sort((a, b) => b - a);
      const last = Math.max(open.length - 1, 1);
      return {
        shares: Array.from(levels, (level) => (level === closed ? null : 1 - open.indexOf(level) / last)),
        text: (cell) => String(open.indexOf(levels[cell]) + 1),
        tip: (cell) => `rank ${open.indexOf(levels[cell]) + 1} of ${open.length}`,
        least: `rank ${open.length}`, most: "rank 1", unit: map.unit,
      };
    }
    const most = scale === "game" ? map.top : highest, factor = most > 0 ? highest / most : 1;
    return {
      shares: shares.map((share) => (share === null ? null : share * factor)),
      text: (cell) => String(Math.round(100 * shares[cell] * (map.percent ? highest : factor))),
      tip: (cell) => (map.percent ? `${percent(shares[cell] * highest)} in the map`
        : `${Math.round(100 * shares[cell])} % of the highest score`),
      least: write(0), most: write(most), unit: map.unit,
    };
  }

  function showNote(game, made, next, missing) {
    const { note } = game, lines = [];
    note.replaceChildren();
    if (game.turns && made && game.turns[made - 1][1]) lines.push(`The turn's answer: ${game.turns[made - 1][1]}.`);
    if (next < 0) {
      lines.push(game.fault ? "A fault ended the game." : "No more shots.");
    } else {
      const chance = game.chance[made] === null ? "" : `: it hits with ${chanceText(game, made)}`;
      const turn = game.turns ? ` (${game.turns[made][0]})` : "";
      lines.push(`The next shot is ${nameOf(next)}${turn}${chance}.`);
      if (game.samples[made] >= 0 && game.best[made] !== null) {
        const [cell, best] = game.best[made];
        if (game.lost[made] >= 0.0005) {
          lines.push(`${nameOf(cell)} is most likely, with ${about(game, made)}${percent(best)}: ${points(game.lost[made])} lost.`);
        } else lines.push(game.samples[made] ? "No cell is clearly more likely." : "No cell is more likely.");
        if (game.samples[made]) {
          const error = 1.96 * Math.sqrt(Math.max(best * (1 - best), 1e-9) / game.samples[made]);
          lines.push(`Estimated from ${game.samples[made].toLocaleString("en")} random layouts: ± ${percent(error)} at most.`);
        }
      }
      if (game.remarks[made]) lines.push(`${game.label} says: ${game.remarks[made]}`);
      for (const opinion of game.opinions) {
        const cell = opinion.cells[made];
        const worth = opinion.chance[made] === null || cell === next ? "" : `, with ${about(game, made)}${percent(opinion.chance[made])}`;
        lines.push(`${opinion.label} would ${cell === next ? "shoot there, too" : `shoot ${nameOf(cell)}${worth}`}.`);
      }
      if (game.queued[made] && game.maps.scores) lines.push("This shot was planned earlier; the scores are from that time.");
      if (missing === "odds") lines.push("The odds are not known here: --odds EFFORT allows more.");
      else if (!game.maps.scores) lines.push("This strategy has no scores.");
      else if (missing) lines.push("No scores led to this shot.");
    }
    for (const line of lines) make("p", note, "", line);
  }

  function showGame(game, move, on, chosen) {
    const made = Math.min(move, game.moves.length);
    const known = new Array(cells).fill(0), order = new Array(cells).fill(0), sunk = new Set();
    game.moves.slice(0, made).forEach(([cell, outcome, ship, ...gone], number) => {
      known[cell] = outcome + 1;
      order[cell] = number + 1;
      if (outcome === 2) sunk.add(ship);
      for (const each of gone) known[each] = 3;
    });
    const last = made > 0 ? game.moves[made - 1][0] : -1;
    const next = made < game.moves.length ? game.moves[made][0] : -1;
    const map = next < 0 ? null : mapBefore(game, made, chosen.map, chosen.scale);
    const others = new Map();
    if (next >= 0) {
      for (const { cells: where, look } of game.opinions) {
        if (!others.has(where[made])) others.set(where[made], look);
      }
    }
    const best = on[LIKELIEST] && next >= 0 && game.best[made] ? game.best[made][0] : -1;
    const onto = on[ONTO] && map !== null;

    function tint(box, share) {
      const [ground, text] = share === null ? ["", ""] : colours[Math.round(share * (colours.length - 1))];
      box.style.backgroundColor = ground;
      box.style.color = text;
    }

    for (let cell = 0; cell < cells; cell++) {
      const share = map === null ? null : map.shares[cell];
      const ship = shipAt.get(cell);
      const hidden = on[FLEET] && known[cell] === 0 && ship !== undefined;
      const outlined = ship !== undefined && (known[cell] === 3 || on[FLEET]);
      const flags = (cell === last ? " last" : "") + (cell === next ? " next" : "")
        + (cell === best && cell !== next ? " likeliest" : "") + (others.has(cell) ? " other" : "")
        + (outlined ? ` ship${edges[cell]}` : "");
      const shot = order[cell] ? `, shot ${order[cell]}` : "";
      const parts = [`${nameOf(cell)}: ${hidden ? data.hiddenMeaning : meanings[known[cell]]}${shot}`];
      if (share !== null) parts.push(map.tip(cell));
      if (cell === next) parts.push("next shot");
      if (cell === best) parts.push("most likely");
      for (const opinion of game.opinions) {
        if (next >= 0 && opinion.cells[made] === cell) parts.push(`shot of ${opinion.label}`);
      }
      const what = parts.join(", ");
      const tinted = onto && share !== null && known[cell] === 0;
      const box = game.marks[cell];
      const number = tinted && on[NUMBERS];
      box.className = `mark${known[cell]}${hidden ? " hidden" : ""}${number || order[cell] && on[ORDER] ? " number" : ""}${flags}`;
      box.textContent = number ? map.text(cell)
        : on[ORDER] && order[cell] ? order[cell]
        : hidden ? data.hidden : symbols[known[cell]];
      describe(box, what);
      tint(box, tinted ? share : null);
      box.style.setProperty("--other", others.has(cell) ? `var(--look-${others.get(cell)})` : "");
      if (!on[BESIDE]) continue;
      const second = game.scores[cell];
      second.className = `${share === null ? `mark${known[cell]}` : "score"}${hidden ? " hidden" : ""}${share !== null && on[NUMBERS] ? " number" : ""}${flags}`;
      second.textContent = share === null ? symbols[known[cell]] : on[NUMBERS] ? map.text(cell) : "";
      describe(second, what);
      tint(second, share);
      second.style.setProperty("--other", box.style.getPropertyValue("--other"));
    }
    game.heat.hidden = map === null || !on[BESIDE];
    (on[BESIDE] && !game.heat.hidden ? game.heat : game.below).append(game.scale);
    game.scale.hidden = map === null || !(on[BESIDE] || on[ONTO]);
    if (map !== null) {
      game.least.textContent = map.least;
      game.most.textContent = map.most;
      game.unit.textContent = game.scale.title = map.unit;
    }
    showNote(game, made, next, map === null ? chosen.map : "");
    game.caption.textContent = next < 0
      ? `${game.fault ? "Ended by a fault" : "Over"} after ${game.moves.length} ${game.turns ? "shots" : "moves"}`
      : `After ${made} of ${game.moves.length} ${game.turns ? "shots" : "moves"}`;
    game.items.forEach(([item, text], ship) => {
      const gone = sunk.has(ship);
      item.className = gone ? "sunk" : "";
      item.title = text.textContent = `${shipName(ship)}${announced ? (gone ? ", sunk" : ", afloat") : ""}`;
    });
    game.buttons.forEach((button, number) => {
      if (number + 1 === made) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
    // The list alone is scrolled, not the page.
    const current = game.buttons[made - 1];
    const { record } = game;
    const above = current ? current.offsetTop - record.offsetTop : 0;
    record.scrollTop = above - record.clientHeight / 2;
  }

  function describe(box, what) {
    box.title = what;
    box.setAttribute("aria-label", what);
  }

  // The course: one value for each shot, or after each.
  const course = document.getElementById("course"), ticks = document.getElementById("ticks");
  const draw = (tag, attributes, name) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.setAttribute("class", name);
    course.append(made);
    return made;
  };
  let plotted = "", cursor = null;

  // Steps from 0 at the bottom to 1 at the top; null where a value is not known.
  function steps(values) {
    let path = "", pen = false;
    values.forEach((value, shot) => {
      if (value === null) return (pen = false);
      const y = 100 - 100 * value;
      path += `${pen ? `V${y}` : `M${shot} ${y}`}H${shot + 1}`;
      pen = true;
    });
    return path;
  }

  const curves = {
    chance: {
      name: "of each shot; dots: shots that hit",
      ticks: ["100 %", "50 %", "0 %"],
      plot(game) {
        const dots = game.moves.map(([, outcome], shot) =>
          outcome > 0 && game.chance[shot] !== null ? `M${shot + 0.5} ${100 - 100 * game.chance[shot]}h0` : "");
        if (!several) {
          const best = game.best.map((each) => each && each[1]);
          for (const shot of game.worst) {
            if (best[shot] === null || game.losses[shot] === null) continue;
            const top = 100 - 100 * best[shot];
            draw("rect", { x: shot, y: top, width: 1, height: 100 * (best[shot] - game.chance[shot]) }, "lost");
          }
          draw("path", { d: steps(best) }, "best");
        }
        return [draw("path", { d: steps(game.chance) }, "curve"), draw("path", { d: dots.join("") }, "dots")];
      },
    },
    lost: {
      name: "in hits: lower is better",
      ticks: null,
      plot(game) {
        const all = Math.max(0.01, ...games.map((each) => each.lost.reduce((a, b) => a + b, 0)));
        let sum = 0;
        const values = game.moves.map((_, shot) => (sum += game.lost[shot]) / all);
        curves.lost.ticks = [`${all.toFixed(all < 1 ? 2 : 1)} hits`, "", "0"];
        return [draw("path", { d: steps(values) }, "curve")];
      },
    },
    left: {
      name: choices.at(-1)?.key === "curve" ? "before each shot" : "Ship cells to find",
      plot(game) {
        let left = shipAt.size;
        const values = game.moves.map(([, outcome]) => {
          const before = left / shipAt.size;
          left -= outcome > 0;
          return before;
        });
        curves.left.ticks = [String(shipAt.size), "", "0"];
        return [draw("path", { d: `${steps(values)}V${100 - (100 * left) / shipAt.size}` }, "curve")];
      },
    },
  };

  function plot(kind) {
    plotted = kind;
    course.replaceChildren();
    course.setAttribute("viewBox", `0 -4 ${view.length || 1} 108`);
    for (const y of [0, 50, 100]) draw("line", { x1: 0, x2: view.length, y1: y, y2: y }, "guide");
    for (const game of games) {
      for (const path of curves[kind].plot(game)) {
        path.style.setProperty("--stroke", `var(--look-${game.look})`);
        path.style.setProperty("--dash", game.dashes);
      }
    }
    cursor = draw("line", { y1: -4, y2: 104 }, "cursor");
    const name = kind === "chance" && !several
      ? `${curves[kind].name}; thin line: the most likely cell; between them: chance lost` : curves[kind].name;
    const what = choices.find((choice) => choice.key === "curve")?.options.find(([value]) => value === kind)[1] ?? "";
    const whole = `${what} ${name}`.trim();
    const beside = document.getElementById("curve-choice").hasChildNodes();
    document.getElementById("curve-name").textContent = beside ? name : whole;
    course.setAttribute("aria-label", `${whole}, against moves`);
    ticks.replaceChildren(...curves[kind].ticks.map((text) => {
      const tick = document.createElement("span");
      tick.textContent = text;
      return tick;
    }));
  }

  const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

  const view = {
    layers,
    choices,
    rounds: data.rounds.map((round) => round.name),
    open(index) {
      const round = data.rounds[index];
      ships = round.ships;
      shipAt = new Map(ships.flatMap((ship, number) => ship.map((cell) => [cell, number])));
      edges = Array.from({ length: cells }, (_, cell) => {
        const same = (there, other) => there && shipAt.get(other) === shipAt.get(cell);
        const col = cell % cols;
        return (same(cell >= cols, cell - cols) ? "" : " north") + (same(col < cols - 1, cell + 1) ? "" : " east")
          + (same(cell < cells - cols, cell + cols) ? "" : " south") + (same(col > 0, cell - 1) ? "" : " west");
      });
      place.replaceChildren();
      place.className = `of${Math.min(round.games.length, 5)}`;
      document.getElementById("facts").textContent = round.facts;
      games = round.games.map(gameOf);
      view.length = Math.max(...games.map((game) => game.moves.length));
      view.jumps = [...new Set(games.flatMap((game) =>
        game.moves.flatMap(([, outcome], number) => (outcome > 0 ? [number + 1] : []))))]
        .sort((a, b) => a - b);
      // Before the shot, where the board shows what else there was.
      const weak = games.flatMap((game) => game.worst.map((shot) => [game.lost[shot], shot]));
      view.weakest = [...new Set(weak.sort((a, b) => b[0] - a[0]).map(([, shot]) => shot))];
      view.command = () => round.command;
      plotted = "";
    },
    show(move, on, chosen) {
      place.classList.toggle("beside", on[BESIDE]);
      const kind = chosen.curve ?? "left";
      if (kind !== plotted) plot(kind);
      for (const game of games) showGame(game, move, on, chosen);
      cursor.setAttribute("x1", move);
      cursor.setAttribute("x2", move);
    },
    say(move) {
      if (move === 0) return "Nothing has been shot.";
      const parts = games.map((game) => {
        const who = games.length > 1 ? `${game.label}: ` : "";
        if (move > game.moves.length) return `${who}over after ${game.moves.length}`;
        const over = move === game.moves.length && !game.fault ? ", the last ship cell" : "";
        return `${who}${nameOf(game.moves[move - 1][0])}, ${outcomeText(game, move - 1)}${over}`;
      });
      return `${games[0].turns ? "Shot" : "Move"} ${move}: ${parts.join("; ")}.`;
    },
    tip(x) {
      const shot = Math.floor(x);
      const parts = games.filter((game) => shot < game.moves.length).map((game) => {
        const who = games.length > 1 ? `${game.label} ` : "";
        const chance = game.chance[shot] === null ? "" : `, chance ${chanceText(game, shot)}`;
        const lost = game.lost[shot] >= 0.0005 ? `, ${points(game.lost[shot])} lost` : "";
        return `${who}${nameOf(game.moves[shot][0])} ${symbols[game.moves[shot][1] + 1]}${chance}${lost}`;
      });
      return parts.length ? `Shot ${shot + 1}: ${parts.join("; ")}` : "";
    },
    picture() {
      const tables = [...place.querySelectorAll(".grid")].filter((table) => table.checkVisibility());
      const boxes = tables.flatMap((table) => [...table.querySelectorAll("td, th")]);
      const around = boxes.map((box) => box.getBoundingClientRect());
      const left = Math.min(...around.map((box) => box.left)), top = Math.min(...around.map((box) => box.top));
      const width = Math.max(...around.map((box) => box.right)) - left;
      const height = Math.max(...around.map((box) => box.bottom)) - top;
      const page = getComputedStyle(document.body).backgroundColor;
      const parts = boxes.map((box, index) => {
        const { width: w, height: h } = around[index], style = getComputedStyle(box);
        const x = around[index].left - left, y = around[index].top - top;
        const ring = box.classList.contains("next") ? `<rect x="${x + 2}" y="${y + 2}" width="${w - 4}" height="${h - 4}" fill="none" stroke="${getComputedStyle(document.body).color}" stroke-width="3"/>` : "";
        const ground = box.matches("tbody td") ? `<rect x="${x}" y="${y}" width="${w}" height="${h}" fill="${style.backgroundColor}" stroke="#9fb0bd"/>` : "";
        return `${ground}${ring}<text x="${x + w / 2}" y="${y + h / 2}" dy="0.35em" font-size="${parseFloat(style.fontSize)}" fill="${style.color}">${escaped(box.textContent)}</text>`;
      });
      return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" text-anchor="middle"><rect width="100%" height="100%" fill="${page}"/>${parts.join("")}</svg>`;
    },
  };
  view.open(0);
  return view;
}

const data = JSON.parse(document.getElementById("data").textContent);
data.format = (number) => (Number.isInteger(number) ? number.toLocaleString("en") : number.toPrecision(3));
startPlayer(battleship(data));
