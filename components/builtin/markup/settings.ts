/** The settings in the MARKUP properties, with the defaults of the descriptor. */
import { VIDEO_ENCODERS, type VideoEncoder } from '../../../media/video/video-encoder.ts';
import { booleanOf } from '../../../domain/properties/properties.ts';
import type { Properties } from '../../../domain/types.ts';
import { isBlank, parseInteger, parseNumber } from '../../../domain/values.ts';
import { DetectionError } from '../../sdk/detector.ts';
import { invalidProperty } from '../../shared/tracking/settings.ts';

export interface LabelSettings {
  /** 0 to 1. */
  readonly alpha: number;
  readonly fromDetections: boolean;
  readonly trackIndex: boolean;
  /** Name of a property; empty for none. */
  readonly textProperty: string;
  readonly maxLength: number;
  readonly numberProperty: string;
  readonly chooseSide: boolean;
  readonly exemplarIcons: boolean;
  readonly sourceIcons: boolean;
  readonly movingIcons: boolean;
}

export type MarkupStyle = 'BOX' | 'BLUR' | 'PIXELATE';

export interface MarkupSettings {
  /** Style. BLUR and PIXELATE conceal the content of boxes and draw nothing. */
  readonly style: MarkupStyle;
  /** Null for no labels. */
  readonly labels: LabelSettings | null;
  /** Opacity of the frame numbers, 0 to 1; null for none. */
  readonly frameNumbers: number | null;
  readonly border: boolean;
  readonly animation: boolean;
  /** Milliseconds before the first and after the last detection of a track that are also concealed. */
  readonly margin: number;
  readonly encoder: VideoEncoder;
  readonly crf: number;
}

/** Reads the settings. Icons and frame numbers are for videos only. Throws INVALID_PROPERTY. */
export function markupSettings(properties: Properties, isVideo: boolean): MarkupSettings {
  const flag = (name: string, byDefault: boolean): boolean =>
    booleanOf(properties, `MARKUP_${name}`, byDefault);
  const icons = (name: string, byDefault: boolean): boolean =>
    isVideo && flag(`VIDEO_${name}_ICONS_ENABLED`, byDefault);
  const alpha = within(properties, 'MARKUP_LABELS_ALPHA', 0.5, 0, 1);
  const labels: LabelSettings = {
    alpha,
    fromDetections: flag('LABELS_FROM_DETECTIONS', false),
    trackIndex: flag('LABELS_TRACK_INDEX_ENABLED', true),
    textProperty: (properties['MARKUP_LABELS_TEXT_PROP_TO_SHOW'] ?? 'CLASSIFICATION').trim(),
    maxLength: whole(properties, 'MARKUP_TEXT_LABEL_MAX_LENGTH', 10),
    numberProperty: (properties['MARKUP_LABELS_NUMERIC_PROP_TO_SHOW'] ?? 'CONFIDENCE').trim(),
    chooseSide: flag('LABELS_CHOOSE_SIDE_ENABLED', true),
    exemplarIcons: icons('EXEMPLAR', true),
    sourceIcons: icons('BOX_SOURCE', false),
    movingIcons: icons('MOVING_OBJECT', false),
  };
  const style = styleOf(properties['MARKUP_STYLE']);
  const draws = !conceals({ style });
  return {
    style,
    labels: draws && flag('LABELS_ENABLED', true) ? labels : null,
    frameNumbers: draws && isVideo && flag('VIDEO_FRAME_NUMBERS_ENABLED', true) ? alpha : null,
    border: draws && flag('BORDER_ENABLED', false),
    // Unprocessed frames between two detections would otherwise show content that must be concealed.
    animation: isVideo && (!draws || flag('ANIMATION_ENABLED', false)),
    margin: whole(properties, 'MARKUP_BLUR_MARGIN', 200),
    encoder: encoderOf(properties['MARKUP_VIDEO_ENCODER']),
    crf: within(properties, 'MARKUP_VIDEO_VP9_CRF', 31, 0, 63),
  };
}

export const conceals = ({ style }: Pick<MarkupSettings, 'style'>): boolean => style !== 'BOX';

function styleOf(text: string | undefined): MarkupStyle {
  const name = isBlank(text) ? 'BOX' : text?.trim().toUpperCase();
  if (name === 'BOX' || name === 'BLUR' || name === 'PIXELATE') return name;
  throw invalid('MARKUP_STYLE', text, 'is not BOX, BLUR or PIXELATE');
}

function encoderOf(text: string | undefined): VideoEncoder {
  const name = isBlank(text) ? 'vp9' : text?.trim().toLowerCase();
  const found = Object.keys(VIDEO_ENCODERS).find((one) => one === name);
  if (found !== undefined) return found as VideoEncoder;
  throw invalid('MARKUP_VIDEO_ENCODER', text, 'is not vp9, h264 or mjpeg');
}

function whole(properties: Properties, name: string, byDefault: number): number {
  const text = properties[name];
  const value = isBlank(text) ? byDefault : parseInteger(text);
  if (value === undefined || value < 0) throw invalid(name, text, 'is not a whole number of 0 or more');
  return value;
}

function within(
  properties: Properties,
  name: string,
  byDefault: number,
  least: number,
  most: number,
): number {
  const text = properties[name];
  const value = isBlank(text) ? byDefault : parseNumber(text);
  if (value === undefined || value < least || value > most)
    throw invalid(name, text, `is not a number from ${least} to ${most}`);
  return value;
}

function invalid(name: string, text: string | undefined, why: string): DetectionError {
  return invalidProperty(`The ${name} property has the value "${text ?? ''}", which ${why}.`);
}
