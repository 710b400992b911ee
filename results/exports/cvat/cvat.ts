/**
 * CVAT XML 1.1: "CVAT for video", with tracks, for one video; or "CVAT for images" for all pictures of a job. Labels precede their use, so
 * the document is read twice.
 */
import type { Box } from '../../../domain/geometry/geometry.ts';
import { CvatLabels, cvatLabel } from './cvat-labels.ts';
import type { FoundDetection, FoundMedium, FoundTrack, Through, Writer } from '../../document/findings.ts';
import { ExportRefusal } from '../one-medium.ts';
import { FileNames, isSeen, ShownPicture } from '../pictures.ts';
import { escapeText } from './xml.ts';

export async function* cvat(through: Through, mediaId: number | undefined): AsyncGenerator<string> {
  const survey = new Survey();
  for await (const _ of through(survey, mediaId)) continue;
  const video = survey.chooseVideo(mediaId);
  const labels = survey.labels.get(video?.mediaId ?? PICTURES) ?? new CvatLabels();
  yield '<?xml version="1.0" encoding="utf-8"?>\n<annotations>\n<version>1.1</version>\n<meta><task>\n';
  yield* video === undefined ? taskOfPictures(survey.pictures) : taskOfVideo(video);
  yield '<labels>\n';
  yield* labels.xml();
  yield '</labels>\n</task></meta>\n';
  yield* video === undefined
    ? through(new PictureWriter(labels), mediaId)
    : through(new VideoWriter(labels), video.mediaId);
  yield '</annotations>\n';
}

/** Key of the labels that all pictures share. */
const PICTURES = -1;

class Survey implements Writer {
  readonly labels = new Map<number, CvatLabels>();
  readonly videos: FoundMedium[] = [];
  pictures = 0;

  medium(medium: FoundMedium): string {
    if (medium.mediaType === 'VIDEO') this.videos.push(medium);
    if (medium.mediaType === 'IMAGE') this.pictures += 1;
    return '';
  }

  track(track: FoundTrack): string {
    this.#labelsOf(track.medium)?.noteTrack(track);
    return '';
  }

  detection(one: FoundDetection, track: FoundTrack): string {
    this.#labelsOf(track.medium)?.noteDetection(one, track);
    return '';
  }

  /** The video of the file. Undefined: the file contains pictures. @throws ExportRefusal */
  chooseVideo(mediaId: number | undefined): FoundMedium | undefined {
    const [first, second] = this.videos;
    const isOne = second === undefined && (first === undefined || this.pictures === 0);
    if (isOne && (first !== undefined || this.pictures > 0)) return first;
    if (first === undefined)
      throw new ExportRefusal(
        mediaId === undefined
          ? 'The job has neither videos nor pictures, and cvat supports no other media.'
          : `Medium ${mediaId} is neither a video nor a picture, and cvat supports no other media.`,
      );
    const known = this.videos.slice(0, SHOWN).map((one) => one.mediaId);
    throw new ExportRefusal(
      `A cvat file has one video, or only pictures. Choose the video with media; this job has: ${known.join(', ')}${this.videos.length > SHOWN ? ' ...' : ''}.`,
    );
  }

  #labelsOf(medium: FoundMedium): CvatLabels | undefined {
    if (!isSeen(medium)) return undefined;
    const key = medium.mediaType === 'VIDEO' ? medium.mediaId : PICTURES;
    const known = this.labels.get(key) ?? new CvatLabels();
    this.labels.set(key, known);
    return known;
  }
}
/** Number of media that a refusal names. */
const SHOWN = 20;

function* taskOfVideo(video: FoundMedium): Generator<string> {
  const name = escapeText(new FileNames().of(video));
  const { width, height } = new ShownPicture(video).size;
  yield task(name, video.length, 'interpolation');
  yield `<original_size><width>${width}</width><height>${height}</height></original_size><source>${name}</source>\n`;
}

