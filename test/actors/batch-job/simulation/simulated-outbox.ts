/**
 * Simulates the outbox of the store, senders that may die at any time, and their reports to the job. Follows
 * every notice from the commit that creates it to the commit that settles it.
 */
import { expect } from 'chai';
import type { JobCommand } from '../../../../actors/batch-job/state/commands.ts';
import type { Delivery } from '../../../../actors/batch-job/state/state.ts';
import type { HttpNotice, NoticeReport } from '../../../../actors/delivery/notice.ts';
import type { Notice } from '../../../../store/store.ts';
import type { ChangeOfJob } from '../jobs.ts';

/** Outcome of an attempt. */
export type Attempt = 'arrives' | 'fails' | 'is given up';

/** How a notice left the outbox. */
type Settled = 'sent' | 'given up' | 'withdrawn';

export class SimulatedOutbox {
  /** Pending notices in the store. */
  readonly #owed = new Map<string, Notice>();
  /** Outcome of every notice so far. */
  readonly #settled = new Map<string, Settled>();
  /** Reports on their way to the job. */
  readonly #reports: NoticeReport[] = [];
  /** The memory of the senders. */
  readonly #inHand = new Set<string>();

  get owed(): readonly string[] {
    return [...this.#owed.keys()];
  }

  get stored(): unknown {
    return [...this.#owed.values()];
  }

  /** Like the store: deletes notices first, then adds notices. */
  store({ notices, settled }: ChangeOfJob, { type }: JobCommand, mayOwe: boolean): void {
    for (const id of settled)
      if (this.#owed.delete(id)) this.#settled.set(id, settledBy(type, notices.length > 0));
    for (const notice of notices) {
      expect(this.#settled.get(notice.id), `${notice.id} is owed again`).to.equal(undefined);
      if (!mayOwe) expect([...this.#owed.keys()], `owed by ${type}`).to.include(notice.id);
      this.#owed.set(notice.id, JSON.parse(JSON.stringify(notice)) as Notice);
    }
  }

  /** A sender reads a notice from the store and tries to send it. */
  send(pick: number, fate: Attempt): void {
    const idle = [...this.#owed.values()].filter(({ id }) => !this.#inHand.has(id));
    const notice = idle[pick % Math.max(1, idle.length)];
    if (notice === undefined) return;
    this.#inHand.add(notice.id);
    this.#reports.push(reportOf(notice, fate));
  }

  /** Notices on their way still arrive, but the senders no longer know that they sent them. */
  delivererDies(): void {
    this.#inHand.clear();
  }

  /** The server dies: reports on their way to the job are lost. */
  serverDies(): void {
    this.delivererDies();
    this.#reports.length = 0;
  }

  /** A report for the job, with the expected reply. */
  report(pick: number): { readonly report: NoticeReport; readonly expected: 'done' | 'refused' } | undefined {
    const [report] = this.#reports.splice(pick % Math.max(1, this.#reports.length), 1);
    if (report === undefined) return undefined;
    this.#inHand.delete(report.id);
    return { report, expected: this.#owed.has(report.id) ? 'done' : 'refused' };
  }

  /** The state and the store must agree. */
  check(callback: Delivery | null, archive: Delivery | null): void {
    const of = (kind: HttpNotice['kind']) =>
      [...this.#owed.values()].filter(({ body }) => (body as HttpNotice).kind === kind).length;
    expect(of('callback'), 'callbacks owed').to.equal(callback?.pending ?? 0);
    expect(of('archive'), 'archive posts owed').to.equal(archive?.pending ?? 0);
  }

  /** Outcomes of the notices of a run. */
  outcomes(jobId: string, run: number): readonly (Settled | undefined)[] {
    const known = [...this.#settled.keys(), ...this.#owed.keys()];
    return known.filter((id) => id.startsWith(`${jobId}.${run}.`)).map((id) => this.#settled.get(id));
  }
}

function settledBy(type: JobCommand['type'], put: boolean): Settled {
  expect(put, 'a notice is settled and owed by one commit').to.equal(false);
  if (type === 'noticeSent') return 'sent';
  return type === 'noticeFailed' ? 'given up' : 'withdrawn';
}

function reportOf(notice: Notice, fate: Attempt): NoticeReport {
  const { id } = notice;
  if (fate === 'arrives') return { type: 'noticeSent', id };
  const reason = 'it hung up';
  if (fate === 'is given up') return { type: 'noticeFailed', id, reason, next: null };
  const body = notice.body as HttpNotice;
  const next = { ...notice, due: notice.due + 1_000, body: { ...body, attempts: body.attempts + 1 } };
  return { type: 'noticeFailed', id, reason, next };
}
