// What the page knows, and what is chosen of it. Shares are sums of whole numbers of games; means,
// intervals and differences are given. The state is in the address, so that a link restores it.

const VIEWS = { ranking: "Ranking", distribution: "Distribution", ahead: "Ahead", pairs: "Pairs" };
const modesOf = (scene) => ({
  distribution: { each: `at each ${scene.shot}`, by: `by each ${scene.shot}` },
  pairs: { moves: `difference in ${scene.moves}`, first: "who finishes first" },
});

// A scene as the page gives it, with the sums that charts need.
function prepare(scene) {
  for (const [index, strategy] of scene.strategies.entries()) {
    strategy.index = index;
    let sum = 0;
    strategy.sums = strategy.counts.map((count) => (sum += count));
  }
  scene.byMean = [...scene.strategies].sort((a, b) => a.mean - b.mean);
  scene.least = Math.min(...scene.strategies.map((each) => each.best));
  scene.most = Math.max(...scene.strategies.map((each) => each.worst));
  return scene;
}

// Whether each shares one scale with the nearest: the rule of `bsbench.present.scale.contenders`.
function contenders(reaches) {
  const away = reaches.filter((each) => each > 0 && each < Infinity).sort((a, b) => a - b);
  const median = (count) => (away[(count - 1) >> 1] + away[count >> 1]) / 2;
  const beyond = away.findIndex((each, place) => place && each > 5 * median(place));
  const farthest = away.at(beyond < 0 ? -1 : beyond - 1) ?? 0;
  return reaches.map((each) => each <= farthest);
}

// Games of a strategy that were over at a shot, and by it.
const gamesAt = (strategy, shot) => strategy.counts[shot - strategy.best] ?? 0;
const gamesBy = (strategy, shot) =>
  shot < strategy.best ? 0 : (strategy.sums[shot - strategy.best] ?? strategy.games);
const shareAt = (strategy, shot) => gamesAt(strategy, shot) / strategy.games;
const shareBy = (strategy, shot) => gamesBy(strategy, shot) / strategy.games;
// The number of the first game of a length; -1 where it is not known, undefined where there is none.
const firstGame = (strategy, moves) =>
  gamesAt(strategy, moves) > 0 ? strategy.firsts[moves - strategy.best] : undefined;
const lengths = (strategy) =>
  strategy.counts.flatMap((count, index) => (count > 0 ? [strategy.best + index] : []));

// Halves are rounded to the even digit, as Python does in all other tables.
function fixed(number, digits) {
  const rounded = number.toFixed(digits), rest = number.toFixed(60).split(".")[1].slice(digits);
  if (!/^50*$/.test(rest) || !/[13579]$/.test(rounded)) return rounded;
  return (number - Math.sign(number) * 0.5 * 10 ** -digits).toFixed(digits);
}

const percent = (share, digits = 2) => `${fixed(100 * share, digits)} %`;
const points = (share) => `${share < 0 ? "−" : "+"}${fixed(100 * Math.abs(share), 2)}`;
const minus = (text) => text.replace(/^-/, "−");
const capital = (word) => word[0].toUpperCase() + word.slice(1);
const whole = (number) => number.toLocaleString("en-US");

// Where a length stands in a strategy's games: what a game of it is called.
function lengthName(strategy, moves) {
  const names = [
    [strategy.best, "the shortest"], [strategy.low, "the 5 % mark"], [strategy.median, "the median"],
    [strategy.high, "the 95 % mark"], [strategy.worst, "the longest"],
  ];
  return names.filter(([length]) => length === moves).map(([, name]) => name).join(" and ");
}

