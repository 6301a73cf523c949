# The name of the processor that /proc/cpuinfo describes, with its kind where family and model tell it:
# "AMD EPYC (Zen 5)", "Intel Xeon (Ice Lake)".

function intel(model, stepping) {
    if (model == 85) return stepping < 5 ? "Skylake" : stepping < 10 ? "Cascade Lake" : "Cooper Lake"
    if (model == 79) return "Broadwell"
    if (model == 106 || model == 108) return "Ice Lake"
    if (model == 143) return "Sapphire Rapids"
    if (model == 207) return "Emerald Rapids"
    return model == 173 || model == 174 ? "Granite Rapids" : ""
}

function amd(family, model) {
    if (family == 23) return model < 48 ? "Zen" : "Zen 2"
    if (family == 25) return model >= 16 && model < 32 || model >= 96 ? "Zen 4" : "Zen 3"
    return family == 26 ? "Zen 5" : ""
}

BEGIN { FS = "[ \t]*: *" }
!($1 in about) { about[$1] = $2 }
END {
    name = about["model name"]
    gsub(/\([RrTtMm]*\)|,| @.*| CPU| Processor/, "", name)
    if (about["vendor_id"] == "GenuineIntel" && about["cpu family"] == 6) kind = intel(about["model"], about["stepping"])
    if (about["vendor_id"] == "AuthenticAMD") kind = amd(about["cpu family"], about["model"])
    print (name == "" ? "unknown processor" : name) (kind == "" ? "" : " (" kind ")")
}
