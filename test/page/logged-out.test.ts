/** The page when the login session ends while it is open. */
import { expect } from 'chai';
import { Chromium, hasChromium, loginLinkOf } from '../support/browser/chromium.ts';
import { Service } from '../support/processes/service.ts';

(hasChromium ? describe : describe.skip)('A page whose session is revoked', function () {
  this.timeout(120_000);
  let service: Service;
  let chromium: Chromium;
  before(async () => {
    service = await Service.here();
    chromium = await Chromium.start();
  });
  after(async () => {
    await chromium?.close();
    await service.close();
  });

  it('keeps what was typed, says so, and goes on after a login in another tab', async () => {
    const { page } = await chromium.reader(service, '#/new');
    const field = page.getByLabel(/^Link/);
    await field.fill('https://example.org/long-address.mp4');
    const { body } = await service.ask('GET', '/rest/sessions?all=true');
    for (const { id } of (body as { sessions: readonly { id: string }[] }).sessions)
      await service.ask('DELETE', `/rest/sessions/${id}`);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const notice = page.getByText('You are logged out, but what you typed is still here.');
    await notice.waitFor();
    expect(await page.getByRole('link', { name: 'Log in again' }).getAttribute('target')).to.equal('_blank');
    expect(await field.inputValue()).to.equal('https://example.org/long-address.mp4');
    const tab = await page.context().newPage();
    await tab.goto(await loginLinkOf(service));
    await tab.getByRole('button', { name: 'Log in', exact: true }).click();
    await tab.getByLabel(/^Account of /).waitFor();
    await tab.close();
    await page.bringToFront();
    await page.evaluate(`dispatchEvent(new Event('focus'))`);
    await notice.waitFor({ state: 'detached' });
    expect(await field.inputValue()).to.equal('https://example.org/long-address.mp4');
  });

  it('shows where the reader is logged in, and logs another browser out', async () => {
    const { page } = await chromium.reader(service, '#/account');
    await page.getByText('This browser').waitFor();
    page.on('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Log out' }).first().click();
    await page.getByText('You are logged out').waitFor();
  });
});