// The state: which scene; which strategies are on; the reference; view and mode; the shot looked at;
// the game that is open; the pair looked at; and the order of the table.
function startState(scenes) {
  const find = (scene, label) => scene.strategies.findIndex((each) => each.label === label);

  function fresh(scene) {
    return {
      scene,
      on: new Set(scene.strategies.keys()),
      reference: scene.reference,
      view: scene.strategies.length > 1 ? "ranking" : "distribution",
      mode: { distribution: "each", pairs: "moves" },
      shot: scene.byMean[0].median,
      game: null,
      pair: null,
      sort: "mean",
      down: false,
    };
  }

  function read(address) {
    const asked = new URLSearchParams(address.replace(/^#/, ""));
    const scene = scenes.find((each) => each.title === asked.get("scenario")) ?? scenes[0];
    const state = fresh(scene);
    if (asked.has("on")) {
      state.on = new Set(asked.getAll("on").map((label) => find(scene, label)).filter((index) => index >= 0));
    }
    const reference = find(scene, asked.get("reference"));
    if (reference >= 0) state.reference = reference;
    if (Object.hasOwn(VIEWS, asked.get("view") ?? "")) state.view = asked.get("view");
    const mode = modesOf(state.scene)[state.view];
    if (mode && Object.hasOwn(mode, asked.get("show") ?? "")) state.mode[state.view] = asked.get("show");
    const shot = Number(asked.get("shot"));
    if (Number.isInteger(shot) && shot >= 1 && shot <= scene.cells) state.shot = shot;
    const who = find(scene, asked.get("game")), moves = Number(asked.get("moves"));
    if (who >= 0 && firstGame(scene.strategies[who], moves) !== undefined) state.game = { who, moves };
    const pair = [find(scene, asked.get("of")), find(scene, asked.get("to"))];
    if (Math.min(...pair) >= 0 && pair[0] !== pair[1]) state.pair = pair;
    state.sort = asked.get("sort") ?? state.sort;
    state.down = asked.get("down") === "1";
    return state;
  }

  function write(state) {
    const { scene } = state, usual = fresh(scene), asked = new URLSearchParams();
    const label = (index) => scene.strategies[index].label;
    if (scene !== scenes[0]) asked.set("scenario", scene.title);
    if (state.on.size < scene.strategies.length) {
      for (const index of state.on) asked.append("on", label(index));
      if (state.on.size === 0) asked.set("on", "");
    }
    if (state.reference !== usual.reference) asked.set("reference", label(state.reference));
    if (state.view !== usual.view) asked.set("view", state.view);
    const mode = state.mode[state.view];
    if (mode !== usual.mode[state.view]) asked.set("show", mode);
    if (state.shot !== usual.shot) asked.set("shot", state.shot);
    if (state.game) {
      asked.set("game", label(state.game.who));
      asked.set("moves", state.game.moves);
    }
    if (state.pair) {
      asked.set("of", label(state.pair[0]));
      asked.set("to", label(state.pair[1]));
    }
    if (state.sort !== usual.sort) asked.set("sort", state.sort);
    if (state.down) asked.set("down", "1");
    return `#${asked}`;
  }

  return { fresh, read, write };
}

// The strategies that are on, best first.
const shown = (state) => state.scene.byMean.filter((each) => state.on.has(each.index));
// A strategy compared with another one; null for itself.
const pairOf = (scene, one, other) => scene.pairs[other][one];

// What the figures of the strategies that are on say: the words of `bsbench.present.verdicts`.
function finding(state) {
  const on = shown(state), [best, second] = on, { scene } = state;
  if (!best) return "No strategy is switched on";
  const number = (text) => text.replace(/^[+]/, "").split(" ±")[0], mean = number(best.text);
  if (!second) return `${best.label} needs ${mean} ${scene.moves}`;
  const toBest = (each) => pairOf(scene, each.index, best.index);
  const rivals = on.slice(1).filter((each) => !(toBest(each).mean > 0 && (toBest(each).clear || scene.exact)));
  if (!rivals.length) return `${best.label} needs the fewest ${scene.moves}: ${mean}; ${second.label} needs ${number(toBest(second).text)} more`;
  const other = rivals.find((each) => toBest(each).clear);
  if (other) return `${best.label} has the smallest mean, but needs more ${scene.moves} than ${other.label} in the same games`;
  const names = rivals.length > 2 ? [best.label, `${rivals.length} others`] : [best, ...rivals].map((each) => each.label);
  const named = `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  if (rivals.every((each) => scene.exact || toBest(each).text === "= 0")) return `${named} took equally many ${scene.moves}`;
  return `No clear difference between ${named}`;
}

// On how many games a difference rests, and how.
function basis(scene, one, other) {
  const pair = pairOf(scene, one.index, other.index);
  if (scene.exact) return "each layout played once";
  if (pair.paired) return `compared game by game over ${whole(pair.paired)} games`;
  const games = [one.games, other.games];
  const played = games[0] === games[1] ? `${whole(games[0])} games each` : `${whole(games[0])} and ${whole(games[1])} games`;
  return `by the means of ${played}, not game by game (the interval is wider)`;
}
