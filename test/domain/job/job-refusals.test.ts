import { expect } from 'chai';
import { parseTrigger, refusedTrigger, triggerMatches } from '../../../domain/properties/trigger.ts';
import { refusedProperty } from '../../../domain/properties/property-checks.ts';
import { vectors } from '../support.ts';

describe('Padding at job creation', () => {
  for (const value of ['', '0', '-7', '+3', '12', '33.3%', '-49.9%', '0%']) {
    it(`"${value}" is accepted`, () => {
      expect(refusedProperty({ DETECTION_PADDING_X: value, DETECTION_PADDING_Y: value })).to.equal(null);
    });
  }
  for (const value of ['1.5', 'x', '%', '10 px', 'Infinity%']) {
    it(`"${value}" is refused as no padding`, () => {
      expect(refusedProperty({ DETECTION_PADDING_Y: value })).to.equal(
        `The DETECTION_PADDING_Y property was set to "${value}", but that is not a valid value. Padding must be specified as whole number integer, or a percentage that ends with "%". Percentages can be decimal values. Negative values are allowed in both cases, but percentages must be > -50%.`,
      );
    });
  }
  it('"-50%" is refused because it leaves nothing', () => {
    expect(refusedProperty({ DETECTION_PADDING_X: '-50%' })).to.equal(
      'The DETECTION_PADDING_X property was set to "-50%", but that would result in empty detections. When specified as a percentage, padding values must be > -50%.',
    );
  });
});

const withFeedForward = (trigger: string | null): Record<string, string> => ({
  FEED_FORWARD_TYPE: 'REGION',
  ...(trigger === null ? {} : { TRIGGER: trigger }),
});

describe('TRIGGER at job creation', () => {
  for (const value of vectors.trigger.valid) {
    it(`${JSON.stringify(value)} is accepted with feed forward`, () => {
      expect(refusedProperty(withFeedForward(value))).to.equal(null);
    });
  }
  for (const value of vectors.trigger.invalid) {
    it(`${JSON.stringify(value)} is refused`, () => {
      expect(refusedProperty(withFeedForward(value))).to.contain(`"${value}"`);
    });
  }
  for (const type of [undefined, '', 'SOMEHOW', 'NONE', 'none']) {
    it(`is refused when FEED_FORWARD_TYPE is ${type}`, () => {
      const properties = { TRIGGER: 'a=a', ...(type === undefined ? {} : { FEED_FORWARD_TYPE: type }) };
      expect(refusedTrigger(properties)).to.contain('feed forward is not enabled');
    });
  }
});

const matches = (trigger: string, value: string | undefined): boolean => {
  const parsed = parseTrigger(trigger);
  if (parsed === null || 'refused' in parsed) throw new Error('no trigger');
  return triggerMatches(parsed, value === undefined ? {} : { a: value });
};

describe('A trigger', () => {
  it('matches a trimmed property that equals one of its trimmed values', () => {
    expect(matches('a=x; y ;z', ' y ')).to.equal(true);
    expect(matches('a=x; y ;z', 'Y')).to.equal(false);
    expect(matches('a=x', undefined)).to.equal(false);
  });
  it('keeps all that follows the first equals sign', () => {
    expect(matches('a=b=', 'b=')).to.equal(true);
  });
  it('takes escaped semicolons and backslashes as they are', () => {
    expect(matches(String.raw`a=x\;y;z`, 'x;y')).to.equal(true);
    expect(matches(String.raw`a=x\\y`, String.raw`x\y`)).to.equal(true);
    expect(matches(String.raw`a=x\;y;z`, 'x')).to.equal(false);
  });
});
