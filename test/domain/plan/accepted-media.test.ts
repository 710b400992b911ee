/** Media that are refused because of their type, before they are read. */
import { expect } from 'chai';
import { possibleTypes, mimeInRequest, unacceptedMedium } from '../../../domain/plan/accepted-media.ts';
import type { PipelinePlan } from '../../../domain/plan.ts';
import type { MediaType } from '../../../domain/types.ts';
import { algorithm } from '../catalog-support.ts';

type Types = readonly MediaType[] | undefined;
const plan = (...tasks: readonly (readonly Types[])[]): PipelinePlan => ({
  name: 'P',
  description: '',
  tasks: tasks.map((actions, n) => ({
    name: `T${n}`,
    description: '',
    actionType: 'DETECTION',
    actions: actions.map((mediaTypes, at) => ({
      name: `A${n}${at}`,
      description: '',
      properties: {},
      algorithm: { ...algorithm('A'), mediaTypes },
    })),
  })),
});
const none = () => false;
const SEEN: Types = ['VIDEO', 'IMAGE'];
const HEARD: Types = ['VIDEO', 'AUDIO'];

describe('The type of a medium in a request', () => {
  it('is MIME_TYPE, else that of the data: URI, and never the ending of a name', () => {
    const uri = 'data:Image/PNG;base64,AAAA';
    expect(mimeInRequest({ uri, metadata: { MIME_TYPE: ' Audio/MPEG ' } })).to.equal('audio/mpeg');
    expect(mimeInRequest({ uri, metadata: { MIME_TYPE: ' ' } })).to.equal('image/png');
    for (const untold of ['data:,hello', 'data:;base64,AAAA', 'file:///a.mp3'])
      expect(mimeInRequest({ uri: untold, metadata: {} }), untold).to.equal(undefined);
  });

  it('may be anything where only the content tells', () => {
    expect(possibleTypes('image/png')).to.deep.equal(['IMAGE']);
    expect(possibleTypes('video/mp4')).to.deep.equal(['VIDEO', 'AUDIO']);
    expect(possibleTypes('application/pdf')).to.deep.equal(['UNKNOWN']);
    for (const mime of ['application/octet-stream', 'application/ogg', 'application/x-own'])
      expect(possibleTypes(mime), mime).to.equal(undefined);
  });

  it('is refused when no action of the first task processes it', () => {
    expect(unacceptedMedium(plan([SEEN]), 'audio/mpeg', none)).to.equal(
      'The task "T0" does not process audio/mpeg (AUDIO), only VIDEO, IMAGE. Choose a pipeline for this type.',
    );
    expect(unacceptedMedium(plan([SEEN, HEARD]), 'audio/mpeg', none)).to.equal(undefined);
    expect(unacceptedMedium(plan([HEARD]), 'image/png', none)).to.include('only VIDEO, AUDIO');
  });

  it('is not refused because of later tasks, or while a type is unknown', () => {
    expect(unacceptedMedium(plan([SEEN], [HEARD]), 'image/png', none)).to.equal(undefined);
    expect(unacceptedMedium(plan([SEEN, undefined]), 'audio/mpeg', none)).to.equal(undefined);
    expect(unacceptedMedium(plan([SEEN]), 'application/octet-stream', none)).to.equal(undefined);
    expect(unacceptedMedium(plan([['AUDIO']]), 'video/mp4', none), 'without pictures').to.equal(undefined);
  });

  it('counts from the first task that does not pass the medium by', () => {
    const later = plan([HEARD], [SEEN]);
    const skips = ({ name }: { readonly name: string }) => name === 'A00';
    expect(unacceptedMedium(later, 'image/png', skips)).to.equal(undefined);
    expect(unacceptedMedium(later, 'audio/mpeg', skips)).to.include('The task "T1" does not process');
    expect(unacceptedMedium(later, 'audio/mpeg', () => true)).to.equal(undefined);
  });
});
