/** A pipeline for live streams. The test is its component and claims from STREAM:LIVE. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../config/info.ts';
import type { StreamTrack } from '../../protocol/streams.ts';
import type { StreamAssignment } from '../../protocol/worker-protocol.ts';
import type { RawComponent } from './processes/raw-component.ts';
import type { Service } from './processes/service.ts';
import { until } from './until.ts';

export const LIVE_PIPELINE = 'LIVE PIPELINE';
export const SEGMENT_SIZE = 10;

export async function registerLivePipeline(service: Service): Promise<void> {
  const file = join(packageRoot, 'test', 'support', 'components', 'absent', 'descriptor.json');
  const descriptor = readFileSync(file, 'utf8')
    .replaceAll(/ABSENT/gi, 'LIVE')
    .replace('"batchLibrary"', '"streamLibrary"');
  const { status, text } = await service.ask('POST', '/rest/components/registerUnmanaged', descriptor);
  if (status !== 201) throw new Error(`The component was not registered: ${status} ${text}`);
}

/** Claims the work of this job, which must be the only work in the queue. */
export async function claimLive(component: RawComponent, jobId: number): Promise<StreamAssignment> {
  const find = async () =>
    ((await component.claim('STREAM:LIVE', { waitMs: 2_000 })) as readonly StreamAssignment[]).find(
      ({ work }) => work.jobId === jobId,
    );
  const found = await until(`a component is wanted for ${jobId}`, find, (work) => work !== undefined);
  return found!;
}

/** The lines of a segment with one track of one detection. */
export function segmentLines(segment: number, at: number): readonly object[] {
  const frame = segment * SEGMENT_SIZE;
  const stopFrame = frame + SEGMENT_SIZE - 1;
  const box = { x: 1, y: 2, width: 3, height: 4, confidence: 0.5, properties: {} };
  const track: StreamTrack = {
    liveId: `t${segment}`,
    startFrame: frame,
    stopFrame: frame,
    startTime: at,
    stopTime: at,
    confidence: 0.5,
    properties: {},
    detections: [{ frame, time: at, ...box }],
  };
  const counts = { read: stopFrame + 1, processed: stopFrame - 1, dropped: 2, skipped: 0, reconnects: 1 };
  return [track, { segment: { startFrame: frame, stopFrame, startTime: at, stopTime: at + 1_000, counts } }];
}