function* taskOfPictures(pictures: number): Generator<string> {
  yield task('pictures', pictures, 'annotation');
}

const task = (name: string, size: number, mode: string) =>
  `<name>${name}</name><size>${size}</size><mode>${mode}</mode><overlap>0</overlap><start_frame>0</start_frame><stop_frame>${Math.max(0, size - 1)}</stop_frame><frame_filter></frame_filter><z_order>False</z_order>\n`;

const points = ({ x, y, width, height }: Box) =>
  `xtl="${x.toFixed(2)}" ytl="${y.toFixed(2)}" xbr="${(x + width).toFixed(2)}" ybr="${(y + height).toFixed(2)}"`;

interface Shape {
  readonly frame: number;
  readonly box: Box;
}

/** Each box is a keyframe. If the next frame has no box, the track is marked outside, so that CVAT shows only actual findings. */
class VideoWriter implements Writer {
  readonly #labels: CvatLabels;
  #picture: ShownPicture | undefined;
  #frames = Infinity;
  #tracks = 0;
  #last: Shape | undefined;

  constructor(labels: CvatLabels) {
    this.#labels = labels;
  }

  medium(medium: FoundMedium): string {
    this.#picture = new ShownPicture(medium);
    this.#frames = medium.length > 0 ? medium.length : Infinity;
    return '';
  }

  detection(one: FoundDetection, track: FoundTrack): string {
    const box = this.#picture?.boxOf(one);
    if (box === undefined) return '';
    const last = this.#last;
    const frame = one.offsetFrame;
    this.#last = { frame, box };
    const begin =
      last === undefined
        ? `<track id="${this.#tracks++}" label="${escapeText(cvatLabel(track))}" source="auto">\n`
        : last.frame + 1 < frame
          ? outside(last)
          : '';
    const ofTrack = last === undefined ? this.#labels.ofTrack(track) : '';
    return `${begin}<box frame="${frame}" outside="0" occluded="0" keyframe="1" ${points(box)} z_order="0">${ofTrack}${this.#labels.ofBox(one, track)}</box>\n`;
  }

  trackEnd(): string {
    const last = this.#last;
    this.#last = undefined;
    if (last === undefined) return '';
    // CVAT refuses frames beyond the end of the video.
    return `${last.frame + 1 < this.#frames ? outside(last) : ''}</track>\n`;
  }
}

const outside = ({ frame, box }: Shape) =>
  `<box frame="${frame + 1}" outside="1" occluded="0" keyframe="1" ${points(box)} z_order="0"></box>\n`;

/** A finding without a box is a tag of its picture. */
class PictureWriter implements Writer {
  readonly #labels: CvatLabels;
  readonly #names = new FileNames();
  #picture: ShownPicture | undefined;
  #count = 0;

  constructor(labels: CvatLabels) {
    this.#labels = labels;
  }

  medium(medium: FoundMedium): string {
    this.#picture = undefined;
    if (medium.mediaType !== 'IMAGE') return '';
    this.#picture = new ShownPicture(medium);
    const { width, height } = this.#picture.size;
    return `<image id="${this.#count++}" name="${escapeText(this.#names.of(medium))}" width="${width}" height="${height}">\n`;
  }

  detection(one: FoundDetection, track: FoundTrack): string {
    const picture = this.#picture;
    if (picture === undefined) return '';
    const label = `label="${escapeText(cvatLabel(track))}" source="auto"`;
    const attributes = this.#labels.ofTrack(track) + this.#labels.ofBox(one, track);
    const box = picture.boxOf(one);
    return box === undefined
      ? `<tag ${label}>${attributes}</tag>\n`
      : `<box ${label} occluded="0" ${points(box)} z_order="0">${attributes}</box>\n`;
  }

  mediumEnd(medium: FoundMedium): Iterable<string> {
    return medium.mediaType === 'IMAGE' ? ['</image>\n'] : [];
  }
}
