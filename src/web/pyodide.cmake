# A side module of Emscripten: WebAssembly that Pyodide loads into Python's memory, as it does a shared library.
# HEADERS is the folder of Emscripten's C library headers; its functions are those of Pyodide.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-unknown-emscripten)
# Debian's headers have a time_t of 32 bits, Pyodide's C library one of 64.
set(CMAKE_C_FLAGS_INIT "-msimd128 -fPIC -nostdlibinc -isystem ${HEADERS} -D__DEFINED_time_t '-Dtime_t=long long'")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HEADERS)
