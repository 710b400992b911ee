/** Finds eyes and mouth of the face in a cut-out. */
import { decode, SIDE, type RawFace } from '../../detectors/faces/decode.ts';
import type { FaceNetwork } from '../../detectors/faces/model.ts';
import { letterbox, type Placement } from '../../shared/networks/letterbox.ts';
import type { Point } from '../../../domain/geometry/geometry.ts';
import type { Frame } from '../../sdk/detector.ts';
import type { FaceMarks } from './align.ts';

/** Minimum confidence. It is lower than for whole pictures, because a face was already found here. */
const LEAST = 0.5;

export class MarkFinder {
  readonly #network: FaceNetwork;
  readonly #square = new Float32Array(SIDE * SIDE * 3);

  constructor(network: FaceNetwork) {
    this.#network = network;
  }

  /** Returns positions in pixels of the frame; undefined if no face is found. */
  async find(frame: Frame): Promise<FaceMarks | undefined> {
    const whole = { x: 0, y: 0, width: frame.width, height: frame.height };
    const place = letterbox(frame, whole, this.#square, SIDE);
    const [first, ...others] = decode(await this.#network.run(this.#square), LEAST);
    if (first === undefined) return undefined;
    // Other faces may be visible in the margin. The face closest to the centre is used.
    const face = others.reduce((one, other) => (fromMiddle(other) < fromMiddle(one) ? other : one), first);
    return {
      rightEye: inFrame(face.rightEye, place),
      leftEye: inFrame(face.leftEye, place),
      mouth: inFrame(face.mouth, place),
    };
  }

  close(): Promise<void> {
    return this.#network.close();
  }
}

const fromMiddle = ({ x, y, width, height }: RawFace): number =>
  Math.hypot(x + width / 2 - SIDE / 2, y + height / 2 - SIDE / 2);

const inFrame = ({ x, y }: Point, { scaleX, scaleY, left, top }: Placement): Point => ({
  x: x * scaleX + left,
  y: y * scaleY + top,
});
