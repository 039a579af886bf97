// A player: it steps through moves, and knows nothing of the game. The view does:
//   length            moves of the longest game
//   jumps             moves that j and k go to, ascending
//   layers            what can be shown or not: {name, on}, switched by the keys 1 to 9
//   show(move, on)    draw the state after so many moves; on[i]: whether layer i is shown
//   say(move)         the same in a sentence
function startPlayer(view) {
  const element = (id) => document.getElementById(id);
  const slider = element("slider"), said = element("said"), play = element("play");
  const speeds = [0.5, 1, 2, 4, 8, 16];
  const on = view.layers.map((layer) => layer.on);
  const boxes = [];
  let move = 0, speed = 2, timer = null;

  function draw() {
    view.show(move, on);
    slider.value = move;
    slider.setAttribute("aria-valuetext", `move ${move} of ${view.length}`);
    element("position").textContent = `${move} / ${view.length}`;
    said.textContent = view.say(move);
    for (const id of ["first", "back"]) element(id).disabled = move === 0;
    for (const id of ["forward", "last"]) element(id).disabled = move === view.length;
  }

  function address() {
    const changed = on.some((is, layer) => is !== view.layers[layer].on);
    const shown = on.map((is, layer) => (is ? layer + 1 : "")).join("");
    try {
      history.replaceState(null, "", `#move=${move}${changed ? `&layers=${shown}` : ""}`);
    } catch {
      // Within a notebook there is no address.
    }
  }

  function go(to, keep = false) {
    if (!keep) pause();
    move = Math.min(Math.max(Math.round(to) || 0, 0), view.length);
    draw();
    if (timer === null) address();
  }

  function pause() {
    if (timer !== null) clearInterval(timer);
    timer = null;
    play.textContent = "▶";
    play.setAttribute("aria-label", "Play");
    // While it plays, every move would be read out.
    said.setAttribute("aria-live", "polite");
  }

  function run() {
    if (timer !== null) clearInterval(timer);
    play.textContent = "❚❚";
    play.setAttribute("aria-label", "Pause");
    said.setAttribute("aria-live", "off");
    timer = setInterval(() => {
      go(move + 1, true);
      if (move === view.length) {
        pause();
        address();
      }
    }, 1000 / speeds[speed]);
  }

  function toggle() {
    if (timer !== null) {
      pause();
      address();
    } else {
      if (move === view.length) go(0);
      run();
    }
  }

  function setSpeed(to) {
    speed = Math.min(Math.max(to, 0), speeds.length - 1);
    element("speed").value = speed;
    if (timer !== null) run();
  }

  function setLayer(layer, is) {
    if (layer >= on.length) return;
    on[layer] = boxes[layer].checked = is;
    draw();
    address();
  }

  function readAddress() {
    const asked = new URLSearchParams(location.hash.slice(1));
    if (asked.has("layers")) {
      on.forEach((_, layer) => {
        on[layer] = boxes[layer].checked = asked.get("layers").includes(layer + 1);
      });
    }
    pause();
    move = Math.min(Math.max(Math.round(Number(asked.get("move"))) || 0, 0), view.length);
    draw();
  }

  const help = element("help");
  const keys = {
    ArrowLeft: () => go(move - 1),
    ArrowRight: () => go(move + 1),
    ArrowUp: () => go(move - 10),
    ArrowDown: () => go(move + 10),
    Home: () => go(0),
    End: () => go(view.length),
    " ": toggle,
    "+": () => setSpeed(speed + 1),
    "=": () => setSpeed(speed + 1),
    "-": () => setSpeed(speed - 1),
    j: () => go(view.jumps.find((jump) => jump > move) ?? move),
    k: () => go(view.jumps.findLast((jump) => jump < move) ?? 0),
    "?": () => help.showModal(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || help.open) return;
    const { key, target } = event;
    // Elements with keys of their own keep them.
    if (target.closest("select, [tabindex='0']") && key.length > 1) return;
    if (target === slider && key.length > 1) return;
    if (key === " " && target.closest("button, select, input, summary")) return;
    const layer = "123456789".indexOf(key);
    if (layer >= 0 && key.length === 1) setLayer(layer, !on[layer]);
    else if (Object.hasOwn(keys, key)) keys[key]();
    else return;
    event.preventDefault();
  });

  // On a phone, the board comes first.
  if (window.matchMedia("(max-width: 40rem)").matches) element("choose").open = false;
  view.layers.forEach((layer, index) => {
    const label = document.createElement("label"), box = document.createElement("input");
    const hint = document.createElement("kbd");
    box.type = "checkbox";
    box.checked = layer.on;
    hint.textContent = index + 1;
    label.append(box, ` ${layer.name} `, hint);
    box.addEventListener("change", () => setLayer(index, box.checked));
    boxes.push(box);
    element("layers").append(label);
  });
  speeds.forEach((rate, index) => element("speed").append(new Option(`${rate} moves/s`, index)));
  setSpeed(speed);
  slider.max = view.length;
  slider.addEventListener("input", () => go(slider.valueAsNumber));
  element("speed").addEventListener("change", (event) => setSpeed(Number(event.target.value)));
  const buttons = {
    first: () => go(0),
    back: () => go(move - 1),
    play: toggle,
    forward: () => go(move + 1),
    last: () => go(view.length),
    ask: () => help.showModal(),
  };
  for (const [id, act] of Object.entries(buttons)) element(id).addEventListener("click", act);
  window.addEventListener("hashchange", readAddress);
  // A click on an element with a move goes to that move.
  document.addEventListener("click", (event) => {
    const named = event.target.closest("[data-move]");
    if (named) go(Number(named.dataset.move));
  });
  element("course")?.addEventListener("click", (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    go(((event.clientX - box.left) / box.width) * view.length);
  });
  readAddress();
}
