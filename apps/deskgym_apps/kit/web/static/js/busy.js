// html[data-busy] counts pending fetches and debounces: an observer waits for 0.
const html = document.documentElement;

export function begin() {
  html.dataset.busy = String(Number(html.dataset.busy) + 1);
}

export function end() {
  html.dataset.busy = String(Math.max(0, Number(html.dataset.busy) - 1));
}

// Fetches and gives `use` the response; busy until what `use` does with it is done, not only until it begins to arrive.
export async function fetchBusy(url, options, use) {
  begin();
  try {
    return await use(await fetch(url, { credentials: "same-origin", ...options }));
  } finally {
    end();
  }
}

// Runs `work` once, `wait` ms after the last call; counts as busy from the first call on.
export function debounced(work, wait) {
  let timer = null;
  return (...values) => {
    if (timer === null) begin();
    else clearTimeout(timer);
    timer = setTimeout(async () => {
      timer = null;
      try {
        await work(...values);
      } finally {
        end();
      }
    }, wait);
  };
}
