// The pages of a long document as small pictures, each loaded when it comes into sight. Follows page_view_regions.js in
// one module.

const THUMB_WIDTH = 120; // pixels asked for
const AHEAD = "0px 160px"; // loaded before they are in sight

class Strip {
  constructor(view) {
    this.view = view;
    this.list = make("div", "strip");
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-orientation", "horizontal");
    this.list.addEventListener("click", (event) => {
      const thumb = event.target.closest(".thumb");
      if (thumb) view.turnTo(Number(thumb.dataset.page));
    });
    this.list.addEventListener("keydown", (event) => this.key(event));
    this.key_ = "";
  }

  // Drawn anew for another document only.
  show(job, pages, words) {
    const key = `${job}/${pages}`;
    this.list.setAttribute("aria-label", words.pages);
    this.list.hidden = pages < 2;
    if (key === this.key_) return;
    this.key_ = key;
    this.watcher?.disconnect();
    this.watcher = new IntersectionObserver((seen) => this.load(seen), { root: this.list, rootMargin: AHEAD });
    const thumbs = [];
    for (let page = 1; page <= (pages < 2 ? 0 : pages); page++) thumbs.push(this.thumb(page, words));
    this.list.replaceChildren(...thumbs);
    for (const thumb of thumbs) this.watcher.observe(thumb);
  }

  thumb(page, words) {
    const thumb = make("div", "thumb");
    thumb.dataset.page = String(page);
    thumb.setAttribute("role", "option");
    thumb.setAttribute("aria-label", words.page_named.replace("%", String(page)));
    thumb.tabIndex = -1;
    make("span", "", thumb).textContent = String(page);
    return thumb;
  }

  load(seen) {
    for (const { target, isIntersecting } of seen) {
      if (!isIntersecting) continue;
      const src = this.view.pictureAddress(Number(target.dataset.page), THUMB_WIDTH);
      this.watcher.unobserve(target);
      if (!src) continue;
      const image = make("img", "");
      image.alt = "";
      image.addEventListener("load", () => target.classList.add("loaded"));
      image.addEventListener("error", () => image.remove());
      image.src = src;
      target.prepend(image);
    }
  }

  mark(page) {
    for (const thumb of this.list.children) {
      const current = Number(thumb.dataset.page) === page;
      if (current === (thumb.getAttribute("aria-selected") === "true") && thumb.hasAttribute("aria-selected")) continue;
      thumb.setAttribute("aria-selected", String(current));
      thumb.tabIndex = current ? 0 : -1;
      if (current) this.reveal(thumb);
    }
  }

  reveal(thumb) {
    const { list } = this;
    const left = thumb.offsetLeft - list.offsetLeft;
    if (left < list.scrollLeft) list.scrollLeft = left - 8;
    const right = left + thumb.offsetWidth;
    if (right > list.scrollLeft + list.clientWidth) list.scrollLeft = right - list.clientWidth + 8;
  }

  key(event) {
    const { view } = this;
    const to = {
      ArrowLeft: view.page - 1, ArrowUp: view.page - 1, ArrowRight: view.page + 1, ArrowDown: view.page + 1,
      Home: 1, End: view.pages, PageUp: view.page - 5, PageDown: view.page + 5,
    }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    view.turnTo(within(to, 1, view.pages));
    this.list.children[view.page - 1]?.focus({ preventScroll: true });
  }
}
