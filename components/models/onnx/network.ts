/** Runs a model on frames, and returns findings in pixels of the frames. */
import { setMaxListeners } from 'node:events';
import type { Box } from '../../../domain/geometry/geometry.ts';
import { inFrame, type Placement } from '../../shared/networks/letterbox.ts';
import { tilesOf, type Tiling } from '../../shared/networks/tiles.ts';
import { DetectionError, type Frame, type Waiting } from '../../sdk/detector.ts';
import type { Output, ScoredClass, Wanted } from './heads/head.ts';
import { PictureWriter } from './picture.ts';
import type { Answers, Runtime } from '../../shared/onnx-session/runtime.ts';
import { joinFindings, sortBoxes, suppress } from './suppress.ts';
import { feedsOf, numbersOf, valuesOf, type NumberArray } from '../../shared/onnx-session/tensors.ts';
import type { UnderstoodModel } from './understand-model.ts';

/** An object in a frame, or a result for the whole frame. */
export interface Finding {
  readonly box: Box;
  /** Classes by descending score; empty for a vector without classes. */
  readonly classes: readonly ScoredClass[];
  readonly vector?: Float32Array;
}

export interface Search extends Wanted {
  /** Minimum intersection over union of two boxes of a class that are one object. */
  readonly sameOverlap: number;
  /** True if the additional vectors of the network are also wanted. */
  readonly features: boolean;
}

/** A processed frame without its pixels. */
export type LookedFrame = Pick<Frame, 'index' | 'width' | 'height'>;

export interface FoundInFrame {
  readonly frame: LookedFrame;
  readonly found: readonly Finding[];
}

/** A frame or tile in the network's input. */
interface WrittenRegion {
  readonly frame: LookedFrame;
  readonly region: Box;
  readonly place: Placement;
  /** True for the last region of a frame. */
  readonly isLast: boolean;
}

interface FoundInRegion extends FoundInFrame {
  readonly region: Box;
  readonly isLast: boolean;
}

/** Regions that are sent to the network together. */
interface Part {
  readonly written: readonly WrittenRegion[];
  readonly values: Float32Array;
}

/** An output for all pictures of a part. */
interface WholeOutput extends Output {
  readonly data: NumberArray;
}

/** Number of frames or tiles that are sent to a network. */
export interface Load {
  /** Number of pictures per part. A model with a fixed number overrides it. */
  readonly together: number;
  /** Maximum number of concurrent parts. */
  readonly parts: number;
}

/** A request to a network. */
export interface Question {
  readonly search: Search;
  /** Tiling, for networks that find boxes. */
  readonly tiling: Tiling;
  readonly load: Load;
  readonly job: Waiting;
}

export const ONE_BY_ONE: Load = { together: 1, parts: 1 };

export class Network {
  readonly model: UnderstoodModel;
  readonly #runtime: Runtime;
  readonly #writer: PictureWriter;
  /** Number of values per picture in the input. */
  readonly #size: number;
  /** Memory for each concurrent part. */
  readonly #rooms: Float32Array[] = [];

  constructor(model: UnderstoodModel, runtime: Runtime) {
    this.model = model;
    this.#runtime = runtime;
    this.#writer = new PictureWriter(model.inputs.picture, model.how);
    this.#size = valuesOf(model.inputs, 1);
  }

  /** Yields the findings of each frame in order, without warm-up frames. The unused end of the last part keeps old values. */
  async *find(frames: AsyncIterable<Frame>, question: Question): AsyncGenerator<FoundInFrame> {
    let seen: FoundInRegion[] = [];
    for await (const one of this.#findInRegions(frames, question)) {
      seen.push(one);
      if (!one.isLast) continue;
      const { frame } = one;
      yield {
        frame,
        found: seen.length === 1 ? one.found : joinFindings(frame, seen, question.search.sameOverlap),
      };
      seen = [];
    }
  }

