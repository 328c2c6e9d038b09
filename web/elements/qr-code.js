/** Draws a QR code as one SVG path: dark on light with a quiet zone, regardless of the page's colours. */

const svg = "http://www.w3.org/2000/svg";
const quietZone = 4; // width of the quiet zone in modules; the minimum of the QR code standard

/**
 * @param {string[]} rows Rows of `0` and `1`.
 * @param {string} name The label for screen readers.
 */
export function qrCode(rows, name) {
  const size = rows.length + 2 * quietZone;
  const image = document.createElementNS(svg, "svg");
  const attributes = { viewBox: `0 0 ${size} ${size}`, class: "qr", role: "img", "aria-label": name, "shape-rendering": "crispEdges" };
  Object.entries(attributes).forEach(([key, value]) => image.setAttribute(key, value));
  const ground = document.createElementNS(svg, "rect");
  ground.setAttribute("width", String(size));
  ground.setAttribute("height", String(size));
  ground.setAttribute("class", "qr-ground");
  const path = document.createElementNS(svg, "path");
  path.setAttribute("class", "qr-ink");
  path.setAttribute("d", rows.flatMap((row, y) => [...row.matchAll(/1+/g)].map((run) => {
    const [x, width] = [(run.index ?? 0) + quietZone, run[0].length];
    return `M${x} ${y + quietZone}h${width}v1h-${width}z`;
  })).join(""));
  image.append(ground, path);
  return image;
}
