// Sentence pairs to learn from: English and French phrases whose adjectives change places.
const nouns = [
  "cat chat",
  "dog chien",
  "horse cheval",
  "wolf loup",
  "baker boulanger",
  "king roi",
  "prince prince",
];
const adjectives = [
  "black noir",
  "red rouge",
  "white blanc",
  "wise sage",
  "sad triste",
  "rich riche",
];
const verbs = ["sees voit", "finds trouve", "follows suit", "loves aime"];
const links = ["with avec", "without sans", "near chez"];
const determiners = ["the le", "a un"];

// The same numbers in every browser.
const dice = () => {
  let state = 1;
  return (list) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return list[(state >>> 16) % list.length].split(" ");
  };
};

export const somePairs = (count) => {
  const draw = dice();
  const phrase = () => {
    const [the, le] = draw(determiners);
    const [noun, nom] = draw(nouns);
    if (draw(["0", "1", "1"])[0] === "0")
      return [
        [the, noun],
        [le, nom],
      ];
    const [adjective, adjectif] = draw(adjectives);
    return [
      [the, adjective, noun],
      [le, nom, adjectif],
    ];
  };
  const sentence = () => {
    const parts = [phrase(), draw(verbs), phrase(), draw(links), phrase()];
    return [0, 1].map((side) => parts.flatMap((part) => part[side]).join(" ")).join("\t");
  };
  return Array.from({ length: count }, sentence);
};

// Not among those.
export const shownPairs = [
  "the black cat sees a red dog with the wise king\tle chat noir voit un chien rouge avec le roi sage",
  "a sad wolf follows the white horse without a rich prince\tun loup triste suit le cheval blanc sans un prince riche",
  "the rich baker loves a wise prince near the king\tle boulanger riche aime un prince sage chez le roi",
];
