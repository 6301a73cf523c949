"""Small neural translation models that train on a CPU, and what attention does in them.

    import softalign
    softalign.train("reorder.tsv", "reorder", steps=1500, callback=print)
    with softalign.load("reorder/best.safetensors") as model:
        source = "the sad cat finds a dog."
        translation = model.translate(source).text
        alignment = model.align(source, translation)
        print(alignment.weights.shape)  # target words x source words, </s> included
        print(model.evaluate("unseen.tsv").bleu)

Models, alignments, trainings and comparisons show themselves in a notebook; to_html() gives the same
as a page. Options have the names of the command's, with _ for -: `softalign help train` explains
them. Pairs are what you have: the path of a file, tuples (source, target), a frame of pandas or polars,
rows of Hugging Face datasets. Where NumPy is installed, numbers are arrays that read the memory of the library, without a
copy; elsewhere they are lists. Whatever fails raises Error, which has the code.

This module needs libsoftalign.so.0.2, which it looks for in this order: the file that the environment
variable SOFTALIGN_LIBRARY names; the folder of this module; where the system looks for libraries. In
Pyodide it is the WebAssembly module in the wheel.
While a function of the library runs, OpenBLAS has one thread in the whole process, since the library has
its own. A model is used by one thread at a time, others wait. Models, alignments and pairs can be copied and
pickled; a model is read again from its file then, as in a child after fork().
"""

from __future__ import annotations

import ctypes
import csv
import enum
import functools
import html as _html
import json
import math
import operator
import os
import signal
import sys
import textwrap
import threading
import warnings
import weakref
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char, c_char_p, c_double, c_float,
                    c_int, c_int64, c_size_t, c_uint64, c_void_p)
from collections.abc import Mapping
from dataclasses import fields, make_dataclass
from tempfile import TemporaryDirectory
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple, Union

__all__ = ["Alignment", "Alignments", "Attended", "Code", "Comparison", "Corpus", "Error", "Evaluation",
           "Model", "Progress", "Quantity", "Score", "Sentence", "Training", "Translation", "attend", "average",
           "compare", "corpus", "draw", "load", "presets", "score", "train", "version"]
__version__ = "0.2.0"

Path = Union[str, "os.PathLike[str]"]
Pairs = Union["Corpus", Path, Iterable[Any]]
"""A Corpus or the path of one; an iterable of tuples (source, target) or (source, target, links), or of
dicts {"source": ..., "target": ...}; a frame of pandas or polars; rows of a Hugging Face dataset,
{"translation": {"en": ..., "fr": ...}}, where the first language is the source. columns="fr,en" names
others in dicts and frames."""
Array = Any
"""A numpy.ndarray; without NumPy, nested lists of numbers."""


# ---- Errors --------------------------------------------------------------------------------------

class Code(enum.IntEnum):
    """What failed; also the exit codes of the command.

    CHECK     1  a check failed
    USAGE     2  an option or argument is wrong
    DATA      3  a corpus or model file is damaged or inconsistent
    OPEN      4  a file cannot be opened
    IO        5  reading or writing failed midway
    BUSY      6  the output folder holds a training, or one is writing to it
    LIMIT     7  out of memory, or beyond a size limit
    DIVERGED  8  training left the finite numbers
    """

    CHECK = 1
    USAGE = 2
    DATA = 3
    OPEN = 4
    IO = 5
    BUSY = 6
    LIMIT = 7
    DIVERGED = 8


class Error(Exception):
    """The library's message, and its `code`."""

    def __init__(self, code: int, text: str):
        super().__init__(text)
        self.code = Code(code)

    def __reduce__(self) -> Any:  # so that an error of a worker process reaches its parent
        return Error, (int(self.code), str(self))


# ---- The structs of the public headers, field by field -------------------------------------------
# tests/python/layout.py compares them with the C compiler's. sa_settings is not among them: it is
# filled in by name.

def _listed(columns: Iterable[Tuple[Any, str]]) -> List[Tuple[str, Any]]:
    """(field, type) of (type, "field field ...") ..."""
    return [(name, kind) for kind, names in columns for name in names.split()]


def _struct(name: str, *columns: Tuple[Any, str], reserved: int = 0) -> Any:
    """The ctypes class of a struct, which may end in `reserved`."""
    last = [("reserved", c_uint64 * reserved)] if reserved else []
    return type(name, (Structure,), {"_fields_": _listed(columns) + last})


_text, _texts, _numbers = c_char_p, POINTER(c_char_p), POINTER(c_double)
_error = _struct("sa_error", (c_int, "code"), (c_char * 512, "text"))
_option = _struct("sa_option", (_text, "name"), (c_int, "kind scope"), (c_size_t, "offset"),
                  (c_double, "default_value min max"), (c_void_p, "choice names"), (c_size_t, "stride"),
                  (_text, "value help heading"))
_pair = _struct("sa_pair", (_text, "source target gold"), (c_size_t, "line"), (_text, "id"),
                (c_size_t, "row"), reserved=2)
_corpus = _struct("sa_corpus", (POINTER(_pair), "pairs"), (c_size_t, "count lines empty"),
                  (c_bool, "gold"), (_text, "note remarks name"), (c_void_p, "owned"), reserved=8)
_cost = _struct("sa_train_cost", (c_double, "seconds updating"), (c_int64, "words"))
_progress = _struct("sa_progress", (c_int, "kind epoch"), (c_double, "epoch_part"), (c_int64, "step"),
                    (_cost, "spent"),
                    (c_double, "seconds_left loss words_per_second gradient_norm guided_loss "
                               "valid_loss valid_perplexity valid_bleu valid_chrf"),
                    (c_bool, "best"), (_text, "note"), (c_double, "validated"))
_report = CFUNCTYPE(None, c_void_p, POINTER(_progress))
_train_options = _struct("sa_train_options", (c_void_p, "settings"),
                         (_text, "train columns alignments valid init_from"), (_text * 2, "embeddings"),
                         (_text, "out"), (POINTER(_pair), "snapshot_pairs"),
                         (c_size_t, "snapshot_count"), (c_bool, "resume overwrite"), (_cost, "spent"),
                         (c_bool, "pausing"), (_report, "report"), (c_void_p, "context"),
                         (POINTER(c_int), "stop"), (_text, "glossaries"), reserved=7)
_train_result = _struct("sa_train_result", (c_int64, "steps"), (c_int, "epochs"), (_cost, "spent"),
                        (c_double, "best_loss best_bleu best_chrf"), (_text, "reason"),
                        (c_size_t, "valid_pairs"), reserved=7)
_override = _struct("sa_attention_override", (c_int, "kind shift"))
_search = _struct("sa_search", (c_int, "beam nbest length_penalty"),
                  (c_double, "length_power coverage max_ratio"), (c_int, "min_length"),
                  (c_bool, "reference_length no_unknown sample"), (c_double, "temperature"),
                  (c_int, "top_k"), (c_double, "top_p"), (c_int64, "seed"),
                  (c_bool, "weights replace_unknown"), (POINTER(_corpus), "dictionary"),
                  (c_int, "batch"), (_override, "override"), (_texts, "target_prefix"), reserved=7)
_translation = _struct("sa_translation", (c_void_p, "text"), (c_double, "log_probability score"),
                       (c_int, "words"), (c_bool, "complete resplit"), (c_int, "source_words"),
                       (c_bool, "too_long"), (c_int, "unknown_source sources"),
                       (_texts, "target source"), (_numbers, "weights"), reserved=8)
_align_options = _struct("sa_align_options", (c_int, "site layer"), (_override, "override"), (c_int, "at"),
                         (_text, "methods"), (c_int, "steps"), (c_bool, "target_prefix"), reserved=8)
_alignment = _struct("sa_alignment", (c_int, "targets sources heads layers"),
                     (_texts, "target source"), (_numbers, "weights"), (c_double, "log_probability"),
                     (_numbers, "token_log_probabilities generation_probabilities"),
                     (POINTER(c_bool), "target_unknown source_unknown"), (c_double, "gap"),
                     (_text * 10, "method"), reserved=8)
_each = CFUNCTYPE(c_bool, c_void_p, c_size_t, POINTER(_alignment), POINTER(_error))
_explain_options = _struct("sa_explain_options", (_text, "source target"), (c_int, "step layer site"),
                           (c_bool, "annotations"), (c_void_p, "each context"),
                           (c_bool, "lens"), reserved=7)
_explain_value = _struct("sa_explain_value", (c_int, "step head"),
                         (_text, "section equation citation name letters"), (c_int, "shape rows cols"),
                         (_numbers, "numbers"), (c_int, "about"), (_texts, "row"),
                         (c_int, "chosen"))
_each_value = CFUNCTYPE(None, c_void_p, c_void_p, POINTER(_explain_value))
_metrics = _struct("sa_metrics", (c_int, "tokenize smooth"), (c_double, "smooth_value"),
                   (c_bool, "effective_order lowercase"), (c_int, "chrf_order chrf_word_order chrf_beta"),
                   (c_bool, "chrf_whitespace chrf_eps"), reserved=4)
_metric_values = _struct("sa_metric_values", (c_double, "bleu chrf exact tokens per"), reserved=8)
_link_options = _struct("sa_link_options", (c_int, "links"), (c_double, "threshold"), (c_bool, "null_key"),
                        (c_int, "at"), (c_bool, "whole"), reserved=4)
_link_counts = _struct("sa_link_counts", (c_size_t, "links sure links_sure links_possible"))
_attention_stats = _struct(
    "sa_attention_stats", (c_size_t, "rows words cells zeros"),
    (c_double, "entropy head_entropy max_entropy weight eos_weight"),
    (c_size_t, "sources covered steps monotone"), (c_double, "long_rows column"),
    (c_size_t, "online"), (c_double, "read available"), (c_size_t, "identical"), (c_size_t * 3, "aligned"))
_coverage = _struct("sa_source_coverage", (c_int, "position"), (c_double, "weight expected"))
_length_balance = _struct("sa_length_balance", (c_int, "words reference repeated repetitions dropped"),
                          (_coverage, "over under"))
_sentence_details = _struct("sa_sentence_details", (_link_counts, "links before after"),
                            (_attention_stats, "attention"), (_length_balance, "balance"))
