/** Tokens of component processes. Each names the node that started its process, so that any server can find that node. */
import { createHash, randomBytes } from 'node:crypto';

const TOKEN = /^(\w[\w.-]*)~[\w-]{43}$/;

export const newToken = (node: string): string => `${node}~${randomBytes(32).toString('base64url')}`;

/** Returns the stored hash of a token. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('base64url');

/** Returns the node that issued this token. Returns undefined if no node has issued it. */
export const nodeOfToken = (token: string): string | undefined => TOKEN.exec(token)?.[1];
