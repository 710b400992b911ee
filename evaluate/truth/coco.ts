/**
 * COCO instances (cocodataset.org, Data format): images, categories and annotations, in any order. One annotation is in memory at a time.
 */
import { isObject, numberOf, textOf } from '../../results/document/found-values.ts';
import { jsonPieces, type Path } from '../../results/json-pieces.ts';
import { EvaluationError, reasonOf } from '../error.ts';
import { BoxTable, type BoxRow } from '../box-table.ts';
import { Numbers } from '../numbers.ts';
import type { Source } from './source.ts';
import type { PictureTruth, TruthPicture } from './truth.ts';

const LISTS = ['images', 'categories', 'annotations'];
const comesWhole = (path: Path) =>
  path.length === 2 || (path.length === 1 && !LISTS.includes(String(path[0])));

type Members = Readonly<Record<string, unknown>>;
/** Returns an id as text. Ids are numbers or texts. */
const idOf = (value: unknown): string =>
  typeof value === 'number' || typeof value === 'string' ? String(value) : '';

/** Reads a truth in COCO format. @throws EvaluationError */
export async function cocoTruth(source: Source): Promise<PictureTruth> {
  const reading = new CocoReading(source);
  try {
    for await (const { path, value } of jsonPieces(source.bytes(), comesWhole))
      if (path.length === 2 && isObject(value)) reading.take(String(path[0]), value);
  } catch (error) {
    throw error instanceof EvaluationError ? error : source.failure(`is not valid JSON: ${reasonOf(error)}`);
  }
  return reading.truth();
}

class CocoReading {
  readonly #source: Source;
  /** Boxes with numbers for the ids of their pictures and classes. The ids are resolved at the end of the file. */
  readonly #raw: BoxTable;
  readonly #images = new Map<number, TruthPicture>();
  readonly #classes = new Map<number, string>();
  readonly #imageIds = new Numbers();
  readonly #classIds = new Numbers();
  readonly #tracks = new Numbers();
  #without = 0;

  constructor(source: Source) {
    this.#source = source;
    this.#raw = new BoxTable(source.limit, 'truth');
  }

  take(list: string, value: Members): void {
    if (list === 'images') this.#images.set(this.#imageIds.of(idOf(value['id'])), pictureOf(value));
    else if (list === 'categories')
      this.#classes.set(this.#classIds.of(idOf(value['id'])), textOf(value['name']));
    else if (list === 'annotations') this.#annotation(value);
  }

  /** @throws EvaluationError */
  truth(): PictureTruth {
    if (this.#images.size === 0)
      throw this.#source.failure('has no images: a truth in COCO has images, categories and annotations.');
    if (this.#raw.count === 0) throw this.#source.failure('has no annotation with a bbox.');
    const pictures = new Map([...this.#images.keys()].map((id, number) => [id, number]));
    const classes = new Map([...this.#classes.keys()].map((id, number) => [id, number]));
    const boxes = this.#raw;
    boxes.keep((row) => {
      const [picture, label] = [pictures.get(row.picture), classes.get(row.label)];
      if (picture !== undefined && label !== undefined) return { ...row, picture, label };
      const list = picture === undefined ? 'images' : 'categories';
      throw this.#source.failure(`has annotations of ${list} that it does not list.`);
    });
    const notes = this.#without === 0 ? [] : [`${this.#without} annotations of the truth have no bbox and are ignored.`]; // oxfmt-ignore
    return { kind: 'pictures', pictures: [...this.#images.values()], classes: [...this.#classes.values()], boxes, notes }; // oxfmt-ignore
  }

  #annotation(value: Members): void {
    const [x, y, width, height] = Array.isArray(value['bbox']) ? value['bbox'].map((one) => numberOf(one, NaN)) : []; // oxfmt-ignore
    if (
      x === undefined ||
      y === undefined ||
      width === undefined ||
      height === undefined ||
      !Number.isFinite(x + y + width + height)
    ) {
      this.#without += 1;
      return;
    }
    const crowd = numberOf(value['iscrowd']) === 1 || value['iscrowd'] === true;
    const ignored = crowd || numberOf(value['ignore']) === 1 || value['ignore'] === true;
    const row: BoxRow = {
      ...{ x, y, width, height, crowd, ignored, score: -1 },
      picture: this.#imageIds.of(idOf(value['image_id'])),
      label: this.#classIds.of(idOf(value['category_id'])),
      track: this.#trackOf(value),
      area: numberOf(value['area'], width * height),
    };
    this.#raw.add(row);
  }

  /** Returns the track of an annotation. COCO defines no tracks, but TAO and others have `track_id`, and CVAT writes it as an attribute. */
  #trackOf(value: Members): number {
    const attributes = isObject(value['attributes']) ? value['attributes'] : {};
    const id = idOf(value['track_id'] ?? attributes['track_id'] ?? value['instance_id']);
    return id === '' ? -1 : this.#tracks.of(id);
  }
}

function pictureOf(value: Members): TruthPicture {
  const frame = value['frame'];
  return {
    name: textOf(value['file_name']),
    width: numberOf(value['width']),
    height: numberOf(value['height']),
    frame: typeof frame === 'number' && Number.isSafeInteger(frame) && frame >= 0 ? frame : undefined,
  };
}
