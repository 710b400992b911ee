/** Tokens of component processes. Each names the node that started its process, so that any server can find that node. */
import { createHash, randomBytes } from 'node:crypto';

const TOKEN = /^(\w[\w.-]*)~[\w-]{43}$/;

export const newToken = (node: string): string => `${node}~${randomBytes(32).toString('base64url')}`;

/** The stored hash of a token. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('base64url');

/** The node that issued this token; undefined: no node did. */
export const nodeOfToken = (token: string): string | undefined => TOKEN.exec(token)?.[1];
