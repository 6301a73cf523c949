
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
      "Model A must press the whole sentence into one vector and has no attention; model B may look back at every word. Both see equal batches. How many unseen sentences does each translate exactly after 500 updates?",
      "Modell A muss den ganzen Satz in einen einzigen Vektor pressen und hat keine Aufmerksamkeit; Modell B darf auf jedes Wort zurückschauen. Beide sehen gleiche Batches. Wie viele ungesehene Sätze übersetzt jedes nach 500 Updates exakt?",
      "Le modèle A doit comprimer toute la phrase en un seul vecteur, sans attention ; le modèle B peut revoir chaque mot. Tous deux voient les mêmes lots. Combien de phrases jamais vues chacun traduit-il exactement après 500 pas ?",
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
      "Nobody tells the model which words belong together: the orange frames are only for you. Watch the weight on gold links rise while the translation becomes right, then go back in time with the slider. Does the model first know where to look or what to say?",
      "Niemand sagt dem Modell, welche Wörter zusammengehören: Die orangen Rahmen sind nur für Sie. Beobachten Sie, wie das Gewicht auf den Goldlinks wächst, während die Übersetzung richtig wird, und gehen Sie mit dem Schieber zurück in der Zeit. Weiß das Modell zuerst, wohin es schauen oder was es sagen soll?",
      "Personne ne dit au modèle quels mots vont ensemble : les cadres orange ne sont que pour vous. Voyez le poids sur les liens justes monter tandis que la traduction devient bonne, puis remontez le temps avec le curseur. Le modèle sait-il d'abord où regarder ou quoi dire ?",
    ],
    answer: [
      "Where to look: about half of the weight of moved words is in place when only few translations are exact; some updates later nearly all are.",
      "Wohin es schauen soll: Etwa die Hälfte des Gewichts bewegter Wörter liegt richtig, wenn erst wenige Übersetzungen exakt sind; etwas später sind es fast alle.",
      "Où regarder : environ la moitié du poids des mots déplacés est en place quand peu de traductions sont exactes ; un peu plus tard, presque toutes le sont.",
    ],
  },
  {
    link: "task=reorder&a=attention=additive&b=attention=dot",
    title: ["Scores", "Bewertungen", "Scores"],
    text: [
      "The score compares the decoder's state with each source word: by a small network in 2015 (additive), later by a plain product (dot). Both models train on equal batches here. Which matrix is sharper, and is that the one that translates better?",
      "Die Bewertung vergleicht den Zustand des Decoders mit jedem Quellwort: 2015 mit einem kleinen Netz (additive), später mit einem bloßen Produkt (dot). Beide Modelle trainieren hier mit gleichen Batches. Welche Matrix ist schärfer, und übersetzt dieses Modell auch besser?",
      "Le score compare l'état du décodeur à chaque mot source : par un petit réseau en 2015 (additive), puis par un simple produit (dot). Les deux modèles apprennent ici sur les mêmes lots. Quelle matrice est la plus nette, et est-ce elle qui traduit le mieux ?",
    ],
    answer: [
      "The product's: its entropy falls to 0.03, the network's to 0.2. But it settles on neighbors of the right words, and needs twice the updates for 93 % exact translations.",
      "Die des Produkts: Ihre Entropie fällt auf 0,03, die des Netzes auf 0,2. Sie legt sich aber auf Nachbarn der richtigen Wörter fest und braucht doppelt so viele Updates für 93 % exakte Übersetzungen.",
      "Celle du produit : son entropie tombe à 0,03, celle du réseau à 0,2. Mais elle se fixe sur des voisins des bons mots et demande deux fois plus de pas pour 93 % de traductions exactes.",
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
    link: "task=reorder",
    title: ["Break a gradient", "Einen Gradienten brechen", "Casser un gradient"],
    text: [
      "Choose a secret term below, under \"Look inside\", to leave it out of the gradient, and train. Then let the gradient check compare every tensor with central differences. Could you have told from the curves that the gradient is wrong?",
      "Wählen Sie unten bei „Hineinschauen“ einen geheimen Term, der im Gradienten fehlen soll, und trainieren Sie. Lassen Sie dann die Gradientenprobe jeden Tensor mit zentralen Differenzen vergleichen. Hätte man den Kurven angesehen, dass der Gradient falsch ist?",
      "Choisissez plus bas, sous « Regarder dedans », un terme secret à omettre du gradient, et entraînez. Puis laissez la vérification comparer chaque tenseur aux différences centrées. Les courbes auraient-elles montré que le gradient est faux ?",
    ],
    answer: [
      "Seldom: without gru.gates the model learns as well as before, without additive.key it only learns more slowly. The check finds both.",
      "Selten: Ohne gru.gates lernt das Modell so gut wie zuvor, ohne additive.key nur langsamer. Die Probe findet beides.",
      "Rarement : sans gru.gates le modèle apprend aussi bien, sans additive.key seulement plus lentement. La vérification trouve les deux.",
    ],
  },
];
