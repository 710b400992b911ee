/** `troupe media ...`: media for a service that shares no files with this machine. */
import type { Uploaded } from '../../../client/answers.ts';
import path from 'node:path';
import type { Command } from 'commander';
import { factLines } from '../../terminal/columns.ts';
import { mediaOf } from '../../arguments/media-arguments.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { TAKES_NONE, uploadCall, uploadPath } from '../../../client/verbs/media.ts';
import { askCommand, command, momentText, show, type RestOptions } from './command.ts';

export function mediaCommands(program: Command, terminal: Terminal): void {
  const group = program.command('media').description('uploaded media: upload, delete');
  askCommand(group, 'upload <FILE>', 'upload a file and print its URI for jobs').action(
    async (file: string, options: RestOptions) => {
      // resolved, because a name that looks like a URI is a file here, too
      await mediaOf([path.resolve(file)]);
      await show<Uploaded>(terminal, options, await uploadCall(file), {
        lines: ({ id, mediaUri, bytes, sha256, expires }) =>
          factLines({
            URI: mediaUri,
            Id: id,
            Bytes: bytes,
            'SHA-256': sha256,
            Kept: `until ${momentText(expires)}`,
          }),
        refusals: { 404: TAKES_NONE, 405: TAKES_NONE },
      });
    },
  );
  command(group, 'delete <ID>', 'delete an uploaded medium before it expires').action(
    (id: string, options: RestOptions) =>
      show(
        terminal,
        options,
        { method: 'DELETE', path: uploadPath(id) },
        {
          lines: () => [`Medium ${id} is deleted.`],
          refusals: { 404: `The service has no uploaded medium ${id}: it may have expired.` },
        },
      ),
  );
}
