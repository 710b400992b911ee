import { send } from '../../kit/api.ts';
import { SEGMENT_FRAMES } from '../new-stream.tsx';
import type { StreamInfo } from '../types.ts';
import { planOf, type Draft } from './draft.ts';

/** What is secret in an address is not shown, so it must be typed again. */
export const isAddressSecret = ({ streamUri }: StreamInfo) => streamUri.includes('***');

/** Starts the camera again with these zones; answers the number of the new stream. @throws ApiError */
export async function saveZones(stream: StreamInfo, draft: Draft, address: string): Promise<number> {
  const { jobId } = await send<{ readonly jobId: number }>('POST', 'rest/streaming/jobs', {
    enableOutputToDisk: true,
    stream: { streamUri: address, segmentSize: SEGMENT_FRAMES },
    stallTimeout: -1,
    pipelineName: stream.pipelineName,
    ...planOf(draft),
    events: {},
  });
  await send('POST', `rest/streaming/jobs/${stream.jobId}/cancel`, undefined, { doCleanup: false });
  return jobId;
}
