// Exact odds, in the page: what `bsbench.counting` does by joins, for one position at a time.
// Its files `evidence.py` and `joins.py` give the method; names here are the same. A set of slots
// is an Int32Array of bits. Counts are exact up to 2^53.

const MISS = 0, HIT = 1, SUNK = 2;

class Contradiction extends Error {}
class OutOfReach extends Error {}

function population(bits) {
  bits -= (bits >>> 1) & 0x55555555;
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function size(set) {
  let found = 0;
  for (const bits of set) found += population(bits);
  return found;
}

function members(set) {
  const found = [];
  set.forEach((word, index) => {
    for (let bits = word; bits; bits &= bits - 1) found.push(32 * index + 31 - Math.clz32(bits & -bits));
  });
  return found;
}

// Slots of the fleet, by kind of ship: kinds are the distinct lengths.
//   places[kind][slot]      cells
//   through[kind][cell]     slots that use a cell
//   keep[kind][slot][other] slots of another kind that stay possible beside this one
function tablesOf(rules) {
  const { cells, fleet, slots, apart } = rules;
  const lengths = [...new Set(fleet)];
  const places = lengths.map((length) => slots[length].map(([first, step]) =>
    Array.from({ length }, (_, index) => first + index * step)));
  const words = Math.ceil(Math.max(...places.map((list) => list.length)) / 32);
  const all = lengths.map(() => new Int32Array(words));
  const through = lengths.map(() => Array.from({ length: cells }, () => new Int32Array(words)));
  places.forEach((list, kind) => list.forEach((place, slot) => {
    const word = slot >> 5, bit = 1 << (slot & 31);
    all[kind][word] |= bit;
    for (const cell of place) through[kind][cell][word] |= bit;
  }));
  const keep = places.map((list) => list.map((place) => {
    const closed = new Set(place.flatMap((cell) => apart[cell]));
    return lengths.map((_, other) => {
      const left = all[other].slice();
      for (const cell of closed) through[other][cell].forEach((bits, word) => { left[word] &= ~bits; });
      return left;
    });
  }));
  return { kind: fleet.map((length) => lengths.indexOf(length)), places, words, all, through, keep };
}

// What some answers reveal: the slots that each ship may still have, and the cells that are hit.
class Evidence {
  constructor(rules, tables, answers) {
    this.rules = rules;
    this.tables = tables;
    this.possible = tables.kind.map((kind) => tables.all[kind].slice());
    this.shot = new Array(rules.cells).fill(false);
    this.hit = new Array(rules.cells).fill(false);
    this.sunk = new Set();
    for (const answer of answers) this.learn(answer);
  }

  learn({ cell, outcome, ship, slot }) {
    const { rules, tables, possible } = this, { told } = rules;
    this.shot[cell] = true;
    const without = (other, set) => set.forEach((bits, word) => { possible[other][word] &= ~bits; });
    const within = (other, set) => set.forEach((bits, word) => { possible[other][word] &= bits; });
    possible.forEach((_, other) => {
      const passing = tables.through[tables.kind[other]][cell];
      if (outcome === MISS) without(other, passing);
      else if (ship >= 0 && (outcome === SUNK || told.ships)) {
        (other === ship ? within : without)(other, passing);
      }
    });
    if (outcome !== MISS) {
      this.hit[cell] = true;
      if (told.sinkings) {
        // A ship all of whose cells are hit has sunk, and was announced.
        const whole = tables.places.map((list, kind) => {
          const set = new Int32Array(tables.words);
          for (const number of members(tables.all[kind])) {
            if (list[number].every((each) => this.hit[each])) set[number >> 5] |= 1 << (number & 31);
          }
          return set;
        });
        if (outcome === SUNK) {
          within(ship, whole[tables.kind[ship]]);
          if (slot >= 0) {
            const only = new Int32Array(tables.words);
            only[slot >> 5] |= 1 << (slot & 31);
            within(ship, only);
          }
          this.sunk.add(ship);
        }
        possible.forEach((_, other) => {
          if (!this.sunk.has(other)) without(other, whole[tables.kind[other]]);
        });
      }
    }
    if (possible.some((set) => size(set) === 0)) throw new Contradiction();
  }

  // The hits that no ship is sure to explain.
  get openHits() {
    const { tables, possible } = this;
    return this.hit.flatMap((hit, cell) => {
      const sure = hit && possible.some((set, ship) => {
        const passing = tables.through[tables.kind[ship]][cell];
        return set.every((bits, word) => (bits & ~passing[word]) === 0);
      });
      return hit && !sure ? [cell] : [];
    });
  }

  // Ships that nothing distinguishes: for each ship, the first of its class.
  get equal() {
    const { fleet } = this.rules;
    const names = this.possible.map((set, ship) => `${fleet[ship]}:${set.join()}`);
    return names.map((name) => names.indexOf(name));
  }
}

// Count the layouts, with distinguishable ships, and those with each ship in each slot.
// `progress` is given the share that is done. More than `limit` words are not joined.
function countLayouts(evidence, limit, progress) {
  const { tables, rules } = evidence, { kind, keep, through, words, places } = tables;
  const { fleet } = rules, equal = evidence.equal;
  const counts = fleet.map((_, ship) => new Float64Array(places[kind[ship]].length));
  const room = fleet.map(() => fleet.map(() => new Int32Array(words)));
  let work = 0;

  function join(one, other, possible, weight) {
    const mine = possible[one], theirs = possible[other], counted = counts[one];
    const beside = keep[kind[one]], which = kind[other];
    let total = 0;
    for (let word = 0; word < words; word++) {
      for (let bits = mine[word]; bits; bits &= bits - 1) {
        const slot = 32 * word + 31 - Math.clz32(bits & -bits), kept = beside[slot][which];
        let found = 0;
        for (let index = 0; index < words; index++) found += population(theirs[index] & kept[index]);
        counted[slot] += found * weight;
        total += found;
        work += words;
      }
    }
    if (work > limit) throw new OutOfReach();
    return total;
  }

  function pair(one, other, possible, weight) {
    // Of two equal ships, one is counted for both.
    const alike = equal[one] === equal[other];
    const total = join(one, other, possible, alike ? 2 * weight : weight);
    if (total && !alike) join(other, one, possible, weight);
    return total;
  }

  // Ships that are alike are laid last, as a pair; of three, what leaves the cheapest pair.
  function cheapest(left, possible) {
    let best = left[0], least = Infinity;
    for (const ship of left) {
      const rest = left.filter((other) => other !== ship);
      let cost = size(possible[ship]);
      if (left.length === 3) {
        const [one, other] = rest;
        cost *= size(possible[one]) + (equal[one] === equal[other] ? 0 : size(possible[other]));
      } else if (rest.some((other) => equal[other] === equal[ship])) cost *= 2;
      if (cost < least) [best, least] = [ship, cost];
    }
    return best;
  }

  function walk(left, possible, hits, weight, depth, from, share) {
    if (hits.length > left.reduce((sum, ship) => sum + fleet[ship], 0)) return 0;
    if (left.length === 0) return 1;
    if (left.length === 1) {
      const [ship] = left;
      const fit = possible[ship].slice();
      for (const hit of hits) through[kind[ship]][hit].forEach((bits, word) => { fit[word] &= bits; });
      const found = members(fit);
      for (const slot of found) counts[ship][slot] += weight;
      return found.length;
    }
    if (left.length === 2 && hits.length === 0) return pair(left[0], left[1], possible, weight);
    // Branch on the ship and slot that explain the first hit, or else on the cheapest ship.
    const branches = [];
    const firsts = hits.length ? left.filter((ship) => !left.some((other) => other < ship && equal[other] === equal[ship]))
      : [cheapest(left, possible)];
    for (const ship of firsts) {
      const same = hits.length ? left.filter((other) => equal[other] === equal[ship]).length : 1;
      for (const slot of members(possible[ship])) {
        if (hits.length === 0 || places[kind[ship]][slot].includes(hits[0])) branches.push([ship, slot, same]);
      }
    }
    let total = 0;
    const below = room[depth];
    branches.forEach(([ship, slot, same], index) => {
      const rest = left.filter((other) => other !== ship);
      const kept = keep[kind[ship]][slot], place = places[kind[ship]][slot];
      for (const other of rest) {
        const set = below[other], before = possible[other], mask = kept[kind[other]];
        for (let word = 0; word < words; word++) set[word] = before[word] & mask[word];
      }
      const open = hits.filter((hit) => !place.includes(hit));
      const part = share / branches.length;
      const found = same * walk(rest, below, open, weight * same, depth + 1, from + index * part, part);
      counts[ship][slot] += found * weight;
      total += found;
      if (depth < 2) progress(from + (index + 1) * part);
    });
    return total;
  }

  const ships = fleet.map((_, ship) => ship);
  const layouts = walk(ships, evidence.possible, evidence.openHits, 1, 0, 0, 1);
  if (layouts === 0) throw new Contradiction();
  if (layouts > Number.MAX_SAFE_INTEGER / fleet.length) throw new OutOfReach();
  ships.forEach((ship) => {
    if (equal[ship] !== ship) return;
    const alike = ships.filter((other) => equal[other] === ship);
    counts[ship].forEach((_, slot) => {
      const sum = alike.reduce((total, other) => total + counts[other][slot], 0);
      for (const other of alike) counts[other][slot] = sum / alike.length;
    });
  });
  return { layouts, counts };
}

function entropy(parts) {
  const total = parts.reduce((sum, part) => sum + part, 0);
  let bits = 0;
  for (const part of parts) if (part > 0) bits -= (part / total) * Math.log2(part / total);
  return bits;
}

// The odds of a position: what `bsbench odds` shows.
//   layouts, unlabelled   with distinguishable ships, and without
//   ships[ship][cell]     the probability of the ship on the cell
//   cells[cell]           the probability of a ship there
//   information[cell]     what the answer to a shot there reveals on average, in bits
//   sunk                  ships known to have sunk, each with the slots that no answer excludes
function oddsOf(rules, tables, answers, limit, progress) {
  const evidence = new Evidence(rules, tables, answers);
  const { fleet, cells, told } = rules, { kind, places } = tables;
  const { layouts, counts } = countLayouts(evidence, limit, progress);
  const equal = evidence.equal, firsts = [...new Set(equal)];
  const numberOf = (ship) => equal.filter((other) => other === ship).length;
  const ships = fleet.map((_, ship) => {
    const found = new Array(cells).fill(0);
    places[kind[ship]].forEach((place, slot) => {
      for (const cell of place) found[cell] += counts[ship][slot];
    });
    return found;
  });
  const sums = Array.from({ length: cells }, (_, cell) => ships.reduce((sum, ship) => sum + ship[cell], 0));
  const information = sums.map((sum, cell) => {
    if (evidence.shot[cell]) return 0;
    const sinking = [];
    let hits = firsts.map((ship) => {
      const number = numberOf(ship);
      let hit = number * ships[ship][cell];
      if (told.sinkings) {
        for (const slot of members(evidence.possible[ship])) {
          const place = places[kind[ship]][slot];
          if (place.includes(cell) && place.every((each) => each === cell || evidence.hit[each])) {
            sinking.push(number * counts[ship][slot]);
            hit -= number * counts[ship][slot];
          }
        }
      }
      return hit;
    });
    if (!told.ships) hits = [hits.reduce((all, hit) => all + hit, 0)];
    return entropy([layouts - sum, ...hits, ...sinking]);
  });
  let labellings = 1;
  for (const ship of firsts) for (let number = numberOf(ship); number > 1; number--) labellings *= number;
  const share = (count) => count / layouts;
  return {
    layouts, unlabelled: layouts / labellings, ships: ships.map((list) => list.map(share)), cells: sums.map(share), information,
    sunk: [...evidence.sunk].map((ship) => [ship, members(evidence.possible[ship])]),
  };
}
