import type { IncomingMessage } from 'node:http';
import type Router from '@koa/router';
import type { Context } from 'koa';
import type { Upload, UploadStore } from '../actors/uploads/upload-store.ts';
import type { Issue } from '../domain/types.ts';
import { empty, HttpError, overloaded } from './errors.ts';
import { mediaCheckRequest, uploadQuery } from './schemas/media.ts';
import { checked } from './schemas/problems.ts';
import { readJson, type BodyLimits } from './steps/json-body.ts';

export interface MediaDeps {
  readonly uploads: UploadStore;
  readonly bodyLimits: BodyLimits;
  /** Media that a job may name. */
  readonly maxMedia: number;
  /** Why media cannot be used, one for each, as far as that shows without reading them. */
  checkMedia(uris: readonly string[]): Promise<readonly (Issue | undefined)[]>;
}

/** Upload of media (ours), for clients that share no folder with the server, and whether it is needed. */
export function mediaRoutes(router: Router, deps: MediaDeps): void {
  router.post('/rest/media', (ctx) => upload(ctx, deps));
  router.post('/rest/media/check', (ctx) => check(ctx, deps));
  router.delete('/rest/media/:id', (ctx) => remove(ctx, deps));
}

async function upload(ctx: Context, { uploads }: MediaDeps): Promise<void> {
  const query = checked(uploadQuery, ctx.query, 'query');
  if ('problems' in query) throw new HttpError(400, query.problems);
  if (typeof ctx.is('multipart/*') === 'string')
    throw refused(
      ctx,
      415,
      'The body is a form. Send the medium itself as the body, with its own Content-Type.',
    );
  const length = ctx.get('content-length');
  const outcome = await uploads.receive(
    ctx.req,
    length === '' ? undefined : Number(length),
    query.ok.name ?? '',
  );
  switch (outcome.kind) {
    case 'stored':
      ctx.status = 201;
      ctx.body = shown(outcome.upload);
      return;
    case 'empty':
    case 'broken':
      throw refused(ctx, 400, outcome.message);
    case 'tooLarge':
      throw refused(ctx, 413, outcome.message);
    case 'full':
      throw refused(ctx, 507, outcome.message);
    case 'noRoom':
      dropRest(ctx.req);
      throw overloaded(outcome.message);
  }
}

/** What a job's creation would say of its media; nothing is fetched or opened. */
async function check(ctx: Context, { bodyLimits, maxMedia, checkMedia }: MediaDeps): Promise<void> {
  const body = checked(mediaCheckRequest, await readJson(ctx, bodyLimits));
  if ('problems' in body) throw new HttpError(400, body.problems);
  const { mediaUris } = body.ok;
  if (mediaUris.length > maxMedia)
    throw new HttpError(400, `mediaUris has ${mediaUris.length} elements; a job may have ${maxMedia}.`);
  const problems = await checkMedia(mediaUris);
  ctx.body = {
    media: problems.map((problem) => ({ usable: problem === undefined, message: problem?.message ?? null })),
  };
}

async function remove(ctx: Context, { uploads }: MediaDeps): Promise<void> {
  const { id } = ctx['params'] as { id: string };
  switch (await uploads.remove(id)) {
    case 'removed':
      return empty(ctx, 204);
    case 'unknown':
      throw new HttpError(
        404,
        `There is no upload ${id}: it was removed, or is older than UPLOAD_KEEP_DAYS.`,
      );
    case 'inUse':
      throw new HttpError(409, 'A job that has not ended uses this medium: cancel it, or wait for its end.');
  }
}

const shown = ({ id, uri, sha256, bytes, expires }: Upload) => ({
  id,
  mediaUri: uri,
  sha256,
  bytes,
  expires: new Date(expires).toISOString(),
});

function refused(ctx: Context, status: number, message: string): HttpError {
  dropRest(ctx.req);
  return new HttpError(status, message);
}

/** So much of a body that is not wanted is read and dropped, so that a client that is still sending sees the answer. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;

function dropRest(request: IncomingMessage): void {
  let left = MAX_DISCARDED_BYTES;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.destroy();
  });
  // Who hangs up now is no error.
  request.on('error', () => undefined);
}
