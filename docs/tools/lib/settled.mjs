/** When a page can be photographed, and whether a photograph shows anything. */
import sharp from 'sharp';

/** Runs in the page until it is true: nothing is loading, the pictures in the window are there, and two frames were drawn. */
export const IS_SETTLED = `new Promise((resolve) => {
  const isSeen = (element) => {
    const { top, bottom, width } = element.getBoundingClientRect();
    return width > 0 && bottom > 0 && top < innerHeight;
  };
  const isThere = (element) => element.tagName === 'IMG' ? element.complete
    : element.tagName === 'VIDEO' && !element.seeking && element.networkState === HTMLMediaElement.NETWORK_IDLE
      && element.readyState === HTMLMediaElement.HAVE_ENOUGH_DATA;
  const seen = () => [...document.querySelectorAll('.skeleton, img, video')].filter(isSeen);
  const isWhole = () => document.querySelector('main, body > *')?.innerText.trim() !== '' && seen().every(isThere);
  if (!isWhole()) return setTimeout(resolve, 100, false);
  // A picture that is large is drawn later, and others may have come meanwhile.
  Promise.allSettled(seen().map((element) => element.decode?.()))
    .then(() => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(isWhole()), 500))));
})`;

/** Fewer pixels than this in other colours than that of the paper are a header at most. */
const FEWEST_PIXELS = 3_000;
/** Levels of grey that cannot be told from the paper. */
const SAME = 4;

/** @param {Buffer} picture */
export async function isEmpty(picture) {
  const { data } = await sharp(picture).greyscale().raw().toBuffer({ resolveWithObject: true });
  const levels = new Uint32Array(256);
  for (const level of data) levels[level]++;
  const paper = levels.indexOf(Math.max(...levels));
  const others = levels.reduce((sum, n, level) => sum + (Math.abs(level - paper) > SAME ? n : 0), 0);
  return others < FEWEST_PIXELS;
}
