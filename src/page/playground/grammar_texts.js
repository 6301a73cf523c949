// Grammars to start from, and the texts about the user's own: English, German, French.

export const starters = {
  Italiano: `# English to Italian. A rule: [CATEGORY] ||| source ||| target ||| links
%feature g m f
%join il [aeiou]* ||| l'
[S]     ||| [NP,1] [V,2] [NP,3]   ||| [NP,1] [V,2] [NP,3]
[NP]    ||| the [N:g,1]           ||| [THE:g] [N:g,1]         ||| 0-0 1?0
[NP]    ||| the [A:g,2] [N:g,1]   ||| [THE:g] [N:g,1] [A:g,2] ||| 0-0 2?0
[THE:m] |||           ||| il
[THE:f] |||           ||| la
[N:m]   ||| boy       ||| ragazzo
[N:f]   ||| girl      ||| ragazza
[N:m]   ||| friend    ||| amico
[N:f]   ||| sister    ||| sorella
[N:m]   ||| dog       ||| cane
[A:m]   ||| small     ||| piccolo
[A:f]   ||| small     ||| piccola
[A:m]   ||| calm      ||| calmo
[A:f]   ||| calm      ||| calma
[V]     ||| sees      ||| vede
[V]     ||| loves     ||| ama
[V]     ||| looks for ||| cerca
`,
  हिन्दी: `# English to Hindi: the verb comes last, and looks at the subject.
%feature g m f
[S]       ||| the [N:g,1] [V:g,2] [O,3]       ||| [N:g,1] [O,3] [V:g,2]         ||| 0?0 1?2
[S]       ||| the [A:g,4] [N:g,1] [V:g,2] [O,3] ||| [A:g,4] [N:g,1] [O,3] [V:g,2] ||| 0?1 2?3
[A:m]     ||| small  ||| छोटा
[A:f]     ||| small  ||| छोटी
[A:m]     ||| big    ||| बड़ा
[A:f]     ||| big    ||| बड़ी
[N:m]     ||| boy    ||| लड़का
[N:f]     ||| girl   ||| लड़की
[N:m]     ||| dog    ||| कुत्ता
[N:f]     ||| cat    ||| बिल्ली
[N:m]     ||| horse  ||| घोड़ा
[N:f]     ||| cow    ||| गाय
[O]       ||| bread  ||| रोटी
[O]       ||| rice   ||| चावल
[O]       ||| fruit  ||| फल
[O]       ||| water  ||| पानी
[O]       ||| grass  ||| घास
[V:m]     ||| sees   ||| देखता है
[V:f]     ||| sees   ||| देखती है
[V:m]     ||| wants  ||| चाहता है
[V:f]     ||| wants  ||| चाहती है
[V:m]     ||| brings ||| लाता है
[V:f]     ||| brings ||| लाती है
`,
};

export const grammarTexts = {
  grammar: ["Your own grammar", "Eigene Grammatik", "Votre grammaire"],
  grammarHint: [
    "One rule on each line: category ||| source ||| target. “softalign help corpus” explains it.",
    "Eine Regel je Zeile: Kategorie ||| Quelle ||| Ziel. „softalign help corpus“ erklärt es.",
    "Une règle par ligne : catégorie ||| source ||| cible. « softalign help corpus » l'explique.",
  ],
  starter: ["start from", "beginnen mit", "partir de"],
  useGrammar: ["Train on this grammar", "Mit dieser Grammatik trainieren", "Entraîner dessus"],
  ownGrammar: ["your own grammar", "eigene Grammatik", "votre grammaire"],
  inLine: ["Line {line}: {why}", "Zeile {line}: {why}", "Ligne {line} : {why}"],
  grammarNote: [
    "The grammar has only {n} sentences to learn from.",
    "Die Grammatik hat nur {n} Sätze zum Lernen.",
    "La grammaire n'a que {n} phrases à apprendre.",
  ],
};