_sentence_result = _struct(
    "sa_sentence_result", (c_double, "log_probability"),
    (c_int, "words source_words"), (_text, "translation reference"), (c_bool, "exact complete"),
    (c_int, "unknown_source unknown_target"), (POINTER(_sentence_details), "details"), reserved=8)
_eval_result = _struct(
    "sa_eval_result", (c_size_t, "sentences"), (c_int64, "target_words"),
    (c_double, "loss perplexity bleu chrf exact tokens wer per aer precision recall aer_before "
               "aer_after entropy coverage end_weight row_sum zeros latency source_length "
               "monotonicity rep drop"), reserved=8)
_compare_options = _struct(
    "sa_compare_options", (_text, "train test columns valid snapshots models out"),
    (c_void_p, "settings transformer decoder_only"), (c_int, "seeds"), (c_bool, "overwrite"),
    (_text, "html title notes open_at"), (_report, "report"), (c_void_p, "context"),
    (POINTER(c_int), "stop"), (_text, "table_columns"), reserved=7)
_compare_result = _struct("sa_compare_result", (c_bool, "stopped"), (_text, "table json"), reserved=8)
_table = _struct("sa_table", (_text, "name"), (c_int, "rows cols"), (_numbers, "numbers"))
_projection = _struct("sa_projection", (_table, "W b"))
_attend_options = _struct(
    "sa_attend_options", (c_int, "attention normalizer"), (c_double, "entmax_alpha"),
    (c_int, "heads positions"), (c_bool, "causal"), (c_double, "bandwidth"),
    (_table, "query keys values"),
    (_projection, "query_projection keys_projection values_projection output_projection"),
    (_table, "v_a weights mask"), (c_void_p, "each context"), (c_int, "degree"), reserved=7)
_attend_result = _struct("sa_attend_result", (c_int, "queries keys heads context output"),
                         (c_bool, "default_v_a"), (c_double, "bandwidth left_out"),
                         (_numbers, "scores weights contexts outputs"), reserved=8)

_PROGRESS = ["step", "validation", "note", "validating"]
_KINDS = [c_int, c_int64, c_double, c_bool, c_int]  # of the options that settings hold, by SA_OPTION_...
_CHOICE = 4
_SITES = ["cross", "encoder", "decoder", "prefix"]


# ---- The library ---------------------------------------------------------------------------------

def _open_library() -> ctypes.CDLL:
    named, here = os.environ.get("SOFTALIGN_LIBRARY"), os.path.dirname(os.path.abspath(__file__))
    name, module = "libsoftalign.so.0.2", os.path.join(here, "softalign.libs", "softalign.wasm")
    beside = [os.path.join(here, name), os.path.join(here, "softalign.libs", name)]
    if sys.platform == "emscripten":
        beside.append(module)
    path = named or next(filter(os.path.exists, beside), name)
    try:
        return ctypes.CDLL(path)
    except OSError as why:
        hint = ("the environment variable SOFTALIGN_LIBRARY names it" if named else
                "this wheel is for Pyodide, Python in a browser, as in JupyterLite: install the manylinux one on "
                "Linux; on other systems the npm package has the command" if os.path.exists(module) else
                "install libsoftalign0.2, or let the environment variable SOFTALIGN_LIBRARY name the file")
        raise ImportError(f"softalign: the library cannot be loaded: {why} ({hint})") from None


def _declare() -> None:
    """The types of every function that is used; a missing one is a library of another version."""
    P, settings, error, option = POINTER, c_void_p, POINTER(_error), POINTER(_option)
    model, page, info = c_void_p, c_void_p, (_text, c_size_t, P(_text), P(_text))
    functions: List[Tuple[Any, ...]] = [
        ("version", _text), ("version_number", c_int), ("preset_name", _text, c_size_t),
        ("attention_info", *info), ("normalizer_info", *info), ("position_info", *info),
        ("settings_option", option, c_size_t), ("search_option", option, c_size_t),
        ("metrics_option", option, c_size_t), ("link_option", option, c_size_t),
        ("option_choice", _text, option, c_size_t),
        ("settings_size", c_size_t), ("settings_init", None, settings),
        ("settings_take_shape", None, settings, settings),
        ("settings_has_attention", c_bool, settings), ("settings_has_null_key", c_bool, settings),
        ("search_init", None, P(_search)), ("metrics_init", None, P(_metrics)),
        ("link_options_init", None, P(_link_options)), ("corpus_close", None, P(_corpus)),
        ("model_open", model, _text, c_int, error), ("model_close", None, model),
        ("model_settings", settings, model), ("model_parameters", c_size_t, model),
        ("model_tensor", P(c_float), model, c_size_t, P(_text), P(c_int), P(c_int)),
        ("translations_release", None, P(_translation), c_size_t),
        ("alignment_weights", c_void_p, P(_alignment), c_int, c_int),
        ("alignment_release", None, P(_alignment)),
        ("sentence_results_release", None, P(_sentence_result), c_size_t),
        ("compare_result_release", None, P(_compare_result)),
        ("attend_result_release", None, P(_attend_result)),
        ("page_open", page, _text, _text, settings, error), ("page_close", None, page),
        ("page_html", _text, page, error),
    ]
    failing: List[Tuple[Any, ...]] = [  # false, with an sa_error as their last argument
        ("settings_set", settings, _text, _text), ("settings_preset", settings, _text),
        ("search_set", P(_search), _text, _text), ("metrics_set", P(_metrics), _text, _text),
        ("link_options_set", P(_link_options), _text, _text),
        ("attention_override_parse", P(_override), _text), ("corpus_open_columns", P(_corpus), _text, _text),
        ("train", P(_train_options), P(_train_result)), ("model_set_max_len", model, c_int),
        ("average_models", _texts, c_int, _text),
        ("corpus_generate", _text, _text, c_size_t, c_uint64, c_int, _text),
        ("translate", model, _texts, c_size_t, P(_search), P(_translation)),
        ("align", model, P(_align_options), P(_pair), c_size_t, _each, c_void_p),
        ("explain", model, P(_explain_options)),
        ("alignment_copy", P(_alignment), P(_alignment)), ("alignment_merge", P(_alignment), P(_alignment)),
        ("compute_metrics", P(_metrics), _texts, P(_texts), c_size_t, c_size_t, P(_metric_values)),
        ("evaluate", model, P(_corpus), P(_search), P(_link_options), P(_sentence_result)),
        ("eval_summarize", P(_metrics), P(_corpus), P(_sentence_result), P(c_size_t), c_size_t, P(_eval_result)),
        ("compare", P(_compare_options), P(_compare_result)), ("attend", P(_attend_options), P(_attend_result)),
        ("page_add_alignment", page, P(_alignment), c_int, _text),
        ("alignment_save", P(_alignment), c_int, _text), ("page_add_training", page, _text),
    ]
    functions += [(name, c_bool, *arguments, error) for name, *arguments in failing]
    for name, result, *arguments in functions:
        try:
            function = getattr(_lib, "sa_" + name)
        except AttributeError:
            raise ImportError(f"softalign: {_lib._name} has no sa_{name}: it is another version "
                              f"than this module, {__version__}") from None
        function.restype, function.argtypes = result, arguments


def _check_version() -> None:
    """Before 1.0, minor versions differ in their structs; later, major ones do."""
    major, minor, _ = map(int, __version__.split("."))
    found = _lib.sa_version_number()
    if found // 10000 != major or (major == 0 and found // 100 != minor):
        raise ImportError(f"softalign: {_lib._name} is version {version()}, this module {__version__}")


_lib = _open_library()
_declare()


def version() -> str:
    """The version of the library, such as "0.2.0"."""
    return _lib.sa_version().decode()


_check_version()


class _OneThread:
    """OpenBLAS has one thread while any call of the library runs, and then as many as before: those of NumPy, if it
    uses the same OpenBLAS."""

    def __init__(self) -> None:
        self.lock, self.calls, self.before = threading.Lock(), 0, 1
        self.get = getattr(_lib, "openblas_get_num_threads", lambda: 1)
        self.set = getattr(_lib, "openblas_set_num_threads", lambda threads: None)

    def __enter__(self) -> None:
        with self.lock:
            if not self.calls:
                self.before = self.get()
                if self.before != 1:
                    self.set(1)
            self.calls += 1

    def __exit__(self, *why: Any) -> None:
        with self.lock:
            self.calls -= 1
            if not self.calls and self.before != 1:
                self.set(self.before)


_one_thread = _OneThread()


def _call(name: str, *arguments: Any) -> Any:
    """Calls sa_<name> with an sa_error at the end; raises what it reports."""
    error = _error()
    with _one_thread:
        result = getattr(_lib, "sa_" + name)(*arguments, byref(error))
    if not result:
        raise Error(error.code, error.text.decode(errors="replace"))
    return result


# ---- Values --------------------------------------------------------------------------------------

def _bytes(text: Optional[Path], what: str = "text") -> Optional[bytes]:
    """As the library reads texts and paths. No zero byte: it would end the text."""
    if text is None:
        return None
    try:
        coded = os.fsencode(text) if isinstance(text, os.PathLike) else text.encode(errors="surrogateescape")
    except AttributeError:
        raise TypeError(f"{what}: expected a str, not {type(text).__name__}") from None
    except UnicodeEncodeError:
        raise Error(Code.USAGE, f"{what}: not valid Unicode") from None
    if b"\0" in coded:
        raise Error(Code.USAGE, f"{what}: holds a zero character")
    return coded


def _text_bytes(text: Any, what: str) -> bytes:
    """_bytes() of a text that must be there."""
    coded = _bytes(text, what)
    if coded is None:
        raise TypeError(f"{what}: expected a str, not None")
    return coded


def _int(number: int, name: str, low: int = 0, high: int = 2 ** 31 - 1) -> int:
    """A number of the library's, which ctypes would cut off."""
    try:
        number = operator.index(number)
    except TypeError:
        raise TypeError(f"{name}: expected an int, not {type(number).__name__}") from None
    if not low <= number <= high:
        raise Error(Code.USAGE, f"'{name}' is {number}: expected {low} to {high}")
    return number


def _decoded(text: Optional[bytes]) -> Optional[str]:
    return None if text is None else text.decode(errors="replace")


def _options(kind: Any, **values: Any) -> Any:
    """A struct, whose texts are given as str or paths."""
    texts = {name for name, of in kind._fields_ if of is _text}
    return kind(**{name: _bytes(value, name) if name in texts else value for name, value in values.items()})


