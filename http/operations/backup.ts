import { z } from 'zod';
import { json, type Operation } from '../openapi/operation.ts';
import { responseMessage } from '../schemas/common.ts';

/** The route of `http/backup.ts`. */
export const backupOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/rest/backup',
    id: 'getBackup',
    tag: 'Service',
    caller: 'ADMIN',
    summary: 'Take a backup of the database',
    description:
      'A consistent copy, taken while jobs run. Documents and other results lie in files beside it.',
    answers: {
      200: {
        description: 'A SQLite database: troupe.db of a new DATA_DIR.',
        content: { schema: z.string(), type: 'application/vnd.sqlite3' },
        headers: { 'Content-Disposition': 'A name for the file.' },
      },
      507: json('The disk has no room for the copy.', responseMessage),
    },
  },
];
