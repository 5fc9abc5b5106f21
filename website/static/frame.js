// In a frame of the front page: tells how tall everything is, and takes the colours of the page around it.
{
  const main = document.querySelector("main");
  const tell = () => parent.postMessage({ tall: Math.ceil(main.getBoundingClientRect().height) + 4 }, "*");
  new ResizeObserver(tell).observe(main);
  addEventListener("load", tell);
  addEventListener("message", ({ source, data }) => {
    if (source === parent && "scheme" in data) document.documentElement.style.colorScheme = data.scheme;
  });
}
