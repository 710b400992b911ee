import { send } from '../../kit/api.ts';
import { SEGMENT_FRAMES } from '../new-stream.tsx';
import type { StreamInfo } from '../types.ts';
import { planOf, type Draft } from './draft.ts';

export type SecretAddress = 'camera' | 'recording';
export type Addresses = Readonly<Partial<Record<SecretAddress, string>>>;

/** What is secret in an address is not shown, so it must be typed again. */
export function secretAddresses({ streamUri, recording }: StreamInfo): readonly SecretAddress[] {
  const shown = { camera: streamUri, recording: recording?.streamUri ?? '' };
  return (['camera', 'recording'] as const).filter((which) => shown[which].includes('***'));
}

/** Starts the camera again with these zones; answers the number of the new stream. @throws ApiError */
export async function saveZones(stream: StreamInfo, draft: Draft, addresses: Addresses): Promise<number> {
  const { camera = stream.streamUri } = addresses;
  const { externalId } = stream;
  const { jobId } = await send<{ readonly jobId: number }>('POST', 'rest/streaming/jobs', {
    enableOutputToDisk: stream.outputObjectDirectory !== null,
    ...(externalId && { externalId }),
    stream: { streamUri: camera.trim(), segmentSize: SEGMENT_FRAMES, ...recordingOf(stream, addresses) },
    stallTimeout: -1,
    pipelineName: stream.pipelineName,
    ...planOf(draft),
    events: {},
  });
  await send('POST', `rest/streaming/jobs/${stream.jobId}/cancel`, undefined, { doCleanup: false });
  return jobId;
}

function recordingOf({ recording }: StreamInfo, addresses: Addresses) {
  if (recording === undefined) return {};
  const streamUri = addresses.recording?.trim() ?? recording.streamUri;
  return { recording: { ...recording, ...(streamUri !== undefined && { streamUri }) } };
}
