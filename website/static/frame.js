// In a frame of the front page: the colours of the page around it.
addEventListener("message", ({ source, data }) => {
  if (source === parent && "scheme" in data) document.documentElement.style.colorScheme = data.scheme;
});
