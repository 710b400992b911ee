/** Rules for nodes that connect: pure functions. */
import type { NodeAbout } from '../node-manager/node-state.ts';
import type { NodeAccess, SyncRequest } from './messages.ts';

/** FORBIDDEN: the name belongs to another client. CONFLICT: the node can only stop. INVALID: the message is wrong. */
export type NodeRefusal = 'FORBIDDEN' | 'CONFLICT' | 'INVALID';
export interface NodeObjection {
  readonly refusal: NodeRefusal;
  /** A sentence that says what to do. */
  readonly message: string;
}

/** Known facts about the node of this name. */
export interface KnownNode {
  readonly instance: string;
  readonly client: string;
  /** The node has been silent for NODE_SILENCE_MS. */
  readonly silent: boolean;
  /** The node has announced its end. */
  readonly left: boolean;
  /** The node configuration has services for it. */
  readonly configured: boolean;
}

export interface ServerFacts {
  /** The name of the server's own node. */
  readonly host: string;
  readonly version: string;
  /** Names of all node classes. */
  readonly classes: readonly string[];
}

type Told = Pick<SyncRequest, 'instance' | 'formerly' | 'version' | 'nodeClass'>;

/** Identifies a start of a node and the client that it belongs to. */
export const aboutOf = (
  { instance, version, nodeClass }: Omit<Told, 'formerly'>,
  client: string,
): NodeAbout => ({ instance, version, client, ...(nodeClass === undefined ? {} : { nodeClass }) });

export function objectionTo(
  node: string,
  told: Told,
  access: NodeAccess,
  known: KnownNode | undefined,
  server: ServerFacts,
): NodeObjection | undefined {
  return (
    wrongName(node, access, server) ??
    wrongVersion(told.version, server.version) ??
    wrongClass(told, server) ??
    (known === undefined ? undefined : (othersName(node, access, known) ?? twice(node, told, known)))
  );
}

function wrongName(node: string, access: NodeAccess, { host }: ServerFacts): NodeObjection | undefined {
  if (access.node !== null && access.node !== node)
    return {
      refusal: 'FORBIDDEN',
      message: `The token is for the node ${access.node}, not for ${node}: set NODE_NAME=${access.node}, or get a token with troupe token --node ${node}.`,
    };
  if (node === host)
    return {
      refusal: 'CONFLICT',
      message: `${node} is the server's own node: give this one another NODE_NAME.`,
    };
  return undefined;
}

function wrongVersion(version: string, own: string): NodeObjection | undefined {
  if (majorOf(version) === majorOf(own)) return undefined;
  return {
    refusal: 'CONFLICT',
    message: `The node is of version ${version}, the server of ${own}: install the server's version on the node.`,
  };
}

function wrongClass({ nodeClass }: Told, { classes }: ServerFacts): NodeObjection | undefined {
  if (nodeClass === undefined || classes.includes(nodeClass)) return undefined;
  const known = classes.length === 0 ? 'There is none.' : `There are: ${classes.join(', ')}.`;
  return {
    refusal: 'CONFLICT',
    message: `There is no node class ${nodeClass}. ${known} Start the node with one of them, or define ${nodeClass} with troupe nodes apply-classes.`,
  };
}

/** Refuses a name of another client. A name belongs to the client that first used it, while the node is configured or not silent. */
function othersName(node: string, { client }: NodeAccess, known: KnownNode): NodeObjection | undefined {
  if (known.client === client || (known.silent && !known.configured)) return undefined;
  return {
    refusal: 'FORBIDDEN',
    message: `The name ${node} belongs to another client: give this node another NODE_NAME, or take the host out of the node configuration while its node is down.`,
  };
}

function twice(node: string, { instance, formerly }: Told, known: KnownNode): NodeObjection | undefined {
  // The message arrived after the node announced its end.
  if (known.left && known.instance === instance)
    return {
      refusal: 'CONFLICT',
      message: `This start of the node ${node} has announced its end: start the node again.`,
    };
  if (known.silent || known.instance === instance || known.instance === formerly) return undefined;
  return {
    refusal: 'CONFLICT',
    message: `Another node is called ${node} and is connected. Give each node its own NODE_NAME, or wait NODE_SILENCE_MS if you moved this node to another folder.`,
  };
}

/** Returns a warning for administrators about a node of another minor version. Returns undefined if the versions match. */
export function versionWarning(node: string, version: string, own: string): string | undefined {
  const minor = (text: string) => text.split('.').slice(0, 2).join('.');
  return minor(version) === minor(own)
    ? undefined
    : `The node ${node} is of version ${version}, the server of ${own}: install the server's version there soon.`;
}

const majorOf = (version: string) => version.split('.', 1)[0];

/** Refuses a message about services or processes of other nodes. */
export function wrongOwner(
  node: string,
  { services, processes, news }: Pick<SyncRequest, 'services' | 'processes' | 'news'>,
): NodeObjection | undefined {
  const workers = [
    ...processes.map(({ worker }) => worker),
    ...news.flatMap((one) => (one.what === 'gone' ? [one.worker] : [])),
    ...news.flatMap((one) => (one.what === 'lines' ? (one.lines ?? []).map(({ worker }) => worker) : [])),
  ];
  const names = [...services.map(({ name }) => name), ...workers];
  const other = names.find((name) => !name.startsWith(`${node}:`));
  return other === undefined
    ? undefined
    : { refusal: 'INVALID', message: `${other.slice(0, 200)} is no service or process of ${node}.` };
}

/** Returns the node of a process, by the name of the process. Returns undefined if no node has started it. */
export const nodeOfWorker = (worker: string): string | undefined =>
  /^([^\s:]+):[^:]+:\d+#\d+$/.exec(worker)?.[1];

/** Returns the service of a process, without host and rank. */
export const serviceOfWorker = (worker: string): string => worker.split(':')[1] ?? '';
