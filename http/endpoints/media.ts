import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { z } from 'zod';
import type { Upload, UploadStore } from '../../actors/uploads/upload-store.ts';
import type { Uploader } from '../../actors/uploads/usage.ts';
import type { Issue } from '../../domain/types.ts';
import type { Refusal } from '../../actors/uploads/refusal.ts';
import type { UserLimits } from '../users/user-limits.ts';
import { isAdmin, noteMissingRole, userOf, type User } from '../access/bearer.ts';
import { answerWith, json, nothing, ok, sentence, withoutBody } from '../routing/declaration.ts';
import { endpoint } from '../steps/endpoint.ts';
import type { ErrorCode } from '../routing/error-codes.ts';
import { HttpError, overloadError } from '../routing/errors.ts';
import { mediaCheck, mediaCheckRequest, upload, uploadId, uploadQuery } from '../schemas/media.ts';
import { dropRest } from '../routing/unwanted-body.ts';

export interface MediaDeps {
  readonly uploads: UploadStore;
  readonly userLimits: UserLimits;
  /** Maximum number of media that a job may name. */
  readonly maxMedia: number;
  /** Returns for each medium why it cannot be used, as far as this is known without reading the medium. */
  checkMedia(uris: readonly string[]): Promise<readonly (Issue | undefined)[]>;
}

const TAG = 'Media';

const UPLOADED = {
  id: 'mhq2x9k0-0123456789abcdef01234567',
  mediaUri: 'file:///data/uploads/mhq2x9k0-0123456789abcdef01234567/street.mp4',
  sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  bytes: 1_048_576,
  expires: '2026-03-08T09:30:00.000Z',
};

/**
 * Upload of media (not in the specification) for clients that share no folder with the server, and the check whether an upload is needed.
 */
export const mediaEndpoints = [
  endpoint({
    method: 'post',
    path: '/rest/media',
    id: 'uploadMedium',
    tag: TAG,
    caller: 'USER',
    jobs: 'NONE',
    summary: 'Upload a medium',
    description:
      'The body is the medium itself, of any content type. When this answers 201, the medium is stored and can be used in jobs.',
    query: uploadQuery,
    body: { schema: z.string(), type: '*/*' },
    answers: {
      201: json('Stored.', upload, UPLOADED),
      400: sentence('The body is missing or incomplete, or the query is wrong.'),
      413: sentence(
        'The medium is larger than MAX_UPLOAD_BYTES, or the uploads of the user would exceed a quarter of MAX_UPLOADS_BYTES.',
      ),
      415: sentence('The body is a form.'),
      507: sentence('The stored uploads leave no space for it (MAX_UPLOADS_BYTES, MAX_UPLOADS).'),
    },
    handle: ({ ctx, query, body }, deps: MediaDeps) => receive(ctx, query.name ?? '', body, deps),
  }),
  endpoint({
    method: 'post',
    path: '/rest/media/check',
    id: 'checkMedia',
    tag: TAG,
    caller: 'USER',
    jobs: 'NONE',
    summary: 'Check which media a job can use',
    description:
      'Checks whether the URIs are well-formed, and whether the service can read the files. A client uploads the other files. The service fetches and opens nothing.',
    body: { schema: mediaCheckRequest, example: { mediaUris: [UPLOADED.mediaUri] } },
    answers: {
      200: json('One element for each URI.', mediaCheck, { media: [{ usable: true, message: null }] }),
      400: sentence('The body is wrong, or names more media than a job may have.'),
    },
    async handle({ body: { mediaUris } }, { maxMedia, checkMedia }: MediaDeps) {
      if (mediaUris.length > maxMedia)
        throw new HttpError(
          'too-many-media',
          `mediaUris has ${mediaUris.length} elements; a job may have ${maxMedia}.`,
        );
      const problems = await checkMedia(mediaUris);
      return ok({
        media: problems.map((problem) => ({
          usable: problem === undefined,
          message: problem?.message ?? null,
        })),
      });
    },
  }),
  endpoint({
    method: 'delete',
    path: '/rest/media/{id}',
    id: 'deleteMedium',
    tag: TAG,
    caller: 'USER',
    jobs: 'NONE',
    summary: 'Delete an uploaded medium',
    description: 'Only the user who uploaded it and an ADMIN can delete it.',
    params: z.object({ id: uploadId }),
    answers: {
      204: nothing('The upload is deleted.'),
      403: sentence('Another user uploaded it, and the caller is not ADMIN.'),
      404: sentence('There is no such upload.'),
      409: sentence('A job that has not ended uses it.'),
    },
    async handle({ params: { id }, ctx }, { uploads }: MediaDeps) {
      const by = isAdmin(ctx) ? undefined : uploaderOf(userOf(ctx)).user;
      switch (await uploads.remove(id, by)) {
        case 'removed':
          return withoutBody(204);
        case 'foreign':
          throw foreignUpload(ctx, id);
        case 'unknown':
          throw new HttpError(
            'upload-not-found',
            `There is no upload ${id}: it was removed, or is older than UPLOAD_KEEP_DAYS.`,
          );
        case 'inUse':
          throw new HttpError(
            'upload-in-use',
            'A job that has not ended uses this medium: cancel it, or wait for its end.',
          );
      }
    },
  }),
];

async function receive(
  ctx: Context,
  name: string,
  body: IncomingMessage,
  { uploads, userLimits }: MediaDeps,
) {
  if (typeof ctx.is('multipart/*') === 'string')
    throw refuseBody(
      body,
      'upload-is-form',
      'The body is a form. Send the medium itself as the body, with its own Content-Type.',
    );
  const length = ctx.get('content-length');
  const announced = length === '' ? undefined : Number(length);
  const outcome = await userLimits
    .withinUploads(ctx, () => uploads.receive(body, announced, name, uploaderOf(userOf(ctx))))
    .catch((error: unknown) => {
      dropRest(body);
      throw error;
    });
  if (outcome.kind === 'stored') return answerWith(201, toShownUpload(outcome.upload));
  dropRest(body);
  throw refusalError(outcome);
}

/** Returns the error for an upload that is not accepted. */
export function refusalError({ kind, message }: Refusal): HttpError {
  switch (kind) {
    case 'empty':
      return new HttpError('body-missing', message);
    case 'broken':
      return new HttpError('body-incomplete', message);
    case 'tooLarge':
      return new HttpError('upload-too-large', message);
    case 'full':
      return new HttpError('storage-full', message);
    case 'noRoom':
      return overloadError(message);
  }
}

function foreignUpload(ctx: Context, id: string): HttpError {
  const message = `Another user sent the upload ${id}. Only that user and an ADMIN can delete it.`;
  noteMissingRole(ctx, message);
  return new HttpError('role-required', message);
}

export const uploaderOf = ({ subject, name, roles }: User): Uploader => ({
  user: subject ?? name,
  isLimited: !roles.includes('ADMIN'),
});

const toShownUpload = ({ id, uri, sha256, bytes, expires }: Upload) => ({
  id,
  mediaUri: uri,
  sha256,
  bytes,
  expires: new Date(expires).toISOString(),
});

function refuseBody(body: IncomingMessage, code: ErrorCode, message: string): HttpError {
  dropRest(body);
  return new HttpError(code, message);
}
