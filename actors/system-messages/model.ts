import { z } from 'zod';
import type { Reply } from '../runtime/machine.ts';

/** The audience of a message. `login`: shown before the login. */
export const MESSAGE_TYPES = ['all', 'admin', 'login'] as const;
/** `atServerStartup`: the next start of the server removes it. */
export const REMOVE_STRATEGIES = ['atServerStartup', 'manual'] as const;
export const SEVERITIES = ['info', 'warning', 'error'] as const;

export type Severity = (typeof SEVERITIES)[number];

/** Schema of a row (specification 2.5). */
export const storedMessage = z.object({
  id: z.int(),
  msg: z.string(),
  msgType: z.enum(MESSAGE_TYPES),
  removeStrategy: z.enum(REMOVE_STRATEGIES),
  severity: z.enum(SEVERITIES),
  /** Milliseconds since the epoch. */
  datePosted: z.number(),
});
export type SystemMessage = Readonly<z.infer<typeof storedMessage>>;
/** A message to be posted. */
export type MessageDraft = Omit<SystemMessage, 'id' | 'datePosted'>;

/** All messages, by id. */
export interface SystemMessages {
  readonly messages: ReadonlyMap<number, SystemMessage>;
}

/** Keys of rows, in the order of the ids. */
export const ROW_PREFIX = 'message/';
export const rowKey = (id: number) => `${ROW_PREFIX}${String(id).padStart(16, '0')}`;

export type SystemMessageCommand =
  /** From an ADMIN over HTTP, or from the server itself. The id comes from its sequence. */
  | { readonly type: 'post'; readonly id: number; readonly draft: MessageDraft }
  /** From an ADMIN over HTTP. */
  | { readonly type: 'remove'; readonly id: number }
  /** From the server when it starts. */
  | { readonly type: 'serverStarted' };

export interface SystemMessageTypes {
  readonly state: SystemMessages;
  readonly command: SystemMessageCommand;
  readonly effect: never;
  readonly reply: never;
  /** The maximum number of messages is reached. */
  readonly refusal: 'FULL';
  readonly context: {
    /** Milliseconds since the epoch. */
    readonly at: number;
    /** Maximum number of messages. */
    readonly limit: number;
  };
  readonly status: never;
}
export type SystemMessageReply = Reply<SystemMessageTypes>;
