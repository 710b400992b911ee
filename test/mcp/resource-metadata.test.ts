/** The metadata with which clients find the token provider. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import Koa from 'koa';
import { resourceMetadata } from '../../http/mcp/resource-metadata.ts';

describe('The metadata of /mcp', () => {
  it('is found below the path that a proxy serves the server at', async () => {
    const url = 'https://media.example/troupe';
    const provider = { issuer: 'https://login.example', scopes: ['openid'] };
    const server = new Koa().use(resourceMetadata(url, provider)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      const read = (end: string) =>
        fetch(`http://127.0.0.1:${port}/.well-known/oauth-protected-resource${end}`);
      for (const end of ['', '/mcp', '/troupe/mcp']) {
        const found = (await (await read(end)).json()) as { readonly resource: string };
        expect(found.resource, end).to.equal('https://media.example/troupe/mcp');
      }
      expect((await read('/other/mcp')).status).to.equal(404);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});
