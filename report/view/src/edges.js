/* edges.js - boxes whose content is wider than they are: the edge at which it is cut fades, until
 * the reader has scrolled there. */
export function fade(box) {
    const look = () =>
        box.classList.toggle("more", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
    box.addEventListener("scroll", look, { passive: true });
    const sizes = new ResizeObserver(look);
    for (const e of [box, ...box.children]) sizes.observe(e);
    return box;
}
