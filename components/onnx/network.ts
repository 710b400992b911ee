/** A model at work: frames in, what was found out, in pixels of the frames. */
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import type { Box } from '../../domain/geometry.ts';
import type { Placement } from '../networks/letterbox.ts';
import { DetectionError, type Frame } from '../sdk/detector.ts';
import { messageOf } from '../sdk/failure.ts';
import type { Output, ScoredClass, Wanted } from './heads/head.ts';
import { inFrame, PictureWriter } from './picture.ts';
import { feedsOf, valuesOf } from './session.ts';
import { ordered, suppress } from './suppress.ts';
import { numbersOf, type NumberArray } from './tensors.ts';
import type { UnderstoodModel } from './understood.ts';

/** One thing in a frame, or what a frame is as a whole. */
export interface Finding {
  readonly box: Box;
  /** By their scores; none of a vector. */
  readonly classes: readonly ScoredClass[];
  readonly vector?: Float32Array;
}

export interface Search extends Wanted {
  /** Share of the area of both from which on two boxes of a class are one thing. */
  readonly sameOverlap: number;
}

/** A frame that was looked at, without its pixels. */
export type LookedFrame = Pick<Frame, 'index' | 'width' | 'height'>;

export interface FoundInFrame {
  readonly frame: LookedFrame;
  readonly found: readonly Finding[];
}

interface WrittenFrame {
  readonly frame: LookedFrame;
  readonly place: Placement;
}

/** An output for all pictures that were given together. */
interface WholeOutput extends Output {
  readonly data: NumberArray;
}

export class Network {
  readonly model: UnderstoodModel;
  readonly #session: InferenceSession;
  readonly #writer: PictureWriter;
  /** Values of one picture in the input. */
  readonly #size: number;
  #values = new Float32Array(0);

  constructor(model: UnderstoodModel, session: InferenceSession) {
    this.model = model;
    this.#session = session;
    this.#writer = new PictureWriter(model.inputs.picture, model.how);
    this.#size = valuesOf(model.inputs, 1);
  }

  /**
   * What each frame shows, in their order; those of a warm-up are left out. `most` frames at a time, or as many as a model takes that has a
   * number of its own: what is missing to it stays as it was.
   */
  async *find(frames: AsyncIterable<Frame>, most: number, search: Search): AsyncGenerator<FoundInFrame> {
    const own = this.model.inputs.picture.batch;
    const values = this.#room(own ?? most);
    let waiting: WrittenFrame[] = [];
    for await (const frame of frames) {
      if (frame.warmUp) continue;
      const { index, width, height } = frame;
      // Its pixels are valid until the next frame is asked for.
      const first = waiting.length * this.#size;
      const place = this.#writer.write(frame, values.subarray(first, first + this.#size));
      waiting.push({ frame: { index, width, height }, place });
      if (waiting.length < (own ?? most)) continue;
      yield* await this.#answers(waiting, values, search);
      waiting = [];
    }
    if (waiting.length > 0) yield* await this.#answers(waiting, values, search);
  }

  async #answers(
    written: readonly WrittenFrame[],
    values: Float32Array,
    search: Search,
  ): Promise<readonly FoundInFrame[]> {
    const count = this.model.inputs.picture.batch ?? written.length;
    const outputs = await this.#run(values.subarray(0, count * this.#size), count);
    return written.map((one, i) => ({ frame: one.frame, found: this.#read(outputs, i, one, search) }));
  }

  /** Room for so many pictures. */
  #room(count: number): Float32Array {
    if (this.#values.length !== count * this.#size) this.#values = new Float32Array(count * this.#size);
    return this.#values;
  }

  async #run(values: Float32Array, count: number): Promise<readonly WholeOutput[]> {
    const { model } = this;
    const feeds = feedsOf(model.inputs, values, count);
    const answered = await this.#session.run(feeds).catch((error: unknown) => {
      const advice =
        count > 1 ? ' Set DETECTION_FRAME_BATCH_SIZE to 1 if it takes one picture at a time.' : '';
      throw failed(`The model ${model.file.name} failed: ${messageOf(error)}${advice}`);
    });
    return model.fit.outputs.map((index) => {
      const { name } = model.outputs[index]!;
      const tensor = answered[name] as Tensor;
      if (tensor.dims[0] !== count)
        throw failed(
          `The model ${model.file.name} answers ${name} [${tensor.dims.join(', ')}] to ${count} pictures: set DETECTION_FRAME_BATCH_SIZE to 1.`,
        );
      return { name, dims: tensor.dims, data: numbersOf(name, tensor) };
    });
  }

  #read(
    outputs: readonly WholeOutput[],
    index: number,
    { frame, place }: WrittenFrame,
    search: Search,
  ): readonly Finding[] {
    const { head, fit, known } = this.model;
    const mine = outputs.map((output) => ofOne(output, index));
    const whole = { x: 0, y: 0, width: frame.width, height: frame.height };
    switch (head.finds) {
      case 'classes':
        return [{ box: whole, classes: head.classes(mine, search.top) }];
      case 'vector':
        return [{ box: whole, classes: [], vector: head.vector(mine) }];
      case 'boxes': {
        const found = head
          .boxes(mine, fit, known, search)
          .filter(({ width, height }) => width > 0 && height > 0);
        const kept = head.overlaps ? suppress(found, search.sameOverlap) : ordered(found);
        return kept.map(({ classes, ...box }) => ({ box: inFrame(box, place), classes }));
      }
    }
  }
}

/** The part of an output that belongs to one picture of several. */
function ofOne({ name, dims, data }: WholeOutput, index: number): Output {
  const own = dims.slice(1);
  const length = own.reduce((product, size) => product * size, 1);
  return { name, dims: own, data: data.subarray(index * length, (index + 1) * length) };
}

const failed = (message: string) => new DetectionError('DETECTION_FAILED', message);
