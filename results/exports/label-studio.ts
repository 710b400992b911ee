/**
 * Label Studio: a task for each picture and video, with the findings as a prediction. Positions are percent of the picture as a viewer
 * shows it, and frames count from 1.
 */
import type { FoundDetection, FoundMedium, FoundTrack, Through, Writer } from '../document/findings.ts';
import { ExportRefusal } from './one-medium.ts';
import { isSeen, labelOf, ShownPicture } from './pictures.ts';

export const labelStudio = (through: Through, mediaId: number | undefined): AsyncGenerator<string> =>
  through(new TaskWriter(), mediaId);

class TaskWriter implements Writer {
  #picture: ShownPicture | undefined;
  #tasks = 0;
  #regions = 0;
  #isOpen = false;
  /** A detection of a video that waits for the next one. */
  #held: { readonly detection: FoundDetection; readonly place: Place } | undefined;
  #steps = 0;

  medium(medium: FoundMedium): string {
    this.#picture = isSeen(medium) ? new ShownPicture(medium) : undefined;
    this.#regions = 0;
    if (this.#picture === undefined) return '';
    this.#tasks += 1;
    const key = medium.mediaType === 'VIDEO' ? 'video' : 'image';
    const data = { [key]: medium.path, mediaId: medium.mediaId };
    const lead = this.#tasks === 1 ? '[\n' : ',\n';
    return `${lead}{"data":${JSON.stringify(data)},"predictions":[{"model_version":"Troupe","result":[`;
  }

  track(): string {
    this.#isOpen = false;
    this.#held = undefined;
    this.#steps = 0;
    return '';
  }

  detection(detection: FoundDetection, track: FoundTrack): string {
    const place = this.#placeOf(detection);
    if (place === undefined) return '';
    if (track.medium.mediaType === 'IMAGE') return this.#rectangle(detection, place, track);
    const start = this.#isOpen ? this.#step(detection.offsetFrame) : this.#openVideoRegion(track);
    this.#held = { detection, place };
    return start;
  }

  trackEnd({ confidence }: FoundTrack): string {
    if (!this.#isOpen) return '';
    this.#isOpen = false;
    return `${this.#step(undefined)}]}${scoreText(confidence)}}`;
  }

  mediumEnd(): readonly string[] {
    return this.#picture === undefined ? [] : [']}]}'];
  }

  /** @throws ExportRefusal if there is neither a picture nor a video */
  end(): readonly string[] {
    if (this.#tasks === 0)
      throw new ExportRefusal(
        'There are neither videos nor pictures, and labelstudio supports no other media.',
      );
    return ['\n]\n'];
  }

  #placeOf(detection: FoundDetection): Place | undefined {
    const part = this.#picture?.partOf(detection);
    if (part === undefined) return undefined;
    return {
      x: percent(part.x),
      y: percent(part.y),
      width: percent(part.width),
      height: percent(part.height),
    };
  }

  #rectangle({ confidence }: FoundDetection, place: Place, track: FoundTrack): string {
    const { width, height } = this.#picture!.size;
    const region = {
      ...this.#head('rectanglelabels', 'label', 'image'),
      ...{ original_width: width, original_height: height, image_rotation: 0 },
      value: { ...place, rotation: 0, rectanglelabels: [labelOf(track)] },
    };
    return `${this.#lead()}${JSON.stringify(region).slice(0, -1)}${scoreText(confidence)}}`;
  }

  #openVideoRegion(track: FoundTrack): string {
    this.#isOpen = true;
    const { length, mediaMetadata } = track.medium;
    const duration = Number(mediaMetadata['DURATION'] ?? 0) / 1_000;
    const value = { framesCount: length, duration: duration || 0, labels: [labelOf(track)] };
    const head = JSON.stringify(this.#head('videorectangle', 'box', 'video')).slice(0, -1);
    return `${this.#lead()}${head},"value":${JSON.stringify(value).slice(0, -1)},"sequence":[`;
  }

  /** Writes the waiting detection. Label Studio interpolates to the next one only if `enabled`. */
  #step(nextFrame: number | undefined): string {
    if (this.#held === undefined) return '';
    const { detection, place } = this.#held;
    const { offsetFrame, offsetTime } = detection;
    const lead = this.#steps++ === 0 ? '' : ',';
    const step = {
      ...{ frame: offsetFrame + 1, time: offsetTime / 1_000, enabled: nextFrame === offsetFrame + 1 },
      ...{ rotation: 0, ...place },
    };
    return lead + JSON.stringify(step);
  }

  #head(type: string, from: string, to: string) {
    return { id: `r${this.#regions}`, type, from_name: from, to_name: to };
  }

  #lead(): string {
    this.#regions += 1;
    return this.#regions === 1 ? '\n' : ',\n';
  }
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Percent of the picture, exact to a thousandth of a pixel in 4K and more. */
const percent = (part: number) => Number((part * 100).toFixed(6));

const scoreText = (confidence: number) => (confidence < 0 ? '' : `,"score":${confidence}`);
