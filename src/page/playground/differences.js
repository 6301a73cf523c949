// Which words of a translation are not those of its reference.

const FEW = 400; // words or characters that are compared

// Returns for each i and j how many words one and other have in common, in order, from there on.
function commonFrom(one, other) {
  const table = Array.from({ length: one.length + 1 }, () => Array(other.length + 1).fill(0));
  for (let i = one.length - 1; i >= 0; i--)
    for (let j = other.length - 1; j >= 0; j--)
      table[i][j] =
        one[i] === other[j] ? 1 + table[i + 1][j + 1] : Math.max(table[i + 1][j], table[i][j + 1]);
  return table;
}

// Returns a translation as [{ text, isWrong }], with ∅ where words of the reference are missing.
// Texts without spaces are compared character by character.
export function differences(translation, reference) {
  const between = /\s/.test(reference.trim()) ? " " : "";
  const split = (text) =>
    between ? text.split(/\s+/).filter(Boolean) : Array.from(text.replace(/\s/g, ""));
  const [said, meant] = [split(translation), split(reference)];
  if (Math.max(said.length, meant.length) > FEW) return [{ text: translation, isWrong: false }];
  const common = commonFrom(said, meant);
  const parts = [];
  const add = (text, isWrong) => {
    if (parts.at(-1)?.isWrong === isWrong) parts.at(-1).text += between + text;
    else parts.push({ text, isWrong });
  };
  let [i, j, isMarked] = [0, 0, false]; // whether something is since the last right word
  while (i < said.length || j < meant.length) {
    if (i < said.length && said[i] === meant[j]) {
      add(said[i], false);
      [i, j, isMarked] = [i + 1, j + 1, false];
    } else if (i < said.length && (j === meant.length || common[i + 1][j] >= common[i][j + 1])) {
      add(said[i++], true);
      isMarked = true;
    } else {
      if (!isMarked) add("∅", true);
      isMarked = true;
      j++;
    }
  }
  return parts;
}
