// Lines of a forward function and those of its backward function that undo them, joined by a curve.
const joinsOf = (line) => [...line.classList].filter((name) => /^j\d+-\d+$/.test(name));

const curve = (one, other) => {
  const x = Math.min(one.left, other.left) + scrollX - 4;
  const from = one.top + one.height / 2 + scrollY;
  const to = other.top + other.height / 2 + scrollY;
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", `M ${x} ${from} C ${x - 34} ${from}, ${x - 34} ${to}, ${x} ${to}`);
  return path;
};

export const followJoins = () => {
  const svg = document.getElementById("joins");
  const clear = () => {
    svg.replaceChildren();
    for (const each of document.querySelectorAll(".together")) each.classList.remove("together");
  };
  const show = (line) => {
    clear();
    svg.setAttribute("height", document.documentElement.scrollHeight);
    for (const name of joinsOf(line)) {
      const lines = [...document.querySelectorAll(`.${name}`)];
      for (const each of lines) each.classList.add("together");
      const boxes = lines.map((each) => each.getBoundingClientRect());
      if (boxes.length > 1) svg.append(curve(boxes[0], boxes.at(-1)));
    }
  };
  document.querySelector("main").addEventListener("pointerover", (event) => {
    const line = event.target.closest?.(".joined");
    if (line) show(line);
    else clear();
  });
  addEventListener("resize", clear);
};
