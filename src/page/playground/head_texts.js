// What heads and the flow of a step are called: English, German, French.

export const headTexts = {
  flow: [
    "How the context vector for “{word}” is made",
    "Wie der Kontextvektor für „{word}“ entsteht",
    "Comment naît le vecteur de contexte de « {word} »",
  ],
  "flow-query": ["query q", "Anfrage q", "requête q"],
  "flow-scores": ["scores e", "Scores e", "scores e"],
  "flow-weights": ["softmax α", "Softmax α", "softmax α"],
  "flow-values": ["values, times α", "Werte, mal α", "valeurs, fois α"],
  "flow-sum": ["their sum: context c", "ihre Summe: Kontext c", "leur somme : contexte c"],
  "flow-play": ["Play or pause", "Abspielen oder anhalten", "Lire ou suspendre"],
  "flow-time": ["Moment of the animation", "Moment der Animation", "Moment de l'animation"],
  "role-previous": ["previous word", "voriges Wort", "mot précédent"],
  "role-next": ["next word", "nächstes Wort", "mot suivant"],
  "role-same": ["same word", "dasselbe Wort", "même mot"],
  "role-induction": ["induction", "Induktion", "induction"],
  "role-duplicate": ["duplicate", "Duplikat", "doublon"],
  "role-first": ["first word", "erstes Wort", "premier mot"],
  "role-end": ["end mark", "Endzeichen", "marque de fin"],
  "role-alignment": ["alignment", "Ausrichtung", "alignement"],
  "role-diffuse": ["diffuse", "verstreut", "diffuse"],
  "role-mixed": ["mixed", "gemischt", "mixte"],
  headsNote: [
    "Below each head: its role, where most of its weight goes on unseen pairs, and its weight on the gold links of this sentence. Click one to open it.",
    "Unter jedem Kopf: seine Rolle, wohin bei ungesehenen Paaren sein meistes Gewicht geht, und sein Gewicht auf den Gold-Links dieses Satzes. Ein Klick öffnet ihn.",
    "Sous chaque tête : son rôle, où va l'essentiel de son poids sur des paires jamais vues, et son poids sur les liens de référence de cette phrase. Un clic l'ouvre.",
  ],
};
