// What marks of pictures and translations mean: English, German, French.

export const stageTexts = {
  linkKey: [
    "orange frame: gold link, dashed: possible",
    "oranger Rahmen: Gold-Link, gestrichelt: möglich",
    "cadre orange : lien de référence, en pointillé : possible",
  ],
  wrongKey: [
    "underlined: ≠ reference; ∅: missing",
    "unterstrichen: ≠ Referenz; ∅: fehlt",
    "souligné : ≠ référence ; ∅ : manque",
  ],
  headsKey: [
    "gold: weight on gold links · entropy: nats · blue: open",
    "Gold: Gewicht auf Gold-Links · Entropie: Nats · blau: offen",
    "référence : poids sur les liens de référence · entropie : nats · bleu : ouverte",
  ],
  stageTime: ["time", "Zeit", "temps"],
  meanEntropy: ["entropy {n}", "Entropie {n}", "entropie {n}"],
};
