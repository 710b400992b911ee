import type { MessageDraft } from './state.ts';

export type SystemMessageCommand =
  /** From an ADMIN over HTTP, or from the server itself; the id was taken from its sequence before. */
  | { readonly type: 'post'; readonly id: number; readonly draft: MessageDraft }
  /** From an ADMIN over HTTP. */
  | { readonly type: 'remove'; readonly id: number }
  /** From the server when it starts. */
  | { readonly type: 'serverStarted' };

export const SYSTEM_MESSAGE_COMMANDS: ReadonlySet<SystemMessageCommand['type']> = new Set([
  'post',
  'remove',
  'serverStarted',
]);

export type SystemMessageReply =
  | { readonly kind: 'done' }
  /** There are as many messages as there may be. */
  | { readonly kind: 'full'; readonly limit: number };
