import type Router from '@koa/router';
import type { Context } from 'koa';
import type { z } from 'zod';
import type { SystemMessageService } from '../actors/system-messages/service.ts';
import type { SystemMessage } from '../actors/system-messages/model.ts';
import { textOf } from '../actors/runtime/machine.ts';
import { requireRole } from './access/bearer.ts';
import { HttpError, refusedAs } from './errors.ts';
import {
  messageId,
  messageQuery,
  messageText,
  messageType,
  type systemMessage,
} from './schemas/system-messages.ts';
import { readJson, readText, type BodyLimits } from './steps/json-body.ts';

export interface SystemMessageRoutes {
  readonly systemMessages: SystemMessageService;
  readonly bodyLimits: BodyLimits;
}

const onlyAdmins = (deed: string) =>
  requireRole('ADMIN', { responseCode: 1, message: `Only admins can ${deed} system messages.` });

/** Specification 4.5. */
export function systemMessageRoutes(router: Router, deps: SystemMessageRoutes): void {
  router.get('/rest/system-message', (ctx) => list(ctx, deps));
  router.get('/rest/system-message/type/:typeFilter', (ctx) => listOfType(ctx, deps));
  router.post('/rest/system-message', onlyAdmins('add'), (ctx) => post(ctx, deps));
  router.delete('/rest/system-message/:id', onlyAdmins('delete'), (ctx) => remove(ctx, deps));
}

async function list(ctx: Context, { systemMessages }: SystemMessageRoutes): Promise<void> {
  ctx.body = (await systemMessages.all()).map(shown);
}

/** `all` means all messages, not only those that are for all. */
async function listOfType(ctx: Context, { systemMessages }: SystemMessageRoutes): Promise<void> {
  const filter = messageType.safeParse((ctx['params'] as { typeFilter: string }).typeFilter);
  if (!filter.success) throw new HttpError(400, 'The type of system messages must be all, admin or login.');
  const messages = await systemMessages.all();
  ctx.body = messages.filter(({ msgType }) => filter.data === 'all' || msgType === filter.data).map(shown);
}

async function post(ctx: Context, { systemMessages, bodyLimits }: SystemMessageRoutes): Promise<void> {
  const given = ctx.is('text/plain') === 'text/plain' ? readText(ctx, bodyLimits) : readJson(ctx, bodyLimits);
  const msg = checked(messageText, await refusedAs<unknown>(given, refusalBody));
  const query = checked(messageQuery, ctx.query);
  const reply = await systemMessages.post({ msg, ...query });
  if (reply.kind === 'refused') throw refused(textOf(reply));
  ctx.status = 201;
  ctx.body = { responseCode: 0, message: 'Successfully added the system message.' };
}

async function remove(ctx: Context, { systemMessages }: SystemMessageRoutes): Promise<void> {
  const id = messageId.safeParse((ctx['params'] as { id: string }).id);
  if (!id.success) throw refused('Bad request. The id of a system message is a whole number above 0.');
  if (id.data <= Number.MAX_SAFE_INTEGER) await systemMessages.remove(Number(id.data));
  ctx.body = { responseCode: 0, message: 'Successfully deleted the system message.' };
}

function checked<T>(schema: z.ZodType<T>, value: unknown): T {
  const outcome = schema.safeParse(value);
  if (outcome.success) return outcome.data;
  throw refused(outcome.error.issues.map(({ message }) => message).join(' '));
}

const refusalBody = (message: string) => ({ responseCode: 1, message });
const refused = (message: string) => new HttpError(400, message, { body: refusalBody(message) });

const shown = ({ datePosted, ...message }: SystemMessage): z.infer<typeof systemMessage> => ({
  ...message,
  datePosted: new Date(datePosted).toISOString(),
  msgEnum: null,
});
