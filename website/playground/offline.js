// Keeps the playground's files, so that it opens without a network; VERSION and FILES are those of the built site.
const NAME = `playground-${VERSION}`;
const addresses = FILES.map((name) => new URL(name, location).href);

addEventListener("install", (event) => event.waitUntil((async () => {
  const kept = await caches.open(NAME);
  await kept.addAll(addresses.map((address) => new Request(address, { cache: "no-cache" })));
  await skipWaiting();
})()));

addEventListener("activate", (event) => event.waitUntil((async () => {
  const old = (await caches.keys()).filter((name) => name.startsWith("playground-") && name !== NAME);
  await Promise.all(old.map((name) => caches.delete(name)));
  await clients.claim();
})()));

addEventListener("fetch", (event) => {
  const address = event.request.url.replace(/[#?].*/, "");
  if (!addresses.includes(address)) return;
  event.respondWith((async () => (await (await caches.open(NAME)).match(address)) ?? fetch(event.request))());
});
