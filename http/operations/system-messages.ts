import { z } from 'zod';
import { json, type Operation } from '../openapi/operation.ts';
import { coreResponse, responseMessage } from '../schemas/common.ts';
import {
  messageId,
  messageQuery,
  messageText,
  messageType,
  systemMessage,
} from '../schemas/system-messages.ts';

const TAG = 'System messages';
const messages = z.array(systemMessage);
const forbidden = json('Only an ADMIN may do this.', coreResponse, {
  responseCode: 1,
  message: 'Only admins can add system messages.',
});

/** The routes of `http/system-messages.ts` (specification 4.5). */
export const systemMessageOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/rest/system-message',
    id: 'listSystemMessages',
    tag: TAG,
    caller: 'USER',
    summary: 'List the system messages',
    answers: {
      200: json('All messages, in the order in which they were posted.', messages, [
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
  },
  {
    method: 'post',
    path: '/rest/system-message',
    id: 'postSystemMessage',
    tag: TAG,
    caller: 'ADMIN',
    summary: 'Post a system message',
    query: messageQuery,
    body: { schema: messageText, also: ['text/plain'], example: 'The server goes down at noon.' },
    answers: {
      201: json('Posted.', coreResponse, {
        responseCode: 0,
        message: 'Successfully added the system message.',
      }),
      400: json('The text or the severity is wrong, or there are too many messages.', coreResponse),
      403: forbidden,
    },
  },
  {
    method: 'get',
    path: '/rest/system-message/type/{typeFilter}',
    id: 'listSystemMessagesOfType',
    tag: TAG,
    caller: 'USER',
    summary: 'List the system messages of a type',
    params: z.object({ typeFilter: messageType.describe('all: every message') }),
    answers: {
      200: json('The messages of that type.', messages),
      400: json('There is no such type.', responseMessage),
    },
  },
  {
    method: 'delete',
    path: '/rest/system-message/{id}',
    id: 'deleteSystemMessage',
    tag: TAG,
    caller: 'ADMIN',
    summary: 'Delete a system message',
    params: z.object({ id: messageId.describe('As the list of messages has it') }),
    answers: {
      200: json('It is gone, or was not there.', coreResponse),
      400: json('The id is no whole number above 0.', coreResponse),
      403: forbidden,
    },
  },
];
