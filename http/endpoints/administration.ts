import type { BackupService } from '../../actors/upkeep/backup.ts';
import type { ActorSystem } from '../../actors/runtime/system.ts';
import { listActors } from '../../actors/views/actors.ts';
import type { Logger } from '../../config/logger.ts';
import { userOf } from '../access/bearer.ts';
import { content, json, ok, sentence } from '../routing/declaration.ts';
import { endpoint } from '../steps/endpoint.ts';
import { HttpError, overloadError } from '../routing/errors.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { actorListQuery, actorPage } from '../schemas/actors.ts';

export interface AdministrationDeps {
  readonly metrics: Metrics;
  /** Undefined if the server does not store its state in a local file. */
  readonly backups: BackupService | undefined;
  readonly system: Pick<ActorSystem, 'roster' | 'counts'>;
  readonly logger: Logger;
}

const TAG = 'Service';

/** Endpoints for operators (not in the specification). */
export const administrationEndpoints = [
  endpoint({
    method: 'get',
    path: '/metrics',
    id: 'getMetrics',
    tag: TAG,
    caller: 'METRICS',
    summary: 'Show metrics for Prometheus',
    answers: {
      200: content('Metrics in the text format of Prometheus.', 'text/plain'),
    },
    handle: async (_, { metrics }: AdministrationDeps) => ({
      ...ok(await metrics.text()),
      type: 'text/plain; version=0.0.4; charset=utf-8',
    }),
  }),
  endpoint({
    method: 'get',
    path: '/rest/backup',
    id: 'getBackup',
    tag: TAG,
    caller: 'ADMIN',
    forbidden: {
      message: 'The backup was not created. It contains the data of all users, so it needs the role ADMIN.',
    },
    summary: 'Download a backup of the database',
    description:
      'A consistent copy, also while jobs run. Documents and other results are in files beside it.',
    answers: {
      200: {
        ...content('A SQLite database: troupe.db of a new DATA_DIR.', 'application/vnd.sqlite3'),
        headers: { 'Content-Disposition': 'Suggested file name.' },
      },
      501: sentence('The states are in Redis: back up its own files.'),
      507: sentence('The disk has no space for the copy.'),
    },
    async handle({ ctx }, { backups, logger }: AdministrationDeps) {
      if (backups === undefined)
        throw new HttpError(
          'backup-unsupported',
          "The states are in Redis (STORE=redis): back up Redis' own files, and DATA_DIR.",
        );
      const backup = await backups.take();
      if (backup.kind !== 'taken')
        throw backup.kind === 'busy'
          ? overloadError(backup.message)
          : new HttpError('storage-full', backup.message);
      logger.info({ user: userOf(ctx).name, bytes: backup.bytes }, 'a backup of the database was created');
      ctx.attachment(`troupe-${new Date().toISOString().slice(0, 10)}.db`);
      return { ...ok(backup.stream), length: backup.bytes };
    },
  }),
  endpoint({
    method: 'get',
    path: '/rest/actors',
    id: 'listActors',
    tag: TAG,
    caller: 'ADMIN',
    summary: 'Show the actors in memory',
    description:
      'Lists the actors in memory, what each does and its failures. `parent` names the actor that supervises it. The request wakes no actor.',
    query: actorListQuery,
    answers: {
      200: json('A page of actors.', actorPage),
      400: sentence('The kind or another part of the query is wrong. The message lists the kinds.'),
    },
    says: { query: (problems) => `The query has errors in the following fields:\n${problems}` },
    handle({ query: { limit, kind, after, failed } }, { system }: AdministrationDeps) {
      const page = listActors(system, { limit, kind, after, failed });
      if ('refused' in page) throw new HttpError('invalid-parameter', page.refused);
      return ok(page);
    },
  }),
];
