import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { detectionDocument } from '../../../http/schemas/jobs/detection-document.ts';
import { documentPicture } from './document-picture.ts';

const PAGE = 'docs/reference/detection-document.md';
const PICTURE = 'docs/reference/detection-document.svg';

/** Names of all fields of a schema, including nested ones. */
function fieldsOf(schema: unknown, found = new Set<string>()): Set<string> {
  if (typeof schema !== 'object' || schema === null) return found;
  for (const [key, value] of Object.entries(schema)) {
    if (key !== 'properties' && key !== '$defs') fieldsOf(value, found);
    else
      for (const [name, inner] of Object.entries(value as object)) {
        if (key === 'properties') found.add(name);
        fieldsOf(inner, found);
      }
  }
  return found;
}

describe('The page of the detection document', () => {
  const page = readFileSync(PAGE, 'utf8');

  it('explains every field that the schema has', () => {
    const fields = fieldsOf(z.toJSONSchema(detectionDocument, { io: 'output' }));
    expect([...fields]).to.include.members(['jobId', 'uprightBox', 'annotators', 'stopOffsetTime']);
    for (const name of fields) expect(page, `a word about ${name}`).to.include(`\`${name}\``);
  });

  it('explains no field that the schema does not have', () => {
    const fields = fieldsOf(z.toJSONSchema(detectionDocument, { io: 'output' }));
    const told = [...page.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)].flatMap(([, names = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
    );
    expect(told.length).to.be.greaterThan(40);
    for (const name of told) expect([...fields], name).to.include(name);
  });

  it(`has in ${PICTURE} the boxes that the service tells`, () => {
    if (process.env['WRITE_DOCUMENT_PICTURE'] !== undefined) writeFileSync(PICTURE, documentPicture());
    expect(
      readFileSync(PICTURE, 'utf8'),
      `${PICTURE} is out of date: run WRITE_DOCUMENT_PICTURE=1 npm test -- document-page, look at the change and commit it`,
    ).to.equal(documentPicture());
  });
});
