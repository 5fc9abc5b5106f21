// Runs Python beside the page. Requests and answers are JSON; one request at a time, but for "stop".
import { loadPyodide } from "./pyodide.mjs";

const tell = (message) => postMessage(message);
const print = (printed) => tell({ printed });

// What Python can reach of the browser: enough for its event loop, and nothing that would change the page's storage.
const reachable = { Object, setTimeout: self.setTimeout.bind(self), clearTimeout: self.clearTimeout.bind(self) };

const ready = (async () => {
  const [python, modules] = await Promise.all([
    loadPyodide({
      indexURL: new URL("./", import.meta.url).href, jsglobals: reachable, stdin: () => null, stdout: print, stderr: print,
    }),
    fetch(new URL("./workbench.zip", import.meta.url)).then((found) => found.arrayBuffer()),
  ]);
  python.unpackArchive(modules, "zip");
  const playground = python.pyimport("in_browser").Playground((progress) => tell({ progress: JSON.parse(progress) }));
  tell({ ready: true });
  return playground;
})();
ready.catch((error) => tell({ failed: String(error) }));

// What Python does not catch is its end, such as without memory.
for (const kind of ["error", "unhandledrejection"]) {
  addEventListener(kind, (event) => tell({ ended: String(event.reason ?? event.message) }));
}

addEventListener("message", async ({ data: { number, request } }) => {
  const playground = await ready;
  if (request.do === "stop") return playground.stop();
  tell({ number, answer: JSON.parse(await playground.answer(JSON.stringify(request))) });
});
