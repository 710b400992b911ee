import { expect } from 'chai';
import {
  booleanOf,
  componentProperties,
  effectiveProperties,
  frameSampling,
  integerOf,
  numberOf,
  propertyLevels,
  textOf,
  type PropertyLevels,
} from '../../../domain/properties/properties.ts';
import {
  SERVER_PROPERTY_DEFAULTS,
  WORKFLOW_PROPERTIES,
  workflowProperty,
} from '../../../domain/properties/workflow-properties.ts';
import type { AlgorithmProperty, Properties } from '../../../domain/types.ts';

const declareProperty = (name: string, more: Partial<AlgorithmProperty>): AlgorithmProperty => ({
  name,
  description: 'test',
  type: 'STRING',
  ...more,
});

const nothing: PropertyLevels = {
  environment: {},
  media: {},
  algorithm: {},
  job: {},
  action: {},
  definitions: [],
  server: {},
};

describe('Precedence of properties', () => {
  const names = ['environment', 'selector', 'media', 'algorithm', 'job', 'action'] as const;

  /** Property P<n> is set on level n and all lower levels. */
  const onLevel = (level: number): Properties =>
    Object.fromEntries(names.slice(0, level + 1).map((_, i) => [`P${i}`, names[level] ?? '']));
  const levels: PropertyLevels = {
    environment: onLevel(0),
    selector: onLevel(1),
    media: onLevel(2),
    algorithm: onLevel(3),
    job: onLevel(4),
    action: onLevel(5),
    definitions: names.map((_, i) => declareProperty(`P${i}`, { defaultValue: 'default' })),
    server: {},
  };
  for (const [index, name] of names.entries()) {
    it(`lets a value of the level "${name}" win over all lower levels`, () => {
      expect(effectiveProperties(levels, 'IMAGE')[`P${index}`]).to.equal(name);
    });
  }

  it('prefers the default of the algorithm to that of the workflow if nobody sets a value', () => {
    const definitions = [
      declareProperty('MIN_OVERLAP', { defaultValue: '0.9' }),
      declareProperty('OWN', { defaultValue: '1' }),
    ];
    const effective = effectiveProperties({ ...nothing, definitions }, 'VIDEO');
    expect(effective).to.include({ MIN_OVERLAP: '0.9', OWN: '1' });
  });
  it('looks a propertiesKey of the algorithm up in the server properties frozen with the job', () => {
    const definitions = [
      declareProperty('OWN', { propertiesKey: 'detection.own' }),
      declareProperty('LOST', { propertiesKey: 'x' }),
    ];
    const effective = effectiveProperties(
      { ...nothing, definitions, server: { 'detection.own': '7' } },
      'IMAGE',
    );
    expect(effective['OWN']).to.equal('7');
    expect(effective).to.not.have.property('LOST');
  });
  it('takes a server property before the shipped default of a workflow property', () => {
    const server = { 'detection.segment.target.length': '55' };
    expect(effectiveProperties({ ...nothing, server }, 'VIDEO')['TARGET_SEGMENT_LENGTH']).to.equal('55');
    expect(effectiveProperties(nothing, 'VIDEO')['TARGET_SEGMENT_LENGTH']).to.equal('200');
  });
  it('gives workflow defaults only to media of their types, and set values to all', () => {
    expect(effectiveProperties(nothing, 'IMAGE')).to.not.have.property('TARGET_SEGMENT_LENGTH');
    const set = { ...nothing, job: { TARGET_SEGMENT_LENGTH: '9' } };
    expect(effectiveProperties(set, 'AUDIO')['TARGET_SEGMENT_LENGTH']).to.equal('9');
  });
  it('compares names exactly', () => {
    expect(
      effectiveProperties({ ...nothing, job: { merge_tracks: 'true' } }, 'VIDEO')['MERGE_TRACKS'],
    ).to.equal('false');
  });
  it('is not led astray by names that JavaScript knows', () => {
    const job: Properties = JSON.parse('{"__proto__": "a", "constructor": "b"}');
    const effective = effectiveProperties({ ...nothing, job }, 'IMAGE');
    expect(Object.entries(effective)).to.deep.include.members([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
  });
  it("takes the request's algorithmProperties of the action's own algorithm only", () => {
    const job = {
      environment: {},
      jobProperties: { A: 'job', B: 'job' },
      algorithmProperties: { face: { A: 'face' }, MOTION: { B: 'motion' } },
      server: {},
    };
    const action = { properties: {}, algorithm: { name: 'FACE', providesCollection: { properties: [] } } };
    const found = propertyLevels(job, action, { properties: {} });
    expect(effectiveProperties(found, 'IMAGE')).to.include({ A: 'face', B: 'job' });
  });
});

const interval = (levels: Partial<PropertyLevels>): number =>
  frameSampling({ ...nothing, ...levels }, 30).interval;

describe('FRAME_INTERVAL and FRAME_RATE_CAP', () => {
  it('look at every frame by default', () => {
    expect(interval({})).to.equal(1);
  });
  it('the one on the higher level wins', () => {
    expect(interval({ media: { FRAME_INTERVAL: '5' }, job: { FRAME_RATE_CAP: '2' } })).to.equal(5);
    expect(interval({ media: { FRAME_RATE_CAP: '2' }, job: { FRAME_INTERVAL: '5' } })).to.equal(15);
    expect(interval({ environment: { FRAME_INTERVAL: '3' }, media: { FRAME_RATE_CAP: '2' } })).to.equal(3);
    expect(
      interval({
        action: { FRAME_INTERVAL: '3' },
        definitions: [declareProperty('FRAME_RATE_CAP', { defaultValue: '2' })],
      }),
    ).to.equal(3);
  });
  it('the cap wins on the same level', () => {
    expect(interval({ job: { FRAME_INTERVAL: '5', FRAME_RATE_CAP: '10' } })).to.equal(3);
    const server = { 'detection.sampling.interval': '7', 'detection.frame.rate.cap': '10' };
    expect(interval({ server })).to.equal(3);
  });
  it('one that is 0 or less is off and leaves the field to the other', () => {
    expect(interval({ media: { FRAME_INTERVAL: '0' }, job: { FRAME_RATE_CAP: '2' } })).to.equal(15);
    expect(interval({ media: { FRAME_RATE_CAP: '-1' }, job: { FRAME_INTERVAL: '4' } })).to.equal(4);
    expect(interval({ media: { FRAME_RATE_CAP: '0', FRAME_INTERVAL: '-2' } })).to.equal(1);
  });
  it('the cap never makes the interval smaller than 1', () => {
    expect(interval({ job: { FRAME_RATE_CAP: '100' } })).to.equal(1);
  });
  it('a value that is no number counts as not set', () => {
    expect(interval({ media: { FRAME_INTERVAL: 'often' }, job: { FRAME_INTERVAL: '4' } })).to.equal(4);
  });
});

describe('Properties that a component is given', () => {
  it('carry the resolved frame interval of a video', () => {
    const levels = { ...nothing, job: { FRAME_RATE_CAP: '10' } };
    expect(componentProperties(levels, { mediaType: 'VIDEO', fps: 30 })['FRAME_INTERVAL']).to.equal('3');
    expect(componentProperties(levels, { mediaType: 'IMAGE', fps: 0 })).to.not.have.property(
      'FRAME_INTERVAL',
    );
  });
  it('carry the rate cap of a video only where it decides', () => {
    const video = { mediaType: 'VIDEO', fps: 30 } as const;
    const capped = componentProperties({ ...nothing, job: { FRAME_RATE_CAP: '10' } }, video);
    expect(capped).to.include({ FRAME_INTERVAL: '3', FRAME_RATE_CAP: '10' });
    const levels = { ...nothing, media: { FRAME_INTERVAL: '5' }, job: { FRAME_RATE_CAP: '10' } };
    expect(componentProperties(levels, video)).to.include({ FRAME_INTERVAL: '5', FRAME_RATE_CAP: '-1' });
  });
  it('carry no default for ROTATION and HORIZONTAL_FLIP', () => {
    const properties = componentProperties(nothing, { mediaType: 'IMAGE', fps: 0 });
    expect(properties).to.not.have.any.keys('ROTATION', 'HORIZONTAL_FLIP');
    expect(properties).to.include({ AUTO_ROTATE: 'true', AUTO_FLIP: 'true' });
  });
  it('carry ROTATION and HORIZONTAL_FLIP when somebody set them', () => {
    const levels = { ...nothing, media: { ROTATION: '90' }, action: { HORIZONTAL_FLIP: 'TRUE' } };
    const properties = componentProperties(levels, { mediaType: 'VIDEO', fps: 30 });
    expect(properties).to.include({ ROTATION: '90', HORIZONTAL_FLIP: 'TRUE' });
  });
});

describe('A property value that is not what it should be', () => {
  it('counts as its default', () => {
    const properties = {
      MIN_OVERLAP: 'much',
      MIN_TRACK_LENGTH: '1.5',
      MERGE_TRACKS: ' ',
      EXEMPLAR_POLICY: '',
    };
    expect(numberOf(properties, 'MIN_OVERLAP')).to.equal(0.6);
    expect(integerOf(properties, 'MIN_TRACK_LENGTH')).to.equal(1);
    expect(integerOf(properties, 'MIN_TRACK_LENGTH', 8)).to.equal(8);
    expect(booleanOf(properties, 'MERGE_TRACKS')).to.equal(false);
    expect(textOf(properties, 'EXEMPLAR_POLICY')).to.equal('QUALITY');
  });
  it('counts as false where TRUE is expected', () => {
    expect(booleanOf({ AUTO_ROTATE: 'yes' }, 'AUTO_ROTATE')).to.equal(false);
    expect(booleanOf({ AUTO_ROTATE: 'True' }, 'AUTO_ROTATE')).to.equal(true);
  });
});

describe('The workflow properties', () => {
  it('have unique names and descriptions', () => {
    expect(new Set(WORKFLOW_PROPERTIES.map((p) => p.name)).size).to.equal(WORKFLOW_PROPERTIES.length);
    expect(new Set(WORKFLOW_PROPERTIES.map((p) => p.description)).size).to.equal(WORKFLOW_PROPERTIES.length);
  });
  it('are the 84 of the interface, and a few of ours', () => {
    const own = [
      'OUTPUT_DETAILS',
      'MIN_DETECTION_WIDTH',
      'MIN_DETECTION_HEIGHT',
      'MOTION_GATE',
      'RTSP_TRANSPORT',
    ];
    expect(WORKFLOW_PROPERTIES.filter(({ name }) => !own.includes(name))).to.have.length(84);
  });
  it('send tokens only when they are TRUE', () => {
    for (const name of [
      'CALLBACK_ADD_TOKEN',
      'ARCHIVE_ADD_TOKEN',
      'REMOTE_MEDIA_ADD_TOKEN',
      'S3_ADD_TOKEN',
    ]) {
      expect(workflowProperty(name)?.defaultValue, name).to.equal('false');
    }
  });
  it('know the archive by the names of the specification', () => {
    expect(workflowProperty('ARCHIVE_URL')).to.not.have.property('defaultValue');
    expect(workflowProperty('SKIP_ARCHIVE_CHECK')?.defaultValue).to.equal('false');
  });
  it('tell what the server ships under each key', () => {
    expect(SERVER_PROPERTY_DEFAULTS).to.include({
      'detection.sampling.interval': '1',
      's3.region': 'us-east-1',
    });
  });
});
