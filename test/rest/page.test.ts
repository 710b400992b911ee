/** The web page as the server delivers it: files, access rules and security headers. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { Service } from '../support/processes/service.ts';

describe('The web page', () => {
  let service: Service;
  let html: string;
  let policy: string;
  before(async () => {
    service = await Service.openShared();
    const response = await fetch(`${service.url}/`);
    expect(response.status).to.equal(200);
    html = await response.text();
    policy = response.headers.get('content-security-policy') ?? '';
  });
  after(() => service.close());

  const countNamed = () =>
    [...html.matchAll(/(?:href|src)="(page\/[^"]+)"|"(\.\/page\/[^"]+)"/g)].map(([, a, b]) => a ?? b!);

  it('is there for anybody, without a token, and names files of this server only', async () => {
    expect(html).to.include('<title>Troupe</title>');
    expect(html).to.not.match(/(?:src|href)="(?:https?:)?\/\//);
    const files = countNamed();
    expect(files.length).to.be.greaterThan(10);
    for (const file of files) {
      const response = await fetch(new URL(file, `${service.url}/`));
      expect(response.status, file).to.equal(200);
      expect(response.headers.get('cache-control'), file).to.include('immutable');
      expect(response.headers.get('x-content-type-options'), file).to.equal('nosniff');
      expect(response.headers.get('content-type'), file).to.match(/^(text\/(javascript|css)|image\/svg)/);
    }
  });

  it('has every module that one of its modules imports', async () => {
    const packages = JSON.parse(/<script type="importmap">(.*?)<\/script>/s.exec(html)![1]!) as {
      readonly imports: Readonly<Record<string, string>>;
    };
    for (const file of countNamed().filter((name) => name.endsWith('.js'))) {
      const url = new URL(file, `${service.url}/`);
      const text = await (await fetch(url)).text();
      for (const [, from] of text.matchAll(/^\s*(?:import|export)\b[^'";]*?from\s*['"]([^'"]+)['"]/gm)) {
        const target = from!.startsWith('.') ? new URL(from!, url) : packages.imports[from!];
        expect(target, `${file} imports ${from}`).to.not.equal(undefined);
        const response = await fetch(new URL(target!, `${service.url}/`));
        expect(response.status, `${file} imports ${from}`).to.equal(200);
      }
    }
  });

  it('lets no script run but its own, and no other page frame it', () => {
    const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    const imports = /<script type="importmap">(.*?)<\/script>/s.exec(html)![1]!;
    expect(policy).to.include(`script-src 'self' ${hashOf(imports)}`);
    const inline = [...html.matchAll(/<script(?: type="importmap")?>(.*?)<\/script>/gs)].map(
      ([, text]) => text!,
    );
    expect(inline).to.have.length(2);
    for (const text of inline) expect(policy).to.include(hashOf(text));
    expect(policy.match(/sha256-/g)).to.have.length(inline.length);
    for (const part of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"])
      expect(policy).to.include(part);
    expect(policy).to.not.include('unsafe');
  });

  it('gives no other file than its own', async () => {
    const [, version] = /page\/([^/]+)\/main\.js/.exec(html)!;
    for (const path of [
      `/page/${version}/../../package.json`,
      `/page/${version}/..%2f..%2fpackage.json`,
      `/page/${version}/index.html`,
      `/page/${version}/tsconfig.json`,
      '/page/other/main.js',
      `/page/${version}/`,
      `/page/${version}`,
      '/page/',
    ])
      expect((await fetch(`${service.url}${path}`)).status, path).to.equal(404);
    expect((await fetch(`${service.url}/`, { method: 'POST' })).status).to.equal(404);
  });
});
