/** What reads the pictures of single lines: the bundled network, or one of the operator's own. */
import type { LineImage, LineSize } from '../lines/line-image.ts';

export interface Decoded {
  readonly text: string;
  /** Mean probability of its characters; 0 for no text. */
  readonly confidence: number;
}

/** What PP-OCR takes since its third version, unless a model says otherwise. */
export const READ_SIZE: LineSize = { height: 48, minWidth: 48, maxWidth: 4096 };

export interface LineReader {
  /** Of the pictures that it takes. */
  readonly size: LineSize;
  read(image: LineImage): Promise<Decoded>;
  /** The confidence of a reading, lower if it seems to be in a script that the reader does not know. Absent: as it is. */
  readonly plausible?: (reading: Decoded) => number;
}
