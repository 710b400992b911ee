import { z } from 'zod';
import { CLI_VARIABLES } from '../cli.ts';
import type { SettingGroup } from './values.ts';

/** What the command-line tool reads, for the page about settings. */
export const cliGroup: SettingGroup = {
  title: 'The command-line tool',
  about:
    'It reads DATA_DIR and SEARCH_FOLDER, too. A service that `troupe analyze` starts for itself listens on a free port of loopback, uses its own ' +
    'development provider whatever OIDC settings there are, and logs to `DATA_DIR/server.log`.',
  settings: Object.fromEntries(
    Object.entries(CLI_VARIABLES).map(([name, about]) => {
      const schema = z.string().optional().describe(about.description);
      return [name, 'shownDefault' in about ? schema.meta({ shownDefault: about.shownDefault }) : schema];
    }),
  ),
};
