
// The stops of the tour: a title, a text of three sentences in each language, and the settings of a link.

const stops = [
  {
    link: "task=mono&a=attention=additive",
    title: ["Look up", "Nachschlagen", "Chercher"],
    text: [
      "Each French word of this task is the translation of the English word at the same place. Press start: the matrix becomes a diagonal, because the decoder learns to look at the word it is about to translate. Question: which row has the largest entropy at the end, and why is it not the first?",
      "Jedes französische Wort dieser Aufgabe übersetzt das englische an derselben Stelle. Start drücken: Die Matrix wird zur Diagonale, weil der Decoder lernt, auf das Wort zu schauen, das er gerade übersetzt. Frage: Welche Zeile hat am Ende die größte Entropie, und warum nicht die erste?",
      "Chaque mot français de cette tâche traduit le mot anglais de même rang. Démarrez : la matrice devient une diagonale, car le décodeur apprend à regarder le mot qu'il va traduire. Question : quelle ligne a la plus grande entropie à la fin, et pourquoi pas la première ?",
    ],
  },
  {
    link: "task=reorder&a=decoder=fixed&b=",
    title: ["The bottleneck", "Der Flaschenhals", "Le goulot"],
    text: [
      "Model A must press the whole sentence into one vector and has no attention; model B may look back at every word. Both see equal batches. Question: how far apart are their exact translations after the same number of updates, and what happens with longer sources?",
      "Modell A muss den ganzen Satz in einen einzigen Vektor pressen und hat keine Aufmerksamkeit; Modell B darf auf jedes Wort zurückschauen. Beide sehen gleiche Batches. Frage: Wie weit liegen ihre exakten Übersetzungen nach gleich vielen Updates auseinander, und was geschieht mit längeren Quellen?",
      "Le modèle A doit comprimer toute la phrase en un seul vecteur, sans attention ; le modèle B peut revoir chaque mot. Tous deux voient les mêmes lots. Question : quel écart de traductions exactes après autant de pas, et qu'arrive-t-il avec des sources plus longues ?",
    ],
  },
  {
    link: "task=reorder",
    title: ["Learning to align", "Ausrichten lernen", "Apprendre à aligner"],
    text: [
      "Nobody tells the model which words belong together: the orange frames are only for you. Watch the weight on gold links rise while the translation becomes right, then go back in time with the slider. Question: does the model first know what to say or where to look?",
      "Niemand sagt dem Modell, welche Wörter zusammengehören: Die orangen Rahmen sind nur für Sie. Beobachten Sie, wie das Gewicht auf den Goldlinks wächst, während die Übersetzung richtig wird, und gehen Sie mit dem Schieber zurück in der Zeit. Frage: Weiß das Modell zuerst, was es sagen, oder wohin es schauen soll?",
      "Personne ne dit au modèle quels mots vont ensemble : les cadres orange ne sont que pour vous. Voyez le poids sur les liens justes monter tandis que la traduction devient bonne, puis remontez le temps avec le curseur. Question : le modèle sait-il d'abord quoi dire ou où regarder ?",
    ],
  },
  {
    link: "task=reorder&a=attention=additive&b=attention=dot",
    title: ["Scores", "Bewertungen", "Scores"],
    text: [
      "The score compares the decoder's state with each source word: a small network in 2015 (additive), a plain product later (dot). Both models train on equal batches here. Question: which one finds the word order first, and does the other one catch up?",
      "Die Bewertung vergleicht den Zustand des Decoders mit jedem Quellwort: 2015 mit einem kleinen Netz (additive), später mit einem bloßen Produkt (dot). Beide Modelle trainieren hier mit gleichen Batches. Frage: Welches findet die Wortstellung zuerst, und holt das andere es ein?",
      "Le score compare l'état du décodeur à chaque mot source : un petit réseau en 2015 (additive), un simple produit ensuite (dot). Les deux modèles apprennent ici sur les mêmes lots. Question : lequel trouve l'ordre des mots le premier, et l'autre le rattrape-t-il ?",
    ],
  },
  {
    link: "task=reorder&a=heads=4",
    title: ["Heads", "Köpfe", "Têtes"],
    text: [
      "Four attentions work side by side here, each with its own maps. Choose single heads in the list beside the sentence while the model trains. Question: do all of them point at the word being translated, or do some look elsewhere?",
      "Hier arbeiten vier Aufmerksamkeiten nebeneinander, jede mit eigenen Abbildungen. Wählen Sie während des Trainings einzelne Köpfe in der Liste beim Satz. Frage: Zeigen alle auf das gerade übersetzte Wort, oder schauen einige woandershin?",
      "Quatre attentions travaillent ici côte à côte, chacune avec ses propres matrices. Choisissez une tête dans la liste près de la phrase pendant l'entraînement. Question : toutes pointent-elles le mot traduit, ou certaines regardent-elles ailleurs ?",
    ],
  },
  {
    link: "task=reorder",
    title: ["Break a gradient", "Einen Gradienten brechen", "Casser un gradient"],
    text: [
      "Choose under \"Look inside\" a term to leave out of the gradient, or a secret one, and train. The loss often still falls: a wrong gradient is seldom seen in a curve. Question: which term is missing? The gradient check names the tensors that are wrong.",
      "Wählen Sie unter „Hineinschauen“ einen Term, der im Gradienten fehlen soll, oder einen geheimen, und trainieren Sie. Der Verlust fällt oft trotzdem: Einen falschen Gradienten sieht man selten an einer Kurve. Frage: Welcher Term fehlt? Die Gradientenprobe nennt die falschen Tensoren.",
      "Choisissez sous « Regarder dedans » un terme à omettre du gradient, ou un terme secret, et entraînez. La perte baisse souvent quand même : un gradient faux se voit rarement sur une courbe. Question : quel terme manque ? La vérification nomme les tenseurs faux.",
    ],
  },
];
