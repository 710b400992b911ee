/** Checks the OpenAPI document with the recommended rules of Redocly, and some more. */
import { createConfig, lintFromString, type NormalizedProblem } from '@redocly/openapi-core';
import { expect } from 'chai';
import { openApiDocument } from '../../http/openapi/document.ts';
import type { Operation } from '../../http/routing/declaration.ts';
import { endpoints, tags } from '../../http/endpoints/index.ts';

/** Rules outside the recommended set. */
const MORE = {
  'array-parameter-serialization': 'error',
  'component-name-unique': 'error',
  'operation-singular-tag': 'error',
  'operation-tag-defined': 'error',
  'parameter-description': 'error',
  'spec-strict-refs': 'error',
} as const;

/** Exceptions from rules, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  // Health probes ignore the request, so they have no 4xx response.
  'operation-4xx-response': String.raw`^#/paths/~1(healthz|readyz)/get/responses$`,
};

const FACTS = { version: '1.2.3', url: 'http://127.0.0.1:8080', tags, sessionCookie: 'troupe-session' };

/** Errors and warnings of Redocly about a document of these operations, one sentence each. */
async function objections(declared: readonly Operation[]): Promise<readonly string[]> {
  const config = await createConfig({ extends: ['recommended'], rules: MORE });
  const problems = await lintFromString({
    source: JSON.stringify(openApiDocument(declared, FACTS)),
    absoluteRef: 'openapi.json',
    config,
  });
  return problems.filter((problem) => !isExcepted(problem)).map(sentence);
}

const pointerOf = ({ location }: NormalizedProblem) => location[0]?.pointer ?? '';
const isExcepted = (problem: NormalizedProblem) => {
  const places = EXCEPTIONS[problem.ruleId];
  return places !== undefined && new RegExp(places).test(pointerOf(problem));
};
const sentence = (problem: NormalizedProblem) =>
  `${problem.ruleId} at ${pointerOf(problem)}: ${problem.message}`;

describe('The OpenAPI document, held against the rules of Redocly,', function () {
  this.timeout(240_000);

  it('breaks none', async () => {
    expect(await objections(endpoints)).to.deep.equal([]);
  });

  it('breaks them when an operation is declared badly', async () => {
    const [first, ...others] = endpoints;
    const wrong = { ...first!, id: others[0]!.id, summary: '', tag: 'No such group' };
    const told = (await objections([wrong, ...others])).join('\n');
    for (const rule of ['operation-operationId-unique', 'operation-summary', 'operation-tag-defined'])
      expect(told).to.contain(`${rule} at `);
  });
});
