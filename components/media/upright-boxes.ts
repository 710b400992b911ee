/** Boxes in the picture as a viewer shows it, beside those in the picture as it is stored (OUTPUT_DETAILS). */
import { uprightOf, type Upright } from '../../media/upright.ts';
import { boundingBox, cornersInFrame, isEmptyBox, orientationOf, type Box } from '../../domain/geometry.ts';
import { numberOf } from '../../domain/properties.ts';
import type { Properties } from '../../domain/types.ts';
import type { FinishedDetection, FinishedTrack } from './finished-line.ts';

/** Right angles leave rests behind. */
const REST = 1e-6;

/**
 * Gives each detection and exemplar of the lines of a medium its `uprightBox`, unless that is the box that it has anyway.
 * `metadata` are the medium's.
 */
export function uprightBoxes(metadata: Properties): (line: string) => string {
  const size = { width: numberOf(metadata, 'FRAME_WIDTH', 0), height: numberOf(metadata, 'FRAME_HEIGHT', 0) };
  if (isEmptyBox({ x: 0, y: 0, ...size })) return (line) => line;
  const upright = uprightOf(metadata, size);
  const withBox = (detection: FinishedDetection): FinishedDetection => {
    const uprightBox = uprightBoxOf(detection, upright);
    return uprightBox === null ? detection : { ...detection, uprightBox };
  };
  return (line) => {
    if (!upright.isTurned && !line.includes('"ROTATION"') && !line.includes('"HORIZONTAL_FLIP"')) return line;
    const track = JSON.parse(line) as FinishedTrack;
    const { exemplar, detections } = track;
    return JSON.stringify({ ...track, exemplar: withBox(exemplar), detections: detections.map(withBox) });
  };
}

/** The smallest box in whole pixels that holds the detection; null when there is none, or when it lies as it is shown. */
function uprightBoxOf(detection: FinishedDetection, upright: Upright): Box | null {
  const { rotation, flip } = orientationOf(detection.detectionProperties);
  if (isEmptyBox(detection) || (!upright.isTurned && rotation % 360 === 0 && !flip)) return null;
  const corners = cornersInFrame(detection, { rotation, flip }).map((corner) => upright.point(corner));
  const around = boundingBox(corners);
  const [x, y] = [Math.floor(around.x + REST), Math.floor(around.y + REST)];
  const width = Math.ceil(around.x + around.width - REST) - x;
  return { x, y, width, height: Math.ceil(around.y + around.height - REST) - y };
}
