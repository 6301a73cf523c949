"""The Python module against the command; in a folder with pairs.tsv and unseen.tsv."""
import ctypes
import gc
import glob
import html
import inspect
import json
import math
import os
import pathlib
import pickle
import pydoc
import re
import signal
import struct
import subprocess
import sys
import threading
import time
import unittest
import weakref

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
import forward
import softalign
from softalign import Code, Error
from support import OPTIONS, SMALL, Case, Frame, Page, command, flat, numpy, pandas, read, torch
module = softalign.__file__


class Tests(Case):
    @classmethod
    def setUpClass(cls):
        cls.seen = []
        cls.folder = "with" if numpy else "without"
        cls.training = softalign.train("pairs.tsv", cls.folder, steps=60, callback=cls.seen.append, **SMALL)
        cls.model = cls.training.load(1)
        cls.pairs = list(softalign.Corpus("unseen.tsv"))

    # ---- The same bits as the command ----

    def test_training(self):
        command("train", "--train", "pairs.tsv", "--out", self.folder + "-c", "--steps", "60", *OPTIONS)
        self.assertEqual(read(f"{self.folder}/best.safetensors"), read(f"{self.folder}-c/best.safetensors"))
        self.assertEqual((self.training.steps, self.training.reason), (60, "steps"))
        self.assertEqual({"note", "validation"} - {now.kind for now in self.seen}, set())
        log = self.training.log()
        self.assertEqual(log[-1]["step"], 60)
        self.assertAlmostEqual(min(row["valid_loss"] for row in log), self.training.best_loss, 5)

    def test_translations(self):
        sources = [source for source, *_ in self.pairs]
        expected = command("translate", self.model.path, "--beam", "3", given="\n".join(sources) + "\n")
        found = self.model.translate(sources, beam=3, weights=True)
        self.assertEqual([one.text for one in found], expected.splitlines())
        self.assertTrue(all((one.target[-1] == "</s>") == one.complete for one in found))
        self.assertEqual(len(found[0].weights), len(found[0].target))
        self.assertEqual(str(self.model.translate(sources[0], beam=3)), found[0].text)
        best = self.model.translate(sources[0], beam=3, nbest=3)
        self.assertEqual(sorted(one.score for one in best)[::-1], [one.score for one in best])
        free = [one.text for one in self.model.translate(sources)]
        same = self.model.translate(sources, target_prefix=[text.split()[0] for text in free])
        self.assertEqual([one.text for one in same], free)
        begun = self.model.translate(sources, target_prefix="zork zork")
        self.assertTrue(all(one.text.startswith("zork zork") for one in begun))
        with self.assertRaisesRegex(softalign.Error, f"target_prefix: 1 texts for {len(sources)} sentences"):
            self.model.translate(sources, target_prefix=["zork"])
        self.assertEqual(self.model.translate([]), [])
        self.assertEqual(self.model.translate("").text, "")

    def test_alignments(self):
        command("align", self.model.path, "unseen.tsv", "--npy", self.folder + "/npy")
        found = self.model.align("unseen.tsv")
        for path, one in zip(sorted(glob.glob(self.folder + "/npy/*.npy")), found):
            cells = len(one.target) * len(one.source)
            self.assertEqual(read(path)[-8 * cells:], struct.pack(f"<{cells}d", *flat(one.weights)))
        source, target, gold = self.pairs[0]
        one = self.model.align(source, target)
        for mine, theirs in zip(flat(one.weights), flat(found[0].weights)):
            self.assertAlmostEqual(mine, theirs, 6)  # alone and in a batch
        self.assertEqual(flat(one.head_weights), flat(one.weights))
        self.assertAlmostEqual(sum(flat(one.token_log_probabilities)), one.log_probability)
        self.assertEqual((len(found), found[0].gold), (len(self.pairs), gold))
        self.assertEqual(one.merge_words().source, one.source)
        both = self.model.align(source, target, methods="occlusion,attention")
        for mine, theirs in zip(flat(both.head_weights[0][1]), flat(one.weights)):
            self.assertAlmostEqual(mine, theirs, 6)
        uniform = self.model.align(source, target, force_attention="uniform")
        for weight in flat(uniform.weights):
            self.assertAlmostEqual(weight, 1 / len(one.source), 7)

    def test_annotations(self):
        source, target, _ = self.pairs[0]
        for site, first in ("encoder", source.split()[0]), ("decoder", "<s>"):
            words, vectors = self.model.annotations(source, target, site=site)
            rows = [json.loads(line) for line in command(
                "annotations", self.model.path, "unseen.tsv", "--site", site, "--format", "jsonl").splitlines()]
            rows = [row for row in rows if row["sentence"] == 1]
            self.assertEqual(words, [row["word"] for row in rows if row["layer"] == 0])
            self.assertEqual((words[0], len(vectors[0])), (first, len(words)))
            for layer, found in enumerate(vectors):
                self.assertEqual(flat(found), [x for row in rows if row["layer"] == layer for x in row["vector"]])
            self.assertEqual(rows[-1]["layer"] + 1, len(vectors))
        self.fails(Code.USAGE, "expected encoder or decoder", self.model.annotations, source, site="cross")

    def test_evaluation(self):
        expected = json.loads(command("eval", self.model.path, "unseen.tsv", "--json", "--threads", "1"))
        found = self.model.evaluate("unseen.tsv")
        for name in ("loss", "bleu", "aer", "exact"):
            self.assertEqual(getattr(found, name), expected[name], name)
        words = [f"w{i}" for i in range(2100)]  # more than are evaluated together
        begun = self.model.evaluate([("a", "b")] * 2100, target_prefix=words).results
        self.assertEqual([one.translation.replace(".", " ").split()[0] for one in begun], words)
        same = self.model.evaluate(self.pairs, links="argmax", tokenize="13a", beam=1)
        self.assertEqual((same.loss, same.aer, len(same.results)), (found.loss, found.aer, len(self.pairs)))
        self.assertTrue(math.isnan(self.model.evaluate([("a b", "b a")]).aer))
        sums = sum(one.log_probability for one in found.results)
        self.assertAlmostEqual(-sums / found.target_words, found.loss)

    def test_scores(self):
        one = softalign.score(["a b c d e"], ["a b c d f"])
        self.assertEqual(one, softalign.score(["a b c d e"], [["a b c d f"]]))
        self.assertGreater(softalign.score(["a b c d e"], [["a b c d f"], ["a b c d e"]]).bleu, one.bleu)
        self.fails(Code.USAGE, "2 references", softalign.score, ["a"], ["b", "c"])
        text, other = "the black cat sat on the mat", "a dog ran in the park today"
        self.assertEqual(softalign.score(text, text).bleu, softalign.score([text], iter([text])).bleu)
        self.assertAlmostEqual(softalign.score(text, text).bleu, 100)
        both = Frame([{"x": text, "y": text + " ."}, {"x": other, "y": other}])
        self.assertAlmostEqual(softalign.score(iter(both["x"]), both["x"]).bleu, 100)
        nested = [[text, "x"], [other, "y"]]
        self.fails(Code.USAGE, "per_sentence=True", softalign.score, [text, other], nested)
        self.assertAlmostEqual(softalign.score([text, other], nested, per_sentence=True).bleu, 100)
        self.assertLess(softalign.score([text, other], nested, per_sentence=False).bleu, 90)
        self.assertAlmostEqual(softalign.score([text, other], [[text], ["z", other, "y"]]).bleu, 100)
        self.assertAlmostEqual(softalign.score([text, other, text], [[text], [other], [text, "x"]]).bleu, 100)
        for sets in ([["a"], ["b", "c"], ["d"]], [["a", "b"], []]):
            self.fails(Code.USAGE, "2 hypotheses, but", softalign.score, ["a", "b"], sets)
        for given in ([(["a", "b"], ["c", None])], [(["a", ["b"]], ["c", "d"])], [({"a": "b"}, ["c"])]):
            self.assertRaises(TypeError, softalign.score, *given[0])
        if pandas:
            frame = pandas.DataFrame({"x": [text, other]}, index=[7, 8])
            self.assertAlmostEqual(softalign.score(frame["x"], frame["x"]).bleu, 100)
            self.assertAlmostEqual(softalign.score(frame["x"].to_numpy(), frame["x"]).bleu, 100)
        self.fails(Code.USAGE, "smooth", softalign.score, ["a"], ["b"], smooth="fl")

    def test_attention_on_numbers(self):
        found = softalign.attend([1, 0], [[1, 0], [0, 1]], [[1, 2], [3, 4]])
        e = [math.exp(x / math.sqrt(2)) for x in (1, 0)]
        alpha = [x / sum(e) for x in e]
        self.assertAlmostEqual(flat(found.weights)[0], alpha[0], 14)
        self.assertAlmostEqual(flat(found.contexts)[1], 2 * alpha[0] + 4 * alpha[1], 14)
        hidden = softalign.attend([1, 0], [[1, 0], [0, 1]], [[1, 2], [3, 4]], mask=[[0, 1]])
        self.assertEqual([list(row) for row in hidden.outputs], [[3, 4]])
        self.assertEqual(hidden.scores[0][0][0], float("-inf"))
        given = softalign.attend(weights=[[1, 0]], values=[[5, 6], [7, 8]], output_projection=([[2, 0]], [1]))
        self.assertEqual((flat(given.outputs), given.scores), ([11], None))
        self.fails(Code.DATA, "2 x 2", softalign.attend, [1, 0], [[1, 0], [0, 1]], [[1, 2]])
        self.fails(Code.USAGE, "expected additive", softalign.attend, attention="dott")

    def test_comparison(self):
        options = dict(embed=8, hidden=8, attn=8, maxout=4, steps=6, threads=1, shards=1)
        texts = [word for name, value in options.items() for word in ("--" + name, str(value))]
        expected = json.loads(command(
            "compare", "--train", "pairs.tsv", "--test", "unseen.tsv", "--out", self.folder + "-cc", "--json",
            "--models", "fixed,luong:general,transformer", *texts))
        found = softalign.compare(["fixed", "luong:general", "transformer"], "pairs.tsv", "unseen.tsv",
                                  self.folder + "-cp", **options)
        for mine, theirs in zip(found.results["runs"], expected["runs"]):
            self.assertEqual([mine[key] for key in ("model", "loss", "bleu", "aer", "parameters")],
                             [theirs[key] for key in ("model", "loss", "bleu", "aer", "parameters")])
        self.assertEqual(found.load("luong:general").settings["decoder"], "luong")
        self.assertIn("luong:general", str(found))
        self.assertEqual(Page(found._repr_html_()).pages, [found.to_html()])
        stopped = softalign.compare("fixed", "pairs.tsv", "unseen.tsv", self.folder + "-cs",
                                    callback=lambda now: now.kind != "validation", **options)
        self.assertTrue(stopped.stopped)
        self.assertIsNone(stopped._repr_html_())

    # ---- What people have ----

    def test_pairs_of_all_kinds(self):
        known = [pair[:2] for pair in self.pairs]
        expected = self.model.evaluate(known).loss
        rows = [{"translation": {"fr": target, "en": source}, "id": "7"} for source, target in known]
        named = [{"en": source, "fr": target} for source, target in known]
        for pairs, columns in ((iter(known), None), ((list(pair) for pair in known), None), (rows, "en,fr"),
                               ([{"translation": row} for row in named], None), (named, "en,fr"), (Frame(named), "en, fr"),
                               ([{"source": source, "target": target} for source, target in known], None),
                               (Frame([{"x": 1, "source": source, "target": target} for source, target in known]), None),
                               *([(pandas.DataFrame(named), "en,fr"), (pandas.DataFrame(known), "0,1")] if pandas else [])):
            self.assertEqual(self.model.evaluate(pairs, columns=columns).loss, expected, (type(pairs), columns))
        gold = [{"source": source, "target": target, "links": links} for source, target, links in self.pairs]
        self.assertEqual([one.gold for one in self.model.align(gold)], [links for *_, links in self.pairs])
        sources = [source for source, _ in known]
        with open(self.folder + "/sources", "w") as file:
            file.write("\n".join(sources) + "\n")
        for given in (iter(sources), Frame(named)["en"], pathlib.Path(self.folder + "/sources")):
            self.assertEqual(self.model.translate(given), self.model.translate(sources))

    def test_what_are_no_pairs(self):
        known = [pair[:2] for pair in self.pairs]
        named = [{"en": source, "fr": target} for source, target in known]
        for pairs, columns, text in (
                (named, None, "pair 1 is a dict; its keys are 'en', 'fr': .*columns='en,fr'"),
                (named, "en,de", "has no 'de'; its keys are 'en', 'fr'"), (dict(named[0]), None, "dict with the keys 'en', 'fr'"),
                (Frame(named), None, "the frame has the columns 'en', 'fr': .*columns='en,fr'"),
                (Frame(named), "en,de", "columns 'en', 'fr'"), (["ab", "cd"], None, "pair 1 is 'ab', a str"),
                ([known[0], ("a", "b", "0-0", "c")], None, "pair 2 has 4 elements"), ([known[0], 5], None, "pair 2 is 5"), (5, None, "pairs are of type int"),
                ([(known[0][0], float("nan"))], None, "target of pair 1: expected a str, not float")):
            for act in (self.model.evaluate, self.model.align,
                        lambda pairs, columns: softalign.train(pairs, "none", columns=columns)):
                self.assertRaisesRegex(TypeError, text, act, pairs, columns=columns)
        self.assertRaisesRegex(TypeError, "source of pair 2: expected a str, not None", self.model.align,
                               [known[0], (None, "a")])
        self.assertRaisesRegex(TypeError, "target of pair 1: expected a str, not None", softalign.train, [("a", None)], "none")
        self.assertRaisesRegex(TypeError, "sentence 2: expected a str, not None", self.model.translate, ["a", None])
        self.assertRaisesRegex(TypeError, "paths are one, 'model'", softalign.average, "model", "none")
        if pandas:
            twice = pandas.DataFrame([["a b", "x y", "q r"]], columns=["en", "fr", "fr"])
            self.assertRaisesRegex(TypeError, "several columns 'fr'", self.model.align, twice, columns="en,fr")
        for sentences in (Frame(named), named[0], [named[0]], 5):
            self.assertRaises(TypeError, self.model.translate, sentences)
        self.assertFalse(os.path.exists("none"))

    def test_training_on_pairs_in_memory(self):
        """Has the bits of one on their file, with tabs and line ends as spaces, and links for the AER."""
        with softalign.Corpus("pairs.tsv") as corpus:
            for i, pairs in enumerate((corpus, [tuple(pair) for pair in corpus], [pair[:2] for pair in corpus])):
                found = softalign.train(pairs, f"{self.folder}-m{i}", steps=60, **SMALL)
                with found.load(1) as model:
                    other = model.weights()
                for name, array in self.model.weights().items():
                    self.assertEqual(flat(other[name]), flat(array), (name, i))
        said = []
        softalign.train([("a\tb", "{\"b\na"), ("<?xml", "ä")] * 9, self.folder + "-odd", valid=[("a b", "b a")], steps=1,
                        callback=lambda now: said.append(str(now)), **SMALL)
        self.assertIn("validation: 1 pair (valid.jsonl)", said)
        self.fails(Code.DATA, "train.jsonl:2", softalign.train, [("a", "b"), ("caf\udce9", "b")], "bad", **SMALL)

    def test_progress_bar(self):
        class Bar:  # the interface of tqdm, whose update() returns True where it has drawn
            n, format = 0, None

            def update(self, more):
                self.n += more
                return True
        bar = Bar()
        softalign.train("pairs.tsv", self.folder + "-bar", steps=20, **SMALL,
                        callback=lambda now: bar.update(now.step - bar.n))
        self.assertEqual(bar.n, 20)

    def test_forward_pass(self):
        p, ids = self.model.weights(), []
        header = read(self.model.path)
        start = 8 + int.from_bytes(header[:8], "little")
        tensors = json.loads(header[8:start])
        for side, text in zip(("source", "target"), self.pairs[0]):
            begin, end = tensors[side + ".words"]["data_offsets"]
            words = header[start + begin:start + end].decode().splitlines()
            ids.append([words.index(word) + 3 for word in re.findall(r"\w+|\S", text)] + [forward.EOS])
        one = self.model.align(*self.pairs[0][:2])
        self.assertEqual(p["attention.W_a"].shape if numpy else len(p["attention.W_a"]), (8, 8) if numpy else 8)
        for xp, weights in ((numpy, p), (torch, torch and self.model.to_torch())):
            if xp:
                total, alphas = forward.loss(xp, weights, *ids)
                self.assertAlmostEqual(float(total), -one.log_probability, 4)
                for mine, theirs in zip(alphas, one.weights):
                    self.assertLess(max(abs(float(x) - y) for x, y in zip(mine, theirs)), 1e-5)

    def test_explanation(self):
        source, target, _ = self.pairs[0]
        found = self.model.explain(source, target, step=2)
        alpha, = [one for one in found if one.name == "alpha"]
        self.assertEqual((alpha.step, alpha.words[-1], alpha.letters), (2, "</s>", "alpha_ij"))
        for mine, theirs in zip(flat(alpha.numbers), self.model.align(source, target).weights[1]):
            self.assertAlmostEqual(mine, theirs, 5)
        self.assertEqual(alpha.equation, "alpha_ij = exp(e_ij) / sum_k exp(e_ik)")
        self.assertIn("alpha_ij = ", str(alpha))
        self.fails(Code.USAGE, "step", self.model.explain, source, target, step=99)

    # ---- Errors ----

    def test_errors(self):
        source = self.pairs[0][0]
        self.fails(Code.OPEN, "nothing", softalign.load, "nothing")
        self.fails(Code.DATA, "unseen.tsv", softalign.load, "unseen.tsv")
        self.fails(Code.BUSY, self.folder, softalign.train, "pairs.tsv", self.folder, steps=1, **SMALL)
        self.fails(Code.USAGE, "did you mean 'hidden'", softalign.train, "pairs.tsv", "x", hiden=3)
        self.fails(Code.USAGE, "did you mean 'beam'", self.model.translate, source, bem=3)
        self.fails(Code.USAGE, "expected cross", self.model.align, source, source, site="middle")
        self.fails(Code.USAGE, "zero", self.model.translate, "a\0b")
        self.fails(Code.USAGE, "nbest", self.model.translate, source, nbest=0)
        self.fails(Code.DATA, "alignment", self.model.align, [(source, source)], force_attention="gold")
        self.fails(Code.USAGE, "Unicode", softalign.load, "\udfff\ud800")
        for latin in ("the caf\udce9 is", "\udce9"):
            self.fails(Code.USAGE, "not UTF-8", self.model.translate, latin)
            self.fails(Code.USAGE, "'pairs[0].target' is not UTF-8", self.model.align, source, latin)
            self.fails(Code.USAGE, "not UTF-8", self.model.evaluate, [(latin, source)])
            self.fails(Code.USAGE, "not UTF-8", softalign.score, [latin], [source])
        copied = pickle.loads(pickle.dumps(Error(Code.DATA, "text")))
        self.assertEqual((copied.code, str(copied)), (Code.DATA, "text"))
        with self.assertRaisesRegex(TypeError, "int"):
            self.model.translate([3])
        with softalign.load(self.model.path, 1) as model:
            pass
        self.fails(Code.USAGE, "is closed", model.translate, source)
        with softalign.Corpus("unseen.tsv") as corpus:
            self.assertEqual(len(corpus), len(self.pairs))
            self.assertRaises(IndexError, corpus.__getitem__, len(corpus))
            self.assertEqual((corpus[:2], corpus[-1:]), (self.pairs[:2], self.pairs[-1:]))
        self.fails(Code.USAGE, "is closed", self.model.align, corpus)
        for use in (len, list, lambda closed: closed[0]):
            self.fails(Code.USAGE, "is closed", use, corpus)
        self.assertIn("20 pairs", repr(corpus))
        self.fails(Code.USAGE, "'seeds' is 0", softalign.compare, "fixed", "pairs.tsv", "unseen.tsv", "x", seeds=0)
        self.assertRaisesRegex(TypeError, "layer: expected an int, not str", self.model.align, source, source, layer="1")
        for number in (10 ** 15, 2 ** 32 + 1, -9):  # neither allocated nor cut off
            self.fails(Code.USAGE, "'steps' is", self.model.align, source, source, methods="integrated-gradients", steps=number)
            self.fails(Code.USAGE, "'nbest' is", self.model.translate, source, nbest=number)
            self.fails(Code.USAGE, "'layer' is", self.model.align, source, source, layer=number)
            self.fails(Code.USAGE, "'threads' is", softalign.load, self.model.path, number)
            self.fails(Code.USAGE, "'heads' is", softalign.attend, [[1]], [[1]], [[1]], heads=number)

    @unittest.skipIf(sys.platform == "emscripten", "there are no threads")
    def test_threads(self):
        """Threads share a model, and one closes it and the pairs while the others use them."""
        sources = [source for source, _, _ in self.pairs] * 5
        expected = self.model.translate(sources)
        for _ in range(5):
            found, started = [], threading.Barrier(4)
            model, corpus = softalign.load(self.model.path, 1), softalign.Corpus("unseen.tsv")

            def use():
                started.wait()
                try:
                    found.append(model.translate(sources) == expected)
                    found.append(len(model.align(corpus)) == len(self.pairs))
                except Error as error:
                    found.append("is closed" in str(error))
            users = [threading.Thread(target=use) for _ in range(3)]
            for user in users:
                user.start()
            started.wait()
            time.sleep(0.01)
            model.close(), corpus.close()
            for user in users:
                user.join()
            self.assertTrue(len(found) >= 3 and all(found), found)

    @unittest.skipIf(sys.platform == "emscripten", "there is one library")
    def test_import(self):
        text = read(module, "r")
        other = text.replace('__version__ = "0.2.0"', '__version__ = "0.3.0"')
        self.assertNotEqual(text, other)
        with self.assertRaisesRegex(ImportError, "is version 0.2.0, this module 0.3.0"):
            exec(compile(other, module, "exec"), {"__name__": "other", "__file__": module})
        environment = dict(os.environ)
        try:
            os.environ["SOFTALIGN_LIBRARY"] = "/nowhere.so"
            with self.assertRaisesRegex(ImportError, "/nowhere.so.*SOFTALIGN_LIBRARY names it"):
                exec(compile(text, module, "exec"), {"__name__": "other", "__file__": module})
        finally:
            os.environ.clear()
            os.environ.update(environment)

    def test_every_function_is_declared_and_explained(self):
        text = read(module, "r")
        used = set(re.findall(r"_lib\.sa_(\w+)", text)) | set(re.findall(r'_(?:call|run)\("(\w+)"', text))
        used |= {name for name in re.findall(r'_set\("(\w+)"', text)}
        self.assertGreater(len(used), 40)
        for name in used - {"page_add_"}:
            self.assertIsNotNone(getattr(softalign._lib, "sa_" + name).argtypes, name)
        for name in softalign.__all__:
            self.assertTrue(inspect.getdoc(getattr(softalign, name)), name)
        self.assertIn("learning curves", pydoc.render_doc(softalign))
        self.assertIn("bahdanau2015", softalign.presets())

    # ---- Trainings under way ----

    def test_interrupt_saves(self):
        folder, before = self.folder + "-stop", signal.getsignal(signal.SIGINT)
        options = {**SMALL, "max_time": 100, "shards": 1}

        def interrupt(now):
            if now.step >= 5:
                os.kill(os.getpid(), signal.SIGINT)

        stopped = softalign.train("pairs.tsv", folder, callback=interrupt, **options)
        self.assertEqual(stopped.reason, "stopped")
        self.assertIs(signal.getsignal(signal.SIGINT), before)
        self.assertGreaterEqual(stopped.steps, 5)
        longer = softalign.train("pairs.tsv", folder, resume=True, steps=stopped.steps + 3, max_time=0)
        self.assertEqual((longer.steps, longer.reason), (stopped.steps + 3, "steps"))
        self.fails(Code.USAGE, "hidden", softalign.train, "pairs.tsv", folder, resume=True, hidden=9)

    def test_what_a_training_begins_with(self):
        options, first = {**SMALL, "max_time": 1e-9}, self.folder + "/best.safetensors"
        again = softalign.train("pairs.tsv", self.folder + "-again", init_from=first,
                                max_time=1e-9, threads=1)
        with softalign.load(first) as one, again.load() as other:
            self.assertEqual(one.parameters, other.parameters)
        self.fails(Code.USAGE, "hidden", softalign.train, "pairs.tsv", self.folder + "-other",
                   init_from=first, hidden=9)
        self.fails(Code.OPEN, "none.vec", softalign.train, "pairs.tsv", self.folder + "-other",
                   embeddings=(None, "none.vec"), **options)

    def test_glossaries_of_a_training(self):
        training = softalign.train([("a farm", "un x"), ("the farms", "les x")] * 3, self.folder + "-whole",
                                   tokenizer="bpe", bpe_merges=1, glossaries="arm", **{**SMALL, "max_time": 1e-9})
        with training.load() as model:
            self.assertEqual(model.align([("farms", "x")])[0].source[:3], ["f@@", "arm@@", "s"])

    def test_what_a_callback_raises(self):
        def raises(now):
            raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine"):
            softalign.train("pairs.tsv", self.folder + "-raises", callback=raises, **SMALL)
        softalign.load(self.folder + "-raises/last.safetensors")

    def test_interrupt_while_aligning(self):
        usual = softalign._decoded
        before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a shell's background
        softalign._decoded = lambda text: signal.raise_signal(signal.SIGINT)
        try:
            self.assertRaises(KeyboardInterrupt, self.model.align, "unseen.tsv")
        finally:
            softalign._decoded = usual
            signal.signal(signal.SIGINT, before)

    @unittest.skipIf(sys.platform == "emscripten", "there are no processes")
    def test_exit(self):
        """Of a child that does not use its parent's model, and while a thread uses a model."""
        program = '''
import os, sys, threading, softalign
model = softalign.load(sys.argv[1], 2)
child = os.fork()
if not child:
    own = softalign.load(sys.argv[1], 2)
    print(own.translate(sys.argv[2]).text, flush=True)
    model = None
    sys.exit(0)
print(os.waitpid(child, 0)[1], flush=True)
threading.Thread(target=model.translate, args=([sys.argv[2]] * 100000,), daemon=True).start()
'''
        source = self.pairs[0][0]
        ended = subprocess.run([sys.executable, "-c", program, self.model.path, source], timeout=100, check=True,
                               stdout=subprocess.PIPE, text=True, env=dict(os.environ, PYTHONPATH=os.path.dirname(module)))
        self.assertEqual(ended.stdout, self.model.translate(source).text + "\n0\n")

    # ---- Memory ----

    def test_arrays_outlive_what_they_came_from(self):
        with softalign.load(self.model.path, 1) as model:
            alignment = model.align(*self.pairs[0][:2])
            translation = model.translate(self.pairs[0][0], weights=True)
        owner = weakref.ref(alignment._owner)
        rows, more, before = alignment.weights, translation.weights, flat(alignment.weights)
        if numpy:
            there = ctypes.cast(alignment._owner.struct.weights, ctypes.c_void_p).value
            self.assertEqual(rows.ctypes.data, there)
            self.assertRaises(ValueError, rows.__setitem__, (0, 0), 1)
        also = flat(more)
        del model, alignment, translation
        gc.collect()
        self.model.align("unseen.tsv")  # in memory that would be free
        self.assertEqual((flat(rows), flat(more)), (before, also))
        self.assertEqual(owner() is None, not numpy)
        del rows
        gc.collect()
        self.assertIsNone(owner())

    def test_frames(self):
        if not pandas:
            self.skipTest("pandas is not installed")
        one = self.model.align(*self.pairs[0][:2])
        frame = one.to_frame()
        self.assertEqual((list(frame.index), list(frame.columns)), (one.target, one.source))
        self.assertEqual(frame.values.ravel().tolist(), flat(one.weights))
        self.assertEqual(len(self.training.to_frame()), len(self.training.log()))
        self.assertEqual(len(self.model.evaluate(self.pairs).to_frame()), len(self.pairs))

    # ---- Pages ----

    def test_models_and_trainings_show_themselves(self):
        many = self.model.align("unseen.tsv")
        for shown in (self.model, self.training, many, many[1]):
            self.assertEqual(Page(shown._repr_html_()).pages, [shown.to_html(self.folder + "/page.html")])
            self.assertEqual(read(self.folder + "/page.html").decode(), shown.to_html())
        self.assertIn("log.csv", Page(self.model.to_html()).data["files"])
        self.assertEqual(Page(self.model.to_html()).data["models"][0]["settings"]["hidden"], "8")
        self.assertTrue(any(one["gold"] for one in Page(many.to_html()).data["sentences"]))
        self.assertIsNone(self.model.align([])._repr_html_())
        with open(self.folder + "/blank.tsv", "w") as file:
            file.write("a b\tb a\t0-0\nb\ta\t\n")
        blank = softalign.Corpus(self.folder + "/blank.tsv")
        self.assertEqual([gold for _, _, gold in blank], ["0-0", ""])
        self.assertIn("0-0", [one.gold for one in self.model.align(list(blank))])
        self.model.align(blank).to_html()

    def test_payloads_stay_text(self):
        lines = read(os.path.join(here, "../golden/payloads.txt")).decode().splitlines()
        plain = [re.sub(r"\\x([0-7][0-9A-Fa-f])", lambda code: chr(int(code[1], 16)), line)
                 for line in lines if line]
        words = [word for word in plain if not re.search(r"[\s\0]", word)][:120]
        self.assertGreater(len(words), 40)
        model = softalign.load(self.model.path, 1)
        object.__setattr__(model._info, "name", "</script><script>alert(1)</script>")
        one = model.align(" ".join(words), " ".join(reversed(words)))
        two = one._repr_html_() + one._repr_html_()
        page = Page(two)
        self.assertEqual(page.tags, ["iframe", "iframe"])
        inner = Page(page.pages[1])
        self.assertEqual(inner.data["sentences"][0]["source"], one.source)
        self.assertIn("alert(1)", inner.data["title"])
        harmless = Page(self.model.align("a", "b").to_html())
        self.assertEqual(inner.tags, harmless.tags)
        self.assertEqual(inner.scripts[1:], harmless.scripts[1:])


print(f"Python {sys.version.split()[0]}, {'NumPy ' + numpy.__version__ if numpy else 'without NumPy'}, "
      f"{'pandas ' + pandas.__version__ if pandas else 'without pandas'}")
unittest.main(argv=sys.argv[:1], verbosity=0)
