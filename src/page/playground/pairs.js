// The user's own pairs, pasted or as a file: checked here, so that nothing that is too large reaches the module.

const MOST_PAIRS = 20000, MOST_LETTERS = 2000, MOST_MEGABYTES = 8;

function checkSize(bytes, most) {
  if (bytes > most * 1e6) throw new Error(textOf("tooLarge", { size: (bytes / 1e6).toFixed(0), most }));
}

// The lines "source TAB target [TAB links]" of a text; throws a sentence that says what is wrong.
function readPairs(text) {
  checkSize(text.length, MOST_MEGABYTES);
  const all = text.replace(/^\ufeff/, "").split(/\r\n|[\r\n]/).filter((line) => line.trim()), long = all.findIndex((line) => line.length > MOST_LETTERS);
  if (long >= 0) throw new Error(textOf("tooLong", { line: long + 1, n: all[long].length, most: MOST_LETTERS }));
  const lines = all.filter((line) => /^[^\t]*[^\s][^\t]*\t[^\t]*[^\s]/.test(line));
  if (!lines.length) throw new Error(textOf("noTab"));
  if (lines.length > MOST_PAIRS) throw new Error(textOf("tooMany", { n: lines.length, most: MOST_PAIRS }));
  if (lines.length < LEAST_PAIRS) throw new Error(textOf("tooFew", { n: lines.length, least: LEAST_PAIRS }));
  return { lines, skipped: all.length - lines.length };
}

const usePairs = tried(async (text) => {
  readPairs(text);
  say("");
  state.own = text;
  byId("training").scrollIntoView();
  await changeTask();
});

const usePairsFile = tried(async (file) => {
  checkSize(file.size, MOST_MEGABYTES);
  const bytes = await file.arrayBuffer();
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error(textOf("notText"));
  }
  await usePairs(text);
});

function addPairs() {
  onClick({ use: () => usePairs(byId("own").value), discard: () => { state.own = null; changeTask(); } });
  // A textarea lays out what it holds: a text that is too large never gets in.
  byId("own").addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text/plain");
    if (text.length <= 200000) return;
    event.preventDefault();
    usePairs(text);
  });
}
