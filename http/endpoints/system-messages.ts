import type { Context } from 'koa';
import { z } from 'zod';
import { textOf } from '../../actors/runtime/machine.ts';
import type { SystemMessageService } from '../../actors/system-messages/service.ts';
import type { SystemMessage } from '../../actors/system-messages/model.ts';
import { isAdmin } from '../access/bearer.ts';
import { answerWith, json, ok, type Refusing, sentence } from '../routing/declaration.ts';
import { endpoint } from '../steps/endpoint.ts';
import { HttpError } from '../routing/errors.ts';
import { coreProblem, coreResponse, onFailure } from '../schemas/common.ts';
import {
  messageId,
  messageQuery,
  messageText,
  messageType,
  systemMessage,
} from '../schemas/system-messages.ts';

export interface SystemMessageDeps {
  readonly systemMessages: SystemMessageService;
}

const TAG = 'System messages';
const messages = z.array(systemMessage);
const FOR_ADMINS = 'Messages of the type admin are shown to an ADMIN only.';

const onlyAdmins = (deed: string) => onFailure(`Only admins can ${deed} system messages.`);
const forbidden = json('Only an ADMIN may do this.', coreProblem);

/** Validates a request and reports all problems in one line. */
const inOneLine: Refusing['check'] = (schema, given) => {
  const outcome = schema.safeParse(given);
  if (outcome.success) return { ok: outcome.data };
  return { problems: outcome.error.issues.map(({ message }) => message).join(' ') };
};

/** Specification 4.5. */
export const systemMessageEndpoints = [
  endpoint({
    method: 'get',
    path: '/rest/system-message',
    id: 'listSystemMessages',
    tag: TAG,
    caller: 'USER',
    jobs: 'NONE',
    summary: 'List the system messages',
    description: FOR_ADMINS,
    answers: {
      200: json('The messages for this caller, in the order in which they were posted.', messages, [
        {
          id: 3,
          msg: 'The server goes down at noon.',
          datePosted: '2026-03-01T09:30:00.000Z',
          msgEnum: null,
          msgType: 'all',
          removeStrategy: 'atServerStartup',
          severity: 'warning',
        },
      ]),
    },
    handle: async ({ ctx }, { systemMessages }: SystemMessageDeps) =>
      ok(readableBy(ctx, await systemMessages.all()).map(toShownMessage)),
  }),
  endpoint({
    method: 'post',
    path: '/rest/system-message',
    id: 'postSystemMessage',
    tag: TAG,
    caller: 'ADMIN',
    forbidden: onlyAdmins('add'),
    summary: 'Post a system message',
    query: messageQuery,
    body: { schema: messageText, also: ['text/plain'], example: 'The server goes down at noon.' },
    answers: {
      201: json('Posted.', coreResponse, {
        responseCode: 0,
        message: 'Successfully added the system message.',
      }),
      400: json('The text or the severity is wrong, or there are too many messages.', coreProblem),
      403: forbidden,
    },
    refusal: onFailure,
    check: inOneLine,
    async handle({ body: msg, query }, { systemMessages }: SystemMessageDeps) {
      const reply = await systemMessages.post({ msg, ...query });
      if (reply.kind === 'refused') {
        const message = textOf(reply);
        throw new HttpError('too-many-system-messages', message, { body: onFailure(message) });
      }
      return answerWith(201, { responseCode: 0, message: 'Successfully added the system message.' });
    },
  }),
  endpoint({
    method: 'get',
    path: '/rest/system-message/type/{typeFilter}',
    id: 'listSystemMessagesOfType',
    tag: TAG,
    caller: 'USER',
    jobs: 'NONE',
    summary: 'List the system messages of a type',
    description: FOR_ADMINS,
    params: z.object({ typeFilter: messageType.describe('all: every message') }),
    answers: {
      200: json('The messages of that type.', messages),
      400: sentence('There is no such type.'),
    },
    says: { params: () => 'The type of system messages must be all, admin or login.' },
    /** The filter `all` selects all messages, not only those with the type `all`. */
    async handle({ params: { typeFilter }, ctx }, { systemMessages }: SystemMessageDeps) {
      const readable = readableBy(ctx, await systemMessages.all());
      return ok(
        readable.filter(({ msgType }) => typeFilter === 'all' || msgType === typeFilter).map(toShownMessage),
      );
    },
  }),
  endpoint({
    method: 'delete',
    path: '/rest/system-message/{id}',
    id: 'deleteSystemMessage',
    tag: TAG,
    caller: 'ADMIN',
    forbidden: onlyAdmins('delete'),
    summary: 'Delete a system message',
    params: z.object({ id: messageId.describe('Id from the list of messages') }),
    answers: {
      200: json('It was deleted, or did not exist.', coreResponse),
      400: json('The id is not a whole number above 0.', coreProblem),
      403: forbidden,
    },
    refusal: onFailure,
    says: { params: () => 'Bad request. The id of a system message is a whole number above 0.' },
    async handle({ params: { id } }, { systemMessages }: SystemMessageDeps) {
      if (id <= Number.MAX_SAFE_INTEGER) await systemMessages.remove(Number(id));
      return ok({ responseCode: 0, message: 'Successfully deleted the system message.' });
    },
  }),
];

const readableBy = (ctx: Context, all: readonly SystemMessage[]) =>
  isAdmin(ctx) ? all : all.filter(({ msgType }) => msgType !== 'admin');

const toShownMessage = ({ datePosted, ...message }: SystemMessage): z.infer<typeof systemMessage> => ({
  ...message,
  datePosted: new Date(datePosted).toISOString(),
  msgEnum: null,
});