  async *#findInRegions(
    frames: AsyncIterable<Frame>,
    { search, tiling, load, job }: Question,
  ): AsyncGenerator<FoundInRegion> {
    const stop = new AbortController();
    const signal = AbortSignal.any([job.signal, stop.signal]);
    // Each concurrent part listens to the signal.
    setMaxListeners(0, signal);
    const waiting = { ...job, signal };
    const onTheirWay: Promise<readonly FoundInRegion[]>[] = [];
    const together = this.model.inputs.picture.batch ?? load.together;
    try {
      for await (const part of this.#parts(frames, tiling, together, load.parts)) {
        job.signal.throwIfAborted();
        job.working?.();
        const answers = this.#answers(part, search, waiting);
        // A failure is thrown later, in order. This handler prevents an unhandled rejection.
        answers.catch(() => undefined);
        onTheirWay.push(answers);
        // The next part reuses the memory of the oldest one.
        if (onTheirWay.length === load.parts) yield* await onTheirWay.shift()!;
      }
      while (onTheirWay.length > 0) yield* await onTheirWay.shift()!;
    } finally {
      stop.abort();
      // One is kept for the next job.
      this.#rooms.splice(1);
    }
  }

  /** Writes frames into parts of `together` pictures. `rooms` limits the number of concurrent parts. */
  async *#parts(
    frames: AsyncIterable<Frame>,
    tiling: Tiling,
    together: number,
    rooms: number,
  ): AsyncGenerator<Part> {
    let turn = 0;
    let written: WrittenRegion[] = [];
    for await (const { frame, region, isLast } of this.#regions(frames, tiling)) {
      const values = this.#room(turn, together);
      const { index, width, height } = frame;
      // The frame's pixels are valid until the next frame is requested.
      const first = written.length * this.#size;
      const place = this.#writer.write(frame, region, values.subarray(first, first + this.#size));
      written.push({ frame: { index, width, height }, region, place, isLast });
      if (written.length < together) continue;
      yield { written, values };
      written = [];
      turn = (turn + 1) % rooms;
    }
    if (written.length > 0) yield { written, values: this.#room(turn, together) };
  }

  /** Yields each whole frame and then its tiles. */
  async *#regions(frames: AsyncIterable<Frame>, tiling: Tiling) {
    const { head, inputs } = this.model;
    for await (const frame of frames) {
      if (frame.warmUp) continue;
      const tiles = head.finds === 'boxes' ? tilesOf(frame, inputs.picture, tiling) : [];
      const regions = [{ x: 0, y: 0, width: frame.width, height: frame.height }, ...tiles];
      for (const [i, region] of regions.entries()) yield { frame, region, isLast: i === regions.length - 1 };
    }
  }

  async #answers(
    { written, values }: Part,
    search: Search,
    waiting: Waiting,
  ): Promise<readonly FoundInRegion[]> {
    const count = this.model.inputs.picture.batch ?? written.length;
    const answered = await this.#runtime.run(
      feedsOf(this.model.inputs, values.subarray(0, count * this.#size), count),
      count,
      waiting,
    );
    const outputs = this.#outputs(answered, count, search);
    return written.map((one, i) => ({ ...one, found: this.#read(outputs, i, one, search) }));
  }

  /** Returns the memory for the pictures of a part. */
  #room(turn: number, pictures: number): Float32Array {
    const length = pictures * this.#size;
    const room = this.#rooms[turn];
    return room?.length === length ? room : (this.#rooms[turn] = new Float32Array(length));
  }

  /** Returns the outputs in the order of the fit, followed by the vectors if wanted. */
  #outputs(answered: Answers, count: number, { features }: Search): readonly WholeOutput[] {
    const { model } = this;
    const vectors = features && model.features !== undefined ? [model.features] : [];
    return [...model.fit.outputs, ...vectors].map((index) => {
      const { name } = model.outputs[index]!;
      const output = answered[name]!;
      if (output.dims[0] !== count)
        throw failureOf(
          `The model ${model.name} answers ${name} [${output.dims.join(', ')}] to ${count} pictures: set DETECTION_FRAME_BATCH_SIZE to 1.`,
        );
      return { name, dims: output.dims, data: numbersOf(name, output) };
    });
  }

  #read(
    outputs: readonly WholeOutput[],
    index: number,
    { frame, place }: WrittenRegion,
    search: Search,
  ): readonly Finding[] {
    const { head, fit, known } = this.model;
    const mine = outputs.map((output) => ofOne(output, index));
    const whole = { x: 0, y: 0, width: frame.width, height: frame.height };
    const vectors = mine[fit.outputs.length];
    switch (head.finds) {
      case 'classes':
        return [{ box: whole, classes: head.classes(mine, search.top), ...vectorOf(vectors, 0) }];
      case 'vector':
        return [{ box: whole, classes: [], vector: head.vector(mine) }];
      case 'boxes': {
        const found = head
          .boxes(mine, fit, known, search)
          .filter(({ width, height }) => width > 0 && height > 0);
        const kept = head.overlaps ? suppress(found, search.sameOverlap) : sortBoxes(found);
        return kept.map(({ classes, row, ...box }) => ({
          box: inFrame(box, place),
          classes,
          ...vectorOf(vectors, row),
        }));
      }
    }
  }
}

/** Returns the part of an output that belongs to one picture. */
function ofOne({ name, dims, data }: WholeOutput, index: number): Output {
  const own = dims.slice(1);
  const length = own.reduce((product, size) => product * size, 1);
  return { name, dims: own, data: data.subarray(index * length, (index + 1) * length) };
}

/** Returns the vector of a box, or the only vector, which is of the whole picture. */
function vectorOf(vectors: Output | undefined, row: number): Pick<Finding, 'vector'> {
  if (vectors === undefined) return {};
  const length = vectors.dims.length === 2 ? vectors.dims[1]! : vectors.dims[0]!;
  return { vector: Float32Array.from({ length }, (_, i) => vectors.data[row * length + i]!) };
}

const failureOf = (message: string) => new DetectionError('DETECTION_FAILED', message);
