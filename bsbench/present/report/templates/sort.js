// Headers become buttons that sort: numbers by value, smallest first, then the other way round.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const given = [...body.rows];
  const headers = [...table.tHead.rows[0].cells];
  headers.forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => {
      const down = header.getAttribute("aria-sort") === "ascending";
      headers.forEach((other) => other.removeAttribute("aria-sort"));
      header.setAttribute("aria-sort", down ? "descending" : "ascending");
      const value = (row) => row.cells[column].dataset.value;
      const numbers = given.every((row) => !Number.isNaN(Number(value(row))));
      const order = (first, second) => {
        const [a, b] = [value(first), value(second)];
        // What has no value comes last, either way.
        if (a === "" || b === "") return (a === "") - (b === "");
        const ascending = numbers ? a - b : a < b ? -1 : a > b ? 1 : 0;
        return down ? -ascending : ascending;
      };
      body.append(...[...given].sort(order));
    });
  });
}

// A link into what is folded opens it.
const unfold = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const folded = target?.closest("details");
  if (folded && !folded.open) {
    folded.open = true;
    target.scrollIntoView();
  }
};
addEventListener("hashchange", unfold);
unfold();
