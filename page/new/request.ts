import type { z } from 'zod';
import type { jobCreationRequest } from '../../http/schemas/jobs/batch-jobs.ts';

/** A medium that was chosen for a job. */
export interface ChosenMedium {
  /** For this page alone. */
  readonly key: number;
  readonly name: string;
  /** undefined: it is still on its way to the server, or was not taken. */
  readonly uri: string | undefined;
  readonly sent?: number;
  readonly bytes?: number;
  readonly problem?: string;
  /** false: it is no video, of which a part can be taken. */
  readonly hasParts?: boolean;
  /** Seconds from the start, as they were typed. */
  readonly from: string;
  readonly to: string;
}

/** What the form holds. */
export interface Draft {
  readonly media: readonly ChosenMedium[];
  readonly pipelineName: string;
  /** By algorithm, then by property; as they were typed. */
  readonly properties: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly priority: string;
  readonly externalId: string;
}

export const EMPTY: Draft = { media: [], pipelineName: '', properties: {}, priority: '', externalId: '' };

export type JobCreationRequest = z.input<typeof jobCreationRequest>;

/** The job as the REST interface takes it. */
export function requestOf({
  media,
  pipelineName,
  properties,
  priority,
  externalId,
}: Draft): JobCreationRequest {
  const algorithmProperties = Object.fromEntries(
    Object.entries(properties)
      .map(([algorithm, values]) => [algorithm, filledIn(values)] as const)
      .filter(([, values]) => Object.keys(values).length > 0),
  );
  return {
    media: media.flatMap(mediumOf),
    pipelineName,
    ...(Object.keys(algorithmProperties).length > 0 && { algorithmProperties }),
    ...(priority !== '' && { priority: Number(priority) }),
    ...(externalId !== '' && { externalId }),
  };
}

const filledIn = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));

/** From 0 to the end is the whole medium. */
const END_MS = 2_147_483_647;

function mediumOf({ uri, from, to }: ChosenMedium): JobCreationRequest['media'] {
  if (uri === undefined) return [];
  if (from === '' && to === '') return [{ mediaUri: uri }];
  const start = from === '' ? 0 : milliseconds(from);
  const stop = to === '' ? END_MS : milliseconds(to);
  return [{ mediaUri: uri, timeRanges: [{ start, stop }] }];
}

const milliseconds = (seconds: string) => Math.round(Number(seconds) * 1_000);

/** Why the job cannot be asked for yet; undefined: it can. */
export function missingOf({ media, pipelineName }: Draft): string | undefined {
  if (media.some(({ uri, problem }) => uri === undefined && problem === undefined))
    return 'Media are still on their way to the server.';
  if (!media.some(({ uri }) => uri !== undefined)) return 'Add a medium first.';
  if (pipelineName === '') return 'Choose a pipeline.';
  return undefined;
}

/** The same as a line for a shell, with a token in `$TOKEN`. */
export function curlLine(url: string, request: JobCreationRequest): string {
  const body = JSON.stringify(request, null, 2).replaceAll("'", String.raw`'\''`);
  return [
    `curl -X POST ${url} \\`,
    `  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\`,
    `  -d '${body}'`,
  ].join('\n');
}
