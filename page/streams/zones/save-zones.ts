import { send } from '../../kit/api.ts';
import type { StreamInfo } from '../types.ts';
import { planOf, type Draft } from './draft.ts';

/** Restarts the camera with these zones and its other settings. Returns the number of the new stream. @throws ApiError */
export async function saveZones({ jobId: number }: StreamInfo, draft: Draft): Promise<number> {
  const path = `rest/streaming/jobs/${number}/restart`;
  const { jobId } = await send<{ readonly jobId: number }>('POST', path, planOf(draft));
  return jobId;
}
