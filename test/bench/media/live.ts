/** Live streams with the whole service: the delay of their events. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Broker } from '../../support/servers/broker.ts';
import { Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import { round, type Figure } from '../measure.ts';

const VISITS = { pipeline: 'FACE DETECTION PIPELINE', fps: 5, shows: 'visits', gate: true };
const LARGE_VISITS: Readonly<Record<string, Kind>> = {
  JPEG: { ...VISITS, shows: 'large-visits' },
  'H.264': { ...VISITS, shows: 'coded-visits' },
};
export type Kind = typeof VISITS;
/** Two cameras with a zone that covers the whole picture. */
const WITH_ZONES = 2;
const ZONES = {
  zones: [{ name: 'picture', points: [[0, 0], [1, 0], [1, 1], [0, 1]] }], // oxfmt-ignore
  rules: [{ name: 'anybody', zone: 'picture' }],
};

const WATCHED = 8;
const LISTEN_MS = 35_000;
/** The first face of a camera disappears before this frame. */
const FIRST_VISIT = 22;

/** Other load of the machine affects every value. */
export const showLoad = (): readonly Figure[] => [
  { what: 'load of the machine', value: round(loadavg()[0]!, 1) },
];

interface Cameras {
  readonly process: ChildProcess;
  readonly urls: readonly string[];
}

export async function withStreams<T>(
  { fps, shows }: Kind,
  count: number,
  use: (service: Service, cameras: Cameras) => Promise<T>,
): Promise<T> {
  const file = fileURLToPath(new URL('./live-cameras.js', import.meta.url));
  const child = fork(file, [String(count), String(fps), shows]);
  const service = await Service.start({ LOG_LEVEL: 'info', MAX_STREAMS: String(count) });
  try {
    const { urls } = await nextMessage<{ urls: readonly string[] }>(child);
    return await use(service, { process: child, urls });
  } finally {
    await service.close();
    child.disconnect();
  }
}

async function nextMessage<T>(child: ChildProcess): Promise<T> {
  const [message] = (await once(child, 'message')) as [T];
  return message;
}

export async function submit(
  service: Service,
  { pipeline, gate }: Kind,
  streamUri: string,
  more: object = {},
): Promise<number> {
  const { status, text, body } = await service.ask('POST', '/rest/streaming/jobs', {
    enableOutputToDisk: false,
    stream: { streamUri, segmentSize: 25 },
    stallTimeout: -1,
    pipelineName: pipeline,
    jobProperties: gate ? { MOTION_GATE: 'TRUE' } : {},
    ...more,
  });
  if (status !== 201) throw new Error(text);
  return (body as { jobId: number }).jobId;
}

interface Counts {
  readonly read: number;
  readonly dropped: number;
}
export async function countsOf(service: Service, ids: readonly number[]): Promise<Counts> {
  const all = await Promise.all(
    ids.map(async (id) => {
      const { body } = await service.ask('GET', `/rest/streaming/jobs/${id}?details=true`);
      return (body as { frames: Counts }).frames;
    }),
  );
  const sum = (what: keyof Counts): number => all.reduce((total, counts) => total + counts[what], 0);
  return { read: sum('read'), dropped: sum('dropped') };
}

export const watchStreams = async (service: Service, ids: readonly number[]): Promise<unknown> =>
  until(
    'all streams are read',
    () => Promise.all(ids.map((id) => countsOf(service, [id]))),
    (all) => all.every(({ read }) => read > 0),
    { withinMs: 90_000, everyMs: 250 },
  );

/** Time from sending the first frame with a face until a client gets the event. */
export async function liveDelay(): Promise<readonly Figure[]> {
  return withStreams(VISITS, WATCHED, async (service, { process: child, urls }) => {
    const ids: number[] = [];
    for (const url of urls) ids.push(await submit(service, VISITS, url));
    await watchStreams(service, ids);
    const seen: Seen[] = [];
    const over = AbortSignal.timeout(LISTEN_MS);
    const before = await countsOf(service, ids);
    await Promise.all(
      ids.map((id, camera) => listen(service, { id, camera, over }, (one) => seen.push(one))),
    );
    const told = once(child, 'message') as Promise<[{ sentAt: number[][] }]>;
    child.send('tell');
    const [{ sentAt }] = await told;
    const [sent, came] = [(one: Seen) => sentAt[one.camera]![one.frame]!, (one: Seen) => one.cameAt];
    const after = await countsOf(service, ids);
    const isFirst = ({ frame }: Seen) => frame < FIRST_VISIT;
    const later = seen.filter((one) => !isFirst(one));
    const dropped = `${later.length} events, ${after.dropped - before.dropped} of ${after.read - before.read} frames dropped`;
    const what = '8 cameras of 640x360, 5 frames a second, MOTION_GATE';
    return [
      ...showLoad(),
      {
        what: `${what}: from the camera's sending of a frame with a new face to the client's event`,
        value: `${parts(later.map((one) => one.at - sent(one)))} (${dropped})`,
        aim: 'p95 75 ms',
      },
      {
        what: 'the same from the moment when the frame was decoded',
        value: parts(later.map((one) => one.at - came(one))),
      },
      {
        what: 'the same of the first face of each camera, three seconds after its process has begun, while others begin',
        value: parts(seen.filter(isFirst).map((one) => one.at - sent(one))),
      },
    ];
  });
}

