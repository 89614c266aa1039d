for (const table of document.querySelectorAll("table")) {
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
