/** Operations as clients see them, read from the store without loading an actor. */
import { omit } from '../../domain/omit.ts';
import { localIso } from '../../results/local-iso.ts';
import type { Store } from '../../store/store.ts';
import type { RetryScope } from '../batch-job/state/record.ts';
import type { JobFilter } from '../views/jobs/job-filters.ts';
import {
  ALL_OPERATIONS,
  handledOf,
  isEnded,
  type Action,
  type OperationStatus,
  type RefusalGroup,
} from './state.ts';
import { isSeen, type Sight } from '../../domain/users/owner.ts';
import { storedOperation, type StoredOperation } from './stored-operation.ts';

export interface OperationInfo {
  readonly operationId: string;
  readonly action: Action['type'];
  readonly status: Exclude<OperationStatus, 'UNKNOWN' | 'RECEIVING'>;
  readonly terminal: boolean;
  readonly dryRun: boolean;
  readonly startedBy: string;
  readonly startDate: string;
  readonly endDate: string | null;
  readonly matched: number;
  readonly done: number;
  readonly refused: number;
  /** The filter of the request. Null if the job ids were given. */
  readonly filter: ShownFilter | null;
  readonly priority?: number;
  readonly what?: RetryScope;
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
  /** Processed jobs in percent. */
  readonly progress: number;
  readonly refusals: readonly RefusalGroup[];
  /** Why the operation waits, or why it ended with ERROR. */
  readonly message: string | null;
}

/** A filter with the names of GET /rest/jobs. */
export interface ShownFilter {
  readonly status?: readonly string[];
  readonly pipelineName?: string;
  readonly externalId?: string;
  readonly label?: readonly string[];
  readonly medium?: string;
  readonly failure?: string;
  readonly terminal?: boolean;
  readonly startedFrom?: string;
  readonly startedTo?: string;
  readonly endedFrom?: string;
  readonly endedTo?: string;
}

export interface OperationPage {
  readonly operations: readonly OperationInfo[];
  /** The number after which the next page begins. Null on the last page. */
  readonly next: number | null;
}

const PREFIX = 'op-';
export const operationId = (number: number) => `${PREFIX}${number}`;
/** The number in the id of an operation. Returns undefined if the id is malformed. */
export function operationNumber(id: string): number | undefined {
  const digits = /^(?:op-)?(\d{1,15})$/.exec(id)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export class OperationViews {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** `sight`: the users whose jobs the reader sees. Operations of other users are hidden like their jobs. */
  async single(number: number, sight: Sight = 'ALL'): Promise<OperationInfo | undefined> {
    const operation = await storedOperation(this.#store, number);
    if (operation === undefined || !isSeen(operation.record.startedBy.owner, sight)) return undefined;
    return infoOf(operation);
  }

  /** For watchers: one entry for each number. */
  progressEvents(numbers: readonly number[]): Promise<readonly (OperationInfo | undefined)[]> {
    return Promise.all(numbers.map((number) => this.single(number)));
  }

  /** Newest first. A page may be short although more pages follow. */
  async list(limit: number, before: number | undefined, sight: Sight): Promise<OperationPage> {
    const entries = await this.#store.list(ALL_OPERATIONS, {
      limit: limit + 1,
      descending: true,
      ...(before === undefined ? {} : { after: { score: before, id: '' } }),
    });
    const shown = entries.slice(0, limit);
    const found = await Promise.all(shown.map(({ id }) => this.single(Number(id), sight)));
    const operations = found.filter((one) => one !== undefined);
    return { operations, next: entries.length > limit ? Number(shown.at(-1)!.id) : null };
  }
}

/** Returns undefined until the client has received the id of the operation. */
function infoOf({ record, state }: StoredOperation): OperationInfo | undefined {
  const { status, matched, done, refused, refusals, message, endedAt } = state;
  if (status === 'UNKNOWN' || status === 'RECEIVING') return undefined;
  return {
    operationId: operationId(record.number),
    action: record.action.type,
    status,
    terminal: isEnded(status),
    dryRun: record.dryRun,
    startedBy: record.startedBy.name,
    startDate: localIso(record.startedAt),
    endDate: endedAt === null ? null : localIso(endedAt),
    ...{ matched, done, refused, refusals, message },
    ...shownAction(record.action),
    filter: record.filter === undefined ? null : shownFilter(record.filter),
    progress: progressOf(state),
  };
}

/** Properties are left out, because they may be secret. */
function shownAction(action: Action) {
  return action.type === 'retry' ? { what: action.what } : omit(action, 'type');
}

function shownFilter({ statuses, labels, started, ended, ...same }: JobFilter): ShownFilter {
  const shown = {
    ...same,
    status: statuses,
    label: labels,
    startedFrom: isoOf(started?.from),
    startedTo: isoOf(started?.to),
    endedFrom: isoOf(ended?.from),
    endedTo: isoOf(ended?.to),
  };
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined));
}

const isoOf = (ms: number | undefined) => (ms === undefined ? undefined : localIso(ms));

function progressOf(state: StoredOperation['state']): number {
  if (state.status === 'COMPLETE') return 100;
  return state.status === 'MATCHING' || state.matched === 0
    ? 0
    : Math.floor((100 * handledOf(state)) / state.matched);
}
