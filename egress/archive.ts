/** Queries archives, before a job runs, for the results of an equal job (specification 2.1, archiveCheckStatus). */
import { bestMatch } from '../domain/job/archive-match.ts';
import { ARCHIVE_PAGE, checkUrl } from '../domain/job/archive.ts';
import { maskUri } from '../domain/job/censor.ts';
import type { ArchiveFinding, ArchiveQuestion, PastJob } from '../domain/types.ts';
import { exchange, type Answer } from './http/exchange.ts';
import type { HttpClient } from './http/http-client.ts';
import { NoAnswer } from './http/no-answer.ts';
import { repeatedly } from './http/retry.ts';
import type { ServiceToken } from './service-token.ts';

export interface ArchiveDeps {
  readonly client: HttpClient;
  readonly token: ServiceToken;
  /** Timeout of all queries together, in milliseconds. */
  readonly timeoutMs: number;
  /** Version of the product, for the User-Agent. */
  readonly version: string;
}

/** Maximum number of pages from one archive about one medium. */
const MAX_PAGES = 100;
const MAX_PAGE_BYTES = 2 * 1024 * 1024;
/** Number of requests at the same time. */
const AT_ONCE = 4;

interface Pair {
  readonly url: string;
  readonly sha256: string;
  readonly addToken: boolean;
}

/** Data that the parallel queries share. */
interface Search extends ArchiveDeps {
  readonly jobConfigHash: string;
  /** Milliseconds of the monotonic clock. */
  readonly deadline: number;
  best: PastJob | null;
  /** Why the first failed archive failed. */
  reason: string | null;
}

/** Queries all archives. It never rejects. A match counts although another archive could not be queried. */
export async function findPastJob(question: ArchiveQuestion, deps: ArchiveDeps): Promise<ArchiveFinding> {
  const { archives, jobConfigHash } = question;
  const deadline = performance.now() + deps.timeoutMs;
  const search: Search = { ...deps, jobConfigHash, deadline, best: null, reason: null };
  const pairs = archives.flatMap(({ url, sha256s, addToken }) =>
    [...new Set(sha256s)].map((sha256): Pair => ({ url, sha256, addToken })),
  );
  const waiting = pairs.values();
  await Promise.all(Array.from({ length: AT_ONCE }, () => askInTurn(waiting, search)));
  if (search.best !== null) return { kind: 'match', match: search.best };
  return search.reason === null ? { kind: 'none' } : { kind: 'failed', reason: search.reason };
}

async function askInTurn(waiting: IterableIterator<Pair>, search: Search): Promise<void> {
  for (const pair of waiting) {
    try {
      await askAbout(pair, search);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      search.reason ??= `Sending HTTP GET to the archive (${maskUri(pair.url)}) failed due to: ${reason}`;
    }
  }
}

/** Reads page after page, until one is not full. */
async function askAbout({ url, sha256, addToken }: Pair, search: Search): Promise<void> {
  if (!URL.canParse(url)) throw new Error('the ARCHIVE_URL property is not a valid address');
  for (let page = 0; page < MAX_PAGES; page++) {
    const entries = await askPage(checkUrl(url, sha256, page * ARCHIVE_PAGE), addToken, search);
    search.best = bestMatch(entries, search.jobConfigHash, search.best);
    if (entries.length < ARCHIVE_PAGE) return;
  }
  throw new Error(`it has more than ${MAX_PAGES * ARCHIVE_PAGE} entries about one medium`);
}

async function askPage(url: string, addToken: boolean, search: Search): Promise<readonly unknown[]> {
  const token = addToken ? await inTime(search.token.get(), search) : undefined;
  const headers = {
    'User-Agent': `Troupe/${search.version}`,
    Accept: 'application/json',
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  };
  const answer = await askTwice(url, headers, search);
  if (answer.status === 401 && token !== undefined) search.token.drop(token);
  if (answer.status !== 200) throw new Error(`it answered with status ${answer.status}`);
  if (answer.cut) throw new Error(`its answer is longer than ${MAX_PAGE_BYTES} bytes`);
  return entriesOf(answer.text);
}

/** Sends a request, and repeats it once if the connection breaks: an archive may close an idle connection just when it is used again. */
function askTwice(url: string, headers: Readonly<Record<string, string>>, search: Search): Promise<Answer> {
  const { client } = search;
  const isPassing = (error: unknown) => error instanceof NoAnswer && !error.final;
  const ask = () =>
    exchange(client, { method: 'GET', url, headers, timeoutMs: timeLeft(search), maxBytes: MAX_PAGE_BYTES });
  return repeatedly(ask, { attempts: 2, backOffMs: 0, isPassing });
}

function entriesOf(text: string): readonly unknown[] {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Error('its answer is no JSON');
  }
  if (!Array.isArray(body)) throw new Error('its answer is no list');
  return body as readonly unknown[];
}

const tooLate = ({ timeoutMs }: Search) => new Error(`there was no complete answer within ${timeoutMs} ms`);

/** Remaining time in milliseconds. */
function timeLeft(search: Search): number {
  const left = Math.ceil(search.deadline - performance.now());
  if (left <= 0) throw tooLate(search);
  return left;
}

/** Waits for work that cannot be stopped, at most until the deadline. */
async function inTime<T>(work: Promise<T>, search: Search): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLate(search)), timeLeft(search));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
