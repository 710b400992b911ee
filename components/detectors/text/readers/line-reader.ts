/** Readers of line pictures: the bundled network, or the operator's model. */
import type { LineImage, LineSize } from '../lines/line-image.ts';

export interface Decoded {
  readonly text: string;
  /** Mean probability of its characters; 0 without text. */
  readonly confidence: number;
}

/** Input size of PP-OCR since version 3, unless a model declares another one. */
export const READ_SIZE: LineSize = { height: 48, minWidth: 48, maxWidth: 4096 };

export interface LineReader {
  /** Size of the input pictures. */
  readonly size: LineSize;
  read(image: LineImage): Promise<Decoded>;
  /** Returns the confidence of a reading, reduced if it seems to be in an unknown script. If undefined, the confidence is unchanged. */
  readonly plausible?: (reading: Decoded) => number;
}
