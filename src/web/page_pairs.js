// The user's own pairs, pasted or as a file: checked here, so that nothing that is too large reaches the module.

const MOST_PAIRS = 20000, MOST_LETTERS = 2000, MOST_MEGABYTES = 8;

// The lines "source TAB target [TAB links]" of a text; throws a sentence that says what is wrong.
function readPairs(text) {
  if (text.length > MOST_MEGABYTES * 1e6) throw new Error(textOf("tooLarge", { size: (text.length / 1e6).toFixed(0), most: MOST_MEGABYTES }));
  const all = text.replace(/^\ufeff/, "").split(/\r\n|[\r\n]/).filter((line) => line.trim());
  const lines = all.filter((line) => /^[^\t]*[^\s][^\t]*\t[^\t]*[^\s]/.test(line.slice(0, 2 * MOST_LETTERS)));
  if (!lines.length) {
    const long = all.findIndex((line) => line.length > MOST_LETTERS);
    throw new Error(long < 0 ? textOf("noTab") : textOf("tooLong", { line: long + 1, n: all[long].length, most: MOST_LETTERS }));
  }
  if (lines.length > MOST_PAIRS) throw new Error(textOf("tooMany", { n: lines.length, most: MOST_PAIRS }));
  const long = lines.find((line) => line.length > MOST_LETTERS);
  if (long) throw new Error(textOf("tooLong", { line: all.indexOf(long) + 1, n: long.length, most: MOST_LETTERS }));
  if (lines.length < LEAST_PAIRS) throw new Error(textOf("tooFew", { n: lines.length, least: LEAST_PAIRS }));
  return { lines, skipped: all.length - lines.length };
}

function usePairs(text) {
  try {
    readPairs(text);
  } catch (error) {
    complain(error);
    return;
  }
  say("");
  state.own = text;
  byId("training").scrollIntoView();
  changeTask();
}

async function usePairsFile(file) {
  try {
    if (file.size > MOST_MEGABYTES * 1e6) throw new Error(textOf("tooLarge", { size: (file.size / 1e6).toFixed(0), most: MOST_MEGABYTES }));
    const bytes = await file.arrayBuffer();
    let text;
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      throw new Error(textOf("notText"));
    }
    usePairs(text);
  } catch (error) {
    complain(error);
  }
}

// A model's file or one of pairs, dropped anywhere.
function useFile(file) {
  return /\.safetensors$/i.test(file.name) ? useModelFile(file) : usePairsFile(file);
}

function addPairs() {
  byId("use").addEventListener("click", () => usePairs(byId("own").value));
  byId("discard").addEventListener("click", () => { state.own = null; changeTask(); });
  byId("pairs-file").addEventListener("change", (event) => {
    const [file] = event.target.files;
    if (file) usePairsFile(file);
    event.target.value = "";
  });
  for (const [id, most] of [["pairs", 20000], ["longest", 50]])
    byId(id).addEventListener("change", (event) => {
      state[id] = Math.min(Math.max(Math.round(Number(event.target.value)) || START[id], Number(event.target.min)), most);
      changeTask();
    });
  // A textarea lays out what it holds: a text that is too large never gets in.
  byId("own").addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text/plain");
    if (text.length <= 200000) return;
    event.preventDefault();
    usePairs(text);
  });
  addEventListener("dragover", (event) => { if (event.dataTransfer.types.includes("Files")) event.preventDefault(); });
  addEventListener("drop", (event) => {
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault();
    useFile(file);
  });
}
