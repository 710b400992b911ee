import { expect } from 'chai';
import { WORKFLOW_PROPERTIES } from '../../domain/properties/workflow-properties.ts';

describe('The page of workflow properties', () => {
  it('describes each property in a sentence', () => {
    for (const { name, description } of WORKFLOW_PROPERTIES)
      expect(description, name).to.match(/^.{15,200}\.$/);
  });
});
