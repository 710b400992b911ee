/** Ids and receivers of the deliveries of a job. */
import { webhookId } from '../../../domain/job/webhook.ts';
import { destinationOf, type HttpNotice } from '../../delivery/notice.ts';
import type { JobRecord } from '../state/record.ts';

export const callbackId = ({ jobId }: JobRecord, run: number) => `${jobId}.${run}.callback`;
export const archiveId = ({ jobId }: JobRecord, run: number, medium: number) =>
  `${jobId}.${run}.archive.${medium}`;

/** Ids of all deliveries of a run. */
export function noticeIds(record: JobRecord, run: number, kinds: readonly HttpNotice['kind'][]): string[] {
  return [
    ...(kinds.includes('callback') && record.callback !== undefined ? [callbackId(record, run)] : []),
    ...(kinds.includes('archive')
      ? record.media.flatMap(({ archiveUrl }, n) =>
          archiveUrl === undefined ? [] : [archiveId(record, run, n)],
        )
      : []),
  ];
}

/** The destinations of all deliveries of a job. */
export function destinationsOf({ callback, media }: JobRecord): readonly string[] {
  const posts = media.flatMap(({ archiveUrl }) => (archiveUrl === undefined ? [] : [archiveUrl]));
  const urls = callback === undefined ? posts : [callback.url, ...posts];
  return [...new Set(urls.filter((url) => URL.canParse(url)).map(destinationOf))];
}

/** The id of the callback of a run, as clients and receivers see it. */
export const deliveryId = (record: JobRecord, run: number): string => webhookId(callbackId(record, run));
