// The button that changes between light and dark.
export const themeButton = () =>
  document.getElementById("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    root.dataset.theme = (root.dataset.theme ?? system) === "dark" ? "light" : "dark";
  });
