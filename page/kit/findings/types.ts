import type { z } from 'zod';
import type { boxPage, lanes, mediaOfJob, trackPage } from '../../../http/schemas/jobs/job-findings.ts';
import type { searchPage } from '../../../http/schemas/search/search.ts';

/** A finding of the search. */
export type Hit = z.output<typeof searchPage>['hits'][number];
export type MediaOfJob = z.output<typeof mediaOfJob>;
export type Medium = MediaOfJob['media'][number];
export type Lane = z.output<typeof lanes>[number];
export type MediumProgress = NonNullable<Medium['partial']>;
export type ActionProgress = MediumProgress['actions'][number];
export type TrackPage = z.output<typeof trackPage>;
export type Track = TrackPage['tracks'][number];
export type BoxPage = z.output<typeof boxPage>;
export type Box = BoxPage['boxes'][number];

/** The filter of the viewer. */
export interface Filter {
  /** Hidden lanes. */
  readonly hidden: ReadonlySet<number>;
  readonly minConfidence: number;
  readonly text: string;
}

/** Returns the name of a track: the class from a detector of classes, else its type. */
export function nameOfTrack(lanes: readonly Lane[], { lane, label }: Pick<Track, 'lane' | 'label'>): string {
  const type = lanes.find((one) => one.lane === lane)?.type ?? '';
  return type === CLASSES && label !== null ? label : type;
}
/** The type of tracks whose label is a class. */
const CLASSES = 'CLASS';

/** Returns the class in the style sheet for the colour of a box. */
export type BoxHue = (box: Pick<Box, 'lane' | 'label' | 'track'>) => string;

/** True if the filter shows a box or a track. */
export const fits = (
  { lane, confidence }: { readonly lane: number; readonly confidence: number },
  { hidden, minConfidence }: Filter,
) => !hidden.has(lane) && (confidence < 0 || confidence >= minConfidence);