def _text_array(texts: Sequence[str], what: str) -> Any:
    """An array of texts, each called `what` and its number."""
    return (c_char_p * max(len(texts), 1))(*[_text_bytes(text, f"{what} {i}") for i, text in enumerate(texts, 1)])


def _words(texts: Any, count: int) -> Any:
    return [_decoded(text) for text in texts[:count]] if texts else None


def _array(owner: Any, address: Any, *shape: int, kind: Any = c_double) -> Optional[Array]:
    """Numbers in memory that lives as long as `owner`, which the array keeps: NumPy reads them there."""
    address = ctypes.cast(address, c_void_p).value
    if not address:
        return None
    memory = (kind * math.prod(shape)).from_address(address)
    memory.owner = owner
    try:
        import numpy
    except ImportError:
        rows = list(memory)
        for length in reversed(shape[1:]):
            rows = [rows[i:i + length] for i in range(0, len(rows), length)]
        return rows
    array = numpy.frombuffer(memory, dtype=numpy.dtype(kind)).reshape(shape)
    array.flags.writeable = False
    return array


def _finalizer(owner: Any, release: Callable[..., None], *arguments: Any) -> Any:
    """Frees what the library gave the owner, with it. Not at exit, when a thread may still use it, nor
    in a child after fork(), which has none of the library's threads."""
    process = os.getpid()

    def free() -> None:
        if os.getpid() == process:
            release(*arguments)

    found = weakref.finalize(owner, free)
    found.atexit = False
    return found


class _Owned:
    """A struct, or an array of them, with memory of the library's: freed once nothing refers to it.
    Made before the call that fills it in, so that an interrupt after the call leaves nothing behind.
    Without `release` the memory is Python's."""

    def __init__(self, struct: Any, release: Optional[Callable[..., None]] = None, *arguments: Any):
        self.struct = struct
        if release:
            _finalizer(self, release, struct, *arguments)


class _Closable:
    """What is freed when it is closed, or garbage: a context manager. A call refers to _opened() until
    it returns, so that close() in another thread leaves its memory alone."""
    _owned: Optional[_Owned]

    def _opened(self) -> _Owned:
        owned = self._owned
        if owned is None:
            raise Error(Code.USAGE, f"{self!r} is closed")
        return owned

    def close(self) -> None:
        """Frees the memory once no call uses it; garbage collection does, too."""
        self._owned = None

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *why: Any) -> None:
        self.close()


def _values(*columns: Tuple[Any, str], **defaults: Any) -> Any:
    """The frozen dataclass below a class of results, whose docstring explains the fields."""
    return make_dataclass("Values", _listed(columns), namespace=defaults, frozen=True)


def _record(cls: Any, struct: Any, **more: Any) -> Any:
    """Results filled in from the fields of the same names."""
    found = {one.name: getattr(struct, one.name) for one in fields(cls)
             if one.name not in more and hasattr(struct, one.name)}
    return cls(**{name: _decoded(value) if isinstance(value, bytes) else value for name, value in found.items()},
               **more)


def _listing(function: Any, *more: Any) -> Any:
    """What function(0, ...), function(1, ...) ... are, up to NULL."""
    i = 0
    while found := function(i, *more):
        yield found
        i += 1


def _rows(kind: str) -> Any:
    """The options that sa_<kind>_option lists."""
    return (row.contents for row in _listing(getattr(_lib, f"sa_{kind}_option")))


def _names(function: Any, *more: Any) -> List[str]:
    return [name.decode() for name in _listing(function, *more)]


def _choice(name: str, choice: str, known: List[str]) -> int:
    if choice not in known:
        raise Error(Code.USAGE, f"{name} '{choice}': expected {', '.join(known[:-1])} or {known[-1]}")
    return known.index(choice)


def _set(setter: str, struct: Any, options: Dict[str, Any]) -> None:
    """Sets options by their names, as the command line does."""
    for name, value in options.items():
        if value is None:
            continue
        shown = "yes" if value is True else "no" if value is False else str(value)
        _call(setter, struct, _bytes(name.replace("_", "-")), _bytes(shown, name))


def _configured(kind: str, struct: Any, options: Dict[str, Any]) -> Any:
    """A struct of options: its defaults, and those given."""
    getattr(_lib, f"sa_{kind}_init")(byref(struct))
    _set(f"{kind}_set", byref(struct), options)
    return struct


def _frame(page: str, height: int) -> str:
    """A page within another: in a frame of its own, neither can reach the other, whatever it holds."""
    return (f'<iframe srcdoc="{_html.escape(page)}" sandbox="allow-scripts allow-downloads" loading="lazy" '
            f'title="softalign" style="width: 100%; height: {height}px; border: 0; resize: vertical">'
            '</iframe>')


class _Shown:
    """What shows itself in a notebook."""
    _height = 560  # pixels

    def _page(self) -> str:
        raise NotImplementedError

    def to_html(self, path: Optional[Path] = None) -> str:
        """The page that a notebook shows, one file that loads nothing; written to `path` if given."""
        page = self._page()
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(page)
        return page

    def _repr_html_(self) -> Optional[str]:
        return _frame(self._page(), self._height)


def _rendered(title: str, name: str, settings: Any, *parts: Tuple[Any, ...]) -> str:
    """A page about a model; a part is (what, arguments ...) of sa_page_add_<what>."""
    page = _call("page_open", _bytes(title), _bytes(name), settings)
    try:
        for what, *arguments in parts:
            _call("page_add_" + what, page, *arguments)
        return _call("page_html", page).decode()
    finally:
        _lib.sa_page_close(page)


# ---- Settings ------------------------------------------------------------------------------------

class _Settings:
    """An sa_settings in memory of our own."""

    def __init__(self, copied: Optional[int] = None):
        self.memory = ctypes.create_string_buffer(_lib.sa_settings_size())
        if copied:
            ctypes.memmove(self.memory, copied, len(self.memory))
        else:
            _lib.sa_settings_init(self.memory)

    def __reduce__(self) -> Any:
        return _settings_of, (self.memory.raw,)

    def set(self, preset: Optional[str], options: Dict[str, Any]) -> "_Settings":
        if preset is not None:
            _call("settings_preset", self.memory, _bytes(preset))
        _set("settings_set", self.memory, options)
        return self

    def values(self) -> Dict[str, Any]:
        """By their names; choices by theirs."""
        found: Dict[str, Any] = {}
        for row in _rows("settings"):
            if row.kind < len(_KINDS):
                value = _KINDS[row.kind].from_buffer(self.memory, row.offset).value
                found[row.name.decode().replace("-", "_")] = \
                    _lib.sa_option_choice(byref(row), value).decode() if row.kind == _CHOICE else value
        return found


def _settings_of(stored: bytes) -> _Settings:
    found = _Settings()
    if len(stored) != len(found.memory):
        raise Error(Code.DATA, "another version of softalign has pickled this")
    found.memory.raw = stored
    return found


def presets() -> List[str]:
    """The names of the presets: settings of papers and corpora."""
    return _names(_lib.sa_preset_name)


# ---- Pairs ---------------------------------------------------------------------------------------

class Corpus(_Closable):
    """Pairs of sentences, read from a file: `source TAB target` lines, with a third column of word
    links ("0-0 1-2") where known; CSV, JSON lines or TMX; or "SRC,TGT", two parallel files. gzip is
    recognized. columns: which are source and target, such as "2,4" or "en,fr".

    A sequence of tuples (source, target, links or None), and a context manager that frees them.
    note, remarks: what to know of the file, or None.
    """

    def __init__(self, path: Path, columns: Optional[str] = None):
        name = _bytes(path, "path") or b""
        owned = self._owned = _Owned(_corpus(), _lib.sa_corpus_close)
        _call("corpus_open_columns", byref(owned.struct), name, _bytes(columns, "columns"))
        self._shown = f"{os.fsdecode(name)!r}: {owned.struct.count} pairs"
        self.note: Optional[str] = _decoded(owned.struct.note)
        self.remarks: Optional[str] = _decoded(owned.struct.remarks)

    def __reduce__(self) -> Any:
        struct = self._opened().struct
        rows = [tuple(getattr(pair, name) for name in _PAIR) for pair in struct.pairs[:struct.count]]
        facts = {name: getattr(struct, name) for name in ("lines", "empty", "gold", "name")}
        return _unpickled, (Corpus, {"note": self.note, "remarks": self.remarks, "_shown": self._shown}), (rows, facts)

    def __setstate__(self, state: Any) -> None:
        rows, facts = state
        array = (_pair * max(len(rows), 1))(*[_pair(**dict(zip(_PAIR, row))) for row in rows])
        self._owned = _Owned(_corpus(pairs=array, count=len(rows), **facts))

    def __len__(self) -> int:
        return self._opened().struct.count

    def __getitem__(self, i: Any) -> Any:
        owned = self._opened()
        count = owned.struct.count
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(count))]
        if not -count <= i < count:
            raise IndexError(i)
        pair = owned.struct.pairs[i % count]
        return pair.source.decode(), pair.target.decode(), _decoded(pair.gold)

    def __repr__(self) -> str:
        return f"<softalign.Corpus {self._shown}>"


def corpus(task: Optional[str] = None, *, grammar: Optional[Path] = None, pairs: int = 0, seed: int = 1,
           split: str = "train") -> Corpus:
    """Sentence pairs with gold alignments, as `softalign corpus` writes them: of a task, such as
    "reorder", or of your own grammar, the path of a file (`softalign help corpus` explains it).
    pairs: 0 for 10,000. split: "train", "valid" or "test"; they share no sentence.
    """
    number = _choice("split", split, ["train", "valid", "test"])
    with TemporaryDirectory() as folder:
        path = os.path.join(folder, "corpus.tsv")
        _call("corpus_generate", _bytes(task, "task"), _bytes(grammar, "grammar"), _int(pairs, "pairs", 0),
              _int(seed, "seed", 0, 2 ** 64 - 1), number, _bytes(path))
        return Corpus(path)


_PAIR = ["source", "target", "gold", "line", "id", "row"]


def _unpickled(kind: Any, values: Dict[str, Any]) -> Any:
    """An object of a class with these attributes, without its constructor."""
    made = object.__new__(kind)
    vars(made).update(values)
    return made


