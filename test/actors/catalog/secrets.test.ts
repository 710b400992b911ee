import { expect } from 'chai';
import { Catalog } from '../../../actors/catalog/catalog.ts';
import { CATALOG_MACHINE } from '../../../actors/catalog/transitions.ts';
import { EMPTY_CATALOG } from '../../../actors/catalog/state.ts';
import type { Action, AlgorithmProperty } from '../../../domain/types.ts';
import { descriptorOf } from './descriptors.ts';

const LIMITS = { elements: 100, characters: 1_000_000 };
const action = (value: string, name = 'ASK'): Action => ({
  ...{ name, description: 'Asks.', algorithm: 'ASK' },
  properties: [
    { name: 'API_TOKEN', value },
    { name: 'PROMPT', value: 'Why?' },
  ],
});

describe('Secrets in the catalog', () => {
  const postElement = (state = EMPTY_CATALOG, element = action('key')) =>
    CATALOG_MACHINE.on.addAction.apply(state, { type: 'addAction', element }, LIMITS);
  const storedElement = () => {
    const outcome = postElement();
    if (!('state' in outcome) || outcome.state === undefined) throw new Error('The action was refused.');
    return outcome.state;
  };

  it('are what jobs are given, and stand in no action and no default that is shown', () => {
    const catalog = new Catalog({});
    catalog.publish(storedElement());
    expect(catalog.action('ask')).to.deep.equal(action('key'));
    expect(catalog.shownAction('ask')).to.deep.equal(action('<censored>'));
    expect([...catalog.shownActions()]).to.deep.equal([action('<censored>')]);
  });

  it('stay when an action comes again as it was shown, and are wanted of any other', () => {
    const state = storedElement();
    const describeElement = (element: Action) => {
      const outcome = postElement(state, element);
      return 'reason' in outcome ? outcome.reason : outcome.reply;
    };
    expect(describeElement(action('<censored>'))).to.deep.include({ outcome: 'UNCHANGED' });
    expect(describeElement(action('key'))).to.deep.include({ outcome: 'UNCHANGED' });
    expect(describeElement(action('<censored>', 'COPY'))).to.equal('CENSORED');
    expect(describeElement({ ...action('<censored>'), description: 'Asks more.' })).to.equal('CENSORED');
    expect(describeElement(action('another'))).to.equal('NAME_TAKEN');
  });

  it('may be defaults of algorithms, which are not shown either; that there is none is', () => {
    const property = (name: string, defaultValue: string): AlgorithmProperty => ({
      ...{ name, description: 'A value.', type: 'STRING' },
      defaultValue,
    });
    const properties = [
      property('API_TOKEN', 'key'),
      property('S3_SECRET_KEY', ''),
      property('COLOUR', 'red'),
    ];
    const providesCollection = { states: ['DETECTION'], properties };
    const descriptor = descriptorOf('Asker', {}, { providesCollection });
    const outcome = CATALOG_MACHINE.on.install.apply(
      EMPTY_CATALOG,
      { type: 'install', descriptors: [descriptor], besides: false },
      LIMITS,
    );
    const catalog = new Catalog({});
    catalog.publish((outcome as { readonly state: typeof EMPTY_CATALOG }).state);
    const [shown] = [...catalog.shownAlgorithms()];
    expect(
      shown!.providesCollection.properties.slice(0, 3).map(({ defaultValue }) => defaultValue),
    ).to.deep.equal(['<censored>', '', 'red']);
  });
});
