import { z } from 'zod';
import type { PauseKind } from '../../../actors/pauses/model.ts';
import { pausedSince } from '../../../actors/pauses/pause-book.ts';
import type { Pauses } from '../../../actors/pauses/pauses.ts';
import { textOf } from '../../../actors/runtime/machine.ts';
import { userOf } from '../../access/bearer.ts';
import { json, ok, sentence } from '../../routing/declaration.ts';
import { HttpError, notThere } from '../../routing/errors.ts';
import { drain } from '../../schemas/operation/drains.ts';
import { endpoint } from '../../steps/endpoint.ts';
import { knownNodes, knownServices, type NodeDeps } from '../nodes.ts';

export interface DrainDeps extends NodeDeps {
  readonly pauses: Pauses;
  /** Returns the number of sub-jobs that these workers have leased. */
  countLeases(holds: (worker: string) => boolean): Promise<number>;
}

type Kind = Exclude<PauseKind, 'queue'>;

interface Drained {
  readonly path: string;
  readonly names: string;
  /** Path of the endpoint that lists the names. */
  readonly list: string;
  readonly effect: string;
  known(deps: DrainDeps): Promise<readonly string[]>;
  /** True if the worker belongs to the service, node or server. */
  holds(name: string, worker: string): boolean;
}

const DRAINED: Readonly<Record<Kind, Drained>> = {
  service: {
    path: '/rest/nodes/services/{name}',
    names: '<host>:<service>:<n>',
    list: '/rest/nodes/info',
    effect: 'Its processes get no new work.',
    known: knownServices,
    holds: (name, worker) => worker.startsWith(`${name}#`),
  },
  node: {
    path: '/rest/nodes/{name}',
    names: 'The host of the node',
    list: '/rest/nodes',
    effect: 'Its services get no new work.',
    known: knownNodes,
    holds: (name, worker) => worker.startsWith(`${name}:`),
  },
  server: {
    path: '/rest/servers/{name}',
    names: "The host of the server's own node",
    list: '/rest/nodes',
    effect: 'It accepts no new jobs, assigns no work and is not ready (`/readyz`).',
    known: ({ nodes: { own } }) => Promise.resolve([own.manager.host, ...own.servers.keys()]),
    holds: (name, worker) => worker.startsWith(`${name}:`),
  },
};

const change = (kind: Kind, verb: 'drain' | 'undrain') => {
  const { path, names, list, effect, known, holds } = DRAINED[kind];
  return endpoint({
    method: 'post',
    path: `${path}/${verb}`,
    id: `${verb}${kind[0]!.toUpperCase()}${kind.slice(1)}`,
    tag: 'Nodes and services',
    caller: 'ADMIN',
    summary: verb === 'drain' ? `Drain a ${kind}` : `End the drain of a ${kind}`,
    description:
      verb === 'drain'
        ? `${effect} Running work finishes, and live streams continue. The drain lasts until it is ended, also after a restart.`
        : `It gets work again. A ${kind} that does not drain is not changed.`,
    params: z.object({ name: z.string().describe(names) }),
    answers: {
      200: json('Its state. It is drained when `working` is 0.', drain, {
        name: kind === 'service' ? 'host:FaceDetection:1' : 'host',
        ...(verb === 'drain' ? { draining: { since: '2026-03-01T08:30:00.000Z', by: 'alice' } } : {}),
        working: 2,
      }),
      404: sentence(`There is no such ${kind}.`),
      409: sentence('Too many queues, services and nodes are paused.'),
    },
    async handle({ params: { name }, ctx }, deps: DrainDeps) {
      const { pauses } = deps;
      const all = await known(deps);
      // A service, node or server that no longer exists may still have to be undrained.
      if (!all.includes(name) && pauses.book.find(kind, name) === undefined)
        throw notThere(kind, name, list, all);
      const reply = await (verb === 'drain'
        ? pauses.pause(kind, name, userOf(ctx).name)
        : pauses.resume(kind, name));
      if (reply.kind === 'refused') throw new HttpError('too-many-pauses', textOf(reply));
      const working = await deps.countLeases((worker) => holds(name, worker));
      return ok({ name, ...pausedSince('draining', pauses.book.find(kind, name)), working });
    },
  });
};

/** Drains of services, nodes and servers (not in the specification). */
export const drainEndpoints = [
  change('service', 'drain'),
  change('service', 'undrain'),
  change('node', 'drain'),
  change('node', 'undrain'),
  change('server', 'drain'),
  change('server', 'undrain'),
];
