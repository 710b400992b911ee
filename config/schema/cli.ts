import { z } from 'zod';
import { CLI_VARIABLES } from '../cli.ts';
import type { SettingGroup } from './values.ts';

/** Settings of the command-line tool, for the settings page. */
export const cliGroup: SettingGroup = {
  title: 'The command-line tool',
  about:
    'The tool reads DATA_DIR and SEARCH_FOLDER, too. A server that `troupe analyze` starts logs to `DATA_DIR/server.log`.',
  settings: Object.fromEntries(
    Object.entries(CLI_VARIABLES).map(([name, about]) => {
      const schema = z.string().optional().describe(about.description);
      return [name, 'shownDefault' in about ? schema.meta({ shownDefault: about.shownDefault }) : schema];
    }),
  ),
};
