import { send } from '../../kit/api.ts';
import type { StreamInfo } from '../types.ts';
import { planOf, type Draft } from './draft.ts';

/** Starts the camera again with these zones and all else that it had; answers the number of the new stream. @throws ApiError */
export async function saveZones({ jobId: number }: StreamInfo, draft: Draft): Promise<number> {
  const path = `rest/streaming/jobs/${number}/restart`;
  const { jobId } = await send<{ readonly jobId: number }>('POST', path, planOf(draft));
  return jobId;
}
