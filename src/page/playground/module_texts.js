// What the module says in English about its tasks and options, in other languages, too. An empty
// text stands for the module's own.

export const moduleTexts = {
  "task:phrases": [
    "Everyday sentences from English to French.",
    "Alltagssätze vom Englischen ins Französische.",
    "Phrases de tous les jours, de l'anglais au français.",
  ],
  "task:mono": [
    "English to French, word for word in the same order.",
    "Vom Englischen ins Französische, Wort für Wort in derselben Reihenfolge.",
    "De l'anglais au français, mot à mot dans le même ordre.",
  ],
  "task:reorder": [
    "English to French words in another order: adjectives after the noun, the verb last, the adverb first.",
    "Vom Englischen zu französischen Wörtern in anderer Reihenfolge: Adjektive hinter dem Nomen, das Verb zuletzt, das Adverb zuerst.",
    "De l'anglais à des mots français dans un autre ordre : adjectifs après le nom, verbe à la fin, adverbe au début.",
  ],
  "task:length": [
    "A list of words, translated in reverse.",
    "Eine Liste von Wörtern, rückwärts übersetzt.",
    "Une liste de mots, traduite à l'envers.",
  ],
  "task:dates": [
    "Dates in twelve formats, to be written as 1997-03-04, character by character.",
    "Datumsangaben in zwölf Formaten, zu schreiben als 1997-03-04, Zeichen für Zeichen.",
    "Des dates en douze formats, à écrire 1997-03-04, caractère par caractère.",
  ],
  "task:reverse": [
    "A list of numbers, reversed.",
    "Eine Liste von Zahlen, umgedreht.",
    "Une liste de nombres, à l'envers.",
  ],
  "task:copy": [
    "Sentences with names never seen before, to be copied.",
    "Sätze mit nie gesehenen Namen, die zu kopieren sind.",
    "Des phrases aux noms jamais vus, à recopier.",
  ],
  "task:fertility": [
    "One word to many and many to one: potato, pomme de terre.",
    "Ein Wort zu mehreren und mehrere zu einem: potato, pomme de terre.",
    "Un mot pour plusieurs et plusieurs pour un : potato, pomme de terre.",
  ],
  "task:agree": [
    "Verb and adjective agree with a noun far before them.",
    "Verb und Adjektiv richten sich nach einem Nomen, das weit vor ihnen steht.",
    "Le verbe et l'adjectif s'accordent avec un nom placé bien avant.",
  ],
  "task:context": [
    "Sentences of introductory articles: bank, apple, monitor, mouse, it.",
    "Sätze aus einführenden Artikeln: bank, apple, monitor, mouse, it.",
    "Des phrases d'articles d'introduction : bank, apple, monitor, mouse, it.",
  ],
  "task:sense": [
    "Ambiguous words, each decided by another word of the sentence.",
    "Mehrdeutige Wörter, über deren Sinn ein anderes Wort des Satzes entscheidet.",
    "Des mots ambigus, dont un autre mot de la phrase fixe le sens.",
  ],
  "task:recall": [
    "Pairs of a key and its value, then keys: find their values.",
    "Paare aus Schlüssel und Wert, dann Schlüssel: Finde ihre Werte.",
    "Des paires clé-valeur, puis des clés : trouver leurs valeurs.",
  ],
  "task:assign": [
    "Assignments to variables: the last value of one of them.",
    "Zuweisungen an Variablen: der letzte Wert einer von ihnen.",
    "Des affectations de variables : la dernière valeur de l'une d'elles.",
  ],
  "task:trigger": [
    "At the trigger ! the more frequent sign before it; everywhere else nothing.",
    "Beim Auslöser ! das häufigere Zeichen davor; sonst überall nichts.",
    "Au déclencheur !, le signe le plus fréquent avant lui ; ailleurs, rien.",
  ],
  "task:induction": [
    "Random words that begin again, to be continued.",
    "Zufällige Wörter, die von vorn beginnen: Setze sie fort.",
    "Des mots tirés au hasard qui recommencent, à continuer.",
  ],
  "task:sort": [
    "Different numbers, in ascending order.",
    "Verschiedene Zahlen, aufsteigend sortiert.",
    "Des nombres différents, en ordre croissant.",
  ],
  "task:next-larger": [
    "The least number of a list that is larger than the one behind the bar.",
    "Die kleinste Zahl einer Liste, die größer ist als die hinter dem Strich.",
    "Le plus petit nombre d'une liste qui dépasse celui après la barre.",
  ],
  "help:model": [
    "",
    "Modellfamilie: rekurrenter Encoder-Decoder oder Transformer",
    "famille : encodeur-décodeur récurrent ou Transformer",
  ],
  "help:decoder": [
    "",
    "Bauart des Decoders, vom festen Kontextvektor bis zur bedingten GRU",
    "architecture du décodeur, du vecteur de contexte fixe à la GRU conditionnelle",
  ],
  "help:attention": [
    "",
    "Bewertungsfunktion der Aufmerksamkeit",
    "fonction de score de l'attention",
  ],
  "help:normalizer": [
    "",
    "von Bewertungen zu Gewichten; null, null-key, sink: Softmax mit einem Schlüssel, der kein Wort ist; sparsemax, entmax, softpick: exakte Nullen",
    "des scores aux poids ; null, null-key, sink : softmax avec une clé qui n’est aucun mot ; sparsemax, entmax, softpick : des zéros exacts",
  ],
  "help:window": [
    "",
    "lokale Aufmerksamkeit: monotone (local-m) oder vorhergesagte Mitte (local-p); sliding: Selbstaufmerksamkeit eines Transformers auf nahe Wörter",
    "attention locale : centre monotone (local-m) ou prédit (local-p) ; sliding : auto-attention d'un Transformer sur les mots proches",
  ],
  "help:coverage": [
    "",
    "teilt der Bewertung mit, wie viel von jedem Quellwort schon abgedeckt ist; loss: mit einem Verlust auf erneutes Abdecken",
    "indique au score combien de chaque mot source est déjà couvert ; loss : avec une perte si on le couvre à nouveau",
  ],
  "help:heads": [
    "",
    "Zahl der Köpfe; die Einheiten der Aufmerksamkeit verteilen sich auf sie",
    "nombre de têtes ; elles se partagent les unités de l'attention",
  ],
  "help:kv-heads": [
    "",
    "Zahl der Köpfe für Schlüssel und Werte, die sich die übrigen teilen; 0: so viele wie heads",
    "nombre de têtes de clés et de valeurs, partagées par les autres ; 0 : autant que heads",
  ],
  "help:positions": [
    "",
    "Positionen: zu den Wortvektoren addiert oder, im Transformer, in der Selbstaufmerksamkeit",
    "positions : ajoutées aux plongements ou, dans un Transformer, dans l'auto-attention",
  ],
  "help:encoder": [
    "",
    "Encoder: in beide Richtungen, in eine, oder keiner (nur die Wortvektoren)",
    "encodeur : bidirectionnel, unidirectionnel ou aucun (les plongements seuls)",
  ],
  "help:cell": [
    "",
    "rekurrente Zelle von Encoder und Decoder",
    "cellule récurrente de l'encodeur et du décodeur",
  ],
  "help:input-feeding": [
    "",
    "hängt den letzten Ausgabevektor an den nächsten Wortvektor an",
    "joint le dernier vecteur de sortie au plongement suivant",
  ],
  "help:copy": [
    "",
    "Pointer-Generator: unbekannte Quellwörter können kopiert werden",
    "générateur à pointeur : les mots source inconnus peuvent être copiés",
  ],
  "help:embed": ["", "Größe der Wortvektoren (m)", "taille des plongements (m)"],
  "help:hidden": [
    "",
    "Einheiten jeder rekurrenten Schicht (n)",
    "unités de chaque couche récurrente (n)",
  ],
  "help:attn": ["", "Einheiten der Aufmerksamkeit (n')", "unités de l'attention (n')"],
  "help:lr": [
    "",
    "Lernrate; 0: die des Optimierers",
    "pas d'apprentissage ; 0 : celui de l'optimiseur",
  ],
  "help:seed": ["", "Startwert des Zufalls", "graine du hasard"],
};
