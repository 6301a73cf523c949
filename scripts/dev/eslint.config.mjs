// What eslint says of the project's JavaScript: names that nobody defines or uses, long files and
// functions. Prettier looks after the layout. Run by tests/web/web_lint.sh.

// What browsers and Node offer, as far as the code uses it.
const BROWSER = `
  Blob CSS DOMPoint DecompressionStream Event Option PointerEvent ResizeObserver Response URL URLSearchParams
  WebAssembly Worker TextDecoder TextEncoder addEventListener atob cancelAnimationFrame clearInterval clearTimeout document
  getComputedStyle getSelection history innerHeight innerWidth localStorage location matchMedia navigator onmessage
  performance postMessage print requestAnimationFrame scrollTo scrollX scrollY self setInterval setTimeout structuredClone top window
`;
const NODE = `
  AbortSignal Blob Buffer SharedArrayBuffer URL WebAssembly TextDecoder TextEncoder clearTimeout console fetch
  performance process setTimeout structuredClone
`;
const globals = (names) =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, "readonly"]),
  );

const rules = {
  "max-len": [
    "error",
    { code: 100, ignoreStrings: true, ignoreTemplateLiterals: true, ignoreRegExpLiterals: true },
  ],
  "max-lines": ["error", 400],
  "max-lines-per-function": ["error", 60],
  "max-params": ["error", 8],
  "no-undef": "error",
  "no-unused-vars": ["error", { varsIgnorePattern: "^_", argsIgnorePattern: "^_" }],
  "no-redeclare": "error",
  "no-shadow-restricted-names": "error",
  "no-unreachable": "error",
  "no-dupe-keys": "error",
  "no-const-assign": "error",
  "no-import-assign": "error",
  "no-implicit-globals": "error",
  "no-var": "error",
  "one-var": ["error", "never"],
  "prefer-const": "error",
  eqeqeq: "error",
};

export default [
  {
    files: ["src/page/**/*.js"],
    languageOptions: { sourceType: "module", globals: globals(BROWSER) },
    rules,
  },
  {
    files: ["scripts/**/*.mjs", "tests/**/*.mjs"],
    languageOptions: { sourceType: "module", globals: globals(NODE) },
    rules,
  },
  {
    files: ["tests/**/*.js", "tests/**/*.cjs"],
    languageOptions: {
      sourceType: "commonjs",
      globals: globals(`${NODE} clearInterval setInterval`),
    },
    rules: { ...rules },
  },
];
