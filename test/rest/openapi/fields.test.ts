/** Every field of the OpenAPI document has a description and an example. */
import { expect } from 'chai';
import { endpoints, tags } from '../../../http/endpoints/index.ts';
import { openApiDocument } from '../../../http/openapi/document.ts';
import { OpenApiCheck, type OpenApiDocument } from '../../support/openapi.ts';
import { fieldsOf, type Field } from './fields.ts';

const FACTS = { version: '1.2.3', url: 'http://127.0.0.1:8080', tags, sessionCookie: 'troupe-session' };

describe('Each field of the OpenAPI document', function () {
  this.timeout(60_000);
  let document: OpenApiDocument;
  let fields: readonly Field[];
  before(() => {
    document = openApiDocument(endpoints, FACTS) as unknown as OpenApiDocument;
    fields = fieldsOf(document);
  });

  const namesOf = (found: readonly Field[]) => found.map(({ name }) => name);

  it('has a description', () => {
    expect(fields.length).to.be.greaterThan(600);
    expect(namesOf(fields.filter(({ description }) => (description ?? '').trim() === ''))).to.deep.equal([]);
  });

  it('has an example that shows a value', () => {
    const without = fields.filter(({ refers, example }) => !refers && (example ?? null) === null);
    expect(namesOf(without)).to.deep.equal([]);
  });

  it('has an example that fits its schema', () => {
    const check = new OpenApiCheck(document);
    const misfits = fields.flatMap(({ name, example, pointer }) => {
      const misfit = example === undefined ? undefined : check.misfit(pointer, example);
      return misfit === undefined ? [] : [`${name}: ${misfit}`];
    });
    expect(misfits).to.deep.equal([]);
  });

  it('has a description that says more than its name', () => {
    const words = (text: string) => text.toLowerCase().replaceAll(/[^a-z]|\b(?:the|a|an|of)\b/g, '');
    const empty = fields.filter(({ key, description = '' }) => words(description) === words(key));
    expect(namesOf(empty)).to.deep.equal([]);
  });
});

describe('The check of fields', () => {
  it('finds a field without a description and without an example', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const content = { 'application/json': { schema } };
    const document = { paths: { '/x': { get: { responses: { 200: { content } } } } } };
    const [field] = fieldsOf(document as unknown as OpenApiDocument);
    expect(field).to.include({ key: 'a', description: undefined, example: undefined, refers: false });
  });
});
