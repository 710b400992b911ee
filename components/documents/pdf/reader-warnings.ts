/** Counts warnings of the PDF reader about dropped pictures, which it only writes to the console of its thread. */

/** Numbers of pictures that were dropped since the last request. */
export interface DroppedPictures {
  /** Number of pictures with more pixels than the reader may decode. */
  readonly tooLarge: number;
  readonly undecodable: number;
}

const TOO_LARGE = /Image exceeded maximum allowed size/;
const UNDECODABLE = /Unable to decode inline image|Image dimensions are missing|ignoring XObject/;

/** Suppresses warnings on the console of this thread, and counts those about pictures. */
export function countDroppedPictures(): () => DroppedPictures {
  let [tooLarge, undecodable] = [0, 0];
  const warn = (warning: unknown): void => {
    const text = String(warning);
    if (TOO_LARGE.test(text)) tooLarge++;
    else if (UNDECODABLE.test(text)) undecodable++;
  };
  Object.assign(console, { warn });
  return () => {
    const dropped = { tooLarge, undecodable };
    [tooLarge, undecodable] = [0, 0];
    return dropped;
  };
}
