// What heads and the flow of a step are called: English, German, French.

export const headTexts = {
  flow: [
    "How the context vector for “{word}” is made (the first 16 numbers of each vector; purple: above 0, green: below; ±: the highest bar)",
    "Wie der Kontextvektor für „{word}“ entsteht (von jedem Vektor die ersten 16 Zahlen; violett: über 0, grün: darunter; ±: der höchste Balken)",
    "Comment naît le vecteur de contexte de « {word} » (les 16 premiers nombres de chaque vecteur ; violet : au-dessus de 0, vert : au-dessous ; ± : la plus haute barre)",
  ],
  gridKey: [
    "columns: source words · rows: target words · white: weight 0, black: 1",
    "Spalten: Quellwörter · Zeilen: Zielwörter · weiß: Gewicht 0, schwarz: 1",
    "colonnes : mots source · lignes : mots cible · blanc : poids 0, noir : 1",
  ],
  stripNote: [
    "Each matrix is shaded up to its largest number, one of both signs in purple above 0 and green below; the pointer shows numbers and, on a name, the formula.",
    "Jede Matrix ist bis zu ihrer größten Zahl schattiert, eine mit beiden Vorzeichen violett über 0 und grün darunter; der Zeiger zeigt Zahlen und auf einem Namen die Formel.",
    "Chaque matrice est ombrée jusqu'à son plus grand nombre ; avec les deux signes, en violet au-dessus de 0 et en vert au-dessous ; le pointeur montre les nombres et, sur un nom, la formule.",
  ],
  "flow-query": ["query q", "Anfrage q", "requête q"],
  "flow-scores": ["scores e", "Scores e", "scores e"],
  "flow-weights": ["softmax α", "Softmax α", "softmax α"],
  "flow-values": ["values, times α", "Werte, mal α", "valeurs, fois α"],
  "flow-sum": ["their sum: context c", "ihre Summe: Kontext c", "leur somme : contexte c"],
  "flow-play": ["Play or pause", "Abspielen oder anhalten", "Lire ou suspendre"],
  "flow-time": ["animation", "Animation", "animation"],
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
    "Below each head: its role, where most of its weight goes on unseen pairs, and on this sentence its weight on the gold links and its mean entropy in nats, 0 where each row looks at one word. White is 0, black 1. Click one to open it.",
    "Unter jedem Kopf: seine Rolle, wohin bei ungesehenen Paaren sein meistes Gewicht geht, und auf diesem Satz sein Gewicht auf den Gold-Links und seine mittlere Entropie in Nats, 0, wo jede Zeile auf ein Wort schaut. Weiß ist 0, Schwarz 1. Ein Klick öffnet ihn.",
    "Sous chaque tête : son rôle, où va l'essentiel de son poids sur des paires jamais vues, et, sur cette phrase, son poids sur les liens de référence et son entropie moyenne en nats, 0 si chaque ligne regarde un seul mot. Le blanc est 0, le noir 1. Un clic l'ouvre.",
  ],
};
