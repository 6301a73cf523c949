"""The container of models and dumps: safetensors with a checksum."""

import json
import struct
import zlib

import numpy

from . import demand

TYPES = {"F64": "<f8", "I64": "<i8", "F32": "<f4", "I32": "<i4", "U8": "|u1"}


def read_container(path):
    """The metadata and the arrays of a file, without its checksum."""
    with open(path, "rb") as file:
        whole = file.read()
    length = int.from_bytes(whole[:8], "little")
    header = json.loads(whole[8:8 + length].decode("utf-8"))
    metadata = header.pop("__metadata__", {})
    demand(metadata.get("format") == "softalign" and metadata.get("version") == "1", "not softalign's")
    data, at, arrays = whole[8 + length:], 0, {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        kind = numpy.dtype(TYPES[entry["dtype"]])
        count = int(numpy.prod(entry["shape"], dtype=object))
        demand(begin == at and end - begin == count * kind.itemsize, f"{name}: data_offsets")
        demand((8 + length + begin) % kind.itemsize == 0, f"{name}: not aligned")
        arrays[name] = numpy.frombuffer(data[begin:end], kind).reshape(entry["shape"])
        at = end
    demand(at == len(data) and [*header][-1:] == ["checksum"], "the end is not the checksum")
    demand(arrays.pop("checksum").tobytes() == struct.pack("<I", zlib.crc32(whole[:-4])), "checksum")
    return metadata, arrays


def write_container(path, metadata, arrays):
    names = {numpy.dtype(code): name for name, code in TYPES.items()}
    header, data = {"__metadata__": {"format": "softalign", "version": "1", **metadata}}, b""
    ordered = sorted(arrays.items(), key=lambda item: list(names).index(item[1].dtype))
    for name, array in [*ordered, ("checksum", numpy.zeros(4, "u1"))]:
        place = [len(data), len(data) + array.nbytes]
        header[name] = {"dtype": names[array.dtype], "shape": array.shape, "data_offsets": place}
        data += array.tobytes()
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    whole = struct.pack("<Q", len(text)) + text + data[:-4]
    with open(path, "wb") as file:
        file.write(whole + struct.pack("<I", zlib.crc32(whole)))
