// The page: its controls, the list, the table, and games in frames. Whatever is chosen changes the
// state and the address, and then what depends on it is drawn again.
(() => {
  const element = (id) => document.getElementById(id);
  const { scenes, games } = JSON.parse(element("data").textContent);
  if (!scenes.length) return;
  scenes.forEach(prepare);
  const states = startState(scenes);
  let state = states.read(location.hash);
  let frame = null; // Of a chart over shots: what moves with the shot.
  let lit = null; // The strategy that is pointed at.

  function make(tag, parent, name = "", words = "") {
    const made = document.createElement(tag);
    if (name) made.className = name;
    if (words !== "") made.textContent = words;
    parent?.append(made);
    return made;
  }

  function button(parent, words, act, label = "", name = "") {
    const made = make("button", parent, name, words);
    made.type = "button";
    if (label) made.setAttribute("aria-label", label);
    made.addEventListener("click", act);
    return made;
  }

  const who = (index) => state.scene.strategies[index];
  const say = (words) => { element("said").textContent = words; };

  // Change the state, and remember the one before, for the browser's way back.
  function change(changes, words = "") {
    Object.assign(state, changes);
    address(true);
    show();
    if (words) say(words);
  }

  function address(remember) {
    const now = states.write(state);
    if (now === (location.hash || "#")) return;
    clearTimeout(settling);
    try {
      history[remember ? "pushState" : "replaceState"](null, "", now);
    } catch {
      // Within a frame there is no address.
    }
  }

  let settling = 0;
  // While the pointer moves, the address waits for it to rest.
  function lookAt(shot) {
    const { scene } = state;
    state.shot = Math.min(Math.max(shot, 1), scene.cells);
    frame?.move(state.shot);
    showReadout();
    clearTimeout(settling);
    settling = setTimeout(() => address(false), 250);
  }

  // ---- What can be chosen

  function radios(place, options, chosen, choose) {
    const group = element(place);
    const before = group.contains(document.activeElement) ? document.activeElement.dataset.value : null;
    group.replaceChildren();
    for (const [value, words] of Object.entries(options)) {
      const made = button(group, words, () => choose(value));
      made.dataset.value = value;
      made.setAttribute("role", "radio");
      made.setAttribute("aria-checked", value === chosen);
      made.tabIndex = value === chosen ? 0 : -1;
      if (value === before) made.focus();
    }
    group.onkeydown = (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const values = Object.keys(options), at = values.indexOf(chosen);
      const next = values[(at + step + values.length) % values.length];
      choose(next);
      group.querySelector("[aria-checked='true']")?.focus();
    };
    group.hidden = Object.keys(options).length < 2;
  }

  function goToScene(title) {
    const scene = scenes.find((each) => each.title === title), view = state.view;
    const fresh = states.fresh(scene);
    change(scene.strategies.length > 1 ? { ...fresh, view } : fresh, `Scenario ${title}`);
  }

  function turn(index, is) {
    const on = new Set(state.on);
    if (is) on.add(index);
    else on.delete(index);
    change({ on }, `${who(index).label} ${is ? "on" : "off"}; ${on.size} of ${state.scene.strategies.length} shown`);
  }

  function select(strategies) {
    const on = new Set(strategies.map((each) => each.index));
    change({ on }, `${on.size} of ${state.scene.strategies.length} shown`);
  }

  const boxes = new Map();
  let listed = null;

  // The list is made once for each scene; later, boxes are ticked.
  function makeList() {
    const { scene } = state, list = element("list");
    listed = scene;
    boxes.clear();
    list.replaceChildren();
    let feedback = "";
    const feedbackRank = (each) => Object.keys(scene.feedbacks).indexOf(each.feedback);
    const order = [...scene.byMean].sort((a, b) => feedbackRank(a) - feedbackRank(b));
    for (const each of order) {
      if (each.feedback !== feedback) {
        feedback = each.feedback;
        const head = make("li", list, "group", `feedback ${feedback}`);
        const words = feedback;
        button(head, "only", () => select(scene.strategies.filter((other) => other.feedback === words)), `Only strategies with feedback ${words}`, "small");
      }
      const item = make("li", list, "item");
      item.dataset.who = each.index;
      const label = make("label", item), box = make("input", label);
      box.type = "checkbox";
      box.addEventListener("change", () => turn(each.index, box.checked));
      label.append(swatch(each));
      make("span", label, "called", each.label);
      make("span", label, "mean", fixed(each.mean, 2));
      boxes.set(each.index, box);
    }
    const reference = element("reference");
    reference.replaceChildren(...scene.byMean.map((each) => new Option(each.label, each.index)));
    element("five").hidden = scene.strategies.length < 6;
    reference.closest("label").hidden = scene.strategies.length < 2;
  }

  // The views take the place of the table of the scene, and other scenes wait.
  function standIn(scene) {
    for (const [index, section] of document.querySelectorAll(".scene").entries()) {
      const plain = section.querySelector(".plain");
      section.hidden = scenes[index] !== scene;
      plain.hidden = true;
      if (!section.hidden) plain.before(element("app"));
    }
  }

  // ---- Views

  function show() {
    const { scene } = state, on = shown(state);
    if (listed !== scene) {
      standIn(scene);
      makeList();
    }
    for (const [index, box] of boxes) {
      box.checked = state.on.has(index);
      box.closest("li").classList.toggle("off", !box.checked);
    }
    element("reference").value = state.reference;
    element("count").textContent = `${on.length} of ${scene.strategies.length}`;
    radios("scenes", Object.fromEntries(scenes.map((each) => [each.title, each.title])), scene.title, goToScene);
    const views = scene.strategies.length > 1 ? VIEWS : { ranking: VIEWS.ranking, distribution: VIEWS.distribution };
    radios("views", views, state.view, (view) => change({ view }, views[view]));
    radios("modes", modesOf(state.scene)[state.view] ?? {}, state.mode[state.view], (value) =>
      change({ mode: { ...state.mode, [state.view]: value } }, modesOf(state.scene)[state.view][value]));
    showView();
    showGame();
    showTable();
  }

  const abouts = {
    ranking: () => "Dot: mean. Bar: middle half of the games. Line: 5 to 95 %. "
      + (state.scene.strategies.length > 1 ? "Hollow dot: the difference is not clear. Arrow: farther away than the axis reaches. Choose a row to compare with it." : ""),
    distribution: () => `Point at a ${state.scene.shot} for exact shares. A click watches a game that ended there.`,
    ahead: () => `Share of games that a strategy has finished by a ${state.scene.shot}, minus the share of ${who(state.reference).label}, in percentage points. Above the line: ahead of the reference.`,
    pairs: () => (state.mode.pairs === "first"
      ? "Share of games in which the strategy of the row finishes before that of the column, on the same layout."
      : `${capital(state.scene.moves)} of the row minus ${state.scene.moves} of the column: below 0, the row needs fewer. Without colour: not clear, the 95 % interval contains 0.`),
  };

  function showView() {
    const stage = element("stage"), focused = stage.contains(document.activeElement) && document.activeElement.id;
    frame = null;
    element("headline").textContent = minus(headline(state));
    element("about").textContent = abouts[state.view]();
    stage.replaceChildren();
    stage.className = state.view;
    if (shown(state).length) {
      if (state.view === "ranking") showRanking(stage);
      else if (state.view === "pairs") showPairs(stage);
      else showShots(stage);
    }
    if (focused) element(focused)?.focus();
    light(lit);
  }

  function showRanking(stage) {
    const place = make("div", stage, "plot");
    const chart = drawRanking(state, place.clientWidth);
    place.append(chart);
    chart.addEventListener("click", (event) => {
      const row = event.target.closest("[data-who]");
      if (row && state.scene.strategies.length > 1) {
        change({ reference: Number(row.dataset.who) }, `Compared with ${who(row.dataset.who).label}`);
      }
    });
  }

  function showShots(stage) {
    const place = make("div", stage, "plot");
    place.id = "plot";
    place.tabIndex = 0;
    place.setAttribute("role", "slider");
    place.setAttribute("aria-label", `Shot, ${VIEWS[state.view]}`);
    place.setAttribute("aria-valuemin", 1);
    place.setAttribute("aria-valuemax", state.scene.cells);
    frame = drawShots(state, place.clientWidth);
    place.append(frame.chart);
    if (frame.beyond.length) make("p", stage, "note", `Farther away than the axis reaches, at most: ${frame.beyond.join(", ")}.`);
    make("div", stage, "readout scroll").id = "readout";
    frame.move(state.shot);
    showReadout();
    const shotAt = (event) => {
      const box = frame.chart.getBoundingClientRect(), { box: inner, first, last } = frame;
      const x = ((event.clientX - box.left) / box.width) * frame.width;
      const shot = Math.round(first + ((x - inner.left) / (inner.right - inner.left)) * (last - first));
      return Math.min(Math.max(shot, 1), state.scene.cells);
    };
    place.addEventListener("pointermove", (event) => lookAt(shotAt(event)));
    place.addEventListener("pointerdown", (event) => lookAt(shotAt(event)));
    place.addEventListener("click", (event) => {
      lookAt(shotAt(event));
      // A finger points, too: it opens games by the list below.
      if (event.pointerType === "touch") return;
      const box = frame.chart.getBoundingClientRect(), y = ((event.clientY - box.top) / box.height) * frame.chart.viewBox.baseVal.height;
      const value = valueOf(state), distance = (each) => Math.abs(frame.y(value(each, state.shot)) - y);
      const there = shown(state).filter((each) => gamesAt(each, state.shot) > 0).sort((a, b) => distance(a) - distance(b));
      if (there.length) openGame(there[0].index, state.shot);
    });
    place.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
      const on = shown(state);
      if (step) lookAt(state.shot + step);
      else if (event.key === "Home") lookAt(Math.min(...on.map((each) => each.best)));
      else if (event.key === "End") lookAt(Math.max(...on.map((each) => each.worst)));
      else if (event.key === "Enter") {
        const there = on.find((each) => gamesAt(each, state.shot) > 0);
        if (there) openGame(there.index, state.shot);
      } else return;
      event.preventDefault();
    });
  }

  function showReadout() {
    const readout = element("readout");
    if (!readout) return;
    const { scene, shot } = state, ahead = state.view === "ahead", reference = who(state.reference);
    const table = document.createElement("table");
    make("caption", table, "", `${capital(scene.shot)} ${shot}`);
    const head = make("tr", make("thead", table));
    const columns = ["strategy", "games", "at it", "by it", ...(ahead ? ["ahead"] : [])];
    for (const column of columns) make("th", head, "", column).scope = "col";
    const body = make("tbody", table), spoken = [];
    for (const each of shown(state)) {
      const row = make("tr", body);
      row.dataset.who = each.index;
      const name = make("th", row);
      name.scope = "row";
      name.append(swatch(each), ` ${each.label}`);
      const games = gamesAt(each, shot), cell = make("td", row);
      if (games > 0) {
        const embedded = shot in each.pages;
        button(cell, `${embedded ? "▶ " : ""}${whole(games)}`, () => openGame(each.index, shot),
          `${whole(games)} games of ${each.label} end at ${scene.shot} ${shot}: ${embedded ? "watch one" : "how to watch one"}`, "open");
      } else cell.textContent = "0";
      make("td", row, "", percent(shareAt(each, shot)));
      make("td", row, "", percent(shareBy(each, shot)));
      const lead = shareBy(each, shot) - shareBy(reference, shot);
      if (ahead) make("td", row, "", each === reference ? "" : points(lead));
      spoken.push(`${each.label} ${ahead ? points(lead) : percent(shareAt(each, shot))}`);
    }
    readout.replaceChildren(table);
    const plot = element("plot");
    plot.setAttribute("aria-valuenow", shot);
    plot.setAttribute("aria-valuetext", `${scene.shot} ${shot}: ${spoken.slice(0, 5).join(", ")}`);
    light(lit);
  }

  function showPairs(stage) {
    const on = shown(state), { scene } = state, first = state.mode.pairs === "first";
    const scroll = make("div", stage, "scroll");
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", "All pairs");
    const table = make("table", scroll, "matrix"), head = make("tr", make("thead", table));
    make("td", head);
    for (const other of on) {
      const cell = make("th", head);
      cell.scope = "col";
      make("span", cell, "", other.label);
      cell.dataset.who = other.index;
    }
    const body = make("tbody", table), grid = [];
    const largest = Math.max(...on.flatMap((one) => on.map((other) => Math.abs(pairOf(scene, one.index, other.index)?.mean ?? 0))), 1e-9);
    for (const one of on) {
      const row = make("tr", body), name = make("th", row);
      name.scope = "row";
      name.dataset.who = one.index;
      name.append(swatch(one), ` ${one.label}`);
      grid.push(on.map((other) => {
        const cell = make("td", row), pair = pairOf(scene, one.index, other.index);
        if (!pair) return cell;
        const race = pair.race, total = race ? race[0] + race[1] + race[2] : 0;
        cell.textContent = first ? (race ? `${fixed((100 * race[0]) / total, 1)}` : "–")
          : `${pair.mean < 0 ? "−" : "+"}${fixed(Math.abs(pair.mean), 2)}`;
        const strength = first ? (race ? (race[0] - race[2]) / total : 0) : pair.clear ? -pair.mean / largest : 0;
        cell.className = strength > 0 ? "fewer" : strength < 0 ? "more" : "";
        cell.style.setProperty("--strength", `${Math.round(18 + 62 * Math.sqrt(Math.abs(strength)))}%`);
        cell.setAttribute("aria-label", pairText(one, other));
        cell.tabIndex = -1;
        cell.onfocus = cell.onpointerenter = () => lookAtPair(one, other, cell);
        cell.onclick = () => cell.focus();
        return cell;
      }));
    }
    const words = make("p", stage, "pair");
    words.id = "pair";
    const chosen = state.pair && state.pair.every((index) => state.on.has(index)) ? state.pair : null;
    const at = (index) => on.findIndex((each) => each.index === index);
    const start = chosen ? grid[at(chosen[0])][at(chosen[1])] : grid[0]?.[1];
    if (start) start.tabIndex = 0;
    if (chosen) {
      start.classList.add("chosen");
      words.textContent = pairText(...chosen.map(who));
      scroll.scrollLeft = start.offsetLeft - scroll.clientWidth / 2;
    } else words.textContent = on.length > 1 ? "Point at a pair to see its interval and its number of games." : "";
    table.addEventListener("keydown", (event) => {
      const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
      if (!step) return;
      event.preventDefault();
      let row = grid.findIndex((cells) => cells.includes(document.activeElement));
      let column = grid[row]?.indexOf(document.activeElement) ?? 0;
      do {
        row += step[0];
        column += step[1];
      } while (row === column && grid[row]?.[column]);
      grid[row]?.[column]?.focus();
    });
  }

  function lookAtPair(one, other, cell) {
    state.pair = [one.index, other.index];
    element("pair").textContent = pairText(one, other);
    for (const old of document.querySelectorAll(".matrix .chosen")) old.classList.remove("chosen");
    for (const old of document.querySelectorAll(".matrix [tabindex='0']")) old.tabIndex = -1;
    cell.classList.add("chosen");
    cell.tabIndex = 0;
    clearTimeout(settling);
    settling = setTimeout(() => address(false), 250);
  }

  function pairText(one, other) {
    const pair = pairOf(state.scene, one.index, other.index);
    const clear = pair.clear || state.scene.exact ? "" : ", which is not clear";
    const start = `${one.label} minus ${other.label}: ${minus(pair.text)} ${state.scene.moves}${clear}, ${basis(state.scene, one, other)}.`;
    if (!pair.race) return `${start} The records do not show which of the two finishes first.`;
    const total = pair.race[0] + pair.race[1] + pair.race[2];
    const [wins, ties, losses] = pair.race.map((games) => `${fixed((100 * games) / total, 1)} %`);
    return `${start} In ${whole(total)} games on the same layouts, ${one.label} finishes first in ${wins}, ${other.label} in ${losses}, both at once in ${ties}.`;
  }

  // ---- The table

  const race = (each) => pairOf(state.scene, each.index, state.reference)?.race;
  const difference = (each) => pairOf(state.scene, each.index, state.reference);

  const columns = {
    strategy: { head: "strategy", value: (each) => each.label },
    mean: { head: "mean ± 95 %", value: (each) => each.mean, text: (each) => each.text },
    median: { head: "median", value: (each) => each.median, watch: true },
    low: { head: "5 %", value: (each) => each.low, watch: true },
    high: { head: "95 %", value: (each) => each.high, watch: true },
    best: { head: "best", value: (each) => each.best, watch: true },
    worst: { head: "worst", value: (each) => each.worst, watch: true },
    difference: {
      head: "difference",
      value: (each) => difference(each)?.mean ?? 0,
      text: (each) => (difference(each) ? minus(difference(each).text) : "reference"),
    },
    rank: { head: "rank", value: (each) => parseInt(each.rank, 10), text: (each) => each.rank },
    wins: {
      head: "won/tied/lost %",
      value: (each) => (race(each) ? race(each)[0] / (race(each)[0] + race(each)[1] + race(each)[2]) : null),
    },
    games: { head: "games", value: (each) => each.games, text: (each) => whole(each.games) },
  };

  function showTable() {
    const { scene } = state, place = element("figures");
    const focused = place.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    const on = shown(state), several = scene.strategies.length > 1;
    const keys = Object.keys(columns).filter((key) =>
      (several || !["difference", "rank", "wins"].includes(key)) && (key !== "rank" || on.some((each) => each.rank)) && (key !== "wins" || on.some(race))
      && (key !== "games" || on.some((each) => each.games !== on[0].games)));
    const sort = keys.includes(state.sort) ? state.sort : "mean", { value } = columns[sort];
    // Wins sort from the most on; whatever has no value comes last, either way.
    const sign = (state.down ? -1 : 1) * (sort === "wins" ? -1 : 1);
    const rows = on.sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === null || y === null) return (x === null) - (y === null);
      return sign * (x < y ? -1 : x > y ? 1 : 0);
    });
    place.replaceChildren();
    if (!rows.length) return;
    make("h2", place, "", "Figures");
    const watching = "Choose a length to watch a game of that length.";
    make("p", place, "note", several ? `Differences: ${state.scene.moves} minus those of ${who(state.reference).label}. Below 0, a strategy needs fewer ${state.scene.moves}. ${watching}` : watching);
    const scroll = make("div", place, "scroll");
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", "Table of figures");
    const table = make("table", scroll, "figures");
    const head = make("tr", make("thead", table));
    for (const key of keys) {
      const cell = make("th", head);
      cell.scope = "col";
      if (key === sort) cell.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      const made = button(cell, columns[key].head, () =>
        change({ sort: key, down: key === sort && !state.down }, `Sorted by ${columns[key].head}`));
      made.dataset.key = cell.dataset.key = key;
      if (key === focused) made.focus();
    }
    const body = make("tbody", table);
    for (const each of rows) {
      const row = make("tr", body);
      row.dataset.who = each.index;
      for (const key of keys) {
        const column = columns[key], cell = make(key === "strategy" ? "th" : "td", row);
        cell.dataset.key = key;
        if (key === "strategy") {
          cell.scope = "row";
          cell.append(swatch(each), ` ${each.label}`);
          if (each.feedback) make("small", cell, "", ` ${each.feedback}`);
        } else if (key === "wins") bars(cell, race(each));
        else if (column.watch) {
          const moves = column.value(each);
          // The median may lie between two games.
          if (gamesAt(each, moves) > 0) button(cell, String(moves), () => openGame(each.index, moves), `${column.head} ${moves}: watch such a game of ${each.label}`, "open");
          else cell.textContent = moves;
        } else cell.textContent = column.text(each);
        if (key === "difference" && difference(each) && !difference(each).clear && !scene.exact) {
          cell.classList.add("unclear");
          cell.title = "not clear: the interval contains 0";
        }
      }
    }
    if (several) make("p", place, "note", basisNote(rows));
  }

  // Games won, tied and lost as a bar and in percent.
  function bars(cell, found) {
    if (!found) return;
    const total = found[0] + found[1] + found[2];
    const chart = draw("svg", { class: "bars", viewBox: "0 0 48 10", width: 48, height: 10, "aria-hidden": "true" });
    let x = 0;
    found.forEach((games, index) => {
      const width = (48 * games) / total;
      chart.append(draw("rect", { class: ["win", "tie", "loss"][index], x, width, y: 0, height: 10 }));
      x += width;
    });
    cell.append(chart);
    make("span", cell, "shares", found.map((games) => fixed((100 * games) / total, 1)).join("/"));
    cell.title = `${whole(total)} games`;
  }

  // On what the differences and races of the table rest.
  function basisNote(rows) {
    const { scene } = state, reference = who(state.reference), groups = new Map();
    for (const each of rows) {
      if (each === reference) continue;
      const words = basis(scene, each, reference);
      groups.set(words, [...(groups.get(words) ?? []), each.label]);
    }
    const sorted = [...groups].sort((a, b) => a[1].length - b[1].length);
    const parts = sorted.map(([words, labels], index) => (groups.size === 1 ? words
      : `${labels.length > 3 && index === sorted.length - 1 ? "the others" : labels.join(", ")}: ${words}`));
    const raced = new Set(rows.map(race).filter(Boolean).map((found) => found[0] + found[1] + found[2]));
    const first = raced.size ? ` Won, tied, lost: of ${[...raced].sort((a, b) => a - b).map(whole).join(" or ")} games on the same layouts.` : "";
    return parts.length ? `Differences: ${parts.join("; ")}.${first} Grey: not clear, the interval contains 0.` : "";
  }

  // ---- Games

  let opener = null;

  function openGame(index, moves) {
    opener = document.activeElement;
    change({ game: { who: index, moves } }, `${who(index).label}, a game of ${moves} ${state.scene.moves}`);
    const head = element("gamehead");
    head.focus({ preventScroll: true });
    element("game").scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  }

  function closeGame() {
    if (!state.game) return;
    change({ game: null }, "The game is closed");
    (opener?.isConnected ? opener : element("plot") ?? element("views").querySelector("[tabindex='0']"))?.focus();
  }

  let playing = ""; // What the frame shows, which stays while other things change.

  function showGame() {
    const place = element("game"), game = state.game;
    place.hidden = !game;
    const key = game && `${scenes.indexOf(state.scene)} ${game.who} ${game.moves}`;
    if (key === playing) return;
    playing = key;
    place.replaceChildren();
    if (!game) return;
    const each = who(game.who), { moves } = game, page = each.pages[moves], number = firstGame(each, moves);
    const name = lengthName(each, moves), top = make("div", place, "top"), head = make("h2", top);
    head.id = "gamehead";
    head.tabIndex = -1;
    head.append(swatch(each), ` ${each.label}: a game of ${moves} ${state.scene.moves}${name ? `, ${name}` : ""}`);
    const row = make("div", place, "row");
    const choose = (words, options, chosen, act) => {
      const field = make("label", row, "field", words), made = make("select", field);
      made.append(...options);
      made.value = chosen;
      made.addEventListener("change", () => {
        act(Number(made.value));
        element("gamehead").parentNode.querySelectorAll("select")[words === "strategy" ? 0 : 1]?.focus();
      });
    };
    choose("strategy", state.scene.byMean.map((other) => new Option(other.label, other.index)), game.who, (index) => {
      const other = who(index);
      change({ game: { who: index, moves: gamesAt(other, moves) > 0 ? moves : other.median } });
    });
    choose(state.scene.moves, lengths(each).map((length) =>
      new Option(`${length in each.pages ? "▶ " : ""}${length}${lengthName(each, length) ? ` (${lengthName(each, length)})` : ""}`, length)),
    moves, (length) => change({ game: { who: game.who, moves: length } }));
    button(top, "Close", closeGame, "Close the game");
    const games = gamesAt(each, moves);
    make("p", place, "note", `${whole(games)} of ${whole(each.games)} games of ${each.label} took ${moves} ${state.scene.moves}. By ${state.scene.shot} ${moves}, ${percent(shareBy(each, moves))} of all were over.`
      + (number >= 0 ? ` The first of them is game ${whole(number)} of seed ${each.seed}.` : ""));
    if (number >= 0) command(place, `${each.command} ${number}`, page === undefined);
    else make("p", place, "note", "The record does not say which games these are.");
    if (page !== undefined) watch(place, page, `A game of ${each.label}, ${moves} ${state.scene.moves}`);
    else if (each.reason) make("p", place, "note", `This page holds no games of ${each.label}: ${each.reason}.`);
  }

  function command(place, words, alone) {
    const line = make("p", place, "command");
    make("span", line, "note", alone ? "This page does not hold this game. To watch it: " : "As a command: ");
    const code = make("code", line, "", words);
    const made = button(line, "Copy", () => copy(words, made), "Copy the command", "small");
    code.tabIndex = 0;
  }

  async function copy(words, where) {
    await navigator.clipboard.writeText(words);
    const before = where.textContent;
    where.textContent = "Copied";
    say("Copied");
    setTimeout(() => { where.textContent = before; }, 1500);
  }

  let unpacked = null;

  // The pages of games, which share most of their lines.
  async function pages() {
    const bytes = Uint8Array.from(atob(games), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }

  async function watch(place, number, title) {
    const holder = make("div", place, "frame");
    try {
      unpacked ??= pages();
      const { lines, pages: all } = await unpacked;
      const made = document.createElement("iframe");
      made.title = title;
      made.sandbox = "allow-scripts";
      made.allow = "clipboard-write";
      made.srcdoc = all[number].map((line) => lines[line]).join("");
      holder.append(made);
    } catch {
      make("p", holder, "note", "This browser can't show the game: use the command above.");
    }
  }

  // ---- Pointing at a strategy anywhere makes its line stand out.

  function light(index) {
    lit = index;
    document.body.classList.toggle("lit", index !== null);
    for (const each of document.querySelectorAll("[data-who]")) {
      each.classList.toggle("is-lit", index !== null && Number(each.dataset.who) === index);
    }
  }

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const pointed = event.target.closest?.("#list [data-who], .figures [data-who], #readout [data-who], .rank, .name, .matrix th");
    const index = pointed ? Number(pointed.dataset.who) : null;
    if (index !== lit) light(index);
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const { key, target } = event;
    if (key === "Escape" && !target.closest("input, select")) closeGame();
    if (target.closest("select, textarea")) return;
    const view = Object.keys(VIEWS)[Number(key) - 1];
    if (view && /^[1-4]$/.test(key) && element("views").querySelector(`[data-value='${view}']`)) change({ view }, VIEWS[view]);
    else return;
    event.preventDefault();
  });

  element("all").addEventListener("click", () => select(state.scene.strategies));
  element("none").addEventListener("click", () => select([]));
  element("five").addEventListener("click", () => select(state.scene.byMean.slice(0, 5)));
  element("reference").addEventListener("change", (event) =>
    change({ reference: Number(event.target.value) }, `Compared with ${who(event.target.value).label}`));
  element("link").addEventListener("click", (event) => {
    address(false);
    copy(location.href, event.target);
  });
  const restore = () => {
    state = states.read(location.hash);
    show();
  };
  window.addEventListener("popstate", restore);
  let width = 0;
  new ResizeObserver(() => {
    const now = element("stage").clientWidth;
    if (now && now !== width) {
      width = now;
      if (state.view !== "pairs") showView();
    }
  }).observe(element("stage"));
  element("app").hidden = element("keys").hidden = false;
  for (const made of document.querySelectorAll(".fault button")) {
    made.hidden = false;
    made.addEventListener("click", () => {
      watch(made.parentNode, made.dataset.page, made.textContent);
      made.hidden = true;
    });
  }
  if (matchMedia("(max-width: 60rem)").matches) element("choose").open = false;
  width = element("stage").clientWidth;
  show();
  // A link to a game leads to the game.
  if (state.game) element("game").scrollIntoView();
})();
