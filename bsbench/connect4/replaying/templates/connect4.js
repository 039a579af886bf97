// What a Connect 4 replay shows: the board, what each column is worth, and the moves.
function connect4(data) {
  const { rows, cols, labels, played, values, opening } = data;
  const make = (tag, parent, name = "", text = "") => {
    const made = document.createElement(tag);
    if (name) made.className = name;
    if (text) made.textContent = text;
    parent.append(made);
    return made;
  };
  const stones = ["X", "O"];
  const mistakes = new Set(data.mistakes);
  const four = new Set(data.four.map(([column, row]) => column + cols * row));
  const layers = [
    { name: "what columns are worth", on: true },
    { name: "letters on stones", on: true },
    { name: "order of stones", on: false },
  ];
  const [WORTH, LETTERS, ORDER] = layers.keys();

  // Cells are numbered from the bottom left: column + cols * row.
  const heights = new Array(cols).fill(0);
  const cellOf = played.map((column) => column + cols * heights[column]++);

  const wordOf = ([outcome, moves]) => (outcome ? `${outcome > 0 ? "wins" : "loses"} in ${moves}` : "draw");
  const signOf = ([outcome, moves]) => (outcome ? `${outcome > 0 ? "+" : "−"}${moves}` : "=");
  const kindOf = ([outcome]) => ["lose", "draw", "win"][outcome + 1];
  // The higher, the better for the player to move: soon won, or late lost.
  const rank = ([outcome, moves]) => (outcome ? outcome * (100 - moves) : 0);

  const game = document.getElementById("game");
  const stage = make("div", game, "stage");
  const table = make("table", stage, "c4");
  table.setAttribute("aria-label", "Board");
  const worthRow = make("tr", make("thead", table));
  const worth = Array.from({ length: cols }, () => make("td", worthRow));
  const body = make("tbody", table), discs = new Array(rows * cols);
  for (let row = rows - 1; row >= 0; row--) {
    const line = make("tr", body);
    for (let column = 0; column < cols; column++) discs[column + cols * row] = make("span", make("td", line), "disc");
  }
  const foot = make("tr", make("tfoot", table));
  for (let column = 0; column < cols; column++) make("th", foot, "", String(column + 1)).scope = "col";
  const side = make("div", stage, "side");
  const note = make("p", side, "note");
  note.id = "note";
  const record = make("ol", side, "moves");
  record.tabIndex = 0;
  record.setAttribute("aria-label", "Moves");
  const buttons = played.map((column, ply) => {
    const kind = mistakes.has(ply + 1) ? "mistake" : ply < opening ? "opening" : "";
    const button = make("button", make("li", record), kind);
    make("span", button, "", `${stones[ply % 2]} ${column + 1}${kind === "mistake" ? " ?" : ""}`);
    button.type = "button";
    button.dataset.move = ply + 1;
    speak(button, moveText(ply));
    return button;
  });
  if (data.fault) make("p", side, "fault", data.fault);

  function worthText(ply) {
    const value = values[ply]?.[played[ply]];
    return value ? `, ${wordOf(value)}${mistakes.has(ply + 1) ? ", a mistake" : ""}` : "";
  }

  function moveText(ply) {
    const by = ply < opening ? "at random" : labels[ply % 2];
    return `${stones[ply % 2]} plays column ${played[ply] + 1} (${by})${worthText(ply)}`;
  }

  function noteText(move) {
    if (move >= played.length && move >= values.length) return "The game is over.";
    const who = `${stones[move % 2]}, ${labels[move % 2]}, is to move`;
    const column = values[move];
    if (!column) return `${who}. Not solved: fewer than ${data.solvedFrom} stones.`;
    const best = column.filter(Boolean).reduce((a, b) => (rank(b) > rank(a) ? b : a));
    return `${who} and ${best[0] ? wordOf(best) : "draws"}, if both play without a mistake.`;
  }

  const length = played.length;

  // Who wins after each move: X above, O below; nothing where that is not known.
  const course = document.getElementById("course");
  const draw = (tag, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    course.append(made);
    return made;
  };
  course.setAttribute("viewBox", `0 -1.2 ${length || 1} 2.4`);
  draw("line", { x1: 0, x2: length, y1: 0, y2: 0, class: "middle" });
  const forFirst = (move) => {
    if (move >= values.length) return four.size ? (length % 2 ? 1 : -1) : data.fault ? null : 0;
    if (!values[move]) return null;
    const best = Math.max(...values[move].filter(Boolean).map(([outcome]) => outcome));
    return move % 2 ? -best : best;
  };
  let path = "", before = null;
  for (let move = 0; move <= length; move++) {
    const level = forFirst(move);
    if (level !== null) path += before === null ? `M${move} ${-level}` : `H${move}V${-level}`;
    before = level;
  }
  draw("path", { d: path });
  const cursor = draw("line", { y1: -1.2, y2: 1.2, class: "cursor" });

  return {
    length,
    layers,
    jumps: data.mistakes,
    tip: (x) => (x < length ? `Move ${Math.floor(x) + 1}: ${moveText(Math.floor(x))}` : ""),
    show(move, on) {
      const last = move > 0 ? cellOf[move - 1] : -1;
      discs.forEach((disc, cell) => {
        const ply = cellOf.indexOf(cell);
        const there = ply >= 0 && ply < move;
        const wins = move === length && four.has(cell);
        disc.className = `disc${there ? [" x", " o"][ply % 2] : ""}${cell === last ? " last" : ""}${wins ? " four" : ""}`;
        disc.textContent = !there ? "" : on[ORDER] ? ply + 1 : on[LETTERS] ? stones[ply % 2] : "";
        const name = `column ${(cell % cols) + 1}, row ${Math.floor(cell / cols) + 1}`;
        const marks = `${cell === last ? ", last" : ""}${wins ? ", of the winning four" : ""}`;
        disc.parentElement.title = `${name}: ${there ? `${stones[ply % 2]}, move ${ply + 1}` : "empty"}${marks}`;
        disc.parentElement.setAttribute("aria-label", disc.parentElement.title);
      });
      const columns = on[WORTH] ? values[move] : null;
      const best = columns ? Math.max(...columns.filter(Boolean).map(rank)) : 0;
      worth.forEach((box, column) => {
        const value = columns?.[column];
        const chosen = move < length && played[move] === column;
        box.className = `${value ? kindOf(value) : ""}${value && rank(value) === best ? " best" : ""}${chosen ? " chosen" : ""}`;
        box.textContent = value ? signOf(value) : on[WORTH] && !columns && move < values.length ? "·" : "";
        const what = value ? wordOf(value) : columns ? "full" : "not solved";
        const label = `column ${column + 1}: ${what}${chosen ? ", played" : ""}`;
        box.title = label;
        box.setAttribute("aria-label", label);
      });
      note.textContent = noteText(move);
      buttons.forEach((button, ply) => {
        if (ply + 1 === move) button.setAttribute("aria-current", "step");
        else button.removeAttribute("aria-current");
      });
      // The list alone is scrolled, not the page.
      const current = buttons[move - 1];
      const above = current ? current.offsetTop - record.offsetTop : 0;
      record.scrollTop = above - record.clientHeight / 2;
      cursor.setAttribute("x1", move);
      cursor.setAttribute("x2", move);
    },
    say(move) {
      if (move === 0) return "The board is empty.";
      const over = move === length ? `; ${data.ending}` : "";
      return `Move ${move}: ${moveText(move - 1)}${over}.`;
    },
  };
}

startPlayer(connect4(JSON.parse(document.getElementById("data").textContent)));
