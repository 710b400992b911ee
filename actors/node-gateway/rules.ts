/** Whether a node may connect: pure functions. */
import type { NodeAbout } from '../node-manager/node-state.ts';
import type { NodeAccess, SyncRequest } from './messages.ts';

/** FORBIDDEN: the name is another's. CONFLICT: the node can do nothing about it but stop. INVALID: the message is wrong. */
export type NodeRefusal = 'FORBIDDEN' | 'CONFLICT' | 'INVALID';
export interface NodeObjection {
  readonly refusal: NodeRefusal;
  /** A sentence that says what to do. */
  readonly message: string;
}

/** What the server knows of the node of this name. */
export interface KnownNode {
  readonly instance: string;
  readonly client: string;
  /** It has not been heard of for NODE_SILENCE_MS. */
  readonly silent: boolean;
  /** It has said that it ends. */
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

/** As long as there is something for it in the configuration, or it is there, a name belongs to the client that came with it first. */
function othersName(node: string, { client }: NodeAccess, known: KnownNode): NodeObjection | undefined {
  if (known.client === client || (known.silent && !known.configured)) return undefined;
  return {
    refusal: 'FORBIDDEN',
    message: `The name ${node} belongs to another client: give this node another NODE_NAME, or take the host out of the node configuration while its node is down.`,
  };
}

function twice(node: string, { instance, formerly }: Told, known: KnownNode): NodeObjection | undefined {
  // A message that was overtaken on its way.
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

/** A warning for administrators about a node of another minor version. Undefined: it has the version of the server. */
export function versionWarning(node: string, version: string, own: string): string | undefined {
  const minor = (text: string) => text.split('.').slice(0, 2).join('.');
  return minor(version) === minor(own)
    ? undefined
    : `The node ${node} is of version ${version}, the server of ${own}: install the server's version there soon.`;
}

const majorOf = (version: string) => version.split('.', 1)[0];

/** Why a message is refused: a node may only report its own services and processes. */
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

/** The node that a process belongs to, by its name; undefined: no node has started it. */
export const nodeOfWorker = (worker: string): string | undefined =>
  /^([^\s:]+):[^:]+:\d+#\d+$/.exec(worker)?.[1];

/** The service that a process belongs to, without host and rank. */
export const serviceOfWorker = (worker: string): string => worker.split(':')[1] ?? '';
