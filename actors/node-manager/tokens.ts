/** Tokens of component processes. Each names the node that started its process, so that any server knows whom to ask of it. */
import { createHash, randomBytes } from 'node:crypto';

const TOKEN = /^(\w[\w.-]*)~[\w-]{43}$/;

export const newToken = (node: string): string => `${node}~${randomBytes(32).toString('base64url')}`;

/** What is kept of a token. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('base64url');

/** The node that has made this token; undefined when none has. */
export const nodeOfToken = (token: string): string | undefined => TOKEN.exec(token)?.[1];
