"""The models of softalign in PyTorch, written from their equations."""


class Damaged(Exception):
    """A file or a setting that is not what it should be."""


def demand(condition, text):
    if not condition:
        raise Damaged(text)
