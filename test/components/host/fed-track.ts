/** A track with these properties for feed forward. */
import type { FedTrack } from '../../../protocol/detection-work.ts';
import type { Properties } from '../../../domain/types.ts';

export function fedTrack(properties: Properties): FedTrack {
  const detection = { frame: 0, time: 0, x: 0, y: 0, width: 0, height: 0, confidence: -1, properties };
  return {
    startFrame: 0,
    stopFrame: 0,
    startTime: 0,
    stopTime: 0,
    type: 'TEXT',
    confidence: -1,
    properties,
    detections: [detection],
    task: 0,
    line: 0,
  };
}
