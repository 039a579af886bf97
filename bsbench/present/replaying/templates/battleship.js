// What a Battleship replay shows: boards, scores, ships and moves of one or more games on one layout.
function battleship(data) {
  const { rows, cols, fleet, ships, announced, symbols, meanings, colours } = data;
  const cells = rows * cols, closed = 255;
  const make = (tag, parent, name = "", text = "") => {
    const made = document.createElement(tag);
    if (name) made.className = name;
    if (text) made.textContent = text;
    parent.append(made);
    return made;
  };
  const nameOf = (cell) => data.rowNames[Math.floor(cell / cols)] + ((cell % cols) + 1);
  const shipAt = new Map(ships.flatMap((ship, index) => ship.map((cell) => [cell, index])));
  const wide = window.matchMedia("(min-width: 50rem)").matches;
  const beside = wide && data.games.length === 1;
  const layers = [
    { name: "heat map beside the board", on: beside },
    { name: "heat map on the board", on: !beside },
    { name: "numbers in heat maps", on: false },
    { name: "one scale for all moves", on: false },
    { name: "hidden fleet", on: false },
    { name: "order of shots", on: false },
  ];
  const [BESIDE, ONTO, NUMBERS, ONE_SCALE, FLEET, ORDER] = layers.keys();

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

  function legend(parent, highest) {
    const line = make("div", parent, "scale");
    make("span", line, "", "0");
    const bar = make("span", line, "bar");
    for (const [ground] of colours) make("i", bar).style.backgroundColor = ground;
    return [line, make("span", line, "", highest)];
  }

  // A game, and what draws it.
  const games = data.games.map((game, index) => {
    const section = make("section", document.getElementById("games"), `game line${index % 6}`);
    section.setAttribute("aria-label", game.label);
    make("h2", section, "", game.label);
    const boards = make("div", section, "boards");
    const board = make("figure", boards, "board");
    const caption = make("figcaption", board, "", "Board");
    const marks = grid(board, `Board of ${game.label}`);
    const heat = make("figure", boards, "heat");
    make("figcaption", heat, "", "Scores for the next shot");
    const scores = grid(heat, `Scores of ${game.label}`);
    const notes = make("div", section, "notes");
    const [scale, greatest] = legend(notes, "");
    const note = make("p", notes, "note");
    const list = make("ul", section, "fleet");
    const items = fleet.map((length) => {
      const item = make("li", list);
      make("span", item, "", "▪".repeat(Math.min(length, 9))).setAttribute("aria-hidden", "true");
      return [item, make("span", item)];
    });
    if (!announced) make("p", section, "note", "These rules do not announce which ships have sunk.");
    const record = make("ol", section, "moves");
    record.tabIndex = 0;
    record.setAttribute("aria-label", `Moves of ${game.label}`);
    const buttons = game.moves.map(([cell, outcome], number) => {
      const button = make("button", make("li", record), ["", "hit", "sank"][outcome]);
      button.type = "button";
      button.dataset.move = number + 1;
      button.textContent = `${nameOf(cell)} ${symbols[outcome + 1]}`;
      button.setAttribute("aria-label", `Move ${number + 1}, ${nameOf(cell)}: ${outcomeText(game, number)}`);
      return button;
    });
    if (game.fault) make("p", section, "fault", game.fault);
    const maps = Uint8Array.from(atob(game.maps), (letter) => letter.charCodeAt(0));
    const top = Math.max(0, ...game.highest);
    return { ...game, board, caption, heat, marks, scores, scale, greatest, note, items, record, buttons, maps, top };
  });

  function outcomeText(game, number) {
    const [, outcome, ship] = game.moves[number];
    if (outcome === 0) return "miss";
    if (ship < 0) return "hit";
    return `${outcome === 1 ? "hit" : "sunk"}, ship ${ship} of length ${fleet[ship]}`;
  }

  function showGame(game, move, on) {
    const made = Math.min(move, game.moves.length);
    const known = new Array(cells).fill(0), order = new Array(cells).fill(0), sunk = new Set();
    game.moves.slice(0, made).forEach(([cell, outcome, ship], number) => {
      known[cell] = outcome === 0 ? 1 : 2;
      order[cell] = number + 1;
      if (outcome === 2) sunk.add(ship);
    });
    for (const ship of sunk) for (const cell of ships[ship]) known[cell] = 3;
    const last = made > 0 ? game.moves[made - 1][0] : -1;
    const next = made < game.moves.length ? game.moves[made][0] : -1;
    const map = made < game.moves.length ? game.mapOf[made] : -1;
    const factor = map >= 0 && on[ONE_SCALE] && game.top > 0 ? game.highest[map] / game.top : 1;
    const onto = on[ONTO] && map >= 0;

    function tint(box, cell, share) {
      const [ground, text] = share === null ? ["", ""] : colours[Math.round(share * factor * (colours.length - 1))];
      box.style.backgroundColor = ground;
      box.style.color = text;
    }

    function shareOf(cell) {
      const value = map < 0 ? closed : game.maps[map * cells + cell];
      return value === closed ? null : value / 254;
    }

    for (let cell = 0; cell < cells; cell++) {
      const share = shareOf(cell), name = nameOf(cell);
      const hidden = on[FLEET] && known[cell] === 0 && shipAt.has(cell);
      const flags = (cell === last ? " last" : "") + (cell === next ? " next" : "");
      const percent = share === null ? "" : `${Math.round(100 * share)} % of the highest score`;
      const shot = order[cell] ? `, shot ${order[cell]}` : "";
      const what = `${name}: ${hidden ? data.hiddenMeaning : meanings[known[cell]]}${shot}${percent && `, ${percent}`}`;
      const coming = cell === next ? `${what}, next shot` : what;
      const tinted = onto && share !== null && known[cell] === 0;
      const box = game.marks[cell];
      box.className = `mark${known[cell]}${hidden ? " hidden" : ""}${flags}`;
      box.textContent = tinted && on[NUMBERS] ? Math.round(100 * share)
        : on[ORDER] && order[cell] ? order[cell]
        : hidden ? data.hidden : symbols[known[cell]];
      box.title = coming;
      box.setAttribute("aria-label", coming);
      tint(box, cell, tinted ? share : null);
      if (!on[BESIDE]) continue;
      const beside = game.scores[cell];
      beside.className = `${share === null ? `mark${known[cell]}` : "score"}${hidden ? " hidden" : ""}${flags}`;
      beside.textContent = share === null ? symbols[known[cell]]
        : on[NUMBERS] ? Math.round(100 * share) : "";
      beside.title = coming;
      beside.setAttribute("aria-label", coming);
      tint(beside, cell, share);
    }
    const none = game.mapOf.every((index) => index < 0);
    game.heat.hidden = !on[BESIDE] || none;
    game.scale.hidden = map < 0 || !(on[BESIDE] || on[ONTO]);
    game.greatest.textContent = map < 0 ? "" : `${data.format(on[ONE_SCALE] ? game.top : game.highest[map])}`;
    game.note.textContent = none ? "This strategy has no scores."
      : next < 0 ? "No shot is left."
      : map < 0 ? "No scores led to the next shot."
      : game.queued[made] ? `The next shot, ${nameOf(next)}, is from a list; the scores were counted earlier.`
      : `The next shot is ${nameOf(next)}.`;
    game.caption.textContent = next < 0
      ? `${game.fault ? "Ended by a fault" : "Over"} after ${game.moves.length} moves`
      : `After ${made} of ${game.moves.length} moves`;
    game.items.forEach(([item, text], ship) => {
      const gone = sunk.has(ship);
      item.className = gone ? "sunk" : "";
      text.textContent = `ship of ${fleet[ship]}${announced ? (gone ? ", sunk" : ", afloat") : ""}`;
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

  const length = Math.max(...games.map((game) => game.moves.length));

  // Ship cells left to find, against moves.
  const course = document.getElementById("course");
  const draw = (tag, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    course.append(made);
    return made;
  };
  const total = shipAt.size;
  course.setAttribute("viewBox", `0 0 ${length || 1} ${total}`);
  games.forEach((game, index) => {
    let left = total;
    const path = game.moves.map(([, outcome], number) => `H${number + 1}V${total - (left -= outcome > 0)}`);
    draw("path", { d: `M0 0${path.join("")}`, class: `line${index % 6}` });
  });
  const cursor = draw("line", { y1: 0, y2: total, class: "cursor" });

  return {
    length,
    layers,
    jumps: [...new Set(games.flatMap((game) =>
      game.moves.flatMap(([, outcome], number) => (outcome > 0 ? [number + 1] : []))))]
      .sort((a, b) => a - b),
    show(move, on) {
      for (const game of games) showGame(game, move, on);
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
      return `Move ${move}: ${parts.join("; ")}.`;
    },
  };
}

const data = JSON.parse(document.getElementById("data").textContent);
data.format = (number) => (Number.isInteger(number) ? String(number) : number.toPrecision(3));
startPlayer(battleship(data));