/** Time from sending the frame that meets a rule until a client and a broker get the event with its crop. */
export async function eventDelay(): Promise<readonly Figure[]> {
  const figures: Figure[] = [...showLoad()];
  for (const [format, kind] of Object.entries(LARGE_VISITS))
    figures.push(...(await eventDelayOf(kind, format)));
  return figures;
}

async function eventDelayOf(kind: Kind, format: string): Promise<readonly Figure[]> {
  const broker = await new Broker().start();
  try {
    return await withStreams(kind, WITH_ZONES, async (service, { process: child, urls }) => {
      const ids: number[] = [];
      for (const [n, url] of urls.entries()) {
        const events = { kinds: ['RULE'], mqtt: { url: broker.url, topic: `camera/${n}` } };
        ids.push(await submit(service, kind, url, { ...ZONES, events }));
      }
      await watchStreams(service, ids);
      const seen: Seen[] = [];
      const over = AbortSignal.timeout(LISTEN_MS);
      await Promise.all(
        ids.map((id, camera) =>
          listen(service, { id, camera, over, name: 'zoneEvent' }, (one) => seen.push(one)),
        ),
      );
      const told = once(child, 'message') as Promise<[{ sentAt: number[][] }]>;
      child.send('tell');
      const [{ sentAt }] = await told;
      const published = ids.flatMap((_, camera) =>
        broker.on(`camera/${camera}/rule/anybody`).map(({ text, at }) => {
          const { frame, at: cameAt } = JSON.parse(text) as { frame: number; at: number };
          return { camera, frame, cameAt, at };
        }),
      );
      const delays = (all: readonly Seen[]) =>
        all
          .filter(({ frame }) => frame >= FIRST_VISIT)
          .map((one) => one.at - sentAt[one.camera]![one.frame]!);
      const what = `${WITH_ZONES} cameras of 1280x720 in ${format}, 5 frames a second, MOTION_GATE`;
      const to = (where: string, all: readonly Seen[]) => ({
        what: `${what}: from the sending of a frame to the event of a rule ${where}`,
        value: `${parts(delays(all))} (${delays(all).length} events)`,
        aim: 'p95 150 ms',
      });
      return [to('at a client', seen), to('on a broker', published)];
    });
  } finally {
    await broker.stop();
  }
}

export const percent = (share: number): string => `${round(share * 100, 1)} %`;

export function parts(delays: readonly number[]): string {
  const sorted = delays.toSorted((a, b) => a - b);
  const part = (share: number): string => round(sorted[Math.floor(sorted.length * share)] ?? NaN);
  return `p50 ${part(0.5)}, p75 ${part(0.75)}, p95 ${part(0.95)} ms`;
}

interface Seen {
  readonly camera: number;
  readonly frame: number;
  /** Time at which the reader got it. */
  readonly cameAt: number;
  readonly at: number;
}

interface Listening {
  readonly id: number;
  readonly camera: number;
  readonly over: AbortSignal;
  /** Type of the event. Of zone events, only those of rules count. */
  readonly name?: 'trackBegan' | 'zoneEvent';
}

async function listen(
  service: Service,
  { id, camera, over, name = 'trackBegan' }: Listening,
  tell: (seen: Seen) => void,
): Promise<void> {
  try {
    const response = await fetch(`${service.url}/rest/streaming/jobs/${id}/events`, {
      headers: { authorization: `Bearer ${service.token}` },
      signal: over,
    });
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const at = Date.now();
      const events = `${text}${chunk}`.split('\n\n');
      text = events.pop()!;
      for (const event of events) {
        const data = /^event: (trackBegan|zoneEvent)\ndata: (.*)$/m.exec(event);
        if (data === null || data[1] !== name) continue;
        const told = JSON.parse(data[2]!) as { frame: number; at: number; event?: string };
        if (name === 'zoneEvent' && told.event !== 'rule') continue;
        tell({ camera, at, frame: told.frame, cameAt: told.at });
      }
    }
  } catch (error) {
    if (!over.aborted) throw error;
  }
}
