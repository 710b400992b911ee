/** Generated pages of the documentation and types of clients, by file. */
import { mcpToolsPage } from './agents/mcp-tools-page.ts';
import { cliPage } from './cli-page.ts';
import { errorCodesPage } from './error-codes-page.ts';
import { indexPage } from './index-page.ts';
import { metricsPage } from './metrics-page.ts';
import { propertiesPage } from './properties-page.ts';
import { restErrorsPage } from './rest-errors-page.ts';
import { restApiPage } from './rest-api-page.ts';
import { settingsPage } from './settings-page.ts';
import { stateDiagramsPage } from './state-diagrams.ts';
import { pythonTypes } from './types/python-types.ts';
import { typescriptTypes } from './types/typescript-types.ts';

/** The index comes last, because it reads the others. */
const PAGES: Readonly<Record<string, () => string>> = {
  'docs/reference/settings.md': settingsPage,
  'docs/reference/properties.md': propertiesPage,
  'docs/reference/state-diagrams.md': stateDiagramsPage,
  'docs/reference/rest-api.md': restApiPage,
  'docs/reference/cli.md': cliPage,
  'docs/reference/mcp-tools.md': mcpToolsPage,
  'docs/reference/rest-errors.md': restErrorsPage,
  'docs/reference/metrics.md': metricsPage,
  'docs/reference/error-codes.md': errorCodesPage,
  'client/rest-types.ts': typescriptTypes,
  'sdk/python/troupe_client/types.py': pythonTypes,
  'docs/README.md': () => indexPage(),
};

/** The front matter. The note against editing follows it. */
const FRONT = /^---\n[^]*?\n---\n/;
const NOTE = '\n<!-- Generated from the code: npm run docs:generate -->\n';

export const GENERATED: Readonly<Record<string, () => string>> = Object.fromEntries(
  Object.entries(PAGES).map(([file, text]) => [
    file,
    file.endsWith('.md') ? () => text().replace(FRONT, (front) => `${front}${NOTE}`) : text,
  ]),
);
