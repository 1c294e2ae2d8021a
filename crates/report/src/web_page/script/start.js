// Builds the parts of the page that need scripts.

(function start() {
  const data = JSON.parse(document.getElementById("page-data").textContent);
  const at = (id, build) => {
    const host = document.getElementById(id);
    if (host) build(host);
  };
  at("theme", setUpTheme);
  at("trace-views", (host) => showTraces(host, data.traces, data.texts));
  at("profile-view", (host) => showProfile(host, data.profile, data.left_out_sweeps));
  at("rate-view", (host) => showRate(host, data.rate));
  at("actions-view", (host) => showActions(host, data.actions, data.texts, data.left_out_actions));
  const picture = document.querySelector("#space svg.space-drawing");
  // On a narrow screen, scroll to the middle of the picture, where the states are.
  if (picture)
    picture.parentElement.scrollLeft = (picture.clientWidth - picture.parentElement.clientWidth) / 2;
  if (picture && data.space) at("sweep-view", (host) => showSweep(host, picture, data.space));
})();
