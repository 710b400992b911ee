/** CVAT XML 1.1 (docs.cvat.ai, XML annotation format): "CVAT for images" and "CVAT for video". Only shapes of type box are read. */
import type { Box } from '../../domain/geometry/geometry.ts';
import { scanXml, type Attributes } from '../../files/xml.ts';
import { EvaluationError, reasonOf } from '../error.ts';
import { BoxTable } from '../box-table.ts';
import { LAST_FRAME, Numbers } from '../numbers.ts';
import type { Source } from './source.ts';
import type { BoxTruth, TruthPicture } from './truth.ts';

const SHAPES = new Set(['polygon', 'polyline', 'points', 'ellipse', 'cuboid', 'skeleton', 'mask']);

/** Reads a truth in CVAT format. @throws EvaluationError */
export async function cvatTruth(source: Source): Promise<BoxTruth> {
  const reading = new CvatReading(source);
  try {
    await scanXml(source.bytes(), reading);
  } catch (error) {
    throw error instanceof EvaluationError ? error : source.failure(`is not valid XML: ${reasonOf(error)}`);
  }
  return reading.truth();
}

interface Shape extends Box {
  readonly frame: number;
  readonly outside: boolean;
}

class CvatReading {
  readonly #source: Source;
  readonly #boxes: BoxTable;
  readonly #path: string[] = [];
  readonly #meta = new Map<string, string>();
  readonly #pictures: TruthPicture[] = [];
  readonly #labels = new Numbers();
  #track: { readonly number: number; readonly label: number; last: Shape | undefined } | undefined;
  #tracks = 0;
  #others = 0;

  constructor(source: Source) {
    this.#source = source;
    this.#boxes = new BoxTable(source.limit, 'truth');
  }

