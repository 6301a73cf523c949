// The stops of the tour: the settings of a link, its lesson, the lines of an annotated paper that
// compute what it shows, and in each language a title, a text that ends
// with a question after a |, and its answer, short before a |. The figures of the answers were
// measured with seed 1.

export const stops = [
  {
    link: "task=mono&sentence=0&pause=300",
    lesson: "01-soft-look-up",
    lines: "paper-2015.html#attend_forward",
    title: ["Look up", "Nachschlagen", "Consulter"],
    text: [
      "Each French word of this task translates the English word at the same place, so that the matrix becomes almost a diagonal: the decoder, which writes the French words, learns to look at the English word that it translates next. Press “Try it” and wait for the green tick; the training pauses after 300 updates. | Which word does the article “la” look at most, and why is it not “the”?",
      "Jedes französische Wort dieser Aufgabe übersetzt das englische an derselben Stelle, sodass die Matrix beinahe zur Diagonale wird: Der Decoder, der die französischen Wörter schreibt, lernt, auf das englische Wort zu schauen, das er als Nächstes übersetzt. Drücken Sie „Ausprobieren“ und warten Sie auf das grüne Häkchen; das Training hält nach 300 Updates an. | Auf welches Wort schaut der Artikel „la“ am meisten, und warum ist es nicht „the“?",
      "Chaque mot français de cette tâche traduit le mot anglais de même rang, si bien que la matrice devient presque une diagonale : le décodeur, qui écrit les mots français, apprend à regarder le mot anglais qu'il va traduire. Appuyez sur « Essayer » et attendez la coche verte ; l'entraînement s'arrête après 300 pas. | Quel mot l'article « la » regarde-t-il le plus, et pourquoi n'est-ce pas « the » ?",
    ],
    answer: [
      "The noun after it: only the noun decides between le and la, and what the encoder has noted of goat (its annotation) knows the article before it as well. | For the full stop, which never changes, the model may look anywhere. Now tick “bend” below the matrix and click another noun in the row of chèvre: the translation follows.",
      "Auf das Nomen dahinter: Nur das Nomen entscheidet zwischen le und la, und was der Encoder zu goat notiert hat (die Annotation), kennt auch den Artikel davor. | Für den Punkt, der immer gleich ist, kann das Modell irgendwohin schauen. Kreuzen Sie nun unter der Matrix „verbiegen“ an und klicken Sie in der Zeile von chèvre auf ein anderes Nomen: Die Übersetzung folgt.",
      "Le nom qui suit : lui seul décide entre le et la, et ce que l'encodeur a noté de goat (son annotation) connaît aussi l'article qui précède. | Pour le point, toujours le même, le modèle peut regarder n'importe où. Cochez maintenant « plier » sous la matrice et cliquez sur un autre nom dans la ligne de chèvre : la traduction suit.",
    ],
  },
  {
    link: "task=reorder&a=decoder=fixed&b=&pause=500",
    lesson: "02-bottleneck",
    lines: "paper-2015.html#encode_forward",
    title: ["The bottleneck", "Der Flaschenhals", "Le goulot d'étranglement"],
    text: [
      "Model A must press the whole sentence into one vector and has no attention; model B may look back at every word. Both learn from equal batches and pause after 500 updates. | How many unseen sentences does each translate exactly?",
      "Modell A muss den ganzen Satz in einen einzigen Vektor pressen und hat keine Aufmerksamkeit; Modell B darf auf jedes Wort zurückschauen. Beide lernen von gleichen Batches und halten nach 500 Updates an. | Wie viele ungesehene Sätze übersetzt jedes exakt?",
      "Le modèle A doit comprimer toute la phrase en un seul vecteur, sans attention ; le modèle B peut revoir chaque mot. Tous deux apprennent sur les mêmes lots et s'arrêtent après 500 pas. | Combien de phrases jamais vues chacun traduit-il exactement ?",
    ],
    answer: [
      "20.5 % without attention and 99.5 % with it: one vector keeps the pattern of the sentence but loses which words filled it. | Set “words of a source at most” to 14, below under “Sentence pairs”, and press “Start”: with longer sentences it is 3 % and 98 %.",
      "20,5 % ohne Aufmerksamkeit und 99,5 % mit ihr: Der eine Vektor behält den Bauplan des Satzes, aber nicht, welche Wörter darin standen. | Setzen Sie unten bei „Satzpaare“ die Wörter einer Quelle auf höchstens 14 und drücken Sie „Start“: Mit längeren Sätzen sind es 3 % und 98 %.",
      "20,5 % sans attention et 99,5 % avec : un vecteur unique retient la structure de la phrase, mais oublie quels mots la remplissaient. | Plus bas, sous « Paires de phrases », mettez les mots d'une source à 14 au plus et appuyez sur « Démarrer » : avec des phrases plus longues, c'est 3 % et 98 %.",
    ],
  },
  {
    link: "task=reorder&pause=300",
    lesson: "03-learning-to-align",
    lines: "paper-2015.html#attend_forward",
    title: ["Learning to align", "Ausrichten lernen", "Apprendre à aligner"],
    text: [
      "Nobody tells the model which words belong together: the orange frames are only for you. When it pauses, go back in time with the slider and compare the weight on gold links of words that change places, in the table beside the matrix, with the exact translations. | Does the model first know where to look or what to say?",
      "Niemand sagt dem Modell, welche Wörter zusammengehören: Die orangen Rahmen sind nur für Sie. Gehen Sie, wenn es anhält, mit dem Schieber zurück in der Zeit und vergleichen Sie in der Tabelle neben der Matrix das Gewicht auf den Gold-Links von Wörtern, die den Platz wechseln, mit den exakten Übersetzungen. | Weiß das Modell zuerst, wohin es schauen oder was es sagen soll?",
      "Personne ne dit au modèle quels mots vont ensemble : les cadres orange ne sont que pour vous. Quand il s'arrête, remontez le temps avec le curseur et comparez, dans le tableau à côté de la matrice, le poids sur les liens de référence des mots qui changent de place et les traductions exactes. | Le modèle sait-il d'abord où regarder ou quoi dire ?",
    ],
    answer: [
      "Where to look. | First it learns what French sounds like: after some 50 updates it writes whole sentences that have little to do with the source. Then where to look: from update 50 to 100 the weight of words that change places rises from 12.9 to 34.5 %, nearly half of the 73.9 % where it ends, with only 4.0 % exact. What to say follows: after 200 updates 96.0 % are exact.",
      "Wohin es schauen soll. | Zuerst lernt es, wie Französisch klingt: Nach etwa 50 Updates schreibt es ganze Sätze, die wenig mit der Quelle zu tun haben. Dann, wohin es schauen soll: Von Update 50 bis 100 steigt das Gewicht solcher Wörter von 12,9 auf 34,5 %, fast die Hälfte der 73,9 %, bei denen es endet, während erst 4,0 % exakt sind. Was zu sagen ist, folgt: Nach 200 Updates sind 96,0 % exakt.",
      "Où regarder. | Il apprend d'abord à quoi ressemble le français : après une cinquantaine de pas, il écrit des phrases entières qui ont peu à voir avec la source. Puis où regarder : du pas 50 au pas 100, le poids des mots qui changent de place monte de 12,9 à 34,5 %, presque la moitié des 73,9 % où il finit, avec seulement 4,0 % de phrases exactes. Quoi dire vient ensuite : après 200 pas, 96,0 % sont exactes.",
    ],
  },
  {
    link: "task=reorder&a=attention=additive&b=attention=dot&pause=300",
    lesson: "04-scores",
    lines: "paper-2015.html#score_forward",
    title: ["Scores", "Bewertungsfunktionen", "Scores"],
    text: [
      "The score compares the decoder's state with each source word: in model A by a small network, as in 2015 (additive), in model B by a plain product (dot). Both learn from equal batches and pause after 300 updates. | Whose matrix is sharper (has less entropy), and is that the model that translates better?",
      "Die Bewertungsfunktion vergleicht den Zustand des Decoders mit jedem Quellwort: in Modell A durch ein kleines Netz wie 2015 (additive), in Modell B durch ein bloßes Produkt (dot). Beide lernen von gleichen Batches und halten nach 300 Updates an. | Wessen Matrix ist schärfer (hat weniger Entropie), und übersetzt dieses Modell auch besser?",
      "Le score compare l'état du décodeur à chaque mot source : dans le modèle A par un petit réseau, comme en 2015 (additive), dans le modèle B par un simple produit (dot). Tous deux apprennent sur les mêmes lots et s'arrêtent après 300 pas. | Quelle matrice est la plus nette (a le moins d'entropie), et est-ce le modèle qui traduit le mieux ?",
    ],
    answer: [
      "B's: its entropy is 0.02, A's 0.42. More of its weight is on gold links, too (68.7 %, 59.8 % of A's), yet it translates no better: 95.5 % exactly, A 96.5 %. A blurred row is no fault where several source words hold what the next word needs.",
      "Die von B: Ihre Entropie ist 0,02, die von A 0,42. Auch liegt mehr ihres Gewichts auf Gold-Links (68,7 %, bei A 59,8 %), und doch übersetzt B nicht besser: 95,5 % exakt, A 96,5 %. Eine verschwommene Zeile ist kein Fehler, wo mehrere Quellwörter enthalten, was das nächste Wort braucht.",
      "Celle de B : son entropie est de 0,02, celle de A de 0,42. Plus de son poids est aussi sur les liens de référence (68,7 %, 59,8 % pour A), et pourtant B ne traduit pas mieux : 95,5 % de phrases exactes, A 96,5 %. Une ligne floue n'est pas une faute là où plusieurs mots sources contiennent ce qu'il faut au mot suivant.",
    ],
  },
  {
    link: "task=reorder&a=heads=4&pause=500",
    lesson: "10-heads",
    lines: "paper-2017.html#show_forward",
    title: ["Heads", "Köpfe", "Têtes"],
    text: [
      "Four attentions (heads) work side by side here, each with projections of its own; the matrix shows their mean. While the model trains (it pauses after 500 updates), choose single ones among the small matrices. | Do all four heads point at the word being translated?",
      "Hier arbeiten vier Aufmerksamkeiten (Köpfe) nebeneinander, jede mit eigenen Projektionen; die Matrix zeigt ihr Mittel. Wählen Sie während des Trainings (es hält nach 500 Updates an) einzelne unter den kleinen Matrizen. | Zeigen alle vier Köpfe auf das Wort, das gerade übersetzt wird?",
      "Quatre attentions (têtes) travaillent ici côte à côte, chacune avec ses propres projections ; la matrice montre leur moyenne. Pendant l'entraînement (il s'arrête après 500 pas), choisissez-en une parmi les petites matrices. | Les quatre têtes pointent-elles le mot traduit ?",
    ],
    answer: [
      "No: some are sharp on the noun or the verb, others stay blurred or watch another place. | After 500 updates 35.9 % of their mean weight is on gold links, 60.5 % with a single attention; but the decoder reads all four, and nearly as many sentences are exact (91 and 99.5 %).",
      "Nein: Manche zeigen scharf auf Nomen oder Verb, andere bleiben verschwommen oder beobachten eine andere Stelle. | Nach 500 Updates liegen 35,9 % ihres mittleren Gewichts auf Gold-Links, 60,5 % bei einer einzigen Aufmerksamkeit; der Decoder liest aber alle vier, und fast ebenso viele Sätze sind exakt (91 und 99,5 %).",
      "Non : certaines visent nettement le nom ou le verbe, d'autres restent floues ou surveillent ailleurs. | Après 500 pas, 35,9 % de leur poids moyen est sur les liens de référence, 60,5 % avec une seule attention ; mais le décodeur lit les quatre, et presque autant de phrases sont exactes (91 contre 99,5 %).",
    ],
  },
  {
    link: "task=reorder&break=?&pause=300",
    lesson: "11-break-a-gradient",
    lines: "paper-2015.html#check",
    title: ["Break a gradient", "Ein falscher Gradient", "Un gradient faux"],
    text: [
      "The gradient says for each weight how the loss changes with it, and training follows it; here one term of its formula is left out, and you are not told which. Press “Try it”, then “Check gradients” below, under “Look inside”: it nudges every weight and compares what the loss really does (central differences) with the gradient of each matrix of weights (tensor). | Could you have told from the curves that something is wrong?",
      "Der Gradient sagt für jedes Gewicht, wie sich der Verlust mit ihm ändert, und das Training folgt ihm; hier fehlt ein Term seiner Formel, und es wird nicht verraten, welcher. Drücken Sie „Ausprobieren“ und dann unten bei „Hineinschauen“ auf „Gradienten prüfen“: Jedes Gewicht wird ein wenig verschoben und das, was der Verlust wirklich tut (zentrale Differenzen), mit dem Gradienten jeder Gewichtsmatrix (Tensor) verglichen. | Hätte man den Kurven angesehen, dass etwas falsch ist?",
      "Le gradient dit, pour chaque poids, comment la perte change avec lui, et l'entraînement le suit ; ici, un terme de sa formule est omis, et l'on ne vous dit pas lequel. Appuyez sur « Essayer », puis plus bas, sous « Regarder dedans », sur « Vérifier les gradients » : chaque poids est un peu déplacé, et ce que fait vraiment la perte (différences centrées) est comparé au gradient de chaque matrice de poids (tenseur). | Les courbes auraient-elles montré que quelque chose est faux ?",
    ],
    answer: [
      "It depends on the term: 24 may be missing here. Without 12 of them the curves look right (after 300 updates 90 % and more of the sentences are exact, 96.5 % when none is missing), without 8 the model learns more slowly (37.5 to 88.5 %), without 4 nothing. The check finds every one. | Gradients are computed backward from the loss: tensors between the loss and the missing term are right, those before it wrong. But the decoder is recurrent, so that an error of one step also reaches all that belongs to the steps before it: look for the tensors with the fewest right digits. In 18 of the 24 cases some have none at all (0.0), most of them because all of their gradient comes through the missing term.",
      "Das hängt vom Term ab: 24 können hier fehlen. Ohne 12 von ihnen sehen die Kurven richtig aus (nach 300 Updates sind 90 % der Sätze und mehr exakt; 96,5 %, wenn keiner fehlt), ohne 8 lernt das Modell langsamer (37,5 bis 88,5 %), ohne 4 gar nichts. Die Prüfung findet jeden. | Gradienten werden vom Verlust aus rückwärts berechnet: Tensoren zwischen dem Verlust und dem fehlenden Term sind richtig, die davor falsch. Der Decoder ist aber rekurrent, sodass ein Fehler eines Schritts auch alles erreicht, was zu den Schritten davor gehört: Suchen Sie die Tensoren mit den wenigsten richtigen Stellen. In 18 der 24 Fälle haben einige gar keine (0.0), meist weil ihr ganzer Gradient durch den fehlenden Term kommt.",
      "Cela dépend du terme : 24 peuvent manquer ici. Sans 12 d'entre eux, les courbes semblent justes (après 300 pas, 90 % des phrases ou plus sont exactes ; 96,5 % quand aucun ne manque) ; sans 8, le modèle apprend plus lentement (37,5 à 88,5 %) ; sans 4, il n'apprend rien. La vérification les trouve tous. | Les gradients se calculent à rebours depuis la perte : les tenseurs entre la perte et le terme manquant sont justes, ceux d'avant sont faux. Mais le décodeur est récurrent, si bien qu'une erreur d'une étape atteint aussi tout ce qui appartient aux étapes précédentes : cherchez les tenseurs qui ont le moins de décimales justes. Dans 18 des 24 cas, certains n'en ont aucune (0.0), le plus souvent parce que tout leur gradient passe par le terme manquant.",
    ],
  },
  {
    link: "task=copy&sentence=31&a=min-freq=10&b=min-freq=10,copy=true&pause=300",
    lesson: "14-copying",
    lines: "paper-2015.html#output_forward",
    title: ["Copying", "Kopieren", "Recopier"],
    text: [
      "Numuno is a name that was never in the training. Model B has a pointer (copy): at each word a gate chooses whether to write a word of the vocabulary or to copy the source word that attention points at. Model A has no pointer. | Both look at Numuno when its turn comes: what does each of them write?",
      "Numuno ist ein Name, der im Training nie vorkam. Modell B hat einen Zeiger (copy): Bei jedem Wort entscheidet ein Gatter, ob ein Wort des Vokabulars geschrieben oder das Quellwort kopiert wird, auf das die Aufmerksamkeit zeigt. Modell A hat keinen Zeiger. | Beide schauen auf Numuno, wenn es an der Reihe ist: Was schreibt jedes?",
      "Numuno est un nom absent de l'entraînement. Le modèle B a un pointeur (copy) : à chaque mot, une porte choisit d'écrire un mot du vocabulaire ou de recopier le mot source que vise l'attention. Le modèle A n'en a pas. | Tous deux regardent Numuno quand vient son tour : qu'écrit chacun ?",
    ],
    answer: [
      "A writes <unk>, “unknown word”: it knows where to look but has no word to say. B copies Numuno. | After 300 updates A translates 80.5 % of the unseen sentences exactly, and that is where it stays; B translates all of them.",
      "A schreibt <unk>, „unbekanntes Wort“: Es weiß, wohin es schauen muss, hat aber kein Wort dafür. B kopiert Numuno. | Nach 300 Updates übersetzt A 80,5 % der ungesehenen Sätze exakt, und dabei bleibt es; B übersetzt alle.",
      "A écrit <unk>, « mot inconnu » : il sait où regarder, mais n'a pas de mot à dire. B recopie Numuno. | Après 300 pas, A traduit 80,5 % des phrases jamais vues exactement, et en reste là ; B les traduit toutes.",
    ],
  },
  {
    link: "task=reorder&a=model=transformer&pause=500",
    lesson: "09-self-attention",
    lines: "paper-2017.html#encode_forward",
    title: ["The Transformer's heads", "Die Köpfe des Transformers", "Les têtes du Transformer"],
    text: [
      "No recurrence here: a Transformer (2017) of two decoder layers with four heads each, whose attention to the source is shown. Press “Try it”: the small matrices show all eight, a row for each layer. | Which layer points more at the words being translated, the first or the second?",
      "Hier ist nichts rekurrent: ein Transformer (2017) mit zwei Decoderschichten zu je vier Köpfen, deren Aufmerksamkeit auf die Quelle zu sehen ist. Drücken Sie „Ausprobieren“: Die kleinen Matrizen zeigen alle acht, eine Zeile je Schicht. | Welche Schicht zeigt mehr auf die Wörter, die gerade übersetzt werden, die erste oder die zweite?",
      "Rien de récurrent ici : un Transformer (2017) dont le décodeur a deux couches de quatre têtes, et dont on voit l'attention à la source. Appuyez sur « Essayer » : les petites matrices montrent les huit têtes, une ligne par couche. | Quelle couche vise le plus les mots en cours de traduction, la première ou la seconde ?",
    ],
    answer: [
      "The second: on this sentence 63 to 85 % of the weight of its heads is on gold links, 47 to 72 % of the first layer's. | Those look more at words around, from which the second layer can choose. After 500 updates 85 % of the unseen sentences are exact: without recurrence the model needs longer on so few pairs.",
      "Die zweite: Bei diesem Satz liegen 63 bis 85 % des Gewichts ihrer Köpfe auf Gold-Links, 47 bis 72 % bei der ersten. | Deren Köpfe schauen mehr auf Wörter ringsum, aus denen die zweite Schicht wählen kann. Nach 500 Updates sind 85 % der ungesehenen Sätze exakt: Ohne Rekurrenz braucht das Modell bei so wenigen Paaren länger.",
      "La seconde : pour cette phrase, 63 à 85 % du poids de ses têtes est sur les liens de référence, contre 47 à 72 % pour la première. | Celles-ci regardent davantage les mots alentour, parmi lesquels la seconde peut choisir. Après 500 pas, 85 % des phrases jamais vues sont exactes : sans récurrence, il faut plus de temps sur si peu de paires.",
    ],
  },
];
