import type Router from '@koa/router';
import type { BackupService } from '../actors/backup.ts';
import type { Logger } from '../config/logger.ts';
import { requireRole, userOf } from './access/bearer.ts';
import { HttpError, overloaded } from './errors.ts';

export interface BackupRouteDeps {
  readonly backups: BackupService;
  readonly logger: Logger;
}

const NO_ADMIN = {
  message: 'No backup taken! It holds what all users have stored. Please log in as an admin user.',
};

/** Ours: the specification knows no backup. */
export function backupRoutes(router: Router, { backups, logger }: BackupRouteDeps): void {
  router.get('/rest/backup', requireRole('ADMIN', NO_ADMIN), async (ctx) => {
    const backup = await backups.take();
    if (backup.kind !== 'taken')
      throw backup.kind === 'busy' ? overloaded(backup.message) : new HttpError(507, backup.message);
    logger.info({ user: userOf(ctx).name, bytes: backup.bytes }, 'a backup of the database was taken');
    ctx.type = 'application/vnd.sqlite3';
    ctx.attachment(`troupe-${new Date().toISOString().slice(0, 10)}.db`);
    ctx.length = backup.bytes;
    ctx.body = backup.stream;
  });
}
