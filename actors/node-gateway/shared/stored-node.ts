/** The stored state of a node, which servers with one store share: pure functions. */
import { randomUUID } from 'node:crypto';
import type { ServiceModel } from '../../node-configuration/model.ts';
import type { NodeAbout, NodeBody, StoredLink } from '../../node-manager/node-state.ts';
import type { NodeAccess, SyncRequest } from '../messages.ts';
import { aboutOf } from '../rules.ts';
import type { ToldOfNode } from '../remote-node.ts';

/** The stored state of a node on another host. */
export interface LinkedBody extends Omit<NodeBody, 'about' | 'link'> {
  readonly about: NodeAbout;
  readonly link: StoredLink;
}

export const isLinked = (body: NodeBody | LinkedBody | undefined): body is LinkedBody =>
  body?.about !== undefined && body.link !== undefined;

/** Returns the stored state after this message. Returns undefined if a later message has already arrived. */
export function bodyAfter(
  { client }: NodeAccess,
  { instance, version, nodeClass, ...told }: SyncRequest,
  stored: NodeBody | undefined,
  now: number,
): LinkedBody | undefined {
  const isSame = isLinked(stored) && stored.about.instance === instance;
  if (isSame && told.turn <= stored.link.turn) return undefined;
  const link = isSame
    ? numberedFor(told, stored.link)
    : { ...firstLink(), takenBack: stored?.about === undefined };
  const done = told.server === link.numbering ? told.done : 0;
  return {
    seenAt: told.leaving ? 0 : now,
    about: aboutOf({ instance, version, nodeClass }, client),
    services: [...told.services],
    link: {
      ...link,
      turn: told.turn,
      commands: told.leaving ? [] : link.commands.filter(({ number }) => number > done),
      processes: told.leaving ? [] : [...told.processes],
      draining: told.draining === true,
      installed: told.installed.map((model) => ({ ...model })),
    },
  };
}

/**
 * Returns the link with a numbering that fits the node. If the node has carried out more commands than were stored as given, the store has
 * lost commits. The node would then confuse new numbers with the lost ones, so open commands get a new numbering. The node recognizes
 * commands that it has carried out by their ids.
 */
function numberedFor({ server, done }: Pick<SyncRequest, 'server' | 'done'>, link: StoredLink): StoredLink {
  if (server !== link.numbering || done <= link.given) return link;
  const commands = link.commands.map((command, n) => ({ ...command, number: n + 1 }));
  return { ...link, numbering: randomUUID(), number: commands.length, given: 0, commands };
}

const firstLink = (): StoredLink => ({
  turn: -1,
  numbering: randomUUID(),
  number: 0,
  given: 0,
  commands: [],
  processes: [],
  installed: [],
});

export const toldBy = ({
  turn,
  processes,
  installed,
  draining,
}: StoredLink): Omit<ToldOfNode, 'services'> => ({
  turn,
  processes,
  draining,
  installed: installed as unknown as readonly ServiceModel[],
});

/** True if the change matters to other servers. */
export function isOtherwise(before: NodeBody | undefined, after: NodeBody | undefined): boolean {
  const parseBody = (body: NodeBody | undefined) => {
    const { services, about, seenAt, link } = body ?? {};
    return [
      ...[services, about, seenAt === 0, link?.processes, link?.installed, link?.commands.length],
      link?.draining === true,
    ];
  };
  return JSON.stringify(parseBody(before)) !== JSON.stringify(parseBody(after));
}
