// What hand-outs of the tour's stops say in each language of the page, for scripts/playground.

export const handoutTexts = {
  open: [
    "Open this stop in the playground",
    "Diese Station im Playground öffnen",
    "Ouvrir cette étape dans le playground",
  ],
  steps: ["First steps", "Erste Schritte (englisch)", "Premiers pas (en anglais)"],
  lines: [
    "The equation and its code",
    "Die Gleichung und ihr Code (englisch)",
    "L'équation et son code (en anglais)",
  ],
  expect: [
    "Before you try it, I expect:",
    "Vor dem Ausprobieren; ich erwarte:",
    "Avant d'essayer, je m'attends à :",
  ],
  saw: [
    "What I saw, with its figures:",
    "Was ich gesehen habe, mit Zahlen:",
    "Ce que j'ai vu, avec les chiffres :",
  ],
  why: ["Why:", "Warum:", "Pourquoi :"],
  link: [
    "Link: {link} beside this page. In class: lesson {lesson}, ",
    "Link: {link} neben dieser Seite. Im Unterricht: Lektion {lesson}, ",
    "Lien : {link} à côté de cette page. En classe : leçon {lesson}, ",
  ],
};
