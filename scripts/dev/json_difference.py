"""Shows what differs between two JSON files, the second of which may say more: values that changed, keys that
are gone, lists with another length. Passes over new keys, and new elements of lists whose elements have a
"name". Several values, one per line (JSON Lines), count as a list. Compares numbers as they are written.

    python3 json_difference.py 'KEY|...' BEFORE AFTER [TOLERANCE]

Skips keys that match the regular expression; numbers may differ by that share of the larger one.
"""
import json
import re
import sys

skipped = re.compile("/(" + sys.argv[1] + ")(/|$)")


tolerance = float(sys.argv[4]) if len(sys.argv) > 4 else 0


class Written(str):
    pass


def note(path, text, values):
    while path in values:
        path += "'"
    if not skipped.search(path):
        values[path] = text


def flatten(value, path, values):
    if isinstance(value, dict):
        for key, item in value.items():
            flatten(item, f"{path}/{key}", values)
    elif isinstance(value, list):
        names = [item.get("name") if path and isinstance(item, dict) else None for item in value]
        for number, (item, name) in enumerate(zip(value, names), 1):
            flatten(item, f"{path}/{name or number}", values)
        if not any(names):
            note(f"{path}/length", str(len(value)), values)
    else:
        note(path, value if isinstance(value, Written) else json.dumps(value, ensure_ascii=False), values)


def values_of(path):
    decoder = json.JSONDecoder(parse_int=Written, parse_float=Written)
    text, at, documents, values = open(path, encoding="utf-8").read().strip(), 0, [], {}
    while at < len(text):
        document, at = decoder.raw_decode(text, at)
        documents.append(document)
        at = re.compile(r"\s*").match(text, at).end()
    flatten(documents, "", values)
    return values


def near(one, other):
    if not tolerance or not isinstance(one, Written) or not isinstance(other, Written):
        return False
    return abs(float(one) - float(other)) <= tolerance * max(abs(float(one)), abs(float(other)), 1e-3)


before, after = values_of(sys.argv[2]), values_of(sys.argv[3])
for key, text in before.items():
    if key not in after:
        print(key, "is gone")
    elif text != after[key] and not near(text, after[key]):
        print(key, text, "|", after[key])
