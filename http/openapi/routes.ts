import type Router from '@koa/router';
import { operations, tags } from '../operations/index.ts';
import { openApiDocument, type DocumentFacts } from './document.ts';

/** GET /rest/openapi.json. Made on the first request, then kept. */
export function openApiRoutes(router: Router, facts: Omit<DocumentFacts, 'tags'>): void {
  let text: string | undefined;
  router.get('/rest/openapi.json', (ctx) => {
    text ??= JSON.stringify(openApiDocument(operations, { ...facts, tags }));
    ctx.type = 'application/json';
    ctx.body = text;
  });
}
