import { expect } from 'chai';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { serverEnvironment } from '../../config/schema/server.ts';
import { configurationPage, GROUPS } from './configuration-page.ts';

const FILE = 'docs/configuration.md';

describe('The page of settings', () => {
  it(`is in ${FILE} what the schemas say`, () => {
    if (process.env['WRITE_CONFIGURATION'] !== undefined) writeFileSync(FILE, configurationPage());
    expect(
      existsSync(FILE) ? readFileSync(FILE, 'utf8') : '',
      `${FILE} is out of date: run WRITE_CONFIGURATION=1 npm test -- configuration-page, look at the change and commit it`,
    ).to.equal(configurationPage());
  });

  it('has every setting in one section, with words that say what it is', () => {
    const named = GROUPS.flatMap(({ settings }) => Object.keys(settings));
    expect(new Set(named).size).to.equal(named.length);
    expect(named).to.include.members(Object.keys(serverEnvironment.shape));
    for (const { settings } of GROUPS)
      for (const [name, schema] of Object.entries(settings))
        expect(schema.description, name).to.match(/^[A-Za-z].{10,250}[^.]$/);
  });

  it('tells a default with its unit, and what it is where it depends on the machine', () => {
    const page = configurationPage();
    for (const line of [
      '- `MAX_BODY_BYTES` (10 MiB): ',
      '- `HEALTH_REPORT_MS` (30 s): ',
      '- `DELIVERY_GIVE_UP_MS` (24 h): ',
      '- `COMPONENT_PROCESSES` (cores of the host): ',
    ])
      expect(page).to.include(line);
  });
});
