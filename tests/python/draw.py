"""softalign.draw: weights of NumPy, PyTorch and lists, as pictures, tables and pages."""
import json
import math
import os
import pickle
import sys
import unittest
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import softalign
from softalign import Code
from support import Case, Page, flat, numpy, read, torch

SOURCE, TARGET = "the black cat </s>", ["le", "chat noir", "</s>"]
LAYERS, HEADS, ROWS, COLUMNS = 2, 3, 3, 4


def weight(layer, head, row, column):
    """Rows sum to 1, in powers of 2."""
    order = (column + row + head + layer) % COLUMNS
    return [0.5, 0.25, 0.125, 0.125][order]


def weights(axes):
    """Nested lists of the last axes of [layer, batch 1, head, target, source]."""
    layers = [[[[[weight(i, h, t, s) for s in range(COLUMNS)] for t in range(ROWS)] for h in range(HEADS)]]
              for i in range(LAYERS)]
    return {5: layers, 4: [layer[0] for layer in layers], 3: layers[0][0], 2: layers[0][0][0]}[axes]


class Draw(Case):
    def test_axes(self):
        for axes, layers, heads in (2, 1, 1), (3, 1, HEADS), (4, LAYERS, HEADS), (5, LAYERS, HEADS):
            given, text = weights(axes), str(axes)
            one = softalign.draw(given, SOURCE, TARGET)
            self.assertEqual((one.source, one.target, one.site), (SOURCE.split(), TARGET, "cross"))
            every = [[[[weight(i, h, t, s) for s in range(COLUMNS)] for t in range(ROWS)] for h in range(heads)]
                     for i in range(layers)]
            self.assertEqual([[[list(row) for row in head] for head in layer] for layer in one.head_weights], every, text)
            for t in range(ROWS):
                for s in range(COLUMNS):
                    mean = sum(layer[h][t][s] for layer in every for h in range(heads)) / (layers * heads)
                    self.assertAlmostEqual(one.weights[t][s], mean, 14)
            kinds = [] if not numpy else [lambda x: numpy.array(x), lambda x: numpy.asfortranarray(numpy.array(x, dtype="f4")),
                                          lambda x: numpy.array(x, dtype=">f2"), lambda x: [numpy.array(y) for y in x]]
            kinds += [] if not torch else [lambda x: torch.tensor(x, requires_grad=True), lambda x: torch.tensor(x).bfloat16(),
                                           lambda x: tuple(torch.tensor(y) for y in x)]
            for kind in kinds:
                other = softalign.draw(kind(given), SOURCE, TARGET)
                self.assertEqual((flat(other.weights), flat(other.head_weights)), (flat(one.weights), flat(one.head_weights)))
        square = softalign.draw([[1, 0], [0.5, 0.5]], "a b")
        self.assertEqual((square.target, square.site), (["a", "b"], "encoder"))

    def test_files(self):
        one = softalign.draw(weights(4), SOURCE, TARGET, name="mine")
        for file, begins in (("x.svg", b"<"), ("x.csv", b",the,black,cat,</s>\n"), ("x.html", b"<!"), ("X.SVG", b"<")):
            one.save(file)
            self.assertTrue(read(file).startswith(begins), file)
        self.assertEqual(read("x.svg").count(b"chat noir"), (HEADS + 1) // 2)  # once for each row of two heads
        cells = [row.split(",")[1:] for row in read("x.csv", "r").splitlines()[1:]]
        self.assertEqual([[float(cell) for cell in row] for row in cells],
                         [list(row) for row in one.weights])
        for file, begins in ("x.png", b"\x89PNG"), ("x.pdf", b"%PDF"):
            try:
                one.save(file)
            except softalign.Error as error:  # this library cannot paint
                self.assertEqual(error.code, Code.USAGE)
                continue
            self.assertTrue(read(file).startswith(begins), file)
        page = Page(one._repr_html_())
        self.assertEqual(page.pages, [read("x.html").decode()])
        self.assertEqual(Page(page.pages[0]).data["models"][0]["name"], "mine")
        again = pickle.loads(pickle.dumps(one))
        self.assertEqual((again.to_html(), again.merge_words().target), (one.to_html(), TARGET))
        for file in "x.gif", "x", "svg":
            self.fails(Code.USAGE, "must end in .svg, .png, .pdf, .csv or .html", one.save, file)
        self.fails(Code.OPEN, "none", one.save, "none/x.svg")

    def test_what_are_no_weights(self):
        for given, text in (([[1, 0]], "weights are 1 x 2 (target x source) for 3 target words and 4"), ([1, 2], "shape (2,)"),
                            ([weights(5)], "shape (1, 2, 1, 3, 3, 4)"), ([[], []], "are empty, or differ"),
                            ([[1, 2], [3]], "differ in size"), ([[math.nan] * 4] * 3, "not finite"), ([], "are empty"),
                            ([layer * 2 for layer in weights(5)], "shape (2, 2, 3, 3, 4)")):
            self.fails(Code.DATA, text, softalign.draw, given, SOURCE, TARGET)
        self.assertRaises(TypeError, softalign.draw, [[1]], "a", [None])
        self.assertRaises(TypeError, softalign.draw, [["1"]], "a")
        for given, text in (([[1, 1], [0, 0]], "row 1 does not sum to 1; the columns do: are the axes exchanged[?]$"),
                            ([[1, 0], [3, -2]], "row 2 has negative numbers: weights are the softmax of scores$"),
                            ([[1, 0], [0.5, 0.4]], "row 2 does not sum to 1$"),
                            ([[[1, 1], [1, 0]], [[1, -1], [1, 0]]], "row 1 does not sum to 1$")):
            with self.assertWarnsRegex(UserWarning, text):
                softalign.draw(given, "a b")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            softalign.draw([[0.5, 0.5], [1, 0]], "a b")


unittest.main(argv=sys.argv[:1], verbosity=0)
