// One pair is shown at a time; the list, the buttons and the keys n and p change it.
const pairs = [...document.querySelectorAll("section.pair")];
const list = document.getElementById("pairs");
if (list) {
  document.body.classList.add("js");
  const show = number => {
    if (number < 0 || number >= pairs.length) return;
    pairs.forEach((pair, index) => pair.classList.toggle("shown", index === number));
    list.selectedIndex = number;
    const codes = pairs[number].querySelector(".codes");
    const mark = codes?.querySelector(".mark");
    if (mark) codes.scrollTop = mark.offsetTop - codes.clientHeight / 3;
  };
  list.addEventListener("change", () => show(list.selectedIndex));
  document.getElementById("previous").addEventListener("click", () => show(list.selectedIndex - 1));
  document.getElementById("next").addEventListener("click", () => show(list.selectedIndex + 1));
  document.addEventListener("keydown", event => {
    if (event.target.matches("input, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "n") show(list.selectedIndex + 1);
    if (event.key === "p") show(list.selectedIndex - 1);
  });
  const follow = () => {
    const number = pairs.findIndex(pair => `#${pair.id}` === location.hash);
    if (number >= 0) { show(number); pairs[number].scrollIntoView(); }
  };
  addEventListener("hashchange", follow);
  show(0);
  follow();
}
