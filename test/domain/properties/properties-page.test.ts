import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { WORKFLOW_PROPERTIES } from '../../../domain/properties/workflow-properties.ts';
import { propertiesPage } from './properties-page.ts';

const FILE = 'docs/properties.md';

describe('The page of workflow properties', () => {
  it(`is in ${FILE} what the table says`, () => {
    if (process.env['WRITE_PROPERTIES'] !== undefined) writeFileSync(FILE, propertiesPage());
    expect(
      readFileSync(FILE, 'utf8'),
      `${FILE} is out of date: run WRITE_PROPERTIES=1 npm test -- properties-page, look at the change and commit it`,
    ).to.equal(propertiesPage());
  });

  it('describes each property in a sentence', () => {
    for (const { name, description } of WORKFLOW_PROPERTIES)
      expect(description, name).to.match(/^.{15,200}\.$/);
  });
});