def _name_columns(names: List[str], known: List[str], what: str) -> None:
    """Adds the usual names to `names` if there are none; all must be known."""
    if not names and {"source", "target"} <= {*known}:
        names += ["source", "target"] + ["links"] * ("links" in known)
    if not names or not {*names} <= {*known}:
        raise TypeError(f"{what} {', '.join(map(repr, known))}: name those of source and target, as in columns='en,fr'")


def _row(row: Any, at: int, names: List[str]) -> Tuple[Any, ...]:
    """Returns a pair of an iterable as a tuple. Adds the keys of the first dict to `names`, those of the columns."""
    if isinstance(row, Mapping):
        inner = row.get("translation")
        row = inner if isinstance(inner, Mapping) else row
        keys = list(row)
        if row is inner and len(keys) == 2 and not names and {*keys} != {"source", "target"}:
            names += keys
        missing = f"has no {', '.join(name for name in names if name not in keys)!r}" if names else "is a dict"
        _name_columns(names, keys, f"pair {at} {missing}; its keys are")
        return tuple(row[name] for name in names)
    if isinstance(row, (str, bytes)) or not isinstance(row, Iterable):
        raise TypeError(f"pair {at} is {row!r}, a {type(row).__name__}: a pair is (source, target)")
    cells = tuple(row)
    if len(cells) not in (2, 3):
        raise TypeError(f"pair {at} has {len(cells)} elements: a pair is (source, target) or (source, target, links)")
    return cells


def _rows_of(pairs: Any, columns: Optional[str]) -> List[Tuple[Any, ...]]:
    """The pairs of what is neither a path nor a Corpus."""
    names = [name.strip() for name in columns.split(",")] if columns else []
    if isinstance(pairs, Mapping):
        keys = ", ".join(map(repr, pairs))
        raise TypeError(f"pairs are a dict with the keys {keys}: give the pairs of one of its members, "
                        "or zip(member, member) of two lists")
    if not hasattr(pairs, "__iter__") and not hasattr(pairs, "__getitem__"):
        raise TypeError(f"pairs are of type {type(pairs).__name__}: give (source, target) tuples, or the name of a file")
    if not hasattr(pairs, "columns"):
        return [_row(row, at, names) for at, row in enumerate(pairs, 1)]
    known = {str(name): name for name in pairs.columns}
    for name in names:
        if [str(other) for other in pairs.columns].count(name) > 1:
            raise TypeError(f"the frame has several columns {name!r}")
    _name_columns(names, [*known], "the frame has the columns")
    return list(zip(*(pairs[known[name]] for name in names)))


def _as_corpus(pairs: Pairs, columns: Optional[str] = None) -> Tuple[Any, Any]:
    """An sa_corpus, and what must live as long."""
    if isinstance(pairs, (str, os.PathLike)):
        pairs = Corpus(pairs, columns)
    if isinstance(pairs, Corpus):
        owned = pairs._opened()
        return owned.struct, owned
    rows = _rows_of(pairs, columns)
    array = (_pair * max(len(rows), 1))()
    for i, (row, into) in enumerate(zip(rows, array), 1):
        into.source, into.target = _text_bytes(row[0], f"source of pair {i}"), _text_bytes(row[1], f"target of pair {i}")
        into.gold = _bytes(row[2], f"links of pair {i}") if len(row) == 3 else None
        into.line = i
    gold = bool(rows) and all(pair.gold is not None for pair in array)
    return _corpus(pairs=array, count=len(rows), lines=len(rows), gold=gold, name=b"pairs"), array


class _Files:
    """Pairs as files: where one of `given` is no path, all are written to a folder of JSON lines, which
    lives as long as the context and is not named to the user. None stays None."""

    def __init__(self, columns: Optional[str], **given: Optional[Pairs]):
        self.columns, self.paths = columns, given
        self.folder: Optional[TemporaryDirectory[str]] = None

    def shown(self, text: str) -> str:
        return text.replace(os.path.join(self.folder.name, ""), "") if self.folder else text

    def __enter__(self) -> "_Files":
        if all(pairs is None or isinstance(pairs, (str, os.PathLike)) for pairs in self.paths.values()):
            return self
        read = {name: _as_corpus(pairs, self.columns) for name, pairs in self.paths.items() if pairs is not None}
        names = ["source", "target"] + ["gold"] * all(corpus.gold for corpus, _ in read.values())
        self.folder = TemporaryDirectory(prefix="softalign-")
        self.columns = ",".join(names)
        for name, (corpus, _) in read.items():
            self.paths[name] = os.path.join(self.folder.name, name + ".jsonl")
            with open(self.paths[name], "w", encoding="utf-8", errors="surrogateescape") as file:
                for pair in corpus.pairs[:corpus.count]:
                    row = {key: getattr(pair, key).decode(errors="surrogateescape") for key in names}
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, Error):
            error.args = (self.shown(str(error)),)
        if self.folder:
            self.folder.cleanup()


# ---- Training ------------------------------------------------------------------------------------

class Progress(_values((str, "kind"), (int, "epoch"), (float, "epoch_part"), (int, "step"),
                       (float, "seconds seconds_left loss words_per_second gradient_norm valid_loss "
                               "valid_perplexity valid_bleu valid_chrf"),
                       (bool, "best"), (Optional[str], "note"), (float, "validated"))):
    """What a training reports, about five times a second and at every validation.

    kind              "step", "validation", "note" or, of one that takes long, "validating"
    epoch             from 1
    epoch_part        fraction of the epoch's pairs seen, 0 .. 1
    step              updates so far
    seconds           from the training's start
    seconds_left      until the nearest limit that can be predicted; negative: unknown
    loss              nats per target token, since the last report
    words_per_second  target tokens
    gradient_norm     L2, before clipping
    valid_loss        of a validation, as are the next ones: nats per target token
    valid_perplexity
    valid_bleu        0 .. 100
    valid_chrf        0 .. 100
    best              the best validation so far
    note              a line for the user
    """

    def __str__(self) -> str:
        if self.kind == "note":
            return self.note or ""
        if self.kind == "step":
            return f"step {self.step}  loss {self.loss:.4f}  {self.words_per_second:.0f} words/s"
        return (f"step {self.step}  validation loss {self.valid_loss:.4f}  perplexity "
                f"{self.valid_perplexity:.2f}  BLEU {self.valid_bleu:.2f}{'  best' if self.best else ''}")


Callback = Callable[[Progress], Any]


class _Watch:
    """Reports of a training under way, and its stop: False from the callback, or SIGINT."""

    def __init__(self, callback: Optional[Callback], files: _Files):
        self.callback, self.files, self.stop = callback, files, c_int(0)
        self.failure: Optional[BaseException] = None
        self.report = _report(self.take)

    def take(self, context: Any, progress: Any) -> None:
        """No exception may pass through the library: it is raised after its return."""
        try:
            if self.callback and progress:
                now = progress.contents
                note = now.note and self.files.shown(_decoded(now.note))
                if self.callback(_record(Progress, now, kind=_PROGRESS[now.kind], seconds=now.spent.seconds,
                                         note=note)) is False:
                    self.stop.value = 1
        except BaseException as failure:
            self.failure = self.failure or failure
            self.stop.value = 1

    def interrupt(self, number: int, frame: Any) -> None:
        self.stop.value = 1

    def __enter__(self) -> "_Watch":
        self.main = threading.current_thread() is threading.main_thread()
        if self.main:
            self.before = signal.signal(signal.SIGINT, self.interrupt)
        return self

    def __exit__(self, *why: Any) -> None:
        if self.main:  # None: a handler that is not Python's
            signal.signal(signal.SIGINT, signal.SIG_DFL if self.before is None else self.before)
        if self.failure is not None:
            raise self.failure


class Training(_values((str, "folder reason"), (int, "steps epochs"),
                       (float, "seconds best_loss best_bleu best_chrf")), _Shown):
    """A training that has ended. A notebook shows its learning curves.

    folder     that it wrote
    reason     why it ended: "epochs", "steps", "time", "patience", "stopped"
    steps      updates
    epochs
    seconds    validations included
    best_loss  of the best validation, as are the next: nats per target token
    best_bleu  0 .. 100
    best_chrf  0 .. 100
    """

    def load(self, threads: int = 0) -> "Model":
        """The best model."""
        return load(os.path.join(self.folder, "best.safetensors"), threads)

    def log(self) -> List[Dict[str, float]]:
        """The validations: the rows of log.csv."""
        with open(os.path.join(self.folder, "log.csv"), encoding="utf-8", newline="") as file:
            return [{name: float(value) if value else float("nan") for name, value in row.items()}
                    for row in csv.DictReader(file)]

    def to_frame(self) -> Any:
        """The validations as a pandas.DataFrame."""
        import pandas  # type: ignore[import]
        return pandas.DataFrame(self.log())

    def _page(self) -> str:
        with self.load(1) as model:
            return model._page_of(f"Training of {_name_of(self.folder)}", self.folder)


