"""The structs of softalign.py lie in memory as a C compiler makes them: python3 layout.py CC INCLUDE"""
import ctypes
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts/python"))
import softalign

compiler, include = sys.argv[1:]
structs = {one.__name__: one for one in vars(softalign).values()
           if isinstance(one, type) and issubclass(one, ctypes.Structure) and one is not ctypes.Structure}
assert len(structs) > 25, structs
mirrored = [f"{name} {ctypes.sizeof(one)}" for name, one in structs.items()]
lines = [f'printf("{name} %zu\\n", sizeof({name}));' for name in structs]
for name, one in structs.items():
    for field, *_ in one._fields_:
        place = getattr(one, field)
        mirrored.append(f"{name}.{field} {place.offset} {place.size}")
        lines.append(f'printf("{name}.{field} %zu %zu\\n", offsetof({name}, {field}), '
                     f'sizeof((({name} *)0)->{field}));')
with tempfile.TemporaryDirectory() as folder:
    source, program = os.path.join(folder, "layout.c"), os.path.join(folder, "layout")
    with open(source, "w") as file:
        file.write("#include <softalign/lab.h>\n#include <stdio.h>\nint main(void) {\n")
        file.write("\n".join(lines) + "\n}\n")
    subprocess.run([compiler, "-I" + include, source, "-o", program], check=True)
    found = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
wrong = [f"{mine}: in C {theirs}" for mine, theirs in zip(mirrored, found) if mine != theirs]
for line in wrong:
    print("scripts/python/softalign.py: offset and size of", line)
sys.exit(bool(wrong) or len(found) != len(mirrored))
