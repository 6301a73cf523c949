"""The name of the processor that a file like /proc/cpuinfo describes, with its kind where family and model tell it:
"AMD EPYC (Zen 5)", "Intel Xeon (Ice Lake)"."""
import re
import sys

INTEL = {79: "Broadwell", 106: "Ice Lake", 108: "Ice Lake", 143: "Sapphire Rapids", 207: "Emerald Rapids",
         173: "Granite Rapids", 174: "Granite Rapids"}


def kind(vendor, family, model, stepping):
    if vendor == "GenuineIntel" and family == 6:
        if model == 85:
            return "Skylake" if stepping < 5 else "Cascade Lake" if stepping < 10 else "Cooper Lake"
        return INTEL.get(model)
    if vendor == "AuthenticAMD":
        if family == 25:
            return "Zen 4" if 16 <= model < 32 or model >= 96 else "Zen 3"
        return {23: "Zen" if model < 48 else "Zen 2", 26: "Zen 5"}.get(family)
    return None


about = {}
with open(sys.argv[1], encoding="utf-8") as file:
    for line in file:
        name, _, value = line.partition(":")
        about.setdefault(name.strip(), value.strip())
name = re.sub(r"\([RrTtMm]*\)|,| @.*| CPU| Processor", "", about.get("model name", "")) or "unknown processor"
numbers = (int(about.get(key, "0")) for key in ("cpu family", "model", "stepping"))
found = kind(about.get("vendor_id"), *numbers)
print(f"{name} ({found})" if found else name)