def train(train: Pairs, out: Path, *, valid: Optional[Pairs] = None, alignments: Optional[Path] = None,
          columns: Optional[str] = None, snapshots: Optional[Pairs] = None, preset: Optional[str] = None,
          init_from: Optional[Path] = None, embeddings: Sequence[Optional[Path]] = (None, None),
          glossaries: Optional[str] = None, callback: Optional[Callback] = None, resume: bool = False, overwrite: bool = False,
          **settings: Any) -> Training:
    """Trains a model on pairs, writes it to the folder `out`, and returns the Training.

        softalign.train([("a cat", "un chat"), ...], "run", steps=500)
        softalign.train(frame, "run", columns="en,fr")       # of pandas or polars
        softalign.train(datasets.load_dataset(...)["train"], "run")
        with tqdm(total=500) as bar:
            softalign.train("pairs.tsv", "run", steps=500, callback=lambda now: bar.update(now.step - bar.n))

    train       a file, or whatever holds pairs: help(softalign) says what does
    valid       validation pairs; None: 5 % of the training pairs
    alignments  word links of the training pairs, with guided_alignment=...
    columns     of source and target, such as "en,fr": as in Corpus, of dicts and of frames
    init_from   a model to start from; the training takes over its settings
    embeddings  files of word vectors to start from, for source and target
    glossaries  words, separated by spaces, that subwords leave whole, also within others
    snapshots   pairs whose attention is recorded at every validation
    preset      settings of a paper or a corpus to start from: see presets()
    callback    called with a Progress; print is one. It returns False to stop the training; an exception
                stops it, too, and is raised once the training is saved
    resume      from out/last.safetensors, with its settings
    overwrite   replace the training that `out` holds, which is refused otherwise (Code.BUSY)
    settings    options of `softalign train`, such as hidden=64, max_time=10, tokenizer="bpe"

    Interrupting it (Ctrl-C, or a notebook's stop button) saves and returns: reason is "stopped".
    """
    start = _Settings()
    if resume:
        with load(os.path.join(os.fspath(out), "last.safetensors"), 1) as stored:
            start = _Settings(ctypes.addressof(stored._info.settings.memory))
    elif init_from is not None:
        with load(init_from, 1) as stored:
            _lib.sa_settings_take_shape(start.memory, stored._info.settings.memory)
    chosen = start.set(preset, settings)
    recorded = _as_corpus(snapshots, columns) if snapshots is not None else (None, None)
    result = _train_result()
    with _Files(columns, train=train, valid=valid) as files, _Watch(callback, files) as watch:
        options = _options(_train_options, settings=ctypes.addressof(chosen.memory), **files.paths,
                           columns=files.columns, alignments=alignments, out=out, resume=resume,
                           overwrite=overwrite, init_from=init_from, glossaries=glossaries,
                           embeddings=tuple(_bytes(path, "embeddings") for path in embeddings),
                           report=watch.report, stop=ctypes.pointer(watch.stop))
        if recorded[0] is not None:
            options.snapshot_pairs, options.snapshot_count = recorded[0].pairs, recorded[0].count
        _call("train", byref(options), byref(result))
    return _record(Training, result, folder=os.fspath(out), seconds=result.spent.seconds)


# ---- Models --------------------------------------------------------------------------------------

class Translation(_values((str, "text"), (float, "log_probability score"), (bool, "complete resplit too_long"),
                          (int, "unknown_source"), (Optional[List[str]], "target source"),
                          (Optional[Array], "weights"), target=None, source=None, weights=None)):
    """A translation, and where the model looked for each of its words.

    text             detokenized
    log_probability  sum over its tokens, </s> included (nats)
    score            what the search compares
    complete         ends in </s>; False: cut off at the longest output
    resplit          its text is split into other tokens than the model wrote
    too_long         the source is: the translation was left empty
    unknown_source   source words that the model does not know
    target, source   with weights=True: tokens, </s> included
    weights          with weights=True: attention [target, source]; None: no attention
    """

    def __str__(self) -> str:
        return self.text


def _translation_of(owner: _Owned, one: Any) -> Translation:
    text = ctypes.string_at(one.text).decode(errors="replace") if one.text else ""
    return _record(
        Translation, one, text=text, target=_words(one.target, one.words), source=_words(one.source, one.sources),
        weights=_array(owner, one.weights, one.words, one.sources))


class Alignment(_Shown):
    """Attention weights of a pair, whose target was given. A notebook shows the matrix.

    target, source   the words of rows and columns, ending in "</s>"
    weights          [target, source]: where the model attends, the mean over heads; a row sums to 1,
                     or less with a null key, a Gaussian window or differential attention, whose weights
                     may be negative
    head_weights     [layer, head, target, source]
    log_probability  of the target, </s> included (nats)
    token_log_probabilities   [target]; None but for cross-attention
    generation_probabilities  [target]: near 0 where a token is copied; None without copying
    target_unknown, source_unknown  whether the model knows the word; None: not known
    site             "cross", or "encoder" or "decoder" self-attention of a Transformer; "prefix":
                     attributions to the source and to earlier target words
    methods          the names of attributions, one for each head; of attention none
    gold             the word links that were given, in Pharaoh format, or None
    """

    def __init__(self, owner: _Owned, site: str, gold: Optional[str], model: "_ModelInfo"):
        one = owner.struct
        T, S = one.targets, one.sources
        heads, layers = max(one.heads, 1), max(one.layers, 1)
        self._owner, self._model, self.site, self.gold = owner, model, site, gold
        self.target, self.source = _words(one.target, T), _words(one.source, S)
        self.log_probability: float = one.log_probability
        self.weights = _array(owner, one.weights, T, S)
        self.head_weights = _array(owner, _lib.sa_alignment_weights(byref(one), 1, 1), layers, heads, T, S)
        self.token_log_probabilities = _array(owner, one.token_log_probabilities, T)
        self.generation_probabilities = _array(owner, one.generation_probabilities, T)
        self.target_unknown = list(one.target_unknown[:T]) if one.target_unknown else None
        self.methods = [name.decode() for name in one.method if name]
        self.source_unknown = list(one.source_unknown[:S]) if one.source_unknown else None

    def __reduce__(self) -> Any:
        one, values = self._owner.struct, dict(vars(self))
        del values["_owner"]
        each = (one.heads if one.heads > 1 else 0) + (one.layers * one.heads if one.layers > 1 else 0)
        sizes = {"weights": 8 * one.targets * one.sources * (1 + each), "token_log_probabilities": 8 * one.targets,
                 "generation_probabilities": 8 * one.targets, "target_unknown": one.targets, "source_unknown": one.sources}
        memory = {name: ctypes.string_at(getattr(one, name), size) for name, size in sizes.items() if getattr(one, name)}
        plain = {name: getattr(one, name) for name in ("targets", "sources", "heads", "layers", "log_probability", "gap")}
        texts = one.target[:one.targets], one.source[:one.sources], list(one.method)
        return _unpickled, (Alignment, values), (plain, memory, texts)

    def __setstate__(self, state: Any) -> None:
        plain, memory, (target, source, method) = state
        one = _alignment(**plain, target=(c_char_p * len(target))(*target), source=(c_char_p * len(source))(*source),
                         method=(c_char_p * len(method))(*method))
        for name, stored in memory.items():
            kind = dict(_alignment._fields_)[name]
            setattr(one, name, ctypes.cast(ctypes.create_string_buffer(stored, max(len(stored), 1)), kind))
        self._owner = _Owned(one)

    def merge_words(self) -> "Alignment":
        """The alignment of whole words, from one of subwords ("low@@", "er")."""
        owner = _Owned(_alignment(), _lib.sa_alignment_release)
        _call("alignment_merge", byref(self._owner.struct), byref(owner.struct))
        return Alignment(owner, self.site, self.gold, self._model)

    def save(self, path: Path) -> None:
        """Writes a picture, a table or a page, as the path ends in .svg, .png, .pdf, .csv or .html."""
        name = os.fspath(path).lower()
        if name.endswith(".html"):
            self.to_html(path)
        elif not name.endswith((".svg", ".png", ".pdf", ".csv")):
            raise Error(Code.USAGE, f"'{os.fspath(path)}' must end in .svg, .png, .pdf, .csv or .html")
        else:
            _call("alignment_save", byref(self._owner.struct), _SITES.index(self.site), _bytes(path, "path"))

    def to_frame(self) -> Any:
        """The weights as a pandas.DataFrame: rows are target words, columns source words."""
        import pandas  # type: ignore[import]
        return pandas.DataFrame(self.weights, index=pandas.Index(self.target, name="target"),
                                columns=pandas.Index(self.source, name="source"))

    def _page(self) -> str:
        return Alignments([self])._page()

    @property
    def _height(self) -> int:  # type: ignore[override]
        """About that of the matrix and of what is above it."""
        cell = min(max(620 / len(self.source), 16), 46)
        return int(min(345 + 0.82 * cell * len(self.target), 900))

    def __repr__(self) -> str:
        return f"<softalign.Alignment of {' '.join(self.target)!r} with {' '.join(self.source)!r}>"


class Alignments(List[Alignment], _Shown):
    """A list of alignments by one model. A notebook shows a page on which to choose among them."""
    _height = 760

    def _page(self) -> str:
        if not self:
            raise Error(Code.USAGE, "there are no alignments to show")
        model = self[0]._model
        sentence = textwrap.shorten(" ".join(self[0].source[:-1]), 80, placeholder=" …")
        several = f"{len(self)} sentences" if len(self) > 1 else f"“{sentence}”"
        settings = model.settings.memory if model.settings else None
        parts: List[Tuple[Any, ...]] = []
        for one in self:
            # Links are between words, and subwords are none.
            gold = None if model.subwords or one.site != "cross" else one.gold
            parts.append(("alignment", byref(one._owner.struct), _SITES.index(one.site), _bytes(gold)))
        return _rendered(f"Attention of {model.name} on {several}", model.name, settings, *parts)

    def _repr_html_(self) -> Optional[str]:
        if not self:
            return None
        return _frame(self._page(), self[0]._height if len(self) == 1 else self._height)


def _name_of(path: Path) -> str:
    """What pages call a file or folder: the last two parts of its path, without the ending."""
    parts = os.path.normpath(os.fspath(path)).split(os.sep)[-2:]
    return "/".join(parts).removesuffix(".safetensors")


class _ModelInfo(_values((str, "name"), (Optional[_Settings], "settings"), (bool, "subwords"))):
    """What outlives a model that is closed; without settings, of weights that another program computed."""


