import { expect } from 'chai';
import { serverEnvironment } from '../../config/schema/server.ts';
import { settingsPage, GROUPS } from './settings-page.ts';

describe('The page of settings', () => {
  it('lists every setting in one section with a description', () => {
    const named = GROUPS.flatMap(({ settings }) => Object.keys(settings));
    expect(new Set(named).size).to.equal(named.length);
    expect(named).to.include.members(Object.keys(serverEnvironment.shape));
    for (const { settings } of GROUPS)
      for (const [name, schema] of Object.entries(settings))
        expect(schema.description, name).to.match(/^[A-Za-z].{10,250}[^.]$/);
  });

  it('shows a default with its unit, or what it depends on', () => {
    const page = settingsPage();
    for (const line of [
      '- `MAX_BODY_BYTES` (10 MiB): ',
      '- `HEALTH_REPORT_MS` (30 s): ',
      '- `DELIVERY_GIVE_UP_MS` (24 h): ',
      '- `COMPONENT_PROCESSES` (cores of the host): ',
    ])
      expect(page).to.include(line);
  });
});
