/**
 * The age of a live picture when a viewer gets it, measured by the number that the camera paints into each
 * picture.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { sharp } from '../../../../media/picture/sharp.ts';
import { parts, percent, showLoad, submit, watchStreams, withStreams } from '../live.ts';
import { numberIn, NUMBERS } from './burnt-numbers.ts';
import { inMib, residentBytes } from '../../memory.ts';
import type { Figure } from '../../measure.ts';
import type { Service } from '../../../support/processes/service.ts';

const NUMBERED = { pipeline: 'MOTION DETECTION PIPELINE', fps: 10, shows: 'numbers', gate: false };
const CAMERAS = 2;
const VIEW_MS = 20_000;

interface Shown {
  readonly number: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export async function viewDelay(): Promise<readonly Figure[]> {
  return withStreams(NUMBERED, CAMERAS, async (service, { process: child, urls }) => {
    const ids: number[] = [];
    for (const url of urls) ids.push(await submit(service, NUMBERED, url));
    await watchStreams(service, ids);
    const before = residentBytes(service.pid);
    const over = AbortSignal.timeout(VIEW_MS);
    const shown = await Promise.all(ids.map((id) => view(service, id, over)));
    const grown = residentBytes(service.pid) - before;
    const told = once(child, 'message') as Promise<[{ sentAt: number[][] }]>;
    child.send('tell');
    const [{ sentAt }] = await told;
    const delays = shown.flatMap((all, camera) => all.map((one) => ageOf(one, sentAt[camera]!)));
    const sent = (VIEW_MS / 1_000) * NUMBERED.fps * CAMERAS;
    const what = `${CAMERAS} cameras of 1280x720, ${NUMBERED.fps} frames a second`;
    return [
      ...showLoad(),
      {
        what: `${what}: from the sending of a frame to the picture with its boxes at a viewer`,
        value: `${parts(delays)} (${delays.length} pictures, ${percent(delays.length / sent)} of those sent)`,
        aim: 'p95 1000 ms',
      },
      { what: 'memory of the server that the viewers take', value: inMib(grown) },
    ];
  });
}

/** Numbers repeat, so this takes the newest frame with this number that had been sent by then. */
function ageOf({ number, at }: Shown, sentAt: readonly number[]): number {
  const index = sentAt.findLastIndex((time, n) => n % NUMBERS === number && time <= at);
  return at - (sentAt[index] ?? NaN);
}

async function view(service: Service, id: number, over: AbortSignal): Promise<readonly Shown[]> {
  const pictures: { readonly jpeg: Buffer; readonly at: number }[] = [];
  try {
    const response = await fetch(`${service.url}/rest/streaming/jobs/${id}/live.mjpeg`, {
      headers: { authorization: `Bearer ${service.token}` },
      signal: over,
    });
    if (response.status !== 200) throw new Error(await response.text());
    let bytes = Buffer.alloc(0);
    for await (const chunk of response.body!) {
      bytes = Buffer.concat([bytes, chunk]);
      const head = /Content-Length: (\d+)\r\n\r\n/.exec(bytes.subarray(0, 200).toString('latin1'));
      if (head === null) continue;
      const start = head.index + head[0].length;
      const end = start + Number(head[1]);
      if (bytes.length < end) continue;
      pictures.push({ jpeg: bytes.subarray(start, end), at: Date.now() });
      bytes = Buffer.from(bytes.subarray(end));
    }
  } catch (error) {
    if (!over.aborted) throw error;
  }
  // Decoded afterwards, because decoding would take processor time from the service.
  await sleep(0);
  const shown: Shown[] = [];
  for (const { jpeg, at } of pictures) {
    const { data, info } = await sharp(jpeg).greyscale().raw().toBuffer({ resolveWithObject: true });
    const number = numberIn(data, info.width);
    if (number !== undefined) shown.push({ number, at });
  }
  return shown;
}
