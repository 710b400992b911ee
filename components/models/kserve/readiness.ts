/** Checks whether a server and its model are ready. A refusal may mean that they are starting. */
import { z } from 'zod';
import type { Answer } from '../../../egress/http/exchange.ts';
import { refusalOf, saidIn, withoutKey } from '../model-servers/answers.ts';
import type { Outcome } from '../model-servers/outcome.ts';
import type { Waiting } from '../../sdk/detector.ts';
import { pathOf, type Connection } from './connection.ts';
import type { ServedModel } from './settings.ts';

/** Maximum number of names in a message. */
const MOST_NAMED = 10;

const repositoryIndex = z.array(
  z.object({ name: z.string(), state: z.string().optional(), reason: z.string().optional() }),
);

const NO_SUCH_SERVER =
  'TRITON_SERVER must name a server that speaks KServe v2, with its HTTP port and with all that stands before /v2 in its addresses';

/** Classifies a refusal of the server about a model. `advice`: what to do when it refused the input. */
export async function refusalBy(
  connection: Connection,
  answer: Answer,
  model: ServedModel,
  job: Waiting,
  advice?: string,
): Promise<Outcome<never>> {
  const refusal = refusalOf(withoutSecrets(answer, model));
  const { status } = answer;
  // Redirections are not followed, and a refused key remains refused.
  if (refusal.kind !== 'final' || status < 400 || status === 401 || status === 403) return refusal;
  if (/^\s*</.test(answer.text)) return { kind: 'final', why: `${refusal.why}. ${NO_SUCH_SERVER}` };
  const ready = await connection.once({ method: 'GET', path: `${pathOf(model)}/ready` }, model, job);
  if (ready.kind !== 'answer') return ready;
  if (ready.body.status !== 200) return absence(connection, refusal, model, job);
  return advice === undefined ? refusal : { kind: 'final', why: `${refusal.why}. ${advice}` };
}

/** Why the model is not ready: it does not exist, or it or the server is starting. */
async function absence(
  connection: Connection,
  refusal: { readonly kind: 'final'; readonly why: string },
  model: ServedModel,
  job: Waiting,
): Promise<Outcome<never>> {
  const health = await connection.once({ method: 'GET', path: '/health/ready' }, model, job);
  if (health.kind !== 'answer') return health;
  if (health.body.status === 404)
    return {
      kind: 'final',
      why: `${refusal.why}, and it has no /v2/health/ready either. ${NO_SUCH_SERVER}`,
    };
  if (health.body.status !== 200) return { kind: 'away', why: 'it is not ready' };
  return findMissing(connection, refusal.why, model, job);
}

async function findMissing(
  connection: Connection,
  said: string,
  model: ServedModel,
  job: Waiting,
): Promise<Outcome<never>> {
  const request = { method: 'POST', path: '/repository/index' } as const;
  const told = await connection.maybe(request, repositoryIndex, model, job);
  const index = told.kind === 'answer' ? (told.body ?? []) : [];
  const mine = index.filter(({ name }) => name === model.name);
  if (mine.some(({ state }) => state === 'LOADING' || state === 'UNLOADING'))
    return { kind: 'away', why: `its model ${model.name} is being loaded` };
  const reason = mine.map((one) => one.reason ?? '').find((one) => one !== '');
  const why = reason === undefined ? said : `${said} (${saidIn(reason)})`;
  const version = model.version === '' ? '' : `, version ${model.version},`;
  const names = [...new Set(index.map(({ name }) => name))];
  return {
    kind: 'final',
    why: `it has no model ${model.name}${version} that is ready: ${why}. Load the model there, or set MODEL_NAME and TRITON_MODEL_VERSION to one that is${listNames(names)}`,
  };
}

function listNames(names: readonly string[]): string {
  if (names.length === 0) return '';
  const rest = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return `; there are ${names.slice(0, MOST_NAMED).join(', ')}${rest}`;
}

/** Returns undefined if the model is ready or the server does not report it. */
export async function notReady(
  connection: Connection,
  model: ServedModel,
  job: Waiting,
): Promise<Outcome<never> | undefined> {
  const ready = await connection.once({ method: 'GET', path: `${pathOf(model)}/ready` }, model, job);
  if (ready.kind !== 'answer') return ready;
  // Some servers have model metadata but no readiness endpoint.
  if ([200, 404, 405, 501].includes(ready.body.status)) return undefined;
  return { kind: 'away', why: `its model ${model.name} is not ready` };
}

const withoutSecrets = (answer: Answer, { token }: ServedModel): Answer => ({
  ...answer,
  text: withoutKey(answer.text, token),
});
