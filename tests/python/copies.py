"""Copies of models, alignments and pairs, and models in children; in a folder with pairs.tsv and unseen.tsv."""
import copy
import os
import pickle
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import softalign
from softalign import Code
from support import SMALL, Case, Page, flat, numpy

module = softalign.__file__


class Copies(Case):
    @classmethod
    def setUpClass(cls):
        cls.folder = "copies-with" if numpy else "copies-without"
        cls.model = softalign.train("pairs.tsv", cls.folder, steps=60, **SMALL).load(1)
        cls.pairs = list(softalign.Corpus("unseen.tsv"))

    def test_what_was_loaded_is_what_is_shown(self):
        path, here = os.path.abspath(self.folder + "/moved.safetensors"), os.getcwd()
        shutil.copy(self.model.path, path)
        model = softalign.load(os.path.relpath(path), 1)
        before, kept = {name: flat(array) for name, array in model.weights().items()}, pickle.dumps(model)
        self.assertEqual(sum(map(len, before.values())), model.parameters)
        self.assertIn("log.csv", Page(model.to_html()).data["files"])
        softalign.train("pairs.tsv", self.folder + "-other2", steps=1, **SMALL)
        os.replace(self.folder + "-other2/best.safetensors", path)
        os.chdir("/")
        try:
            self.assertEqual({name: flat(array) for name, array in model.weights().items()}, before)
            self.assertEqual(Page(model.to_html()).data["files"], {})
        finally:
            os.chdir(here)
        self.fails(Code.DATA, "has changed since", pickle.loads, kept)
        self.fails(Code.DATA, "has changed since", copy.copy, model)

    def test_copies(self):
        """Of models, alignments and pairs are what they were made from, without it."""
        source, target, _ = self.pairs[0]
        corpus = softalign.Corpus("unseen.tsv")
        model = softalign.load(self.model.path, 1)
        transformer = softalign.train("pairs.tsv", self.folder + "-deep", model="transformer", hidden=8, heads=2, layers=2,
                                      steps=1, threads=1, shards=1).load(1)
        ones = [model.align(source, target), model.align(source, target, methods="occlusion,attention"),
                transformer.align(source, target), transformer.align(source, target, site="encoder", layer=2),
                softalign.Model.align(model, "", "")]
        for make in copy.copy, copy.deepcopy, lambda what: pickle.loads(pickle.dumps(what)):
            again = make(model)
            self.assertEqual(again.translate(source), model.translate(source))
            self.assertEqual((again.settings, again.parameters), (model.settings, model.parameters))
            again.close()
            pairs = make(corpus)
            self.assertEqual((list(pairs), pairs.note, repr(pairs)), (self.pairs, corpus.note, repr(corpus)))
            self.assertEqual(model.evaluate(pairs).aer, model.evaluate(corpus).aer)
            for one in ones:
                other = make(one)
                self.assertEqual(other.to_html(), one.to_html())
                self.assertEqual([flat(other.head_weights), other.target, other.methods, other.target_unknown],
                                 [flat(one.head_weights), one.target, one.methods, one.target_unknown])
                self.assertEqual(flat(other.merge_words().weights), flat(one.merge_words().weights))
            self.assertEqual(make(softalign.Alignments(ones[:1])).to_html(), ones[0].to_html())
        corpus.close(), model.close(), transformer.close()
        self.fails(Code.USAGE, "is closed", pickle.dumps, model)
        self.fails(Code.USAGE, "is closed", pickle.dumps, corpus)

    @unittest.skipIf(sys.platform == "emscripten", "there are no processes")
    def test_children(self):
        """A model works in a pool and in a child, where it is read again, unless another thread used it during fork()."""
        program = '''
import multiprocessing, os, sys, threading, softalign
model, source = softalign.load(sys.argv[1], 2), sys.argv[2]

def use(_):
    return model.translate(source).text

if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(*pool.map(use, range(2)), *pool.map(model.translate, [source]), sep="\\n", flush=True)
    threading.Thread(target=model.translate, args=([source] * 1000000,), daemon=True).start()
    while not model._lock.locked():
        pass
    child = os.fork()
    if not child:
        try:
            print(use(0), flush=True)
        except softalign.Error as error:
            print(error, flush=True)
        os._exit(0)
    os.waitpid(child, 0)
    os._exit(0)
'''
        source = self.pairs[0][0]
        ended = subprocess.run([sys.executable, "-c", program, self.model.path, source], timeout=100, check=True,
                               stdout=subprocess.PIPE, text=True, env=dict(os.environ, PYTHONPATH=os.path.dirname(module)))
        *texts, last = ended.stdout.splitlines()
        self.assertEqual(texts, [self.model.translate(source).text] * 3)
        self.assertIn("in use by another thread when this process was forked: load it again", last)

    def test_threads_of_openblas(self):
        """Are one during a call, whoever set them, and then as many as before, after an error, too."""
        openblas = softalign._lib
        if not hasattr(openblas, "openblas_get_num_threads"):
            self.skipTest("the library has products of its own")
        usual, during, before = softalign._words, [], openblas.openblas_get_num_threads()

        def look(*words):
            during.append(openblas.openblas_get_num_threads())
            return usual(*words)
        try:
            openblas.openblas_set_num_threads(3)
            softalign._words = look
            self.model.align("unseen.tsv")
            softalign._words = usual
            self.assertEqual(({*during}, openblas.openblas_get_num_threads()), ({1}, 3))
            self.fails(Code.OPEN, "nothing", softalign.load, "nothing")
            self.assertEqual(openblas.openblas_get_num_threads(), 3)
        finally:
            softalign._words = usual
            openblas.openblas_set_num_threads(before)


unittest.main(argv=sys.argv[:1], verbosity=0)
