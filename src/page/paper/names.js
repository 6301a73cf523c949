// A name is one thing in text and code: pointing at it lights it up everywhere.
const keyOf = (target) => {
  const found = target.closest?.('[class*="n-"]');
  return found?.getAttribute("class").match(/(?:^| )n-(\w+)/)?.[1] ?? null;
};

export const followNames = (chosen) => {
  let lit = null;
  const light = (key) => {
    if (key === lit) return;
    for (const each of document.querySelectorAll(".lit")) each.classList.remove("lit");
    if (key) for (const each of document.querySelectorAll(`.n-${key}`)) each.classList.add("lit");
    lit = key;
    if (key) chosen(key);
  };
  const main = document.querySelector("main");
  main.addEventListener("pointerover", (event) => {
    const key = keyOf(event.target);
    if (key) light(key);
  });
  main.addEventListener("focusin", (event) => {
    if (event.target.matches("button.n")) light(keyOf(event.target));
  });
  main.addEventListener("click", (event) => {
    const key = keyOf(event.target);
    if (key) light(key);
  });
  return light;
};
