// What pages with boards share: names of cells, and boards with heat maps on them.
const data = JSON.parse(document.getElementById("data").textContent);
const { rows, cols, fleet, symbols, meanings, colours } = data;
const cells = rows * cols;

const element = (id) => document.getElementById(id);
const nameOf = (cell) => data.rowNames[Math.floor(cell / cols)] + ((cell % cols) + 1);
const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;

function make(tag, parent, name = "", text = "") {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (text) made.textContent = text;
  parent.append(made);
  return made;
}

function makeButton(parent, text, act, name = "") {
  const button = make("button", parent, name, text);
  button.type = "button";
  if (act) button.addEventListener("click", act);
  return button;
}

// A board: returns its table and the boxes of its cells.
function makeBoard(parent, label) {
  const table = make("table", parent, "grid"), head = make("tr", make("thead", table));
  table.setAttribute("aria-label", label);
  make("td", head);
  for (let col = 0; col < cols; col++) make("th", head, "", String(col + 1)).scope = "col";
  const body = make("tbody", table), boxes = [];
  for (let row = 0; row < rows; row++) {
    const line = make("tr", body);
    make("th", line, "", data.rowNames[row]).scope = "row";
    for (let col = 0; col < cols; col++) boxes.push(make("td", line));
  }
  return [table, boxes];
}

// Draw a cell: its classes and text, what is said of it, and its share of the brightest colour,
// null for none.
function paint(box, name, text, what, share) {
  const [ground, ink] = share === null ? ["", ""] : colours[Math.round(share * (colours.length - 1))];
  box.className = name;
  box.textContent = text;
  box.title = what;
  box.setAttribute("aria-label", what);
  box.style.backgroundColor = ground;
  box.style.color = ink;
}

// Copy a text; where that is not allowed, such as within a frame, its field is left selected.
async function copied(text, field = null) {
  field?.select();
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return field !== null && document.execCommand("copy");
  }
}

// Let the address name what is shown; within a notebook there is none.
function setAddress(hash) {
  try {
    history.replaceState(null, "", hash);
  } catch {
    return;
  }
}

// Keys do what a table says; elements with keys of their own keep them.
function onKeys(act) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
    if (act(event.key, event.target)) event.preventDefault();
  });
}
