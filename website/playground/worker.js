// Runs Python beside the page. Requests and answers are JSON; one request at a time, but for "stop".
// Its origin is its own, since the page makes it from a data: address: the page's storage is not there for it, and no
// server. So the page sends it all files first.
const tell = (message) => postMessage(message);
const print = (printed) => tell({ printed });

// What Python is given of the browser: enough for its event loop. It finds more; the origin and the policy hold then.
const reachable = { Object, setTimeout: self.setTimeout.bind(self), clearTimeout: self.clearTimeout.bind(self) };

const load = (file) => import(URL.createObjectURL(new Blob([file], { type: "text/javascript" })));
const files = new Promise((resolve) => {
  addEventListener("message", ({ data }) => resolve(data), { once: true });
});

const ready = (async () => {
  const sent = await files;
  const fetch = self.fetch;
  self.fetch = async (address) =>  // for Pyodide, which asks for its files by their names
    new Response(sent[(address.url ?? address.toString()).split("/").at(-1)], { headers: { "content-type": "application/wasm" } });
  const [{ loadPyodide }, { default: createPyodideModule }] = await Promise.all(
    ["pyodide.mjs", "pyodide.asm.mjs"].map((name) => load(sent[name])),
  );
  const python = await loadPyodide({
    indexURL: "sent:///", lockFileContents: new TextDecoder().decode(sent["pyodide-lock.json"]), createPyodideModule,
    jsglobals: reachable, stdin: () => null, stdout: print, stderr: print,
  });
  self.fetch = fetch;
  python.unpackArchive(sent["workbench.zip"], "zip");
  const playground = python.pyimport("in_browser").begin((progress) => tell({ progress: JSON.parse(progress) }));
  tell({ ready: true });
  return playground;
})();
ready.catch((error) => tell({ failed: String(error) }));

// What Python does not catch is its end, such as without memory.
for (const kind of ["error", "unhandledrejection"]) {
  addEventListener(kind, (event) => tell({ ended: String(event.reason ?? event.message) }));
}

addEventListener("message", async ({ data: { number, request } }) => {
  if (!request) return;
  const playground = await ready;
  if (request.do === "stop") return playground.stop();
  tell({ number, answer: JSON.parse(await playground.answer(JSON.stringify(request))) });
});
