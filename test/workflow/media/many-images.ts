/** Jobs of many small images, and log lines about the sub-jobs of large jobs. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { LogLine, Service } from '../../support/processes/service.ts';
import { uriOf } from '../results.ts';

export const IMAGES = 24;
/** Index of the invalid image. */
export const BAD = 15;

export async function writeImages({ mediaDir }: Service): Promise<void> {
  for (let n = 0; n < IMAGES; n++) {
    const background = { r: n, g: 0, b: 0 };
    const png = sharp({ create: { width: 8, height: 8, channels: 3, background } }).png();
    await writeFile(join(mediaDir, `${n}.png`), await png.toBuffer());
  }
}

export const submitImages = (
  service: Service,
  pipelineName: string,
  trouble: Readonly<Record<string, string>> = {},
): Promise<string> =>
  service.submit({
    pipelineName,
    jobProperties: { ARTIFACT_EXTRACTION_POLICY: 'NONE' },
    media: Array.from({ length: IMAGES }, (_, n) => ({
      mediaUri: uriOf(service, `${n}.png`),
      ...(n === BAD ? { properties: trouble } : {}),
    })),
  });

export const commitsOf = (service: Service, id: string): readonly LogLine[] =>
  service.log('committed').filter(({ job }) => job === id.slice(id.lastIndexOf('-') + 1));

/** Ids of answered sub-jobs in commit order. */
export const answeredOf = (service: Service, id: string): readonly string[] =>
  commitsOf(service, id).flatMap(({ done, failed }) => [...(done as string[]), ...(failed as string[])]);

/** The largest number of outstanding sub-jobs at any commit of the job: inspections, or all others. */
export function mostAtATime(service: Service, id: string, what: 'inspections' | 'others'): number {
  const isMeant = (subJob: string) => subJob.includes('.prepare.') === (what === 'inspections');
  const open = new Set<string>();
  let most = 0;
  for (const { done, failed, made } of commitsOf(service, id) as unknown as readonly Record<
    string,
    string[]
  >[]) {
    for (const subJob of [...done!, ...failed!]) open.delete(subJob);
    for (const subJob of made!.filter(isMeant)) open.add(subJob);
    most = Math.max(most, open.size);
  }
  return most;
}
