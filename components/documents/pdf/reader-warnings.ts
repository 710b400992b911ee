/** Warnings of the PDF reader about pictures that it drops, which it only writes to the console of its thread. */

/** Pictures that were dropped since somebody asked last. */
export interface DroppedPictures {
  /** They have more pixels than the reader may decode. */
  readonly tooLarge: number;
  readonly undecodable: number;
}

const TOO_LARGE = /Image exceeded maximum allowed size/;
const UNDECODABLE = /Unable to decode inline image|Image dimensions are missing|ignoring XObject/;

/** Silences warnings on the console of this thread, and counts those about pictures. */
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
