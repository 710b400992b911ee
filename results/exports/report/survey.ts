/** Collects the content of a report: numbers, the best findings and failures. Memory does not grow with the document. */
import type { Box } from '../../../domain/geometry/geometry.ts';
import type { FoundDetection, FoundMedium, FoundTrack, Writer } from '../../document/findings.ts';
import { cueTextOf } from '../cue-text.ts';
import { isSeen, labelOf, ShownPicture } from '../pictures.ts';

/** Maximum numbers of listed entries. The others are only counted. */
const MOST_MEDIA = 50;
const MOST_CLASSES = 40;
export const MOST_CROPS = 8;
const MOST_TEXTS = 100;
const MOST_ISSUES = 200;
/** Number of parts of a timeline. */
export const BINS = 120;
const LONGEST = 300;

/** A finding that is shown as a picture. */
export interface Crop {
  readonly frame: number;
  readonly ms: number;
  readonly confidence: number;
  /** In the picture as a viewer shows it. Undefined: the whole picture. */
  readonly box: Box | undefined;
  readonly artifact: string | null;
}

export interface ClassSummary {
  readonly type: string;
  readonly label: string;
  tracks: number;
  detections: number;
  firstMs: number;
  lastMs: number;
  readonly bins: Uint32Array;
  crops: readonly Crop[];
}

export interface SpokenText {
  readonly ms: number;
  readonly text: string;
}

export interface MediumSummary {
  readonly medium: FoundMedium;
  /** Size of the picture as a viewer shows it. Zeros if it has none. */
  readonly size: { readonly width: number; readonly height: number };
  readonly lengthMs: number;
  readonly classes: Map<string, ClassSummary>;
  /** Number of tracks of classes beyond the limit. */
  otherTracks: number;
  readonly texts: SpokenText[];
  moreTexts: number;
}

export interface ReportIssue {
  readonly mediaId: number | undefined;
  readonly isError: boolean;
  readonly code: string;
  readonly message: string;
}

export class ReportSurvey implements Writer {
  readonly media: MediumSummary[] = [];
  mediaCount = 0;
  tracks = 0;
  detections = 0;
  readonly issues: ReportIssue[] = [];
  issueCount = 0;
  /** Members of the document beside its media, as texts. */
  readonly job = new Map<string, string>();
  number = -1;
  #medium: MediumSummary | undefined;
  #class: ClassSummary | undefined;
  #picture: ShownPicture | undefined;
  #best: Crop | undefined;

  document({ job }: { readonly job: number }): void {
    this.number = job;
  }

  ofJob(field: string, value: unknown): void {
    if (field === 'errors' || field === 'warnings') this.#addIssues(field === 'errors', value);
    else if (field === 'pipeline') this.job.set(field, textIn(value, 'name'));
    else if (typeof value === 'string') this.job.set(field, cut(value));
  }

  medium(medium: FoundMedium): string {
    this.mediaCount += 1;
    this.#picture = isSeen(medium) ? new ShownPicture(medium) : undefined;
    this.#medium = undefined;
    if (this.media.length >= MOST_MEDIA) return '';
    this.#medium = {
      medium,
      size: this.#picture?.size ?? { width: 0, height: 0 },
      lengthMs: medium.mediaType === 'IMAGE' ? 0 : Number(medium.mediaMetadata['DURATION'] ?? 0) || 0,
      ...{ classes: new Map(), otherTracks: 0, texts: [], moreTexts: 0 },
    };
    this.media.push(this.#medium);
    return '';
  }

  track(track: FoundTrack): string {
    this.tracks += 1;
    this.#best = undefined;
    this.#class = this.#medium === undefined ? undefined : this.#classOf(track, this.#medium);
    if (this.#class !== undefined) {
      this.#class.tracks += 1;
      this.#class.firstMs = Math.min(this.#class.firstMs, track.startOffsetTime);
      this.#class.lastMs = Math.max(this.#class.lastMs, track.stopOffsetTime);
      this.#fillBins(track);
    }
    if (this.#medium !== undefined) addText(this.#medium, track);
    return '';
  }

  detection(one: FoundDetection): string {
    this.detections += 1;
    if (this.#class === undefined) return '';
    this.#class.detections += 1;
    if (this.#picture === undefined || (this.#best !== undefined && this.#best.confidence >= one.confidence))
      return '';
    const { offsetFrame: frame, offsetTime: ms, confidence, artifactPath: artifact } = one;
    this.#best = { frame, ms, confidence, box: this.#picture.boxOf(one), artifact };
    return '';
  }

  /** Keeps the most certain tracks of each class, which are shown. */
  trackEnd(): string {
    if (this.#class === undefined || this.#best === undefined) return '';
    const { crops } = this.#class;
    if (crops.length === MOST_CROPS && crops.at(-1)!.confidence >= this.#best.confidence) return '';
    this.#class.crops = [...crops, this.#best]
      .toSorted((a, b) => b.confidence - a.confidence)
      .slice(0, MOST_CROPS);
    return '';
  }

  #classOf(track: FoundTrack, medium: MediumSummary): ClassSummary | undefined {
    const label = cut(labelOf(track));
    const key = JSON.stringify([track.type, label]);
    const known = medium.classes.get(key);
    if (known !== undefined) return known;
    if (medium.classes.size >= MOST_CLASSES) {
      medium.otherTracks += 1;
      return undefined;
    }
    const added: ClassSummary = {
      ...{ type: cut(track.type), label, tracks: 0, detections: 0 },
      ...{ firstMs: Infinity, lastMs: 0, bins: new Uint32Array(BINS), crops: [] },
    };
    medium.classes.set(key, added);
    return added;
  }

  #fillBins({ startOffsetTime, stopOffsetTime }: FoundTrack): void {
    const length = this.#medium!.lengthMs;
    if (length <= 0) return;
    const binOf = (ms: number) => Math.max(0, Math.min(BINS - 1, Math.floor((ms / length) * BINS)));
    const last = binOf(stopOffsetTime);
    for (let bin = binOf(startOffsetTime); bin <= last; bin += 1) this.#class!.bins[bin]! += 1;
  }

  #addIssues(isError: boolean, value: unknown): void {
    for (const entry of listOf(value))
      for (const detail of listOf(memberOf(entry, 'details'))) {
        this.issueCount += 1;
        if (this.issues.length >= MOST_ISSUES) continue;
        const mediaId = memberOf(entry, 'mediaId');
        this.issues.push({
          mediaId: typeof mediaId === 'number' ? mediaId : undefined,
          isError,
          code: textIn(detail, 'code'),
          message: textIn(detail, 'message'),
        });
      }
  }
}

function addText(summary: MediumSummary, track: FoundTrack): void {
  const own = { ...track.exemplar?.detectionProperties, ...track.trackProperties };
  const text = cueTextOf(track, 0) ?? own['TEXT'] ?? '';
  if (track.type === 'SCENE' || text === '' || text === '[Speech]') return;
  if (summary.texts.length >= MOST_TEXTS) summary.moreTexts += 1;
  else summary.texts.push({ ms: track.startOffsetTime, text: cut(text) });
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textIn = (value: unknown, name: string): string => {
  const text = memberOf(value, name);
  return typeof text === 'string' ? cut(text) : '';
};

export const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
