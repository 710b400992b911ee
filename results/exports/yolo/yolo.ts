/**
 * YOLO: a ZIP with a label file for each frame with boxes, the list of the frames, and the classes in data.yaml. A label contains the
 * number of a class, so the documents are read twice.
 */
import { makeZip } from 'client-zip';
import type { FoundDetection, FoundMedium, FoundTrack, Through, Writer } from '../../document/findings.ts';
import type { PictureSource } from '../asked-pictures.ts';
import { isSeen, lastPart, ShownPicture } from '../pictures.ts';
import { FrameBoxes } from './frame-boxes.ts';
import { frameOf, YoloSurvey } from './survey.ts';

/** `pictures`: source of the frames for the ZIP. Absent: the ZIP has none. */
export async function* yolo(
  through: Through,
  mediaId: number | undefined,
  pictures: PictureSource | undefined,
): AsyncGenerator<Uint8Array> {
  const survey = new YoloSurvey();
  for await (const _ of through(survey, mediaId)) continue;
  survey.refuse(pictures !== undefined);
  const writer = new LabelWriter(survey);
  const files = filesOf(through(writer, mediaId), writer, survey.classes, pictures);
  yield* makeZip(files) as unknown as AsyncIterable<Uint8Array>;
}

interface ZippedFile {
  readonly name: string;
  readonly input: string | Uint8Array<ArrayBuffer>;
}

/** The boxes of a medium, with the names of its frames. */
interface Labelled {
  readonly job: number;
  readonly medium: FoundMedium;
  readonly stem: string;
  readonly boxes: FrameBoxes;
}

class LabelWriter implements Writer {
  readonly #survey: YoloSurvey;
  readonly #stems = new Set<string>();
  readonly #done: Labelled[] = [];
  #job = -1;
  #picture: ShownPicture | undefined;
  #boxes = new FrameBoxes();

  constructor(survey: YoloSurvey) {
    this.#survey = survey;
  }

  /** Media that were read since the last call. */
  takeMedia(): readonly Labelled[] {
    return this.#done.splice(0);
  }

  document({ job }: { readonly job: number }): void {
    this.#job = job;
  }

  medium(medium: FoundMedium): string {
    this.#picture = isSeen(medium) ? new ShownPicture(medium) : undefined;
    this.#boxes = new FrameBoxes();
    return '';
  }

  detection(one: FoundDetection, track: FoundTrack): string {
    const part = this.#picture?.partOf(one);
    if (part === undefined) return '';
    this.#boxes.add({
      frame: frameOf(one, track.medium),
      label: this.#survey.classOf(track),
      x: part.x + part.width / 2,
      y: part.y + part.height / 2,
      width: part.width,
      height: part.height,
    });
    return '';
  }

  mediumEnd(medium: FoundMedium): readonly string[] {
    if (this.#picture === undefined) return [];
    this.#done.push({ job: this.#job, medium, stem: this.#stemOf(medium), boxes: this.#boxes });
    return [];
  }

  /** The name of the medium without its extension, unique and valid on all systems. */
  #stemOf(medium: FoundMedium): string {
    const stem = fileName(lastPart(medium.path)).replace(/\.\w{1,10}$/, '');
    const own = stem === '' || this.#stems.has(stem.toLowerCase()) ? `${medium.mediaId}-${stem}` : stem;
    this.#stems.add(own.toLowerCase());
    return own;
  }
}

/** Maximum number of characters of a file name. */
const LONGEST = 100;
const fileName = (name: string): string =>
  name.replaceAll(/[\p{Cc}\p{Cf}<>:"/\\|?*\s]+/gu, '_').slice(-LONGEST);

async function* filesOf(
  through: AsyncIterable<string>,
  writer: LabelWriter,
  classes: readonly string[],
  pictures: PictureSource | undefined,
): AsyncGenerator<ZippedFile> {
  const images: string[] = [];
  const missing: string[] = [];
  for await (const _ of through)
    for (const labelled of writer.takeMedia())
      for (const { frame, stem, image, lines } of framesOf(labelled, pictures !== undefined)) {
        images.push(`./images/${image}\n`);
        yield { name: `labels/${stem}.txt`, input: lines };
        const { job, medium } = labelled;
        const bytes = await pictures?.({ job, mediaId: medium.mediaId, frame, small: false });
        if (bytes !== undefined) yield { name: `images/${image}`, input: bytes };
        else if (pictures !== undefined) missing.push(`images/${image}\n`);
      }
  yield { name: 'images.txt', input: images.join('') };
  yield { name: 'data.yaml', input: dataYaml(classes) };
  if (missing.length > 0) yield { name: 'missing-images.txt', input: missing.join('') };
}

interface LabelledFrame {
  readonly frame: number;
  /** Name of the label file and of the picture. */
  readonly stem: string;
  readonly image: string;
  readonly lines: string;
}

/** A picture without findings has a label file, too. For a video, only frames with boxes have one. */
function* framesOf({ medium, stem, boxes }: Labelled, isJpeg: boolean): Generator<LabelledFrame> {
  if (medium.mediaType === 'IMAGE') {
    const [[, lines] = [0, '']] = boxes.frames();
    const ending = isJpeg ? '.jpg' : (/\.\w{1,10}$/.exec(lastPart(medium.path))?.[0] ?? '.jpg');
    yield { frame: 0, stem, image: `${stem}${ending}`, lines };
    return;
  }
  for (const [frame, lines] of boxes.frames()) {
    const own = `${stem}-${String(frame).padStart(6, '0')}`;
    yield { frame, stem: own, image: `${own}.jpg`, lines };
  }
}

/** A JSON string is valid YAML, except for line breaks and characters that some YAML readers refuse. */
const quoteName = (name: string): string =>
  JSON.stringify(name).replaceAll(
    /[\u007f-\u00a0\u2028\u2029\ufeff\ufffe\uffff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

function dataYaml(classes: readonly string[]): string {
  const names = classes.map((name, number) => `  ${number}: ${quoteName(name)}\n`);
  return `path: .\ntrain: images.txt\nval: images.txt\nnames:${names.length === 0 ? ' {}' : ''}\n${names.join('')}`;
}
