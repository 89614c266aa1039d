const tables = [...document.querySelectorAll("table:not(.code)")];
for (const table of tables) {
  const heads = table.querySelectorAll("th");
  heads.forEach((head, column) => head.addEventListener("click", () => {
    const up = head.getAttribute("aria-sort") === "descending";
    heads.forEach(other => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const key = row => row.cells[column].dataset.v ?? row.cells[column].textContent;
    const numeric = head.classList.contains("n");
    const compare = (a, b) => numeric ? key(a) - key(b) : key(a).localeCompare(key(b), undefined, { numeric: true });
    const body = table.tBodies[0];
    body.append(...[...body.rows].sort((a, b) => up ? compare(a, b) : compare(b, a)));
  }));
}
// Rows stay that hold every word of the filter.
const filter = document.getElementById("filter");
const count = document.getElementById("count");
filter.addEventListener("input", () => {
  const words = filter.value.toLowerCase().split(/\s+/).filter(word => word);
  let shown = 0, all = 0;
  for (const table of tables) {
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every(word => text.includes(word));
      all += 1;
      shown += !row.hidden;
    }
  }
  count.textContent = words.length ? `${shown} of ${all} rows` : "";
});
