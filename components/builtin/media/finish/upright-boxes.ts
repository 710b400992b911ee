/** Adds boxes in the displayed picture beside boxes in the stored picture (OUTPUT_DETAILS). */
import { uprightOf } from '../../../../media/picture/upright.ts';
import { isEmptyBox } from '../../../../domain/geometry/geometry.ts';
import { numberOf } from '../../../../domain/properties/properties.ts';
import { uprightBoxOf } from '../../../../domain/tracks/turned-picture.ts';
import type { Properties } from '../../../../domain/types.ts';
import type { FinishedDetection, FinishedTrack } from './finished-line.ts';

/**
 * Returns a function that adds `uprightBox` to each detection and exemplar of a line, unless it equals the stored box. `metadata` are the
 * medium's.
 */
export function uprightBoxes(metadata: Properties): (line: string) => string {
  const size = { width: numberOf(metadata, 'FRAME_WIDTH', 0), height: numberOf(metadata, 'FRAME_HEIGHT', 0) };
  if (isEmptyBox({ x: 0, y: 0, ...size })) return (line) => line;
  const upright = uprightOf(metadata, size);
  const withBox = (detection: FinishedDetection): FinishedDetection => {
    const uprightBox = uprightBoxOf(detection, upright.isTurned, upright.point);
    return uprightBox === null ? detection : { ...detection, uprightBox };
  };
  return (line) => {
    if (!upright.isTurned && !line.includes('"ROTATION"') && !line.includes('"HORIZONTAL_FLIP"')) return line;
    const track = JSON.parse(line) as FinishedTrack;
    const { exemplar, detections } = track;
    return JSON.stringify({ ...track, exemplar: withBox(exemplar), detections: detections.map(withBox) });
  };
}
