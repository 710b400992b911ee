/**
 * Commands that start the service themselves: for a large detector, and until Ctrl-C.
 * `running-service.test.ts` resumes the job of a killed service and stops its own. In `analyze.test.ts` a
 * signal ends the command.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { until } from '../../support/until.ts';
import { SlowMedium } from '../support/slow-medium.ts';
import { documentOf, Place, sample, tracksOf } from '../support/support.ts';

describe('troupe analyze, where no service runs', () => {
  const place = new Place();
  after(() => place.leave());

  it('starts a service, shows the words of a picture, names the document, and stops the service', async () => {
    const job = ['analyze', sample('gen_text.png'), '--pipeline', 'text detection pipeline'];
    const { code, stdout, stderr } = await place.troupe(job);
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(/^Job \S+ \(TEXT DETECTION PIPELINE\): COMPLETE after [\d.]+ s$/m);
    expect(stdout).to.match(/^ {2}TRACK +CONFIDENCE +DETECTIONS +WORDS AND PROPERTIES$/m);
    for (const words of ['HELLO OPENMPF 2026', 'The quick brown fox jumps.'])
      expect(stdout).to.match(new RegExp(`^  TEXT +0\\.\\d\\d +1 +"${words}"( {2}LINE_NUM=\\d)?$`, 'm'));
    const document = /^Document: (.*)$/m.exec(stdout)?.[1] ?? '';
    expect(tracksOf(documentOf(readFileSync(document, 'utf8')))).to.have.length(2);
    expect(existsSync(place.lock), 'the service is gone').to.equal(false);
    expect(readFileSync(path.join(place.dataDir, 'server.log'), 'utf8')).to.include('Troupe is down');
  });

  it('cancels its job and stops its service at Ctrl-C', async () => {
    const medium = await SlowMedium.listen();
    const running = place.start(['analyze', medium.url, '--pipeline', 'FACE DETECTION PIPELINE'], {
      FETCH_PRIVATE: 'true',
    });
    await running.says('stderr', 'IN_PROGRESS');
    await until('its medium is being fetched', () => medium.asked > 0);
    running.signal('SIGINT');
    const { code, stdout, stderr } = await running.ended;
    expect(code, stderr).to.equal(1);
    expect(stdout)
      .to.match(/: CANCELLED after/)
      .and.to.include('nothing found before the job was cancelled');
    expect(existsSync(place.lock)).to.equal(false);
    medium.close();
  });
});