  open(name: string, attributes: Attributes): void {
    if (this.#path.length === 0 && name !== 'annotations')
      throw this.#source.failure(`is not a CVAT file: it begins with <${name}> instead of <annotations>.`);
    this.#path.push(name);
    if (name === 'project' && this.#path[1] === 'meta') throw this.#source.failure('is the export of a CVAT project: export its tasks one by one.'); // oxfmt-ignore
    if (name === 'image') this.#picture(attributes);
    else if (name === 'track') {
      const label = this.#labels.of(attributes['label'] ?? '');
      this.#track = { number: this.#tracks++, label, last: undefined };
    } else if (name === 'box') this.#box(attributes);
    else if (SHAPES.has(name)) this.#others += 1;
  }

  text(text: string): void {
    const [, part, about, name = about ?? '', deeper] = this.#path;
    if (part !== 'meta' || deeper !== undefined || !['task', 'job', 'source'].includes(about ?? '')) return;
    this.#meta.set(name, (this.#meta.get(name) ?? '') + text.trim());
  }

  close(name: string): void {
    if (name === 'track') this.#endTrack();
    this.#path.pop();
  }

  /** @throws EvaluationError */
  truth(): BoxTruth {
    if (this.#boxes.count === 0) throw this.#source.failure('has no boxes.');
    if (this.#tracks > 0 && this.#pictures.length > 0)
      throw this.#source.failure('has both images and tracks, which CVAT XML does not allow.');
    const notes = this.#others === 0 ? [] : [`${this.#others} shapes of the truth are not boxes and are ignored.`]; // oxfmt-ignore
    const common = { boxes: this.#boxes, classes: this.#labels.ids, notes };
    if (this.#tracks === 0) return { kind: 'pictures', pictures: this.#pictures, ...common };
    return {
      kind: 'video',
      name: this.#meta.get('source') ?? this.#meta.get('name'),
      frames: this.#frames,
      first: this.#number('start_frame') ?? 0,
      last: this.#number('stop_frame'),
      step: this.#step,
      ...common,
    };
  }

  get #step(): number {
    return Number(/step\s*=\s*(\d+)/.exec(this.#meta.get('frame_filter') ?? '')?.[1] ?? 1) || 1;
  }

  /** Number of frames, for a task that contains all frames of its video. */
  get #frames(): number | undefined {
    const isAll = this.#step === 1 && (this.#number('start_frame') ?? 0) === 0;
    const size = this.#number('size');
    return isAll && this.#number('stop_frame') === (size ?? 0) - 1 ? size : undefined;
  }

  #number(name: string): number | undefined {
    const text = this.#meta.get(name);
    return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  }

  #picture({ name = '', width, height }: Attributes): void {
    this.#pictures.push({ name, width: Number(width) || 0, height: Number(height) || 0, frame: undefined });
  }

  #box(attributes: Attributes): void {
    const shape = this.#shapeOf(attributes);
    if (this.#track === undefined) {
      if (this.#pictures.length === 0)
        throw this.#source.failure('has a box that is in no image and no track.');
      const { x, y, width, height } = shape;
      const label = this.#labels.of(attributes['label'] ?? '');
      this.#add({ x, y, width, height }, this.#pictures.length - 1, label, -1);
      return;
    }
    this.#between(shape.frame - 1, shape);
    this.#track.last = shape;
    if (!shape.outside) this.#add(shape, shape.frame, this.#track.label, this.#track.number);
  }

  /** Adds the boxes between two boxes of a track, by linear interpolation, unless the track is outside. CVAT shows tracks in this way. */
  #between(to: number, next?: Shape): void {
    const { last, label, number } = this.#track!;
    if (last === undefined || last.outside) return;
    for (let frame = last.frame + 1; frame <= to; frame++) {
      const way = next === undefined ? 0 : (frame - last.frame) / (next.frame - last.frame);
      const at = (side: 'x' | 'y' | 'width' | 'height') =>
        last[side] + way * ((next ?? last)[side] - last[side]);
      this.#add({ x: at('x'), y: at('y'), width: at('width'), height: at('height') }, frame, label, number);
    }
  }

  /** Ends a track. A track that is not marked as outside continues until the end. */
  #endTrack(): void {
    const stop = this.#number('stop_frame');
    if (stop !== undefined) this.#between(stop);
    this.#track = undefined;
  }

  #add({ x, y, width, height }: Box, picture: number, label: number, track: number): void {
    const mark = { score: -1, ignored: false, crowd: false };
    // A task with every n-th frame has no boxes for the frames between.
    const first = this.#number('start_frame') ?? 0;
    if (track >= 0 && (picture - first) % this.#step !== 0) return;
    this.#boxes.add({ picture, label, track, x, y, width, height, area: width * height, ...mark });
  }

  #shapeOf(attributes: Attributes): Shape {
    const value = (name: string, otherwise?: string): number => {
      const number = Number(attributes[name] ?? otherwise ?? NaN);
      if (Number.isFinite(number)) return number;
      throw this.#source.failure(`has a box whose ${name} is no number.`);
    };
    const [left, top, right, bottom] = [value('xtl'), value('ytl'), value('xbr'), value('ybr')];
    const upright = { x: left, y: top, width: right - left, height: bottom - top };
    const rotation = value('rotation', '0');
    const frame = this.#track === undefined ? 0 : value('frame');
    if (!Number.isSafeInteger(frame) || frame < 0 || frame > LAST_FRAME)
      throw this.#source.failure(`has a box whose frame is ${frame}.`);
    return {
      frame,
      outside: attributes['outside'] === '1',
      ...(rotation === 0 ? upright : around(upright, rotation)),
    };
  }
}

/** Returns the area of a rotated box. CVAT rotates a box clockwise around its middle. */
function around({ x, y, width, height }: Box, degrees: number): Box {
  const [sin, cos] = [Math.sin, Math.cos].map((part) => Math.abs(part((degrees * Math.PI) / 180))) as [
    number,
    number,
  ];
  const [across, down] = [width * cos + height * sin, width * sin + height * cos];
  return { x: x + (width - across) / 2, y: y + (height - down) / 2, width: across, height: down };
}
