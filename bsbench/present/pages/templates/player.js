// Let a button say more than its signs, which speak to the eye alone. (A label that lacks the signs
// could not be spoken by those who see them.)
function speak(button, words) {
  for (const sign of button.children) sign.setAttribute("aria-hidden", "true");
  const said = document.createElement("span");
  said.className = "unseen";
  said.textContent = words;
  button.append(said);
}

// A player: it steps through moves, and knows nothing of the game. The view does:
//   length            moves of the longest game
//   jumps             moves that j and k go to, ascending
//   layers            what can be shown or not: {name, on}, switched by the keys 1 to 9
//   show(move, on, chosen)  draw the state after so many moves; on[i]: whether layer i is shown;
//                     chosen[key]: the option of a choice
//   say(move)         the same in a sentence
// It may have, too:
//   choices           [{key, name, options: [[value, text], …], chosen, place}]; the first letter of
//                     the key goes to the next; place: the id of where it stands
//   weakest           moves that w and W go to, the weakest shot first
//   rounds            names of games to choose from, and open(round), which changes the view
//   command(move)     the command that makes this page
//   tip(x)            what is written at a place of the course, and steps: whether it belongs to the
//                     move before
//   picture()         what is shown, as the text of an SVG
function startPlayer(view) {
  const element = (id) => document.getElementById(id);
  const slider = element("slider"), said = element("said"), play = element("play");
  const speeds = [0.5, 1, 2, 4, 8, 16];
  const choices = view.choices ?? [], rounds = view.rounds ?? [];
  const on = view.layers.map((layer) => layer.on);
  const chosen = Object.fromEntries(choices.map((choice) => [choice.key, choice.chosen]));
  const boxes = [], selects = {};
  const narrow = window.matchMedia("(max-width: 40rem)").matches;
  let move = 0, speed = 2, timer = null, round = 0;

  function draw() {
    view.show(move, on, chosen);
    slider.max = view.length;
    slider.value = move;
    slider.setAttribute("aria-valuetext", `move ${move} of ${view.length}`);
    element("position").textContent = `${move} / ${view.length}`;
    said.textContent = view.say(move);
    for (const id of ["first", "back"]) element(id).disabled = move === 0;
    for (const id of ["forward", "last"]) element(id).disabled = move === view.length;
    element("weak").hidden = !view.weakest?.length;
    element("earlier").disabled = round === 0;
    element("later").disabled = round === rounds.length - 1;
  }

  function address() {
    const changed = on.some((is, layer) => is !== view.layers[layer].on);
    const parts = [`move=${move}`];
    if (round) parts.unshift(`game=${round + 1}`);
    if (changed) parts.push(`layers=${on.map((is, layer) => (is ? layer + 1 : "")).join("")}`);
    for (const { key, chosen: first } of choices) {
      if (chosen[key] !== first) parts.push(`${key}=${chosen[key]}`);
    }
    try {
      history.replaceState(null, "", `#${parts.join("&")}`);
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

  function choose({ key, options }, value) {
    chosen[key] = selects[key].value = options.some(([each]) => each === value) ? value : options[0][0];
    draw();
    address();
  }

  function cycle(choice) {
    const at = choice.options.findIndex(([value]) => value === chosen[choice.key]);
    choose(choice, choice.options[(at + 1) % choice.options.length][0]);
  }

  function open(to) {
    if (!rounds[to]) return;
    round = to;
    element("round").value = to;
    view.open(to);
  }

  function turnTo(to) {
    if (to === round || !rounds[to]) return;
    open(to);
    go(0);
  }

  // The weakest first, then the next weaker; from anywhere else, the weakest.
  function toWeak(step) {
    const weakest = view.weakest ?? [];
    if (!weakest.length) return;
    const at = weakest.indexOf(move);
    go(weakest[at < 0 ? 0 : (at + step + weakest.length) % weakest.length]);
  }

  function readAddress() {
    const asked = new URLSearchParams(location.hash.slice(1));
    if (rounds.length) open(Math.min(Math.max(Number(asked.get("game")) || 1, 1), rounds.length) - 1);
    if (asked.has("layers")) {
      on.forEach((_, layer) => {
        on[layer] = boxes[layer].checked = asked.get("layers").includes(layer + 1);
      });
    }
    for (const { key, options } of choices) {
      const value = asked.get(key);
      if (options.some(([each]) => each === value)) chosen[key] = selects[key].value = value;
    }
    pause();
    move = Math.min(Math.max(Math.round(Number(asked.get("move"))) || 0, 0), view.length);
    draw();
  }

  const help = element("help"), share = element("share");

  function offer() {
    address();
    element("link").value = location.href;
    element("command").value = view.command?.(move) ?? "";
    element("command").parentElement.hidden = !element("command").value;
    element("picture").hidden = !view.picture;
    element("copied").textContent = "";
    share.showModal();
  }

  async function copy(field) {
    field.select();
    let done = false;
    try {
      await navigator.clipboard.writeText(field.value);
      done = true;
    } catch {
      // Within a frame, or without a secure address.
      done = document.execCommand("copy");
    }
    element("copied").textContent = done ? "Copied." : "Select the text, and copy it.";
  }

  function savePicture() {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([view.picture()], { type: "image/svg+xml" }));
    link.download = `${document.title.replace(/[^\w-]+/g, "-").slice(0, 80)}-${move}.svg`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

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
    w: () => toWeak(1),
    W: () => toWeak(-1),
    n: () => turnTo(round + 1),
    p: () => turnTo(round - 1),
    l: offer,
    "?": () => help.showModal(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || help.open || share.open) return;
    const { key, target } = event;
    // Elements with keys of their own keep them.
    if (target.closest("select, [tabindex='0']") && key.length > 1) return;
    if (target === slider && key.length > 1) return;
    if (key === " " && target.closest("button, select, input, summary")) return;
    const layer = "123456789".indexOf(key);
    const choice = choices.find((each) => each.key[0] === key);
    if (layer >= 0 && key.length === 1) setLayer(layer, !on[layer]);
    else if (choice) cycle(choice);
    else if (key === "Escape" && element("choose").open) element("choose").open = false;
    else if (Object.hasOwn(keys, key)) keys[key]();
    else return;
    event.preventDefault();
  });

  function labelled(parent, name, input, hint) {
    const label = document.createElement("label"), key = document.createElement("kbd");
    key.textContent = hint;
    if (input.type === "checkbox") label.append(input, ` ${name} `, key);
    else label.append(`${name} `, input, key);
    parent.append(label);
  }
  for (const choice of choices) {
    const select = (selects[choice.key] = document.createElement("select"));
    for (const [value, text] of choice.options) select.add(new Option(text, value));
    select.value = choice.chosen;
    select.addEventListener("change", () => choose(choice, select.value));
    labelled(element(narrow ? "layers" : choice.place ?? "choices"), choice.name, select, choice.key[0]);
  }
  view.layers.forEach((layer, index) => {
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = layer.on;
    box.addEventListener("change", () => setLayer(index, box.checked));
    boxes.push(box);
    labelled(element("layers"), layer.name, box, index + 1);
  });
  speeds.forEach((rate, index) => element("speed").append(new Option(`${rate} moves/s`, index)));
  rounds.forEach((name, index) => element("round").append(new Option(name, index)));
  element("rounds").hidden = rounds.length < 2;
  setSpeed(speed);
  slider.addEventListener("input", () => go(slider.valueAsNumber));
  element("speed").addEventListener("change", (event) => setSpeed(Number(event.target.value)));
  element("round").addEventListener("change", (event) => turnTo(Number(event.target.value)));
  const buttons = {
    first: () => go(0),
    back: () => go(move - 1),
    play: toggle,
    forward: () => go(move + 1),
    last: () => go(view.length),
    weak: () => toWeak(1),
    earlier: () => turnTo(round - 1),
    later: () => turnTo(round + 1),
    offer,
    ask: () => help.showModal(),
    "copy-link": () => copy(element("link")),
    "copy-command": () => copy(element("command")),
    picture: savePicture,
  };
  for (const [id, act] of Object.entries(buttons)) element(id).addEventListener("click", act);
  window.addEventListener("hashchange", readAddress);
  // A click on an element with a move goes to that move; one elsewhere closes the layers.
  document.addEventListener("click", (event) => {
    const named = event.target.closest("[data-move]");
    if (named) go(Number(named.dataset.move));
    if (!event.target.closest("#choose")) element("choose").open = false;
  });
  const course = element("course"), tip = element("tip");
  const placeOf = (event) => {
    const box = course.getBoundingClientRect();
    return Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
  };
  course.addEventListener("click", (event) => {
    go(placeOf(event) * view.length - (view.tip ? 0.5 : 0));
  });
  course.addEventListener("pointermove", (event) => {
    const place = placeOf(event);
    tip.textContent = view.tip?.(place * view.length) ?? "";
    tip.hidden = !tip.textContent;
    tip.style.left = `${100 * place}%`;
    tip.style.transform = `translateX(-${100 * place}%)`;
  });
  course.addEventListener("pointerleave", () => (tip.hidden = true));
  readAddress();
}
