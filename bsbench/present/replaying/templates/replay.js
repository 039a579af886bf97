// A replay: the boards, maps, ships and moves of one or more games on one layout, what the moves were
// worth, and a player that steps through them. In salvos a move is a turn of several shots.
function replay() {
  const { announced, salvos, rounds } = data;
  const closed = 255, word = salvos ? "turn" : "move";
  const shipName = (ship) => data.ships[ship];
  const place = element("games"), slider = element("slider"), said = element("said"), play = element("play");
  const several = rounds[0].games.length > 1;
  const wide = window.matchMedia("(min-width: 50rem)").matches, beside = wide && !several;
  const narrow = window.matchMedia("(max-width: 40rem)").matches;
  const layers = [
    { name: "map beside the board", on: beside },
    { name: "map on the board", on: !beside },
    { name: "numbers in maps", on: false },
    { name: "most likely cell", on: true },
    { name: "hidden fleet", on: false },
    { name: salvos ? "turn of each shot" : "order of shots", on: false },
  ];
  const [BESIDE, ONTO, NUMBERS, LIKELIEST, FLEET, ORDER] = layers;
  const everyGame = rounds.flatMap((round) => round.games);
  const isKnown = (game) => (salvos ? game.bits : game.chance).some((each) => each !== null);
  const rated = everyGame.some(isKnown);
  // The first letter of a key goes to the next option. Beside the curve stands which one it is.
  const choices = [
    {
      key: "map",
      name: "Map",
      place: "choices",
      options: data.maps.filter(([kind]) => everyGame.some((game) => game.maps[kind])),
    },
    {
      key: "scale",
      name: "Scale",
      place: "choices",
      options: [["move", `to the ${word}'s highest`], ["game", "to the game's highest"], ["rank", "ranks"]],
    },
    {
      key: "curve",
      name: "Curve",
      place: "curve-choice",
      options: [
        ...!rated ? [] : salvos ? [["bits", "information"]] : [["chance", "chance of a hit"], ["lost", "chance lost, summed up"]],
        ["left", "ship cells to find"],
      ],
    },
  ].filter(({ key, options }) => options.length > (key === "curve" ? 1 : 0));
  const first = Object.fromEntries(choices.map(({ key, options }) => [key, options[0][0]]));
  if (rated && several && !salvos) first.curve = "lost";
  const chosen = { ...first }, selects = {};
  const speeds = [0.5, 1, 2, 4, 8, 16];
  let move = 0, length = 0, speed = 2, timer = null, round = 0;
  let games = [], shipAt = new Map(), edges = [], jumps = [], weakest = [];

  // What the moves of a game were.

  const points = (share) => `${(100 * share).toFixed(1)} points`;
  const about = (game, at) => (game.samples[at] > 0 ? "about " : "");
  const chanceText = (game, at) => about(game, at) + (salvos ? `${game.chance[at].toFixed(2)} hits`
    : `${percent(game.chance[at])}${game.samples[at] < 0 ? " by its own estimate" : ""}`);
  const bitsText = (game, at) => `${about(game, at)}${game.bits[at].toFixed(2)} bits`;
  const shotText = ([cell, outcome]) => `${nameOf(cell)} ${symbols[outcome + 1]}`;
  const cellsOf = (game, at) => (at < game.moves.length ? game.moves[at].map(([cell]) => cell) : []);
  const hitsOf = (shots) => shots.filter(([, outcome]) => outcome > 0).length;

  function outcomeText([cell, outcome, ship]) {
    const what = ["miss", "hit", "sunk"][outcome];
    return outcome === 0 || ship < 0 ? what : `${what}, ${shipName(ship)}`;
  }

  const moveText = (game, at) => game.moves[at].map((shot) => `${nameOf(shot[0])}: ${outcomeText(shot)}`).join("; ");

  // What each move was worth, as its row, its tip and its label say it.
  function worthOf(game, at) {
    if (salvos) return game.bits[at] === null ? "" : `, ${bitsText(game, at)}`;
    if (game.chance[at] === null) return "";
    return `, ${chanceText(game, at)}${game.lost[at] >= 0.0005 ? `, ${points(game.lost[at])} lost` : ""}`;
  }

  // A game, and what draws it.
  function gameOf(game, number, list) {
    const section = make("section", place, "game");
    section.setAttribute("aria-label", game.label);
    section.style.setProperty("--stroke", `var(--look-${game.look})`);
    const head = make("div", section, "head");
    make("h2", head, "", game.label);
    const caption = make("p", head, "note after");
    if (!wide && several) make("p", head, "note", `${number + 1} of ${list.length}: swipe`);
    const boards = make("div", section, "boards"), board = make("figure", boards, "board");
    const [, marks] = makeBoard(board, `Board of ${game.label}`);
    const below = make("div", board, "below"), ships = make("ul", below, "fleet");
    const items = fleet.map((size) => {
      const item = make("li", ships);
      make("span", item, "", "▪".repeat(Math.min(size, 9))).setAttribute("aria-hidden", "true");
      return [item, make("span", item, "unseen")];
    });
    if (!announced) make("span", below, "note", "These rules do not announce which ships have sunk.");
    const heat = make("figure", boards, "heat"), [, scores] = makeBoard(heat, `Map of ${game.label}`);
    const scale = make("div", heat, "scale");
    const least = make("span", scale), bar = make("span", scale, "bar"), most = make("span", scale);
    for (const [ground] of colours) make("i", bar).style.backgroundColor = ground;
    const unit = make("span", scale, "unit");
    const aside = make("div", section, "aside");
    make("p", aside, "note facts", game.facts.join(" ")).hidden = !game.facts.length;
    const note = make("div", aside, "words");
    note.setAttribute("role", "group");
    note.setAttribute("aria-label", `Next ${word}`);
    const known = isKnown(game);
    if (known) {
      const titles = make("p", aside, "note titles");
      for (const title of salvos ? ["", "shots", "bits"] : ["", "shot", "chance", "lost"]) make("span", titles, "", title);
    }
    const record = make("ol", aside, known || salvos ? "moves rated" : "moves");
    record.tabIndex = 0;
    record.setAttribute("aria-label", `${salvos ? "Turns" : "Moves"} of ${game.label}`);
    const lost = game.lost.map((each) => each ?? 0);
    const worst = [...lost.keys()].filter((at) => lost[at] >= 0.0005).sort((a, b) => lost[b] - lost[a]);
    const buttons = game.moves.map((shots, at) => {
      const bad = worst.indexOf(at), hit = hitsOf(shots) && !salvos;
      const button = makeButton(make("li", record), "", null, (hit ? "hit" : "") + (bad >= 0 && bad < 3 ? " worst" : ""));
      button.dataset.move = at + 1;
      const written = make("span", button, "at");
      for (const shot of shots) make("span", written, shot[1] > 0 ? "hit" : "", shotText(shot));
      if (known && salvos) make("span", button, "lost", game.bits[at]?.toFixed(2) ?? "?");
      else if (known && game.chance[at] !== null) {
        make("span", button, "chance", (100 * game.chance[at]).toFixed(1));
        make("span", button, "lost", game.lost[at] === null ? "" : lost[at] >= 0.0005 ? (100 * lost[at]).toFixed(1) : "–");
      }
      // Signs speak to the eye alone. The number of the move stands before it.
      for (const sign of button.children) sign.setAttribute("aria-hidden", "true");
      make("span", button, "unseen", moveText(game, at) + worthOf(game, at));
      return button;
    });
    if (game.fault) make("p", aside, "fault", game.fault);
    const maps = Object.fromEntries(Object.entries(game.maps).map(([kind, map]) => [kind, {
      ...map,
      levels: Uint8Array.from(atob(map.levels), (letter) => letter.charCodeAt(0)),
      top: Math.max(0, ...map.highest),
    }]));
    return { ...game, lost, worst, below, caption, heat, marks, scores, scale, least, most, unit, note, items, record, buttons, maps };
  }

  // What a map holds before a move: for each cell a share for its colour and a text, or null.
  function mapBefore(game, at) {
    const map = game.maps[chosen.map], index = map?.of[at] ?? -1;
    if (index < 0) return null;
    const highest = map.highest[index], levels = map.levels.subarray(index * cells, (index + 1) * cells);
    const shareOf = (rate) => Array.from(levels, (level) => (level === closed ? null : rate(level)));
    if (chosen.scale === "rank") {
      const open = [...levels].filter((level) => level !== closed).sort((a, b) => b - a);
      const rankOf = (cell) => open.indexOf(levels[cell]) + 1;
      return {
        shares: shareOf((level) => 1 - open.indexOf(level) / Math.max(open.length - 1, 1)),
        text: (cell) => String(rankOf(cell)),
        tip: (cell) => `rank ${rankOf(cell)} of ${open.length}`,
        least: `rank ${open.length}`, most: "rank 1", unit: map.unit,
      };
    }
    const write = (value) => (map.percent ? percent(value, value < 0.0995 ? 1 : 0)
      : Number.isInteger(value) ? value.toLocaleString("en") : value.toPrecision(3));
    const most = chosen.scale === "game" ? map.top : highest, factor = most > 0 ? highest / most : 1;
    const share = (cell) => levels[cell] / 254;
    return {
      shares: shareOf((level) => (level / 254) * factor),
      text: (cell) => String(Math.round(100 * share(cell) * (map.percent ? highest : factor))),
      tip: (cell) => (map.percent ? `${percent(share(cell) * highest)} in the map`
        : `${Math.round(100 * share(cell) * factor)} % of the highest score`),
      least: write(0), most: write(most), unit: map.unit,
    };
  }

  // Sentences on the last answer and the next move.
  function linesOf(game, at, map) {
    const lines = [];
    if (at > 0 && (game.answers[at - 1] || game.bits[at - 1] !== null)) {
      const told = [game.answers[at - 1], game.bits[at - 1] === null ? "" : bitsText(game, at - 1)];
      lines.push(`The answer to turn ${at}: ${told.filter(Boolean).join("; ")}.`);
    }
    const next = cellsOf(game, at), names = next.map(nameOf).join(" ");
    if (!next.length) return [...lines, game.fault ? "A fault ended the game." : `No more ${salvos ? "turns" : "shots"}.`];
    const hits = salvos ? "it hits on average" : "it hits with";
    lines.push(`The next ${salvos ? "turn" : "shot"} is ${names}${game.chance[at] === null ? "" : `: ${hits} ${chanceText(game, at)}`}.`);
    if (game.best[at] !== null) {
      const [cell, best, error] = game.best[at];
      if (game.lost[at] >= 0.0005 && cell >= 0) {
        lines.push(`${nameOf(cell)} is most likely, with ${about(game, at)}${percent(best)}: ${points(game.lost[at])} lost.`);
      } else lines.push(game.samples[at] ? "No cell is clearly more likely." : "No cell is more likely.");
      if (game.samples[at]) {
        lines.push(`Estimated from ${game.samples[at].toLocaleString("en")} random layouts: ± ${percent(error)} at most.`);
      }
    }
    if (game.remarks[at]) lines.push(`${game.label} says: ${game.remarks[at]}`);
    for (const opinion of game.opinions) {
      const turn = opinion.turns[at], same = turn.every((cell) => next.includes(cell));
      const worth = opinion.chance[at] === null ? "" : `, with ${about(game, at)}${percent(opinion.chance[at])}`;
      lines.push(`${opinion.label} would ${same ? "shoot there, too" : `shoot ${turn.map(nameOf).join(" ")}${worth}`}.`);
    }
    if (game.queued[at] && game.maps.scores) lines.push("This shot was planned earlier; the scores are from that time.");
    if (!map && chosen.map === "odds") lines.push("The odds are not known here.");
    else if (!game.maps.scores) lines.push("This strategy has no scores.");
    else if (!map) lines.push("No scores led to this shot.");
    return lines;
  }

  function showGame(game) {
    const made = Math.min(move, game.moves.length), next = cellsOf(game, made);
    const known = new Array(cells).fill(0), order = new Array(cells).fill(0), sunk = new Set();
    game.moves.slice(0, made).forEach((shots, at) => {
      for (const [cell, outcome, ship, ...gone] of shots) {
        known[cell] = outcome + 1;
        order[cell] = at + 1;
        if (outcome === 2) sunk.add(ship);
        for (const each of gone) known[each] = 3;
      }
    });
    const last = made > 0 ? cellsOf(game, made - 1) : [];
    const map = next.length ? mapBefore(game, made) : null;
    const best = LIKELIEST.on && next.length && game.best[made] ? game.best[made][0] : -1;
    const others = next.length ? game.opinions : [];
    for (let cell = 0; cell < cells; cell++) {
      const share = map?.shares[cell] ?? null, ship = shipAt.get(cell);
      const unfound = FLEET.on && known[cell] === 0 && ship !== undefined;
      const asked = others.filter((opinion) => opinion.turns[made].includes(cell));
      const flags = (unfound ? " hidden" : "") + (last.includes(cell) ? " last" : "") + (next.includes(cell) ? " next" : "")
        + (cell === best && !next.includes(cell) ? " likeliest" : "") + (asked.length ? " other" : "")
        + (ship !== undefined && (known[cell] === 3 || FLEET.on) ? ` ship${edges[cell]}` : "");
      const what = [
        `${nameOf(cell)}: ${unfound ? data.hiddenMeaning : meanings[known[cell]]}${order[cell] ? `, ${salvos ? "turn" : "shot"} ${order[cell]}` : ""}`,
        ...share === null ? [] : [map.tip(cell)],
        ...next.includes(cell) ? [`next ${salvos ? "turn" : "shot"}`] : [],
        ...cell === best ? ["most likely"] : [],
        ...asked.map((opinion) => `shot of ${opinion.label}`),
      ].join(", ");
      const tinted = ONTO.on && share !== null && known[cell] === 0, numbered = ORDER.on && order[cell];
      const symbol = unfound ? data.hidden : symbols[known[cell]];
      const text = tinted && NUMBERS.on ? map.text(cell) : numbered ? order[cell] : symbol;
      paint(game.marks[cell], `mark${known[cell]}${text === symbol ? "" : " number"}${flags}`, text, what, tinted ? share : null);
      const other = asked.length ? `var(--look-${asked[0].look})` : "";
      game.marks[cell].style.setProperty("--other", other);
      if (!BESIDE.on) continue;
      const drawn = share === null ? symbols[known[cell]] : NUMBERS.on ? map.text(cell) : "";
      const kind = share === null ? `mark${known[cell]}` : NUMBERS.on ? "score number" : "score";
      paint(game.scores[cell], kind + flags, drawn, what, share);
      game.scores[cell].style.setProperty("--other", other);
    }
    game.heat.hidden = map === null || !BESIDE.on;
    (game.heat.hidden ? game.below : game.heat).append(game.scale);
    game.scale.hidden = map === null || !(BESIDE.on || ONTO.on);
    for (const part of map ? ["least", "most", "unit"] : []) game[part].textContent = map[part];
    game.scale.title = map?.unit ?? "";
    game.note.replaceChildren();
    for (const line of linesOf(game, made, map)) make("p", game.note, "", line);
    const ended = game.fault ? "Ended by a fault after" : "Over after";
    game.caption.textContent = next.length ? `After ${made} of ${game.moves.length} ${word}s` : `${ended} ${game.moves.length} ${word}s`;
    game.items.forEach(([item, text], ship) => {
      item.className = sunk.has(ship) ? "sunk" : "";
      item.title = text.textContent = `${shipName(ship)}${announced ? (sunk.has(ship) ? ", sunk" : ", afloat") : ""}`;
    });
    game.buttons.forEach((button, at) => {
      if (at + 1 === made) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
    // The list alone is scrolled, not the page.
    const { record } = game, current = game.buttons[made - 1];
    const place = current ? current.getBoundingClientRect().top - record.getBoundingClientRect().top : -record.scrollTop;
    record.scrollTop += place - record.clientHeight / 2;
  }

  function sentence() {
    if (move === 0) return "Nothing has been shot.";
    const parts = games.map((game) => {
      const who = several ? `${game.label}: ` : "", shots = game.moves[move - 1];
      if (!shots) return `${who}over after ${game.moves.length}`;
      const over = move === game.moves.length && !game.fault ? ", the last ship cell" : "";
      const what = salvos ? `${hitsOf(shots)} of ${shots.length} hit` : `${nameOf(shots[0][0])}, ${outcomeText(shots[0])}`;
      return `${who}${what}${over}`;
    });
    return `${salvos ? "Turn" : "Move"} ${move}: ${parts.join("; ")}.`;
  }

  // The course: one value for each move, or after each.

  const course = element("course"), tip = element("tip");
  let plotted = "", cursor = null;

  function draw(tag, attributes, name) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.setAttribute("class", name);
    course.append(made);
    return made;
  }

  // Steps from 0 at the bottom to 1 at the top; null where a value is not known.
  function steps(values) {
    let path = "", pen = false;
    values.forEach((value, at) => {
      if (value !== null) path += `${pen ? "V" : `M${at} `}${100 - 100 * value}H${at + 1}`;
      pen = value !== null;
    });
    return path;
  }

  // For each curve: its name, the highest value with its tick, and the values of a game.
  const curves = {
    chance: {
      name: several ? "of each shot; dots: shots that hit"
        : "of each shot; dots: shots that hit; thin line: the most likely cell; between them: chance lost",
      tick: (most) => percent(most, 0),
      values: (game) => game.chance,
      most: () => 1,
    },
    lost: {
      name: "in hits: lower is better",
      tick: (most) => `${most.toFixed(most < 1 ? 2 : 1)} hits`,
      values: (game) => game.lost.map((_, at) => game.lost.slice(0, at + 1).reduce((a, b) => a + b)),
    },
    bits: {
      name: "of the answer to each turn",
      tick: (most) => `${most.toFixed(1)} bits`,
      values: (game) => game.bits,
    },
    left: {
      name: first.curve ? `before each ${word}` : "Ship cells to find",
      tick: String,
      values: (game) => game.moves.map((_, at) => shipAt.size - hitsOf(game.moves.slice(0, at).flat())),
      most: () => shipAt.size,
    },
  };

  function plot(kind) {
    const { name, tick, values, most } = curves[kind];
    const known = games.map(values), highest = most?.() ?? Math.max(0.01, ...known.flat());
    plotted = kind;
    course.replaceChildren();
    course.setAttribute("viewBox", `0 -4 ${length || 1} 108`);
    for (const y of [0, 50, 100]) draw("line", { x1: 0, x2: length, y1: y, y2: y }, "guide");
    games.forEach((game, number) => {
      const paths = [draw("path", { d: steps(known[number].map((value) => value === null ? null : value / highest)) }, "curve")];
      if (kind === "chance") {
        const dots = known[number].map((chance, at) => (hitsOf(game.moves[at]) && chance !== null ? `M${at + 0.5} ${100 - 100 * chance}h0` : ""));
        paths.push(draw("path", { d: dots.join("") }, "dots"));
        if (!several) {
          for (const at of game.worst) {
            draw("rect", { x: at, y: 100 - 100 * game.best[at][1], width: 1, height: 100 * (game.best[at][1] - game.chance[at]) }, "lost");
          }
          paths.push(draw("path", { d: steps(game.best.map((best) => best?.[1] ?? null)) }, "best"));
        }
      }
      for (const path of paths) {
        path.style.setProperty("--stroke", `var(--look-${game.look})`);
        path.style.setProperty("--dash", game.dashes);
      }
    });
    cursor = draw("line", { y1: -4, y2: 104 }, "cursor");
    const what = choices.find(({ key }) => key === "curve")?.options.find(([value]) => value === kind)[1] ?? "";
    element("curve-name").textContent = narrow ? `${what} ${name}`.trim() : name;
    course.setAttribute("aria-label", `${what} ${name}, against ${word}s`.trim());
    element("ticks").replaceChildren();
    for (const text of [tick(highest), kind === "chance" ? "50 %" : "", kind === "chance" ? "0 %" : "0"]) make("span", element("ticks"), "", text);
  }

  function tipAt(at) {
    const parts = games.filter((game) => at < game.moves.length).map((game) =>
      `${several ? `${game.label} ` : ""}${game.moves[at].map(shotText).join(" ")}${worthOf(game, at)}`);
    return parts.length ? `${salvos ? "Turn" : "Shot"} ${at + 1}: ${parts.join("; ")}` : "";
  }

  // The player.

  function show() {
    place.classList.toggle("beside", BESIDE.on);
    if ((chosen.curve ?? "left") !== plotted) plot(chosen.curve ?? "left");
    for (const game of games) showGame(game);
    for (const end of ["x1", "x2"]) cursor.setAttribute(end, move);
    slider.max = length;
    slider.value = move;
    slider.setAttribute("aria-valuetext", `${word} ${move} of ${length}`);
    element("position").textContent = `${move} / ${length}`;
    said.textContent = sentence();
    for (const id of ["first", "back"]) element(id).disabled = move === 0;
    for (const id of ["forward", "last"]) element(id).disabled = move === length;
    element("weak").hidden = !weakest.length;
    element("earlier").disabled = round === 0;
    element("later").disabled = round === rounds.length - 1;
  }

  function address() {
    const parts = [`move=${move}`];
    if (round) parts.unshift(`game=${round + 1}`);
    if (layers.some(({ on }, layer) => on !== usual[layer])) {
      parts.push(`layers=${layers.map(({ on }, layer) => (on ? layer + 1 : "")).join("")}`);
    }
    for (const { key } of choices) if (chosen[key] !== first[key]) parts.push(`${key}=${chosen[key]}`);
    setAddress(`#${parts.join("&")}`);
  }
  const usual = layers.map(({ on }) => on);

  function go(to, keep = false) {
    if (!keep) pause();
    move = Math.min(Math.max(Math.round(to) || 0, 0), length);
    show();
    if (timer === null) address();
  }

  // While it plays, every move would be read out.
  function showPlaying(on) {
    play.textContent = on ? "❚❚" : "▶";
    play.setAttribute("aria-label", on ? "Pause" : "Play");
    said.setAttribute("aria-live", on ? "off" : "polite");
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    showPlaying(false);
  }

  function run() {
    clearInterval(timer);
    showPlaying(true);
    timer = setInterval(() => {
      go(move + 1, true);
      if (move === length) toggle();
    }, 1000 / speeds[speed]);
  }

  function toggle() {
    if (timer !== null) {
      pause();
      address();
    } else {
      if (move === length) go(0);
      run();
    }
  }

  function setSpeed(to) {
    speed = Math.min(Math.max(to, 0), speeds.length - 1);
    element("speed").value = speed;
    if (timer !== null) run();
  }

  function setLayer(layer, on) {
    layer.on = layer.box.checked = on;
    show();
    address();
  }

  function choose(key, value) {
    chosen[key] = selects[key].value = value;
    show();
    address();
  }

  function cycle({ key, options }) {
    const at = options.findIndex(([value]) => value === chosen[key]);
    choose(key, options[(at + 1) % options.length][0]);
  }

  function openRound(to) {
    round = to;
    element("round").value = to;
    const { ships, facts, games: listed } = rounds[to];
    shipAt = new Map(ships.flatMap((ship, number) => ship.map((cell) => [cell, number])));
    edges = Array.from({ length: cells }, (_, cell) => {
      const col = cell % cols, same = (other) => shipAt.get(other) === shipAt.get(cell);
      return (same(cell - cols) ? "" : " north") + (col < cols - 1 && same(cell + 1) ? "" : " east")
        + (same(cell + cols) ? "" : " south") + (col > 0 && same(cell - 1) ? "" : " west");
    });
    place.replaceChildren();
    place.className = `of${Math.min(listed.length, 5)}`;
    element("facts").textContent = facts;
    games = listed.map(gameOf);
    length = Math.max(...games.map((game) => game.moves.length));
    const hit = games.flatMap((game) => [...game.moves.keys()].filter((at) => hitsOf(game.moves[at])));
    jumps = [...new Set(hit)].sort((a, b) => a - b).map((at) => at + 1);
    // Before the move, where the board shows what else there was.
    const weak = games.flatMap((game) => game.worst.map((at) => [game.lost[at], at]));
    weakest = [...new Set(weak.sort((a, b) => b[0] - a[0]).map(([, at]) => at))];
    plotted = "";
  }

  function turnTo(to) {
    if (to === round || !rounds[to]) return;
    openRound(to);
    go(0);
  }

  // The weakest first, then the next weaker; from anywhere else, the weakest.
  function toWeak(step) {
    const at = weakest.indexOf(move);
    if (weakest.length) go(weakest[at < 0 ? 0 : (at + step + weakest.length) % weakest.length]);
  }

  function readAddress() {
    const asked = new URLSearchParams(location.hash.slice(1));
    openRound(Math.min(Math.max(Number(asked.get("game")) || 1, 1), rounds.length) - 1);
    if (asked.has("layers")) {
      layers.forEach((layer, at) => (layer.on = layer.box.checked = asked.get("layers").includes(at + 1)));
    }
    for (const { key, options } of choices) {
      const value = asked.get(key);
      if (options.some(([each]) => each === value)) chosen[key] = selects[key].value = value;
    }
    pause();
    move = Math.min(Math.max(Math.round(Number(asked.get("move"))) || 0, 0), length);
    show();
  }

  function offer() {
    address();
    element("link").value = location.href;
    element("command").value = rounds[round].command;
    element("command").parentElement.hidden = !rounds[round].command;
    element("copied").textContent = "";
    element("share").showModal();
  }

  async function copy(field) {
    element("copied").textContent = (await copied(field.value, field)) ? "Copied." : "Select the text, and copy it.";
  }

  const keys = {
    ArrowLeft: () => go(move - 1),
    ArrowRight: () => go(move + 1),
    ArrowUp: () => go(move - 10),
    ArrowDown: () => go(move + 10),
    Home: () => go(0),
    End: () => go(length),
    " ": toggle,
    "+": () => setSpeed(speed + 1),
    "=": () => setSpeed(speed + 1),
    "-": () => setSpeed(speed - 1),
    j: () => go(jumps.find((jump) => jump > move) ?? move),
    k: () => go(jumps.findLast((jump) => jump < move) ?? 0),
    w: () => toWeak(1),
    W: () => toWeak(-1),
    n: () => turnTo(round + 1),
    p: () => turnTo(round - 1),
    l: offer,
    "?": () => element("help").showModal(),
  };
  layers.forEach((layer, at) => (keys[at + 1] = () => setLayer(layer, !layer.on)));
  for (const choice of choices) keys[choice.key[0]] = () => cycle(choice);
  onKeys((key, target) => {
    // Elements with keys of their own keep them.
    if (key.length > 1 && (target === slider || target.closest("select, [tabindex='0']"))) return false;
    if (key === " " && target.closest("button, select, input, summary")) return false;
    if (key === "Escape" && element("choose").open) element("choose").open = false;
    else if (Object.hasOwn(keys, key)) keys[key]();
    else return false;
    return true;
  });
  const buttons = {
    first: keys.Home, back: keys.ArrowLeft, play: toggle, forward: keys.ArrowRight, last: keys.End, weak: keys.w,
    earlier: keys.p, later: keys.n, offer, ask: keys["?"],
    "copy-link": () => copy(element("link")), "copy-command": () => copy(element("command")),
  };
  for (const [id, act] of Object.entries(buttons)) element(id).addEventListener("click", act);

  for (const { key, name, place: where, options } of choices) {
    const label = make("label", element(narrow ? "layers" : where), "", `${name} `);
    selects[key] = make("select", label);
    for (const [value, text] of options) selects[key].add(new Option(text, value));
    selects[key].value = chosen[key];
    selects[key].addEventListener("change", () => choose(key, selects[key].value));
    label.append(" ");
    make("kbd", label, "", key[0]);
  }
  layers.forEach((layer, at) => {
    const label = make("label", element("layers"));
    layer.box = make("input", label);
    layer.box.type = "checkbox";
    layer.box.checked = layer.on;
    layer.box.addEventListener("change", () => setLayer(layer, layer.box.checked));
    label.append(` ${layer.name} `);
    make("kbd", label, "", String(at + 1));
  });
  for (const { label, look } of everyGame[0].opinions) {
    const entry = make("span", element("symbols"));
    make("i", entry, "key other").style.setProperty("--other", `var(--look-${look})`);
    entry.append(` shot of ${label}`);
  }
  speeds.forEach((rate, at) => element("speed").append(new Option(`${rate} ${word}s/s`, at)));
  rounds.forEach(({ name }, at) => element("round").append(new Option(name, at)));
  element("rounds").hidden = rounds.length < 2;
  setSpeed(speed);
  slider.addEventListener("input", () => go(slider.valueAsNumber));
  element("speed").addEventListener("change", (event) => setSpeed(Number(event.target.value)));
  element("round").addEventListener("change", (event) => turnTo(Number(event.target.value)));
  // A click on an element with a move goes to that move; one elsewhere closes the layers.
  document.addEventListener("click", ({ target }) => {
    const named = target.closest("[data-move]");
    if (named) go(Number(named.dataset.move));
    if (!target.closest("#choose")) element("choose").open = false;
  });
  const placeOf = (event) => {
    const box = course.getBoundingClientRect();
    return Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
  };
  course.addEventListener("click", (event) => go(placeOf(event) * length - 0.5));
  course.addEventListener("pointermove", (event) => {
    const at = placeOf(event);
    tip.textContent = tipAt(Math.floor(at * length));
    tip.hidden = !tip.textContent;
    tip.style.left = `${100 * at}%`;
    tip.style.transform = `translateX(-${100 * at}%)`;
  });
  course.addEventListener("pointerleave", () => (tip.hidden = true));
  window.addEventListener("hashchange", readAddress);
  readAddress();
}

replay();
