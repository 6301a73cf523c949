
// The stops of the tour: the settings of a link, and in each language a title, a text that ends with a
// question, and its answer. The figures of the answers were measured with seed 1.

const stops = [
  {
    link: "task=mono&sentence=0",
    title: ["Look up", "Nachschlagen", "Chercher"],
    text: [
      "Each French word of this task translates the English word at the same place. Press start: the matrix becomes a diagonal, because the decoder learns to look at the word it is about to write. Which word does the article un look at most, and why is it not a?",
      "Jedes französische Wort dieser Aufgabe übersetzt das englische an derselben Stelle. Start drücken: Die Matrix wird zur Diagonale, weil der Decoder lernt, auf das Wort zu schauen, das er als Nächstes schreibt. Auf welches Wort schaut der Artikel un am meisten, und warum ist es nicht a?",
      "Chaque mot français de cette tâche traduit le mot anglais de même rang. Démarrez : la matrice devient une diagonale, car le décodeur apprend à regarder le mot qu'il va écrire. Quel mot l'article un regarde-t-il le plus, et pourquoi n'est-ce pas a ?",
    ],
    answer: [
      "At the noun behind it: only the noun decides between un and une, and the annotation of baker has read the a as well.",
      "Auf das Nomen dahinter: Nur das Nomen entscheidet zwischen un und une, und die Annotation von baker hat auch das a gelesen.",
      "Le nom qui suit : lui seul décide entre un et une, et l'annotation de baker a lu aussi le a.",
    ],
  },
  {
    link: "task=reorder&a=decoder=fixed&b=",
    title: ["The bottleneck", "Der Flaschenhals", "Le goulot"],
    text: [
      "Model A must press the whole sentence into one vector and has no attention; model B may look back at every word. Both see equal batches. Pause after 500 updates: how many unseen sentences does each translate exactly?",
      "Modell A muss den ganzen Satz in einen einzigen Vektor pressen und hat keine Aufmerksamkeit; Modell B darf auf jedes Wort zurückschauen. Beide sehen gleiche Batches. Nach 500 Updates anhalten: Wie viele ungesehene Sätze übersetzt jedes exakt?",
      "Le modèle A doit comprimer toute la phrase en un seul vecteur, sans attention ; le modèle B peut revoir chaque mot. Tous deux voient les mêmes lots. Arrêtez après 500 pas : combien de phrases jamais vues chacun traduit-il exactement ?",
    ],
    answer: [
      "About 9 % without attention and 98 % with it; let the sources become longer and the gap grows.",
      "Etwa 9 % ohne Aufmerksamkeit und 98 % mit ihr; mit längeren Quellen wächst der Abstand.",
      "Environ 9 % sans attention et 98 % avec ; des sources plus longues creusent l'écart.",
    ],
  },
  {
    link: "task=reorder",
    title: ["Learning to align", "Ausrichten lernen", "Apprendre à aligner"],
    text: [
      "Nobody tells the model which words belong together: the orange frames are only for you. Watch the weight of moved words, in the table below the curves, rise while the translation becomes right, then go back in time with the slider. Does the model first know where to look or what to say?",
      "Niemand sagt dem Modell, welche Wörter zusammengehören: Die orangen Rahmen sind nur für Sie. Beobachten Sie in der Tabelle unter den Kurven, wie das Gewicht bewegter Wörter wächst, während die Übersetzung richtig wird, und gehen Sie mit dem Schieber zurück in der Zeit. Weiß das Modell zuerst, wohin es schauen oder was es sagen soll?",
      "Personne ne dit au modèle quels mots vont ensemble : les cadres orange ne sont que pour vous. Voyez, dans le tableau sous les courbes, le poids des mots déplacés monter tandis que la traduction devient bonne, puis remontez le temps avec le curseur. Le modèle sait-il d'abord où regarder ou quoi dire ?",
    ],
    answer: [
      "Where to look: when the weight of moved words has come halfway to where it ends, from 15 to 35 of 70 %, only some 4 % of the translations are exact; a hundred updates later about 90 % are.",
      "Wohin es schauen soll: Wenn das Gewicht bewegter Wörter den halben Weg gegangen ist, von 15 auf 35 von 70 %, sind erst etwa 4 % der Übersetzungen exakt; hundert Updates später sind es etwa 90 %.",
      "Où regarder : quand le poids des mots déplacés a fait la moitié du chemin, de 15 à 35 sur 70 %, environ 4 % seulement des traductions sont exactes ; cent pas plus tard, environ 90 % le sont.",
    ],
  },
  {
    link: "task=reorder&a=attention=additive&b=attention=dot",
    title: ["Scores", "Bewertungen", "Scores"],
    text: [
      "The score compares the decoder's state with each source word: by a small network in 2015 (additive), later by a plain product (dot). Both models train on equal batches here. Which matrix is sharper (has less entropy), and is that the one that translates better?",
      "Die Bewertung vergleicht den Zustand des Decoders mit jedem Quellwort: 2015 mit einem kleinen Netz (additive), später mit einem bloßen Produkt (dot). Beide Modelle trainieren hier mit gleichen Batches. Welche Matrix ist schärfer (hat weniger Entropie), und übersetzt dieses Modell auch besser?",
      "Le score compare l'état du décodeur à chaque mot source : par un petit réseau en 2015 (additive), puis par un simple produit (dot). Les deux modèles apprennent ici sur les mêmes lots. Quelle matrice est la plus nette (a le moins d'entropie), et est-ce elle qui traduit le mieux ?",
    ],
    answer: [
      "The product's: its entropy falls to 0.02 in 500 updates, the network's to 0.3. But it settles on neighbors of the right words (44 % of its weight is on gold links, 60 % of the network's), and needs more than twice the updates for 90 % exact translations.",
      "Die des Produkts: Ihre Entropie fällt in 500 Updates auf 0,02, die des Netzes auf 0,3. Sie legt sich aber auf Nachbarn der richtigen Wörter fest (44 % ihres Gewichts liegen auf Goldlinks, 60 % beim Netz), und das Modell braucht mehr als doppelt so viele Updates für 90 % exakte Übersetzungen.",
      "Celle du produit : son entropie tombe à 0,02 en 500 pas, celle du réseau à 0,3. Mais elle se fixe sur des voisins des bons mots (44 % de son poids est sur les liens justes, 60 % pour le réseau), et le modèle demande plus de deux fois plus de pas pour 90 % de traductions exactes.",
    ],
  },
  {
    link: "task=reorder&a=heads=4",
    title: ["Heads", "Köpfe", "Têtes"],
    text: [
      "Four attentions work side by side here, each with its own maps. Choose single heads in the list beside the sentence while the model trains. Do all of them point at the word being translated?",
      "Hier arbeiten vier Aufmerksamkeiten nebeneinander, jede mit eigenen Abbildungen. Wählen Sie während des Trainings einzelne Köpfe in der Liste beim Satz. Zeigen alle auf das Wort, das gerade übersetzt wird?",
      "Quatre attentions travaillent ici côte à côte, chacune avec ses propres matrices. Choisissez une tête dans la liste près de la phrase pendant l'entraînement. Pointent-elles toutes le mot traduit ?",
    ],
    answer: [
      "No: one head is sharp on the noun or verb, others stay blurred or watch another place, and the weight on gold links of their mean is lower than that of a single attention.",
      "Nein: Ein Kopf zeigt scharf auf Nomen oder Verb, andere bleiben verschwommen oder beobachten eine andere Stelle, und das Gewicht ihres Mittels auf den Goldlinks ist kleiner als bei einer einzigen Aufmerksamkeit.",
      "Non : une tête vise nettement le nom ou le verbe, d'autres restent floues ou surveillent ailleurs, et le poids de leur moyenne sur les liens justes est plus faible qu'avec une seule attention.",
    ],
  },
  {
    link: "task=reorder&break=?",
    title: ["Break a gradient", "Einen Gradienten brechen", "Casser un gradient"],
    text: [
      "One term of the gradient, which is not named, is left out here. Train, then press \"Check gradients\" below, under \"Look inside\": it compares every tensor with central differences. Could you have told from the curves that the gradient is wrong?",
      "Ein Term des Gradienten, der nicht genannt wird, fehlt hier. Trainieren Sie und drücken Sie dann unten bei „Hineinschauen“ auf „Gradienten prüfen“: Jeder Tensor wird mit zentralen Differenzen verglichen. Hätte man den Kurven angesehen, dass der Gradient falsch ist?",
      "Un terme du gradient, qui n'est pas nommé, est omis ici. Entraînez, puis appuyez plus bas, sous « Regarder dedans », sur « Vérifier les gradients » : chaque tenseur est comparé aux différences centrées. Les courbes auraient-elles montré que le gradient est faux ?",
    ],
    answer: [
      "Seldom: without gru.gates the model learns as well as before, without additive.key it only learns more slowly. The check finds both.",
      "Selten: Ohne gru.gates lernt das Modell so gut wie zuvor, ohne additive.key nur langsamer. Die Probe findet beides.",
      "Rarement : sans gru.gates le modèle apprend aussi bien, sans additive.key seulement plus lentement. La vérification trouve les deux.",
    ],
  },
];
