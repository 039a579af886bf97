// The odds calculator: a board, the answers so far, and the odds, which a worker counts where the
// page was not written with them.
function calculator() {
  const { rules, ships, known } = data;
  const { told, slots } = rules;
  const MISS = 0, HIT = 1, SUNK = 2, SHOTS = 8;
  const cellOf = new Map(Array.from({ length: cells }, (_, cell) => [nameOf(cell), cell]));
  const placeOf = (ship, slot) => {
    const [first, step] = slots[fleet[ship]][slot];
    return Array.from({ length: fleet[ship] }, (_, index) => first + step * index);
  };
  const endsOf = (ship, slot) => {
    const place = placeOf(ship, slot);
    return `${nameOf(place[0])}-${nameOf(place.at(-1))}`;
  };

  let answers = [], odds = null, chosen = -1, worker = null, ticket = 0, address = "";

  // Answers as text: as `bsbench odds` takes them.

  function textOf({ cell, outcome, ship, slot }) {
    const named = ship < 0 ? "" : `:${ships[ship]}`;
    const placed = slot < 0 ? "" : `@${endsOf(ship, slot)}`;
    return `${nameOf(cell)}=${["miss", "hit", "sunk"][outcome]}${named}${placed}`;
  }

  const position = () => answers.map(textOf).join(",");
  const command = () => `${[data.command, ...answers.map(textOf)].join(" ")}'`;

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
    const answer = (outcome, ship = -1) => ({ cell, outcome, ship, slot: -1 });
    const afloat = [...ships.keys()].filter((ship) => !answers.some((other) => other.outcome === SUNK && other.ship === ship));
    const found = [["miss", answer(MISS)]];
    if (!told.ships) found.push(["hit", answer(HIT)]);
    for (const ship of afloat) {
      const hits = answers.filter((other) => other.ship === ship).length;
      const first = afloat.find((other) => fleet[other] === fleet[ship]) === ship;
      if (told.ships) found.push([`${hits + 1 === fleet[ship] ? "sunk" : "hit"} ${ships[ship]}`, answer(HIT, ship)]);
      else if (told.sinkings && first) found.push([`sunk ${fleet[ship]}`, answer(SUNK, ship)]);
    }
    return found;
  }

  // Counting, in a worker, so that the page stays awake.

  function startWorker() {
    const source = `${element("counting").textContent}\n(${serve})();`;
    const made = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
    made.onmessage = ({ data: found }) => {
      if (found.ticket !== ticket) return;
      if (found.progress !== undefined) element("progress").value = found.progress;
      else if (found.odds) show((known[position()] = found.odds));
      else {
        fail(found.number === undefined ? `This page can't count so many layouts. In a terminal: ${command()}`
          : contradiction(found.number));
      }
    };
    made.onerror = ({ message }) => fail(`Counting failed: ${message}`);
    return made;
  }

  // Runs in the worker, after the text of counting.js.
  function serve() {
    let tables = null;
    onmessage = ({ data: { ticket, rules, answers, limit } }) => {
      tables ??= tablesOf(rules);
      let shown = 0;
      const progress = (share) => {
        if (share < shown + 0.01) return;
        shown = share;
        postMessage({ ticket, progress: share });
      };
      // The odds after so many answers; null where no layout agrees with them.
      const oddsAfter = (number) => {
        try {
          return oddsOf(rules, tables, answers.slice(0, number), limit, progress);
        } catch (error) {
          if (error instanceof Contradiction) return null;
          throw error;
        }
      };
      try {
        const odds = oddsAfter(answers.length);
        if (odds) return postMessage({ ticket, odds });
        // The first answer with which no layout agrees any more.
        let possible = 0, impossible = answers.length;
        while (impossible - possible > 1) {
          const middle = (possible + impossible) >> 1;
          if (oddsAfter(middle)) possible = middle;
          else impossible = middle;
        }
        postMessage({ ticket, number: impossible - 1 });
      } catch (error) {
        if (!(error instanceof OutOfReach)) throw error;
        postMessage({ ticket });
      }
    };
  }

  function contradiction(number) {
    const before = number === 0 ? "" : number === 1 ? " and the answer before it" : ` and the ${number} answers before it`;
    return `${textOf(answers[number])} is impossible: no layout agrees with it${before}. Take an answer back.`;
  }

  function say(text, wrong = false) {
    element("said").textContent = text;
    element("said").classList.toggle("wrong", wrong);
  }

  function fail(text) {
    element("progress").hidden = true;
    say(text, true);
  }

  function show(found) {
    odds = found;
    element("progress").hidden = odds !== null;
    element("progress").value = 0;
    draw();
  }

  function update(list) {
    answers = inOrder(list);
    if (answers.some(({ cell }) => cell === chosen)) chosen = -1;
    if (!element("progress").hidden) {
      worker?.terminate();
      worker = null;
    }
    ticket++;
    address = `#${position() || "empty"}`;
    setAddress(address);
    show(known[position()] ?? null);
    if (odds) return;
    worker ??= startWorker();
    worker.postMessage({ ticket, rules, answers, limit: data.limit });
  }

  // Drawing.

  const [table, boxes] = makeBoard(element("board"), "Board");
  table.setAttribute("role", "grid");
  boxes.forEach((box, cell) => {
    box.setAttribute("role", "gridcell");
    box.tabIndex = cell === 0 ? 0 : -1;
    box.addEventListener("click", () => choose(cell));
  });
  const maps = [["a ship", "ship"], ...ships.map((name, ship) => [`ship ${name}`, ship]), ["information", "information"]];
  for (const [text, value] of maps) element("map").append(new Option(text, value));

  const isOver = () => answers.filter(({ outcome }) => outcome !== MISS).length === fleet.reduce((a, b) => a + b, 0);

  function markOf(cell) {
    const answer = answers.find((each) => each.cell === cell);
    if (!answer) return 0;
    if (answer.outcome === MISS) return 1;
    const inSunk = odds?.sunk.some(([ship, list]) => list.length === 1 && placeOf(ship, list[0]).includes(cell));
    return inSunk ? 3 : 2;
  }

  function values() {
    const map = element("map").value;
    if (map === "information") return [odds.information, (bits) => bits.toFixed(2)];
    return [map === "ship" ? odds.cells : odds.ships[Number(map)], (share) => (100 * share).toFixed(cols <= 15 ? 1 : 0)];
  }

  function draw() {
    const [shares, text] = odds ? values() : [[], null], marks = boxes.map((_, cell) => markOf(cell));
    const open = [...marks.keys()].filter((cell) => marks[cell] === 0), most = Math.max(0, ...open.map((cell) => shares[cell] ?? 0));
    boxes.forEach((box, cell) => {
      const mark = marks[cell], tinted = mark === 0 && odds !== null && !isOver();
      const name = `mark${mark}${tinted ? " number" : ""}${tinted && most > 0 && shares[cell] === most ? " likeliest" : ""}`
        + `${mark === 0 && !odds ? " waiting" : ""}${cell === chosen ? " next" : ""}`;
      const chance = tinted ? `, ${percent(odds.cells[cell])}, ${odds.information[cell].toFixed(3)} bits` : "";
      const share = tinted ? (most > 0 ? shares[cell] / most : 0) : null;
      paint(box, name, tinted ? text(shares[cell]) : symbols[mark], `${nameOf(cell)}: ${meanings[mark]}${chance}`, share);
    });
    if (!odds) say("Counting layouts …");
    else {
      const count = (number) => BigInt(number).toLocaleString("en"), left = answers.length ? " left" : "";
      const apart = BigInt(odds.unlabelled) === BigInt(odds.layouts) ? "" : `; ${count(odds.layouts)} with distinguishable ships`;
      const noun = Number(odds.unlabelled) === 1 ? "layout" : "layouts";
      say(`${count(odds.unlabelled)} ${noun}${left}${apart}${isOver() ? ". All ship cells are hit: the game is over" : ""}.`);
    }
    drawShots(open);
    drawAnswers();
    drawChoices();
  }

  function drawShots(open) {
    const shots = element("shots");
    shots.replaceChildren();
    element("most").textContent = "";
    if (!odds || isOver()) return;
    const line = make("tr", make("thead", shots)), few = ships.length <= 10 ? [...ships.keys()] : [];
    for (const text of ["shot", "hit", ...few.map((ship) => `ship ${ships[ship]}`), "information"]) make("th", line, "", text).scope = "col";
    const body = make("tbody", shots);
    const listed = open.sort((a, b) => odds.cells[b] - odds.cells[a] || a - b).slice(0, SHOTS);
    if (open.includes(chosen) && !listed.includes(chosen)) listed.push(chosen);
    for (const cell of listed) {
      const row = make("tr", body, cell === chosen ? "chosen" : "");
      make("th", row, "", nameOf(cell)).scope = "row";
      const told = [odds.cells, ...few.map((ship) => odds.ships[ship])].map((shares) => percent(shares[cell]));
      for (const text of [...told, `${odds.information[cell].toFixed(3)} bits`]) make("td", row, "", text);
      row.addEventListener("click", () => choose(cell));
    }
    const top = odds.information.indexOf(Math.max(...odds.information));
    if (odds.information[top] > 0) {
      element("most").textContent = `The answer to ${nameOf(top)} reveals most: ${odds.information[top].toFixed(3)} bits on average.`;
    }
  }

  function drawAnswers() {
    element("answers").replaceChildren();
    answers.forEach((answer, number) => {
      const item = make("li", element("answers"));
      makeButton(item, textOf(answer), () => update(answers.toSpliced(number, 1))).title = "Take this answer back";
    });
    for (const id of ["undo", "reset"]) element(id).disabled = answers.length === 0;
  }

  function drawChoices() {
    const bar = element("answer"), where = element("where");
    bar.replaceChildren();
    where.replaceChildren();
    make("span", bar, "", chosen < 0 ? "Choose a cell." : nameOf(chosen));
    const given = answers.findIndex(({ cell }) => cell === chosen);
    if (given >= 0) makeButton(bar, "take back", () => update(answers.toSpliced(given, 1)));
    else if (chosen >= 0) for (const [text, answer] of choices(chosen)) makeButton(bar, text, () => update([...answers, answer]));
    // A ship that has sunk, in one of several places: which one was announced may be given.
    const [unclear, list] = odds?.sunk.find(([, places]) => places.length > 1) ?? [];
    where.hidden = unclear === undefined;
    if (where.hidden) return;
    make("span", where, "", `Where does ship ${ships[unclear]} lie?`);
    for (const slot of list) {
      makeButton(where, endsOf(unclear, slot), () => update(answers.map((answer) =>
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

  const step = (by) => {
    const to = chosen < 0 ? 0 : chosen + by;
    const wraps = Math.abs(by) === 1 && chosen >= 0 && Math.floor(to / cols) !== Math.floor(chosen / cols);
    if (to >= 0 && to < cells && !wraps) choose(to, true);
  };
  const press = (number) => element("answer").querySelectorAll("button")[number]?.click();
  const keys = {
    ArrowLeft: () => step(-1),
    ArrowRight: () => step(1),
    ArrowUp: () => step(-cols),
    ArrowDown: () => step(cols),
    m: () => press(0),
    h: () => { if (!told.ships) press(1); },
    u: () => { if (answers.length) update(answers.slice(0, -1)); },
    "?": () => element("help").showModal(),
  };
  for (let number = 1; number <= 9; number++) keys[number] = () => press(number - (told.ships ? 0 : -1));
  onKeys((key, target) => {
    if (target.closest("select") || !Object.hasOwn(keys, key)) return false;
    keys[key]();
    return true;
  });

  async function copy(button, text) {
    // Without the right to copy, it is shown, to be copied by hand.
    if (!(await copied(text))) return say(text);
    const before = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = before), 1500);
  }

  const buttons = {
    undo: keys.u, reset: () => update([]), ask: keys["?"],
    link: ({ target }) => copy(target, location.href), copy: ({ target }) => copy(target, command()),
  };
  for (const [id, act] of Object.entries(buttons)) element(id).addEventListener("click", act);
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

calculator();
