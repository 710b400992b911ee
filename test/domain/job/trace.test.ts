import { expect } from 'chai';
import {
  childOf,
  jobTraceOf,
  parseTraceparent,
  traceFacts,
  traceparentFor,
  traceparentOf,
} from '../../../domain/job/trace.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const HEADER = `00-${TRACE}-${SPAN}-01`;

describe('A traceparent (W3C Trace Context)', () => {
  it('names a trace, a span and whether its spans are reported', () => {
    expect(parseTraceparent(HEADER)).to.deep.equal({ traceId: TRACE, spanId: SPAN, sampled: true });
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-00`)?.sampled).to.equal(false);
    expect(parseTraceparent(`cc-${TRACE}-${SPAN}-01-more`)?.spanId).to.equal(SPAN);
    expect(traceparentOf(parseTraceparent(HEADER)!)).to.equal(HEADER);
  });

  for (const wrong of [
    '',
    'nonsense',
    HEADER.toUpperCase(),
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${SPAN}`,
  ])
    it(`is left aside when it is "${wrong}"`, () => {
      expect(parseTraceparent(wrong)).to.equal(undefined);
    });

  it('is continued by each part of a job under an id that each server finds', () => {
    const request = parseTraceparent(HEADER)!;
    const trace = jobTraceOf(request, '1'.repeat(16));
    expect(trace.parentId).to.equal(SPAN);
    expect(traceparentFor(trace, 'a')).to.equal(traceparentFor({ ...trace }, 'a'));
    expect(traceparentFor(trace, 'a')).not.to.equal(traceparentFor(trace, 'b'));
    expect(childOf(request, 'a')).to.include({ traceId: TRACE, sampled: true });
    expect(traceFacts(trace)).to.deep.equal({ traceId: TRACE });
    expect(traceFacts(null)).to.deep.equal({});
  });

  it('stays as the client sent it when no spans are reported', () => {
    const trace = jobTraceOf(parseTraceparent(HEADER)!);
    expect(trace).to.deep.equal({ traceparent: HEADER });
    expect(traceparentFor(trace, 'a')).to.equal(HEADER);
  });
});
