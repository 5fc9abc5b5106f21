// What the theme leaves out for those who use a keyboard or hear the page.
for (const caption of document.querySelectorAll(".caption[role=heading]")) caption.ariaLevel = "2";
for (const box of document.querySelectorAll(".highlight pre, .table-wrapper")) {
  if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
}
const drawer = document.querySelector("aside.sidebar-drawer");
if (drawer) drawer.ariaLabel = "pages";
