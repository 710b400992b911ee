/** Selects the detections that get a picture (the ARTIFACT_EXTRACTION_POLICY properties). Only pictures and videos can be cut out. */
import { booleanOf, integerOf, textOf } from '../properties/properties.ts';
import { topQuality } from './quality.ts';
import type { Detection, MediaType, Properties } from '../types.ts';

const POLICIES = ['NONE', 'VISUAL_TYPES_ONLY', 'ALL_TYPES', 'ALL_DETECTIONS'] as const;
type Policy = (typeof POLICIES)[number];

/** Track types without a visible object. VISUAL_TYPES_ONLY skips them. */
const NOT_VISUAL: ReadonlySet<string> = new Set(['MOTION', 'SPEECH', 'SCENE', 'SOUND']);

export interface SelectableTrack {
  readonly type: string;
  /** In ascending order of frame. */
  readonly detections: readonly Detection[];
  /** Index of the detection that represents the track; -1 if there is none. */
  readonly exemplar: number;
}

/** Case-insensitive. An unknown policy counts as the default. */
function policyOf(properties: Properties): Policy {
  const upper = textOf(properties, 'ARTIFACT_EXTRACTION_POLICY').trim().toUpperCase();
  return POLICIES.find((policy) => policy === upper) ?? 'VISUAL_TYPES_ONLY';
}

function allowsType(policy: Policy, type: string): boolean {
  return policy === 'VISUAL_TYPES_ONLY' ? !NOT_VISUAL.has(type.trim().toUpperCase()) : policy !== 'NONE';
}

/** True if any detection of tracks with these types could be selected. */
export function wantsArtifacts(
  properties: Properties,
  types: readonly string[],
  mediaType: MediaType,
): boolean {
  if (mediaType !== 'VIDEO' && mediaType !== 'IMAGE') return false;
  const policy = policyOf(properties);
  if (!types.some((type) => allowsType(policy, type))) return false;
  return policy === 'ALL_DETECTIONS' || selectsAnything(rulesOf(properties));
}

/** Indexes of the selected detections, ascending. */
export function selectForArtifacts(track: SelectableTrack, properties: Properties): readonly number[] {
  const policy = policyOf(properties);
  const all = track.detections.keys();
  if (!allowsType(policy, track.type)) return [];
  if (policy === 'ALL_DETECTIONS') return [...all];
  const rules = rulesOf(properties);
  const chosen = new Set<number>([
    ...aroundExemplar(track, rules.exemplarPlus),
    ...markFrames(track.detections, rules),
    ...best(track.detections, rules),
  ]);
  return [...all].filter((index) => chosen.has(index));
}

/** Rules that select single detections. */
interface Rules {
  /** Number of neighbours of the exemplar on each side, in the list of detections. Below 0, the exemplar is excluded, too. */
  readonly exemplarPlus: number;
  readonly first: boolean;
  readonly middle: boolean;
  readonly last: boolean;
  readonly topCount: number;
  readonly quality: string;
  /** Detections with one of these properties are selected. */
  readonly named: readonly string[];
}

function rulesOf(properties: Properties): Rules {
  const names = textOf(properties, 'ARTIFACT_EXTRACTION_POLICY_BEST_DETECTION_PROP_NAMES_LIST').split(';');
  return {
    exemplarPlus: integerOf(properties, 'ARTIFACT_EXTRACTION_POLICY_EXEMPLAR_FRAME_PLUS'),
    first: booleanOf(properties, 'ARTIFACT_EXTRACTION_POLICY_FIRST_FRAME'),
    middle: booleanOf(properties, 'ARTIFACT_EXTRACTION_POLICY_MIDDLE_FRAME'),
    last: booleanOf(properties, 'ARTIFACT_EXTRACTION_POLICY_LAST_FRAME'),
    topCount: integerOf(properties, 'ARTIFACT_EXTRACTION_POLICY_TOP_QUALITY_COUNT'),
    quality: textOf(properties, 'QUALITY_SELECTION_PROPERTY'),
    named: names.map((name) => name.trim()).filter((name) => name !== ''),
  };
}

function selectsAnything({ exemplarPlus, first, middle, last, topCount, named }: Rules): boolean {
  return exemplarPlus >= 0 || first || middle || last || topCount > 0 || named.length > 0;
}

function aroundExemplar({ detections, exemplar }: SelectableTrack, plus: number): readonly number[] {
  if (plus < 0 || exemplar < 0) return [];
  const from = Math.max(0, exemplar - plus);
  const to = Math.min(detections.length - 1, exemplar + plus);
  return Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
}

/** The first and the last detection, the one nearest to the middle between them (of two, the earlier), and those with a named property. */
function markFrames(detections: readonly Detection[], rules: Rules): readonly number[] {
  const stop = detections.length - 1;
  const chosen = [...(rules.first ? [0] : []), ...(rules.last ? [stop] : [])];
  if (rules.middle) {
    const middle = ((detections[0]?.frame ?? 0) + (detections[stop]?.frame ?? 0)) / 2;
    const away = (index: number): number => Math.abs((detections[index]?.frame ?? Infinity) - middle);
    chosen.push([...detections.keys()].reduce((near, index) => (away(index) < away(near) ? index : near), 0));
  }
  for (const [index, { properties }] of detections.entries())
    if (rules.named.some((name) => Object.hasOwn(properties, name))) chosen.push(index);
  return chosen;
}

function best(detections: readonly Detection[], { topCount, quality }: Rules): readonly number[] {
  if (topCount <= 0) return [];
  const chosen = new Set(topQuality(detections, topCount, quality));
  return [...detections.keys()].filter((index) => chosen.has(detections[index] as Detection));
}
