// The odds calculator: a board, the answers so far, and the odds that a worker counts.
function calculator(data) {
  const { rows, cols, rules, ships, symbols, meanings, colours } = data;
  const { cells, fleet, told, slots } = rules;
  const element = (id) => document.getElementById(id);
  const MISS = 0, HIT = 1, SUNK = 2, SHOTS = 8;
  const nameOf = (cell) => data.rowNames[Math.floor(cell / cols)] + ((cell % cols) + 1);
  const cellOf = new Map(Array.from({ length: cells }, (_, cell) => [nameOf(cell), cell]));
  const placeOf = (ship, slot) => {
    const [first, step] = slots[fleet[ship]][slot];
    return Array.from({ length: fleet[ship] }, (_, index) => first + step * index);
  };
  const endsOf = (ship, slot) => {
    const place = placeOf(ship, slot);
    return `${nameOf(place[0])}-${nameOf(place.at(-1))}`;
  };
  const make = (tag, parent, text = "", name = "") => {
    const made = document.createElement(tag);
    if (name) made.className = name;
    if (text) made.textContent = text;
    parent.append(made);
    return made;
  };
  const percent = (share, places = 1) => `${(100 * share).toFixed(places)}`;

  let answers = [], odds = null, problem = "", chosen = -1, worker = null, ticket = 0, address = "";

  // Answers as text: as `bsbench odds` takes them.

  function textOf({ cell, outcome, ship, slot }) {
    const named = ship < 0 ? "" : `:${ships[ship]}`;
    const placed = slot < 0 ? "" : `@${endsOf(ship, slot)}`;
    return `${nameOf(cell)}=${["miss", "hit", "sunk"][outcome]}${named}${placed}`;
  }

  function read(text) {
    const found = /^([A-Z]+[0-9]+)=(miss|hit|sunk)(?::([0-9]+[a-z]*))?(?:@([A-Z]+[0-9]+-[A-Z]+[0-9]+))?$/.exec(text);
    if (!found || !cellOf.has(found[1])) return null;
    const outcome = ["miss", "hit", "sunk"].indexOf(found[2]);
    const ship = found[3] === undefined ? -1 : ships.indexOf(found[3]);
    if ((found[3] === undefined) !== (ship < 0) || (outcome === SUNK && ship < 0)) return null;
    const slot = found[4] === undefined ? -1 : slots[fleet[ship]]?.findIndex((_, each) => endsOf(ship, each) === found[4]) ?? -1;
    if (found[4] !== undefined && slot < 0) return null;
    return { cell: cellOf.get(found[1]), outcome, ship, slot };
  }

  // Where each hit says which ship it is on, the last hit on a ship sinks it.
  function inOrder(list) {
    const seen = new Set(), hits = fleet.map(() => 0);
    return list.filter(({ cell }) => !seen.has(cell) && seen.add(cell)).map((answer) => {
      if (!told.ships || answer.ship < 0) return answer;
      const last = ++hits[answer.ship] === fleet[answer.ship];
      return { ...answer, outcome: last ? SUNK : HIT, slot: last ? answer.slot : -1 };
    });
  }

  // What may be said of a shot: a text and an answer each.
  function choices(cell) {
    const afloat = ships.map((_, ship) => ship).filter((ship) => !answers.some((answer) => answer.outcome === SUNK && answer.ship === ship));
    const answer = (outcome, ship = -1) => ({ cell, outcome, ship, slot: -1 });
    const found = [["miss", answer(MISS)]];
    if (!told.ships) found.push(["hit", answer(HIT)]);
    else {
      for (const ship of afloat) {
        const last = answers.filter((other) => other.ship === ship).length + 1 === fleet[ship];
        found.push([`${last ? "sunk" : "hit"} ${ships[ship]}`, answer(HIT, ship)]);
      }
    }
    if (told.sinkings && !told.ships) {
      for (const ship of afloat) {
        const first = afloat.find((other) => fleet[other] === fleet[ship]) === ship;
        if (first) found.push([`sunk ${fleet[ship]}`, answer(SUNK, ship)]);
      }
    }
    return found;
  }

  // Counting, in a worker, so that the page stays awake.

  function startWorker() {
    const source = `${element("counting").textContent}\n(${serve})();`;
    const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    const made = new Worker(url);
    made.onmessage = ({ data: told }) => {
      if (told.ticket !== ticket) return;
      if (told.progress !== undefined) {
        element("progress").value = told.progress;
        return;
      }
      odds = told.odds ?? null;
      problem = told.problem === "contradiction" ? contradiction(told.number)
        : told.problem ? `This page can't count so many layouts. In a terminal: ${command()}` : "";
      waiting(false);
      draw();
    };
    made.onerror = ({ message }) => {
      waiting(false);
      say(`Counting failed: ${message}`, true);
    };
    return made;
  }

  // Runs in the worker, after the text of counting.js.
  function serve() {
    const tables = new Map();
    const find = (rules, answers, settings) => {
      if (!tables.has("")) tables.set("", tablesOf(rules));
      return oddsOf(rules, tables.get(""), answers, settings);
    };
    onmessage = ({ data: { ticket, rules, answers, limit, stored } }) => {
      let shown = 0;
      const progress = (share) => {
        if (share < shown + 0.01) return;
        shown = share;
        postMessage({ ticket, progress: share });
      };
      const fails = (number) => {
        try {
          find(rules, answers.slice(0, number), { limit, stored });
          return false;
        } catch (error) {
          if (error instanceof Contradiction) return true;
          throw error;
        }
      };
      try {
        postMessage({ ticket, odds: find(rules, answers, { limit, stored, progress }) });
      } catch (error) {
        if (error instanceof OutOfReach) postMessage({ ticket, problem: "reach" });
        else if (!(error instanceof Contradiction)) throw error;
        else {
          // The first answer with which no layout agrees any more.
          let possible = 0, impossible = answers.length;
          while (impossible - possible > 1) {
            const middle = (possible + impossible) >> 1;
            if (fails(middle)) impossible = middle;
            else possible = middle;
          }
          postMessage({ ticket, problem: "contradiction", number: impossible - 1 });
        }
      }
    };
  }

  function contradiction(number) {
    const before = number === 0 ? "" : number === 1 ? " and the answer before it" : ` and the ${number} answers before it`;
    return `${textOf(answers[number])} is impossible: no layout agrees with it${before}. Take an answer back.`;
  }

  function waiting(on) {
    element("progress").hidden = !on;
    element("progress").value = 0;
    for (const box of boxes) box.classList.toggle("waiting", on);
    if (on) say("Counting layouts …");
  }

  function say(text, wrong = false) {
    element("said").textContent = text;
    element("said").classList.toggle("wrong", wrong);
  }

  function update(list) {
    answers = inOrder(list);
    chosen = answers.some(({ cell }) => cell === chosen) ? -1 : chosen;
    if (worker && !element("progress").hidden) {
      worker.terminate();
      worker = null;
    }
    worker ??= startWorker();
    ticket++;
    try {
      address = answers.length ? `#${answers.map(textOf).join(",")}` : "#empty";
      history.replaceState(null, "", address);
    } catch {
      // Within a notebook there is no address.
    }
    waiting(true);
    drawAnswers();
    drawChoices();
    worker.postMessage({ ticket, rules, answers, limit: data.limit, stored: data.stored });
  }

  const command = () => [data.command, ...answers.map(textOf)].join(" ");

  // Drawing.

  const boxes = [];
  const table = make("table", element("board"), "", "grid");
  table.setAttribute("role", "grid");
  table.setAttribute("aria-label", "Board");
  const head = make("tr", make("thead", table));
  make("td", head);
  for (let col = 0; col < cols; col++) make("th", head, String(col + 1)).scope = "col";
  const body = make("tbody", table);
  for (let row = 0; row < rows; row++) {
    const line = make("tr", body);
    make("th", line, data.rowNames[row]).scope = "row";
    for (let col = 0; col < cols; col++) {
      const box = make("td", line), cell = row * cols + col;
      box.setAttribute("role", "gridcell");
      box.tabIndex = -1;
      box.addEventListener("click", () => choose(cell));
      boxes.push(box);
    }
  }
  boxes[0].tabIndex = 0;
  const maps = [["a ship", "ship"], ...ships.map((name, ship) => [`ship ${name}`, ship]), ["information", "information"]];
  for (const [text, value] of maps) element("map").append(new Option(text, value));

  const markOf = (cell) => {
    const answer = answers.find((each) => each.cell === cell);
    if (!answer) return 0;
    if (answer.outcome === MISS) return 1;
    const inSunk = odds?.sunk.some((ship) => odds.places[ship] >= 0 && placeOf(ship, odds.places[ship]).includes(cell));
    return inSunk ? 3 : 2;
  };

  function values() {
    const map = element("map").value;
    if (map === "information") return [odds.information, (bits) => bits.toFixed(2)];
    const counts = map === "ship" ? odds.cells : odds.ships[Number(map)];
    return [counts.map((count) => count / odds.layouts), (share) => percent(share, cols <= 15 ? 1 : 0)];
  }

  function ranked() {
    const open = boxes.map((_, cell) => cell).filter((cell) => !odds.shot[cell]);
    return open.sort((a, b) => odds.cells[b] - odds.cells[a] || a - b);
  }

  function draw() {
    const [shares, text] = odds ? values() : [null, null];
    const open = odds ? shares.filter((_, cell) => markOf(cell) === 0) : [];
    const most = Math.max(0, ...open), over = odds && odds.hit.filter(Boolean).length === fleet.reduce((a, b) => a + b, 0);
    boxes.forEach((box, cell) => {
      const mark = markOf(cell), tinted = mark === 0 && odds !== null && !over;
      const share = tinted && most > 0 ? shares[cell] / most : 0;
      const [ground, ink] = tinted ? colours[Math.round(share * (colours.length - 1))] : ["", ""];
      box.className = mark === 0 ? "mark0" : `mark${mark} known`;
      if (tinted && most > 0 && shares[cell] === most) box.classList.add("best");
      box.classList.toggle("chosen", cell === chosen);
      box.textContent = tinted ? text(shares[cell]) : symbols[mark];
      box.style.backgroundColor = ground;
      box.style.color = ink;
      const chance = tinted ? `, ${percent(odds.cells[cell] / odds.layouts)} %, ${odds.information[cell].toFixed(3)} bits` : "";
      box.title = `${nameOf(cell)}: ${meanings[mark]}${chance}`;
      box.setAttribute("aria-label", box.title);
    });
    if (!odds) say(problem, true);
    else {
      const apart = odds.unlabelled === odds.layouts ? "" : `; ${odds.layouts.toLocaleString("en")} with distinguishable ships`;
      const left = answers.length ? " left" : "";
      say(`${odds.unlabelled.toLocaleString("en")} ${odds.unlabelled === 1 ? "layout" : "layouts"}${left}${apart}${over ? ". All ship cells are hit: the game is over" : ""}.`);
    }
    drawShots(over);
    drawAnswers();
    drawChoices();
  }

  function drawShots(over) {
    const shots = element("shots");
    shots.replaceChildren();
    element("most").textContent = "";
    if (!odds || over) return;
    const line = make("tr", make("thead", shots)), few = ships.length <= 10;
    const headers = ["shot", "hit", ...(few ? ships.map((name) => `ship ${name}`) : []), "information"];
    for (const text of headers) make("th", line, text).scope = "col";
    const body = make("tbody", shots), best = ranked();
    const listed = best.slice(0, SHOTS);
    if (chosen >= 0 && !odds.shot[chosen] && !listed.includes(chosen)) listed.push(chosen);
    for (const cell of listed) {
      const row = make("tr", body, "", cell === chosen ? "chosen" : "");
      make("th", row, nameOf(cell)).scope = "row";
      make("td", row, `${percent(odds.cells[cell] / odds.layouts)} %`);
      if (few) for (const counts of odds.ships) make("td", row, `${percent(counts[cell] / odds.layouts)} %`);
      make("td", row, `${odds.information[cell].toFixed(3)} bits`);
      row.addEventListener("click", () => choose(cell));
    }
    const top = odds.information.reduce((most, bits, cell) => (bits > odds.information[most] ? cell : most), 0);
    if (odds.information[top] > 0) {
      element("most").textContent = `The answer to ${nameOf(top)} reveals most: ${odds.information[top].toFixed(3)} bits on average.`;
    }
  }

  function drawAnswers() {
    const list = element("answers");
    list.replaceChildren();
    answers.forEach((answer, number) => {
      const button = make("button", make("li", list), textOf(answer));
      button.type = "button";
      button.title = "Take this answer back";
      button.addEventListener("click", () => update(answers.filter((_, other) => other !== number)));
    });
    for (const id of ["undo", "reset"]) element(id).disabled = answers.length === 0;
  }

  function drawChoices() {
    const bar = element("answer"), where = element("where");
    bar.replaceChildren();
    where.replaceChildren();
    if (chosen < 0) make("span", bar, "Choose a cell.");
    else {
      make("span", bar, nameOf(chosen));
      const given = answers.findIndex(({ cell }) => cell === chosen);
      const offered = given < 0 ? choices(chosen) : [["take back", null]];
      for (const [text, answer] of offered) {
        const button = make("button", bar, text);
        button.type = "button";
        button.addEventListener("click", () => update(answer ? [...answers, answer] : answers.filter((_, other) => other !== given)));
      }
    }
    // A ship that has sunk, in one of several places: which one was announced may be given.
    const unclear = odds?.sunk.find((ship) => odds.places[ship] < 0);
    where.hidden = unclear === undefined;
    if (unclear === undefined) return;
    make("span", where, `Where does ship ${ships[unclear]} lie?`);
    for (const slot of odds.possible[unclear]) {
      const button = make("button", where, endsOf(unclear, slot));
      button.type = "button";
      button.addEventListener("click", () => update(answers.map((answer) =>
        (answer.outcome === SUNK && answer.ship === unclear ? { ...answer, slot } : answer))));
    }
  }

  function choose(cell, focus = false) {
    boxes[Math.max(chosen, 0)].tabIndex = -1;
    chosen = cell;
    boxes[cell].tabIndex = 0;
    if (focus) boxes[cell].focus();
    if (odds) draw();
    else drawChoices();
  }

  // Keys, buttons and the address.

  const help = element("help");
  const move = (by) => {
    const to = chosen < 0 ? 0 : chosen + by;
    const wraps = Math.abs(by) === 1 && chosen >= 0 && Math.floor(to / cols) !== Math.floor(chosen / cols);
    if (to >= 0 && to < cells && !wraps) choose(to, true);
  };
  const press = (number) => element("answer").querySelectorAll("button")[number]?.click();
  const undo = () => { if (answers.length) update(answers.slice(0, -1)); };
  const other = !told.ships ? 2 : 1;
  const keys = {
    ArrowLeft: () => move(-1),
    ArrowRight: () => move(1),
    ArrowUp: () => move(-cols),
    ArrowDown: () => move(cols),
    m: () => press(0),
    h: () => { if (!told.ships) press(1); },
    u: undo,
    "?": () => help.showModal(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || help.open) return;
    const { key, target } = event;
    if (target.closest("select")) return;
    if (key >= "1" && key <= "9" && key.length === 1) press(Number(key) - 1 + other);
    else if (Object.hasOwn(keys, key)) keys[key]();
    else return;
    event.preventDefault();
  });
  const copy = async (id, text) => {
    const button = element(id), before = button.textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      // Without the right to copy, it is shown, to be copied by hand.
      say(text);
      return;
    }
    setTimeout(() => { button.textContent = before; }, 1500);
  };
  element("undo").addEventListener("click", undo);
  element("reset").addEventListener("click", () => update([]));
  element("link").addEventListener("click", () => copy("link", location.href));
  element("copy").addEventListener("click", () => copy("copy", command()));
  element("ask").addEventListener("click", () => help.showModal());
  element("map").addEventListener("change", () => { if (odds) draw(); });
  function readAddress() {
    const asked = decodeURIComponent(location.hash.slice(1));
    const listed = asked === "empty" ? [] : asked ? asked.split(",").map(read) : data.answers.map(read);
    if (listed.includes(null)) say(`The address holds no valid position: ${asked}`, true);
    else update(listed);
  }
  window.addEventListener("hashchange", () => { if (location.hash !== address) readAddress(); });
  readAddress();
}

calculator(JSON.parse(document.getElementById("data").textContent));