def _sentences(given: Any) -> List[str]:
    """Of what holds several."""
    if isinstance(given, os.PathLike):
        with open(given, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            return [line.rstrip("\r\n") for line in file]
    if isinstance(given, Mapping) or hasattr(given, "columns"):
        raise TypeError(f"sentences are a {type(given).__name__}: give one of its columns, such as frame['en']")
    return list(given)


class Quantity(_values((str, "name letters equation section"), (Optional[str], "citation"), (int, "step head"),
                       (Optional[List[str]], "words"), (Array, "numbers"))):
    """The numbers of one symbol of an equation, in double precision.

    name      a short key, such as "alpha", and `letters` those of the paper, "alpha_ij"
    equation  such as "c_i = sum_j alpha_ij h_j"; citation: of the equation, or None
    section   the title below which it stands
    step      the target position, from 1; 0: computed once for the sentence
    head      from 1; 0: there is one, or all share it
    words     that the rows stand for, or None
    numbers   [row, column]
    """

    def __str__(self) -> str:
        return f"{self.equation}\n  {self.letters} = {self.numbers}"


class Model(_Closable, _Shown):
    """A trained model, and a context manager that frees it; its alignments stay. A notebook shows its
    settings, and the learning curves of its training if they are in its folder.

    path        of its file
    settings    what the file stores, by the names of the options
    parameters  the number of weights
    """

    def __init__(self, path: Path, threads: int = 0, max_len: Optional[int] = None):
        self.path = os.fspath(path)
        self._threads, self._max_len = threads, max_len
        self._file = self.path if self.path.startswith("builtin:") else os.path.abspath(self.path)
        self._stamp = _stamp(self._file)
        self._lock, self._inherited = threading.Lock(), ""
        handle = self._open(self.path)
        copied = _Settings(_lib.sa_model_settings(handle))
        self.settings: Dict[str, Any] = copied.values()
        self.parameters: int = _lib.sa_model_parameters(handle)
        sides = [self.settings[side] for side in ("tokenizer", "source_tokenizer", "target_tokenizer")]
        subwords = any("bpe" in (sides[0] if side == "auto" else side) for side in sides[1:])
        self._info = _ModelInfo(_name_of(path), copied, subwords)
        _models.add(self)

    def _open(self, path: str) -> Any:
        handle = _call("model_open", _bytes(path, "path"), _int(self._threads, "threads"))
        self._owned = _Owned(handle, _lib.sa_model_close)
        if self._max_len is not None:
            _call("model_set_max_len", handle, _int(self._max_len, "max_len"))
        return handle

    def __reduce__(self) -> Any:
        super()._opened()
        return _model_again, (self._file, self._threads, self._max_len, self._stamp)

    def _opened(self) -> _Owned:
        """In a child after fork() the model is read again: it has lost its threads."""
        owned = super()._opened()
        if self._inherited == "busy":
            raise Error(Code.USAGE, f"{self!r} was in use by another thread when this process was forked: load it again")
        if self._inherited:
            _check_stamp(self._file, self._stamp)
            self._open(self._file)
            self._inherited = ""
        return self._owned or owned

    def _run(self, name: str, *arguments: Any) -> None:
        """Calls a function of the model, for one thread after the other."""
        owned = self._opened()
        with self._lock:
            _call(name, owned.struct, *arguments)

    @property
    def has_attention(self) -> bool:
        """False for decoders with a fixed context vector."""
        return _lib.sa_settings_has_attention(self._info.settings.memory)

    def _search(self, count: int, weights: bool = False, force_attention: Optional[str] = None, nbest: int = 1,
                dictionary: Optional[Pairs] = None, target_prefix: Any = None, **options: Any) -> Tuple[Any, Any]:
        search = _configured("search", _search(), options)
        search.weights, search.nbest = weights, _int(nbest, "nbest", 1, 1000)
        held = None
        if dictionary is not None:
            words, held = _as_corpus(dictionary)
            search.dictionary, search.replace_unknown = ctypes.pointer(words), True
        if force_attention is not None:
            _call("attention_override_parse", byref(search.override), _bytes(force_attention))
        if target_prefix is not None:
            prefixes = [target_prefix] * count if isinstance(target_prefix, str) else list(target_prefix)
            if len(prefixes) != count:
                raise Error(Code.USAGE, f"target_prefix: {len(prefixes)} texts for {count} sentences")
            held = (held, _text_array(prefixes, "target_prefix"))
            search.target_prefix = ctypes.cast(held[1], _texts)
        return search, held

    def translate(self, sentences: Any, *, weights: bool = False, nbest: int = 1, **search: Any) -> Any:
        """Translates a sentence to a Translation, or several to a list of them.

        sentences  a str, an iterable of them, or the pathlib.Path of a file with one on each line
        weights  return tokens and attention weights, too
        nbest    above 1: a list of the best translations of each sentence, best first
        search   options of `softalign translate`, such as beam=5, sample=True; dictionary=PAIRS;
                 force_attention="uniform"; target_prefix: words that the translations begin with, a
                 str, or one for each sentence ("": none)
        """
        one = isinstance(sentences, str)
        texts = [sentences] if one else _sentences(sentences)
        options, held = self._search(len(texts), weights=weights, nbest=nbest, **search)
        array = (_translation * max(len(texts) * nbest, 1))()
        owner = _Owned(array, _lib.sa_translations_release, len(texts) * nbest)
        self._run("translate", _text_array(texts, "sentence"), len(texts), byref(options), array)
        found = [[_translation_of(owner, one) for one in array[i * nbest:(i + 1) * nbest] if one.text]
                 for i in range(len(texts))]
        best: List[Any] = [entries if nbest > 1 else entries[0] for entries in found]
        return best[0] if one else best

    def align(self, pairs: Any, target: Optional[str] = None, *, columns: Optional[str] = None,
              site: str = "cross", layer: int = 0,
              force_attention: Optional[str] = None, at: str = "output",
              methods: Optional[str] = None, steps: int = 50, target_prefix: bool = False) -> Any:
        """Where the model attends while it writes given translations.

        align("a sentence", "its translation") gives an Alignment; align(PAIRS) gives Alignments.

        columns  of source and target, as in train()
        site   "cross", or of a Transformer "encoder" or "decoder"
        layer  of a Transformer, from 1; 0: the mean over layers
        force_attention  replace the weights: "uniform", "shuffle", "shift:1", "one-hot", "gold"
        at     of a Transformer: the row that predicts a word, "output", or that has read it, "input"
        methods  attributions instead, such as "gradient,occlusion", each as a head: see "softalign help
                 attribute"; steps: of "integrated-gradients"; target_prefix: columns of the earlier
                 target words, after the columns of the source
        """
        corpus, held = _as_corpus(pairs if target is None else [(pairs, target)], columns)
        options = _options(_align_options, site=_choice("site", site, _SITES[:3]), layer=_int(layer, "layer"),
                           at=_choice("at", at, ["output", "input"]), methods=methods, steps=_int(steps, "steps", 1),
                           target_prefix=target_prefix)
        site = "prefix" if target_prefix else site
        if force_attention is not None:
            _call("attention_override_parse", byref(options.override), _bytes(force_attention))
        found, failures = Alignments(), []

        def take(context: Any, index: int, alignment: Any, error: Any) -> bool:
            """No exception may pass through the library."""
            try:
                owner = _Owned(_alignment(), _lib.sa_alignment_release)
                if not _lib.sa_alignment_copy(alignment, byref(owner.struct), error):
                    return False
                found.append(Alignment(owner, site, _decoded(corpus.pairs[index].gold), self._info))
                return True
            except BaseException as failure:
                failures.append(failure)
                error.contents.code = Code.CHECK
                return False

        try:
            self._run("align", byref(options), corpus.pairs, corpus.count, _each(take), None)
        except Error:
            if not failures:
                raise
        if failures:
            raise failures[0]
        return found if target is None else found[0]

    def annotations(self, source: str, target: str = "", *, site: str = "encoder") -> Tuple[List[str], List[Array]]:
        """The vectors of a sentence's words before and after each layer.

        words, vectors = model.annotations("a sentence"); vectors[0], before the first layer, and
        vectors[-1], after the last, are [word, number]

        site  "encoder": the words of the source, and the annotations that the decoder attends to; or
              "decoder": the words that it reads of the target, from "<s>" on
        """
        words: List[str] = []
        vectors: List[Array] = []

        def take(one: Any, numbers: Array) -> None:
            vectors.append(numbers)
            words[:] = _words(one.row, one.rows)

        self._explained(take, source=source, target=target, site=1 + _choice("site", site, _SITES[1:3]), annotations=True)
        return words, vectors

    def _explained(self, take: Callable[[Any, Array], None], **options: Any) -> None:
        """Calls take(value, its numbers) for each value of an explanation."""

        def each(context: Any, pair: Any, value: Any) -> None:
            if value:
                one = value.contents
                memory = (c_double * (one.rows * one.cols))(*one.numbers[:one.rows * one.cols])
                take(one, _array(memory, memory, one.rows, one.cols))

        called = _each_value(each)
        self._run("explain", byref(_options(_explain_options, each=ctypes.cast(called, c_void_p), **options)))

    def explain(self, source: str, target: Optional[str] = None, *, step: int = 1, site: str = "cross",
                layer: int = 1) -> List[Quantity]:
        """Every number of a decoder step, in the order of the model's equations.

        for quantity in model.explain("a cat", step=2): print(quantity)

        target  None: the greedy translation
        step    from 1; 0: all, of a recurrent model
        site    of a Transformer: "cross", "encoder" or "decoder", in that layer
        """
        found: List[Quantity] = []
        seen = {"section": "", "equation": "", "citation": None}

        def take(one: Any, numbers: Array) -> None:
            if one.equation:
                seen.update(equation=_decoded(one.equation), citation=_decoded(one.citation))
            if one.section:
                seen["section"] = _decoded(one.section)
            found.append(_record(Quantity, one, **seen, words=_words(one.row, one.rows), numbers=numbers))

        self._explained(take, source=source, target=target, step=_int(step, "step"),
                        site=_choice("site", site, _SITES[:3]), layer=_int(layer, "layer", 1))
        return found

    def weights(self) -> Dict[str, Array]:
        """The weights of the model's file by the names of softalign-model(5), such as "attention.W_a":
        arrays [out, in] of 32-bit floats, in Python's memory. tests/python/forward.py computes the
        model from them, in NumPy and in PyTorch."""
        owned, name, rows, cols = self._opened(), c_char_p(), c_int(), c_int()
        found = {}
        tensor = functools.partial(_lib.sa_model_tensor, owned.struct)
        for numbers in _listing(tensor, byref(name), byref(rows), byref(cols)):
            memory = (c_float * (max(rows.value, 1) * cols.value))()
            ctypes.memmove(memory, numbers, ctypes.sizeof(memory))
            found[_decoded(name.value)] = _array(memory, memory, *[rows.value] * bool(rows.value), cols.value, kind=c_float)
        return found

    def to_torch(self) -> Dict[str, Any]:
        """weights() as tensors of PyTorch, which may be changed. softalign.torch.load(path) is a module that
        computes with them."""
        import torch  # type: ignore[import]
        return {name: torch.tensor(array) for name, array in self.weights().items()}

    def evaluate(self, pairs: Pairs, *, columns: Optional[str] = None, **options: Any) -> "Evaluation":
        """Translates pairs and compares with their targets; with word links, also the attention.

        columns  of source and target, as in train()
        options  of `softalign eval`: of the search (beam=5, force_attention="uniform",
                 target_prefix, as in translate()), the links
                 (links="threshold", threshold=0.3) and the metrics (tokenize="char")
        """
        corpus, held = _as_corpus(pairs, columns)
        given: Dict[str, Dict[str, Any]] = {}
        for kind in ("link", "metrics"):
            names = {row.name.decode().replace("-", "_") for row in _rows(kind)} & set(options)
            given[kind] = {name: options.pop(name) for name in names}
        linking = _configured("link_options", _link_options(), given["link"])
        metrics = _configured("metrics", _metrics(), given["metrics"])
        search, held_too = self._search(corpus.count, **options)
        results = (_sentence_result * max(corpus.count, 1))()
        owner, summary = _Owned(results, _lib.sa_sentence_results_release, corpus.count), _eval_result()
        self._run("evaluate", byref(corpus), byref(search), byref(linking), results)
        _call("eval_summarize", byref(metrics), byref(corpus), owner.struct, None, corpus.count,
              byref(summary))
        each = [_record(Sentence, one) for one in results[:corpus.count]]
        return _record(Evaluation, summary, results=each)

    def _page_of(self, title: str, folder: Optional[str]) -> str:
        parts = [] if folder is None else [("training", _bytes(folder))]
        return _rendered(title, self._info.name, self._info.settings.memory, *parts)

    def _page(self) -> str:
        folder = os.path.dirname(self._file)
        trained = os.path.exists(os.path.join(folder, "log.csv")) and _stamp(self._file) == self._stamp
        return self._page_of(f"{self._info.name}: {self.parameters:,} weights", folder if trained else None)

    def __repr__(self) -> str:
        return f"<softalign.Model {self.path!r}: {self.parameters:,} weights>"


_models: "weakref.WeakSet[Model]" = weakref.WeakSet()


def __getattr__(name: str) -> Any:
    """softalign.torch, which is imported, with PyTorch, when it is first used."""
    if name != "torch":
        raise AttributeError(f"module 'softalign' has no attribute '{name}'")
    import softalign_torch
    return softalign_torch


def _stamp(path: str) -> Optional[Tuple[int, int]]:
    """What tells whether a file has changed; None: there is none."""
    try:
        about = os.stat(path)
    except (OSError, ValueError):
        return None
    return about.st_size, about.st_mtime_ns


def _check_stamp(path: str, stamp: Optional[Tuple[int, int]]) -> None:
    if _stamp(path) != stamp:
        raise Error(Code.DATA, f"'{path}' has changed since the model was loaded: load it again")


def _model_again(path: str, threads: int, max_len: Optional[int], stamp: Optional[Tuple[int, int]]) -> Model:
    """A model that was copied or pickled."""
    _check_stamp(path, stamp)
    return Model(path, threads, max_len)


def _forked() -> None:
    """In a child there is none but the thread that forked: who held a lock never gives it back."""
    for model in _models:
        model._inherited = "busy" if model._lock.locked() else "idle"
        model._lock = threading.Lock()
    _one_thread.lock, _one_thread.calls = threading.Lock(), 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def load(path: Path, threads: int = 0, max_len: Optional[int] = None) -> Model:
    """Reads a model file. threads: 0 for one per core. max_len: the longest sentence, in tokens."""
    return Model(path, threads, max_len)


def average(paths: Sequence[Path], out: Path) -> None:
    """Writes the model whose weights are the mean of several models', such as checkpoints."""
    if isinstance(paths, (str, bytes, os.PathLike)):
        raise TypeError(f"paths are one, {os.fsdecode(paths)!r}: give a list of them")
    files = [os.fsdecode(path) for path in paths]
    _call("average_models", _text_array(files, "path"), len(files), _bytes(out, "out"))


# ---- Evaluation ----------------------------------------------------------------------------------

class Sentence(_values((str, "translation reference"), (bool, "exact complete"),
                       (float, "log_probability"),
                       (int, "words source_words unknown_source unknown_target"))):
    """What a model made of one pair.

    translation
    reference
    exact                 the translation is the reference, white space aside
    complete              it ended by itself, not at max_ratio
    log_probability       of the reference, teacher-forced, </s> included (nats)
    words                 target tokens, </s> included
    source_words          source tokens
    unknown_source
    unknown_target
    """


class Evaluation(_values((int, "sentences target_words"),
                         (float, "loss perplexity bleu chrf exact tokens wer per aer precision recall "
                                 "entropy coverage end_weight row_sum zeros latency monotonicity rep drop"),
                         (List[Sentence], "results"))):
    """What a model made of all pairs. NaN: there is nothing to count, such as links or attention.

    sentences
    target_words     </s> included
    loss             nats per target token, teacher-forced
    perplexity
    bleu             0 .. 100
    chrf             0 .. 100
    exact            fraction of translations that are their references
    tokens           fraction of reference tokens found at their positions
    wer              100 - 100 exact: the word error rate where texts are words
    per              insertions, deletions and replacements per 100 reference tokens
    aer              alignment error rate, 0 .. 1
    precision
    recall
    entropy          mean of the rows (nats)
    coverage         fraction of source words whose weights sum to at least 1/2
    end_weight       fraction of the weight on the source's </s>
    row_sum          mean sum of the weights of a target word
    zeros            fraction of the weights that are exactly 0
    latency          of monotonic attention: source words read before a target word
    monotonicity     fraction of target words that attend no further left than the last
    rep              repetitions, in percent
    drop             dropped source words, in percent
    results          of every pair
    """

    def to_frame(self) -> Any:
        """The results of every pair as a pandas.DataFrame."""
        import pandas  # type: ignore[import]
        return pandas.DataFrame([vars(one) for one in self.results])

    def __repr__(self) -> str:
        return (f"<softalign.Evaluation of {self.sentences} pairs: loss {self.loss:.4f}, "
                f"BLEU {self.bleu:.2f}, exact {100 * self.exact:.1f} %, AER {self.aer:.2f}>")


class Score(_values((float, "bleu chrf exact tokens per"))):
    """How similar texts are to references.

    bleu    0 .. 100
    chrf    0 .. 100
    exact   fraction of texts equal to a reference, white space aside
    tokens  fraction of reference tokens found at their positions
    per     insertions, deletions and replacements per 100 reference tokens
    """


def _reference_sets(references: Any, count: int, per_sentence: Optional[bool]) -> List[List[str]]:
    """References as lists with a text for each hypothesis."""
    given = [references] if isinstance(references, str) else [
        one if isinstance(one, str) or one is None else _sentences(one) for one in _sentences(references)]
    if all(isinstance(one, str) or one is None for one in given):
        given, per_sentence = [given], False
    by_set, by_sentence = all(len(texts) == count for texts in given), len(given) == count and all(given)
    if per_sentence is None and by_set and by_sentence and count > 1:
        raise Error(Code.USAGE, f"{count} lists of {count} references for {count} hypotheses: say per_sentence=True, if each "
                                "list has those of a sentence, or False, if each has one for every sentence")
    if by_sentence and per_sentence is not False and (per_sentence or not by_set):
        most = max(map(len, given))  # what is repeated changes no figure
        return [[texts[min(k, len(texts) - 1)] for texts in given] for k in range(most)]
    if not by_set or per_sentence:
        sizes = " and ".join(map(str, sorted({len(texts) for texts in given})))
        raise Error(Code.USAGE, f"{count} hypotheses, but {sizes} references")
    return given


def score(hypotheses: Any, references: Any, *, per_sentence: Optional[bool] = None, **metrics: Any) -> Score:
    """BLEU and chrF of texts, as sacreBLEU counts them.

    hypotheses    texts, or one
    references    a text for each hypothesis; or several lists of such texts; or for each hypothesis a list of texts
    per_sentence  where lists could be either: whether each has the references of one sentence
    metrics       options of `softalign score`, such as tokenize="char", smooth="floor"
    """
    texts = [hypotheses] if isinstance(hypotheses, str) else _sentences(hypotheses)
    lists = _reference_sets(references, len(texts), per_sentence)
    options, values = _configured("metrics", _metrics(), metrics), _metric_values()
    arrays = [_text_array(one, "reference") for one in lists]
    pointers = (_texts * len(arrays))(*[ctypes.cast(array, _texts) for array in arrays])
    _call("compute_metrics", byref(options), _text_array(texts, "hypothesis"), pointers, len(arrays),
          len(texts), byref(values))
    return _record(Score, values)


# ---- Comparison ----------------------------------------------------------------------------------

class Comparison(_values((str, "folder"), (bool, "stopped"), (Optional[str], "diverged"), (str, "table"),
                         (Dict[str, Any], "results")), _Shown):
    """Several models that were trained on the same batches. A notebook shows the whole report.

    folder    that it wrote: table.csv, a folder for each training, report.html
    stopped   there are no results yet; the same call resumes
    diverged a message that names a training without scores; None: there is none
    table     the medians of every model, as text
    results   all runs, their medians, means and deviations, as `softalign compare --json` prints them
    """
    _height = 900

    def load(self, model: str, threads: int = 0) -> Model:
        """The best model of the first training of "luong:general", say."""
        for run in self.results.get("runs", []):
            if run["model"] == model:
                folder = f"{model.replace(':', '-')}-s{run['seed']}"
                return load(os.path.join(self.folder, folder, "best.safetensors"), threads)
        raise KeyError(model)

    def to_frame(self) -> Any:
        """table.csv as a pandas.DataFrame: every training, and the medians."""
        import pandas  # type: ignore[import]
        return pandas.read_csv(os.path.join(self.folder, "table.csv"))

    def _page(self) -> str:
        if self.stopped:
            raise Error(Code.USAGE, "the comparison was stopped: there is nothing to show yet")
        with open(os.path.join(self.folder, "report.html"), encoding="utf-8") as file:
            return file.read()

    def _repr_html_(self) -> Optional[str]:
        return None if self.stopped else super()._repr_html_()

    def __str__(self) -> str:
        return self.table


def compare(models: Union[str, Sequence[str]], train: Pairs, test: Pairs, out: Path, *,
            valid: Optional[Pairs] = None, snapshots: Optional[Path] = None, columns: Optional[str] = None,
            seeds: int = 1, overwrite: bool = False, preset: Optional[str] = None,
            callback: Optional[Callback] = None, **settings: Any) -> Comparison:
    """Trains several models on the same batches, for the same number of updates, and compares them.

    models     such as ["fixed", "bahdanau:additive", "luong:general:4", "transformer", "decoder"]
    seeds      trainings of each model, from the seed in `settings` on
    settings   options of `softalign compare`; 2,000 updates unless steps, epochs or max_time is given

    The rest is as in train(). What `out` holds already is not trained again; after an interruption
    the same call resumes.
    """
    listed = models if isinstance(models, str) else ",".join(models)
    limits: Dict[str, Any] = {"epochs": 0, "max_time": 0, "patience": 0, **settings}
    if not any(settings.get(name) for name in ("steps", "epochs", "max_time")):
        limits["steps"] = 2000
    recurrent = _Settings().set(preset, limits)
    transformer = _Settings().set(preset or "vaswani2017-toy", limits)
    decoder_only = _Settings().set(preset or "gpt-toy", limits)
    report, result = os.path.join(os.fspath(out), "report.html"), _compare_result()
    with _Files(columns, train=train, test=test, valid=valid) as files, _Watch(callback, files) as watch:
        options = _options(_compare_options, **files.paths, columns=files.columns, snapshots=snapshots,
                           models=listed, out=out, settings=ctypes.addressof(recurrent.memory),
                           transformer=ctypes.addressof(transformer.memory),
                           decoder_only=ctypes.addressof(decoder_only.memory), seeds=_int(seeds, "seeds", 1),
                           overwrite=overwrite, html=report,
                           report=watch.report, stop=ctypes.pointer(watch.stop))
        diverged = None
        try:
            _call("compare", byref(options), byref(result))
        except Error as error:
            if error.code != Code.DIVERGED or not result.json:
                raise
            diverged = str(error)
    found = Comparison(os.fspath(out), result.stopped, diverged, (result.table or b"").decode(),
                       json.loads(result.json or b"{}"))
    _lib.sa_compare_result_release(byref(result))
    return found


# ---- Weights of any program ----------------------------------------------------------------------

def _nested(weights: Any) -> Any:
    """Numbers of any library as nested lists."""
    for convert in ("detach", "cpu", "double", "tolist"):  # of tensors; NumPy's arrays have the last one
        weights = getattr(weights, convert)() if hasattr(weights, convert) else weights
    if isinstance(weights, str):
        raise TypeError(f"weights: expected numbers, not {weights[:20]!r}")
    return [_nested(one) for one in weights] if isinstance(weights, (list, tuple)) else float(weights)


def _shape_of(nested: Any, name: str) -> List[int]:
    if isinstance(nested, float):
        return []
    shapes = [_shape_of(one, name) for one in nested]
    if not shapes or any(shape != shapes[0] for shape in shapes):
        raise Error(Code.DATA, f"{name}: rows or matrices are empty, or differ in size")
    return [len(shapes), *shapes[0]]


def _mean(matrices: List[List[List[float]]]) -> List[List[float]]:
    return [[sum(cells) / len(matrices) for cells in zip(*rows)] for rows in zip(*matrices)]


def _check_weights(matrices: Iterable[List[List[float]]]) -> None:
    """Warns of the first row of a head that is no distribution, with the words of `align --matrix`."""
    for matrix in matrices:
        for t, row in enumerate(matrix, 1):
            if min(row) < 0 or not 0.99 <= sum(row) <= 1.01:
                columns = all(0.99 <= sum(column) <= 1.01 for column in zip(*matrix))
                warnings.warn(f"row {t} " + ("has negative numbers: weights are the softmax of scores" if min(row) < 0
                                             else "does not sum to 1")
                              + "; the columns do: are the axes exchanged?" * columns, stacklevel=3)
                return


def draw(weights: Any, source: Union[str, Sequence[str]], target: Union[None, str, Sequence[str]] = None, *,
         name: str = "weights") -> Alignment:
    """Attention weights of any program as an Alignment, which shows itself in a notebook.

        softalign.draw(attention, "the black cat </s>", "le chat noir </s>").save("attention.pdf")
        softalign.draw(output.attentions, tokens)            # self-attention, of a tuple of layers

    weights  [[layer,] [batch,] [head,] target, source], the batch of one sentence: a NumPy array, a tensor of
             PyTorch, nested lists, or a list of any of them; 3 axes have heads, 4 layers and heads
    source   the words of the columns, or a str of words with spaces between them
    target   the words of the rows; None: the same, for self-attention
    name     what a page calls their model
    """
    columns = source.split() if isinstance(source, str) else list(source)
    rows = columns if target is None else target.split() if isinstance(target, str) else list(target)
    nested = _nested(weights)
    shape = _shape_of(nested, "weights")
    if len(shape) == 5 and shape[1] == 1:
        nested, shape = [layer[0] for layer in nested], [shape[0], *shape[2:]]
    if not 2 <= len(shape) <= 4:
        raise Error(Code.DATA, f"weights have the shape {tuple(shape)}: expected [[layer,] [batch 1,] [head,] target, source]")
    if shape[-2:] != [len(rows), len(columns)]:
        raise Error(Code.DATA, f"weights are {shape[-2]} x {shape[-1]} (target x source) for {len(rows)} target words and "
                               f"{len(columns)} source words")
    for _ in range(4 - len(shape)):
        nested = [nested]
    if not all(math.isfinite(x) for layer in nested for head in layer for row in head for x in row):
        raise Error(Code.DATA, "weights hold a number that is not finite")
    layers, heads = len(nested), len(nested[0])
    over_layers = [_mean(list(each)) for each in zip(*nested)]
    mean = _mean(over_layers)
    _check_weights(head for layer in nested for head in layer)
    matrices = [mean, *over_layers * (heads > 1), *[head for layer in nested for head in layer] * (layers > 1)]
    numbers = [x for matrix in matrices for row in matrix for x in row]
    return Alignment(_Owned(_alignment(
        targets=len(rows), sources=len(columns), heads=heads, layers=layers, log_probability=math.nan,
        weights=(c_double * len(numbers))(*numbers), target=_text_array(rows, "target word"),
        source=_text_array(columns, "source word"))), "encoder" if target is None else "cross", None,
        _ModelInfo(name, None, False))


# ---- Attention on your own numbers ---------------------------------------------------------------

class Attended(_values((Array, "weights"), (Optional[Array], "scores"), (Array, "contexts outputs"),
                       (float, "bandwidth left_out"))):
    """What attention makes of the numbers.

    weights    [head, query, key]; 0 where a query may not attend
    scores     the same of the scores, there -inf; None: the weights were given
    contexts   [query, ...]: sums of the values
    outputs    [query, ...]: these, projected
    bandwidth  with bandwidth="fit": the width of the kernel; else 0
    left_out   and the mean squared error of values predicted from the others
    """


def _table_of(numbers: Any, name: str, held: List[Any]) -> Any:
    """A table of rows; one row of a flat list. An array of doubles in C order is read where it is."""
    if numbers is None:
        return _table()
    try:
        import numpy
        array = numpy.ascontiguousarray(numpy.atleast_2d(numpy.asarray(numbers, dtype=float)))
        if array.ndim != 2:
            raise Error(Code.USAGE, f"{name}: a table has rows and columns")
        rows, cols = array.shape
        memory: Any = array.ctypes.data_as(_numbers)
        held.append(array)
    except ImportError:
        listed = [list(row) for row in (numbers if hasattr(numbers[0], "__len__") else [numbers])]
        rows, cols = len(listed), len(listed[0])
        if any(len(row) != cols for row in listed):
            raise Error(Code.USAGE, f"{name}: its rows differ in length") from None
        memory = (c_double * max(rows * cols, 1))(*[number for row in listed for number in row])
        held.append(memory)
        memory = ctypes.cast(memory, _numbers)
    held.append(name.encode())
    return _table(name=held[-1], rows=rows, cols=cols, numbers=memory)


def attend(query: Any = None, keys: Any = None, values: Any = None, *, attention: str = "scaled-dot",
           normalizer: str = "softmax", entmax_alpha: float = 1.5, heads: int = 1, positions: str = "none",
           causal: bool = False, bandwidth: Union[float, str] = 0.0, degree: int = 0, v_a: Any = None,
           weights: Any = None, mask: Any = None,
           query_projection: Any = None, keys_projection: Any = None, values_projection: Any = None,
           output_projection: Any = None) -> Attended:
    """One attention in double precision, computed by the code that trains.

    query, keys, values   tables [query, ...], [key, ...], [key, ...]
    ..._projection        W [out, in], or (W, b)
    v_a                   of "additive" and "concat": as many numbers as a projected key has
    weights               [query, key], instead of query and keys
    mask                  [query, key]: 1 where a query may attend to a key, else 0
    bandwidth             of "gaussian"; "fit": the one that predicts the values best
    degree                1: the weights of a local line at each query, which may be negative
    The rest are options of `softalign attend`.
    """
    held: List[Any] = []
    options = _attend_options(
        attention=_choice("attention", attention, _names(_lib.sa_attention_info, None, None)),
        normalizer=_choice("normalizer", normalizer, _names(_lib.sa_normalizer_info, None, None)),
        positions=_choice("positions", positions, _names(_lib.sa_position_info, None, None)),
        entmax_alpha=entmax_alpha, heads=_int(heads, "heads", 1), causal=causal,
        bandwidth=-1.0 if bandwidth == "fit" else float(bandwidth), degree=_int(degree, "degree", 0))
    tables = {"query": query, "keys": keys, "values": values, "v_a": v_a, "weights": weights, "mask": mask}
    for name, numbers in tables.items():
        setattr(options, name, _table_of(numbers, name, held))
    maps = {"query_projection": query_projection, "keys_projection": keys_projection,
            "values_projection": values_projection, "output_projection": output_projection}
    for name, given in maps.items():
        W, b = given if isinstance(given, tuple) else (given, None)
        setattr(options, name, _projection(W=_table_of(W, name, held), b=_table_of(b, name + "'s b", held)))
    result = _attend_result()
    owner = _Owned(result, _lib.sa_attend_result_release)
    _call("attend", byref(options), byref(result))
    Q, S, H = result.queries, result.keys, result.heads
    return _record(Attended, result, weights=_array(owner, result.weights, H, Q, S),
                   scores=_array(owner, result.scores, H, Q, S),
                   contexts=_array(owner, result.contexts, Q, result.context),
                   outputs=_array(owner, result.outputs, Q, result.output))
