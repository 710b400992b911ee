/**
 * An endurance run: a real server reads several good and bad cameras, and is measured every few seconds. Steady cameras are recorded and
 * have a zone, whose events go to a webhook and a broker.
 */
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { residentBytes } from '../bench/memory.ts';
import { Broker } from '../support/servers/broker.ts';
import { Receiver } from '../support/servers/receiver.ts';
import { Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';
import { soakCameras, type Random, type SoakCamera } from './soak-cameras.ts';
import { growthOf, type Look, type SoakFigures, type StreamFigures } from './soak-figures.ts';

export interface SoakOptions {
  readonly seconds: number;
  readonly seed: number;
  readonly everyMs: number;
  say(line: string): void;
}

interface Watched {
  readonly camera: SoakCamera;
  readonly id: number;
  readonly statuses: Set<string>;
  frames: StreamFigures['frames'];
}

const MIB = 1024 * 1024;
/** In seconds; less than tokens are valid. */
const TOKEN_AGE = 1_800;
/** In frames; two seconds. */
const SEGMENT = 10;
const SETTINGS = {
  LOG_LEVEL: 'info',
  STREAM_STALL_ALERT_MS: '3000',
  STREAM_RECONNECT_MAX_MS: '2000',
  HEALTH_REPORT_MS: '2000',
};
const NO_FRAMES = { read: 0, processed: 0, dropped: 0, skipped: 0, reconnects: 0 };

export async function soak(options: SoakOptions): Promise<SoakFigures> {
  const { seconds, seed } = options;
  options.say(`${seconds} s, SEED=${seed}`);
  const receiver = await Receiver.start();
  const broker = await new Broker().start();
  const cameras = await soakCameras(seconds * 2 + 120, randomOf(seed));
  const service = await Service.start(SETTINGS);
  try {
    const watched: Watched[] = [];
    for (const camera of cameras) watched.push(await watch(service, { receiver, broker }, camera));
    return await observe(service, { receiver, broker }, watched, options);
  } finally {
    await service.close();
    await Promise.all([receiver.close(), broker.stop(), ...cameras.map((camera) => camera.close())]);
  }
}

interface Receivers {
  readonly receiver: Receiver;
  readonly broker: Broker;
}

/** Recorded bytes of a camera at which the oldest are deleted: some minutes. */
const RECORDED_BYTES = 16 * MIB;
/** The left half of the picture, which the face in the clip enters and leaves. */
const HALF = { name: 'half', points: [[0, 0], [0.5, 0], [0.5, 1], [0, 1]] }; // oxfmt-ignore
const RULE = { name: 'in half', event: 'ENTER', zone: HALF.name };

const zonesOf = ({ name }: SoakCamera, { receiver, broker }: Receivers) => ({
  zones: [HALF],
  rules: [RULE],
  events: {
    callbackUri: `${receiver.url}/events`,
    mqtt: { url: broker.url, topic: topicOf(name) },
  },
});
const topicOf = (camera: string) => `soak/${camera.replace(' ', '-')}`;

async function watch(service: Service, receivers: Receivers, camera: SoakCamera): Promise<Watched> {
  const { receiver } = receivers;
  const isSteady = camera.temper === 'steady';
  const recording = { recording: { bytes: RECORDED_BYTES } };
  const { status, text, body } = await service.ask('POST', '/rest/streaming/jobs', {
    enableOutputToDisk: false,
    stream: { streamUri: camera.url, segmentSize: SEGMENT, ...(isSteady && recording) },
    ...(isSteady && zonesOf(camera, receivers)),
    stallTimeout: -1,
    pipelineName: camera.pipeline,
    jobProperties: camera.pipeline.startsWith('FACE') ? { MOTION_GATE: 'TRUE' } : {},
    healthReportCallbackUri: `${receiver.url}/health`,
    summaryReportCallbackUri: `${receiver.url}/summary`,
  });
  if (status !== 201) throw new Error(`${camera.name} was refused: ${text}`);
  const { jobId: id } = body as { jobId: number };
  const watched = { camera, id, statuses: new Set<string>(), frames: NO_FRAMES };
  await until(
    `${camera.name} is watched`,
    async () => (await info(service, id)).segments,
    (segments) => segments > 0,
    { withinMs: 60_000 },
  );
  return watched;
}

interface Info {
  readonly jobStatus: string;
  readonly segments: number;
  readonly frames: StreamFigures['frames'];
}
const info = async (service: Service, id: number) =>
  (await service.ask('GET', `/rest/streaming/jobs/${id}?details=true`)).body as Info;

async function observe(
  service: Service,
  receivers: Receivers,
  watched: readonly Watched[],
  { seconds, everyMs, say }: SoakOptions,
): Promise<SoakFigures> {
  const looks = new Map<string, Look[]>();
  const began = performance.now();
  let renewedAt = 0;
  for (let at = 0; at < seconds; at = (performance.now() - began) / 1_000) {
    if (at - renewedAt > TOKEN_AGE) {
      await service.renewToken();
      renewedAt = at;
    }
    for (const [name, pid] of processesOf(service)) lookAt(looks, name, pid, at);
    for (const one of watched) {
      const { jobStatus, frames } = await info(service, one.id);
      one.statuses.add(jobStatus);
      one.frames = frames;
    }
    say(lineOf(at, looks, watched));
    await sleep(everyMs);
  }
  const ended = [...service.log('component process ended'), ...service.log('process of the networks ended')]
    .length;
  return { seconds, looks, ended, streams: watched.map((one) => figuresOf(one, receivers)) };
}

function processesOf(service: Service): ReadonlyMap<string, number> {
  const components = service.log('component process started');
  const networks = service.log('process of the networks started');
  return new Map([
    ['server', service.pid],
    ...networks.map(({ pid }) => [`networks (${pid})`, pid] as const),
    ...components.map(({ worker, pid }) => [`${String(worker)} (${pid})`, pid] as const),
  ]);
}

function lookAt(looks: Map<string, Look[]>, name: string, pid: number, at: number): void {
  try {
    const handles = readdirSync(`/proc/${pid}/fd`).length;
    const look = { at, mib: residentBytes(pid) / MIB, handles };
    looks.set(name, [...(looks.get(name) ?? []), look]);
  } catch {
    // The process has ended, which is counted elsewhere.
  }
}

function lineOf(at: number, looks: ReadonlyMap<string, readonly Look[]>, watched: readonly Watched[]) {
  const memory = [...looks.values()].map((seen) => Math.round(seen.at(-1)!.mib)).join(' ');
  const handles = [...looks.values()].map((seen) => seen.at(-1)!.handles).join(' ');
  const sum = (what: keyof StreamFigures['frames']) =>
    watched.reduce((all, { frames }) => all + frames[what], 0);
  return `${at.toFixed(0)} s: MiB ${memory}; handles ${handles}; read ${sum('read')}, dropped ${sum('dropped')}, skipped ${sum('skipped')}, reconnects ${sum('reconnects')}`;
}

function figuresOf(
  { camera, id, statuses, frames }: Watched,
  { receiver, broker }: Receivers,
): StreamFigures {
  const reports = receiver.requests
    .filter(({ path }) => path === '/summary')
    .map(({ at, body }) => ({ at, ...(JSON.parse(body) as { jobId: number; segmentId: number }) }))
    .filter(({ jobId }) => jobId === id);
  const gaps = reports.slice(1).map(({ at }, n) => (at - reports[n]!.at) / 1_000);
  return {
    name: camera.name,
    temper: camera.temper,
    statuses,
    segments: reports.map(({ segmentId }) => segmentId),
    longestGap: Math.max(0, ...gaps),
    sent: camera.sent,
    frames,
    events: broker.messages.filter(({ topic }) => topic.startsWith(`${topicOf(camera.name)}/rule/`)).length,
  };
}

/** A readable summary. */
export function summary({ looks, streams }: SoakFigures): readonly string[] {
  return [
    ...[...looks].map(([name, seen]) => {
      const { mibAMinute, handles } = growthOf(seen);
      const { mib } = seen.at(-1)!;
      return `${name}: ${mib.toFixed(0)} MiB, ${mibAMinute.toFixed(2)} MiB a minute after the warm-up, ${handles} more handles`;
    }),
    ...streams.map(({ name, temper, segments, longestGap, sent, frames, statuses, events }) =>
      [
        `${name} (${temper}): ${segments.length} segments, longest gap ${longestGap.toFixed(1)} s`,
        `sent ${sent}, read ${frames.read}, dropped ${frames.dropped}, skipped ${frames.skipped}, reconnects ${frames.reconnects}, events ${events}`,
        [...statuses].join(' '),
      ].join('; '),
    ),
  ];
}

/** Mulberry32: numbers from 0 (inclusive) to 1 (exclusive), the same for the same seed. */
function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
