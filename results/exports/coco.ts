/**
 * COCO: pictures, and the frames of videos that represent a track. Images and categories precede the annotations that refer to them, so the
 * document is read twice. In between, memory holds a number for each medium and the names of categories.
 */
import { isExemplar } from '../../domain/tracks/exemplar.ts';
import type { FoundDetection, FoundMedium, FoundTrack, Through, Writer } from '../document/findings.ts';
import { FrameSet } from './frame-set.ts';
import { ExportRefusal } from './one-medium.ts';
import { FileNames, isSeen, labelOf, ShownPicture } from './pictures.ts';

export async function* coco(through: Through, mediaId: number | undefined): AsyncGenerator<string> {
  const numbers = new Numbers();
  const images = new ImageWriter(numbers);
  yield* through(images, mediaId);
  images.refuse();
  yield '\n],\n"categories":[';
  yield* numbers.categories();
  yield '\n],\n"annotations":[';
  yield* through(new AnnotationWriter(numbers), mediaId);
  yield '\n]}\n';
}

/** True for the detections of a video that represent it: the exemplar, and those with a picture. */
function isTold(one: FoundDetection, { medium, exemplar }: FoundTrack): boolean {
  if (medium.mediaType === 'IMAGE') return true;
  if (medium.mediaType !== 'VIDEO') return false;
  return one.artifactPath !== null || (exemplar !== undefined && isExemplar(one, exemplar));
}

class Numbers {
  /** Image id of the first frame of a medium. Its other frames get the following ids. */
  readonly firstImages = new Map<number, number>();
  readonly #categories = new Map<
    string,
    { readonly id: number; readonly name: string; readonly type: string }
  >();

  /** Two types may contain the same class. */
  category(track: FoundTrack): number {
    const name = labelOf(track);
    const key = `${track.type}\n${name}`;
    const known = this.#categories.get(key) ?? { id: this.#categories.size + 1, name, type: track.type };
    this.#categories.set(key, known);
    return known.id;
  }

  *categories(): Generator<string> {
    let lead = '\n';
    for (const { id, name, type } of this.#categories.values()) {
      yield lead + JSON.stringify({ id, name, supercategory: type });
      lead = ',\n';
    }
  }
}

class ImageWriter implements Writer {
  readonly #numbers: Numbers;
  readonly #names = new FileNames();
  #next = 1;
  #frames = new FrameSet();
  #count = 0;
  #hasMedia = false;

  constructor(numbers: Numbers) {
    this.#numbers = numbers;
  }

  begin(): string {
    const info = { description: 'What Troupe has found', version: '1.0', contributor: 'Troupe' };
    return `{"info":${JSON.stringify(info)},\n"licenses":[],\n"images":[`;
  }

  medium({ mediaType }: FoundMedium): string {
    this.#frames = new FrameSet();
    // A picture without findings is exported, too.
    if (mediaType === 'IMAGE') this.#frames.add(0);
    return '';
  }

  detection(one: FoundDetection, track: FoundTrack): string {
    if (!isTold(one, track) || one.width <= 0 || one.height <= 0) return '';
    this.#frames.add(frameOf(one, track.medium));
    this.#numbers.category(track);
    return '';
  }

  *mediumEnd(medium: FoundMedium): Generator<string> {
    const first = this.#next;
    const { firstImages } = this.#numbers;
    if (!isSeen(medium)) return;
    this.#hasMedia = true;
    firstImages.set(medium.mediaId, first);
    const { width, height } = new ShownPicture(medium).size;
    const name = this.#names.of(medium);
    for (const frame of this.#frames.inOrder()) {
      const id = first + frame;
      this.#next = id + 1;
      const image = {
        id,
        width,
        height,
        file_name: medium.mediaType === 'IMAGE' ? name : `${name}-${String(frame).padStart(6, '0')}.jpg`,
        coco_url: medium.path,
        media_id: medium.mediaId,
        frame,
      };
      yield (this.#count++ === 0 ? '\n' : ',\n') + JSON.stringify(image);
    }
  }

  /** @throws ExportRefusal if there is neither a picture nor a video */
  refuse(): void {
    if (!this.#hasMedia)
      throw new ExportRefusal('There are neither videos nor pictures, and coco supports no other media.');
  }
}

/** The frame of a detection. A picture has only frame 0. */
const frameOf = ({ offsetFrame }: FoundDetection, { mediaType }: FoundMedium) =>
  mediaType === 'IMAGE' ? 0 : offsetFrame;

class AnnotationWriter implements Writer {
  readonly #numbers: Numbers;
  #picture: ShownPicture | undefined;
  #count = 0;

  constructor(numbers: Numbers) {
    this.#numbers = numbers;
  }

  medium(medium: FoundMedium): string {
    this.#picture = new ShownPicture(medium);
    return '';
  }

  detection(one: FoundDetection, track: FoundTrack): string {
    const box = isTold(one, track) ? this.#picture?.boxOf(one) : undefined;
    if (box === undefined) return '';
    const { medium } = track;
    this.#count += 1;
    const annotation = {
      id: this.#count,
      image_id: (this.#numbers.firstImages.get(medium.mediaId) ?? 0) + frameOf(one, medium),
      category_id: this.#numbers.category(track),
      bbox: [box.x, box.y, box.width, box.height],
      area: box.width * box.height,
      iscrowd: 0,
      ...(one.confidence < 0 ? {} : { score: one.confidence }),
      attributes: {
        ...track.trackProperties,
        ...one.detectionProperties,
        track_id: track.id,
        track_index: track.index,
        action: track.action,
        offset_ms: one.offsetTime,
        confidence: one.confidence,
      },
    };
    return (this.#count === 1 ? '\n' : ',\n') + JSON.stringify(annotation);
  }
}
