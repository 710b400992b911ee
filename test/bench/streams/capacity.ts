/** The number of cameras that this machine can process, and the resources for each. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../../support/processes/service.ts';
import { countsOf, percent, showLoad, submit, watchStreams, withStreams, type Kind } from '../media/live.ts';
import { cpuMsOf, median, type Figure } from '../measure.ts';
import { inMib, proportionalBytes } from '../memory.ts';
import { liveTasks } from './live-tasks.ts';

const LARGE = { fps: 5, shows: 'large-walk', gate: false };
/** `step`: number of cameras added at a time. */
const DETECTORS: readonly { readonly name: string; readonly step: number }[] = [
  { name: 'FACE', step: 4 },
  { name: 'MOTION', step: 4 },
  { name: 'OBJECT', step: 2 },
];
const MOST = 24;
const WINDOW_MS = 7_000;
/** The search ends at this share of dropped frames. */
const TOO_MANY = 0.05;
/** No further step starts after this time. */
const LONG_MS = 60_000;
const MOST_MIB_A_CAMERA = 64;

interface Step {
  readonly streams: number;
  readonly droppedShare: number;
  readonly readShare: number;
  /** Share of one processor per stream: its component, and its part of the server. */
  readonly component: number;
  readonly server: number;
  /** Memory of the server and all components. */
  readonly bytes: number;
}

export async function liveStreams(): Promise<readonly Figure[]> {
  const figures = [...showLoad(), ...(await liveTasks())];
  for (const { name, step } of DETECTORS)
    figures.push(...(await capacity(name, { ...LARGE, pipeline: `${name} DETECTION PIPELINE` }, step)));
  return figures;
}

async function capacity(name: string, kind: Kind, more: number): Promise<readonly Figure[]> {
  return withStreams(kind, MOST, async (service, { urls }) => {
    const [ids, steps]: [number[], Step[]] = [[], []];
    const began = performance.now();
    while (ids.length < MOST && performance.now() - began < LONG_MS) {
      for (let n = 0; n < more; n++) ids.push(await submit(service, kind, urls[ids.length]!));
      await watchStreams(service, ids);
      steps.push(await measureStep(service, kind, ids));
      if (steps.at(-1)!.droppedShare > TOO_MANY) break;
    }
    return figuresOf(`${name}, 1280x720, ${kind.fps} frames a second`, steps);
  });
}

function figuresOf(what: string, steps: readonly Step[]): readonly Figure[] {
  const held = steps.filter(({ droppedShare }) => droppedShare <= TOO_MANY).at(-1);
  const [first, last] = [steps[0]!, steps.at(-1)!];
  const shares = (part: 'component' | 'server') => percent(median(steps.map((step) => step[part])));
  return [
    {
      what: `${what}: cameras with at most ${percent(TOO_MANY)} of their frames dropped`,
      value: `${held?.streams ?? 0}${held?.streams === MOST ? ' (more were not tried)' : ''}`,
    },
    { what: `${what}: cameras, frames dropped, read of those sent`, value: steps.map(stepText).join('; ') },
    {
      what: `${what}: processor of a camera, component; server`,
      value: `${shares('component')}; ${shares('server')} of a core`,
    },
    {
      what: `${what}: memory of each camera after the first ${first.streams}`,
      value: inMib((last.bytes - first.bytes) / Math.max(1, last.streams - first.streams)),
      aim: `at most ${MOST_MIB_A_CAMERA} MiB`,
    },
  ];
}

const stepText = ({ streams, droppedShare, readShare }: Step): string =>
  `${streams}: ${percent(droppedShare)}, ${percent(readShare)}`;

async function measureStep(service: Service, { fps }: Kind, ids: readonly number[]): Promise<Step> {
  const processes = [service.pid, ...componentsOf(service)];
  const processors = (): number[] => processes.map((pid) => cpuMsOf(pid) / 1_000);
  const [counts, used, began] = [await countsOf(service, ids), processors(), performance.now()];
  await sleep(WINDOW_MS);
  const [later, after] = [await countsOf(service, ids), processors()];
  const seconds = (performance.now() - began) / 1_000;
  const read = later.read - counts.read;
  const [server = 0, ...components] = after.map((spent, n) => (spent - used[n]!) / seconds / ids.length);
  return {
    streams: ids.length,
    droppedShare: (later.dropped - counts.dropped) / Math.max(1, read),
    readShare: read / (fps * seconds * ids.length),
    component: components.reduce((sum, share) => sum + share, 0),
    server,
    bytes: processes.reduce((sum, pid) => sum + proportionalBytes(pid), 0),
  };
}

/** With the process that runs networks for all of them. */
const componentsOf = (service: Service): readonly number[] =>
  ['component process started', 'process of the networks started'].flatMap((message) =>
    service.log(message).map(({ pid }) => pid),
  );
