import type { Context } from 'koa';
import { z } from 'zod';
import type { PieceOutcome, Pieces } from '../../actors/uploads/pieces.ts';
import { isAdmin, noteMissingRole, userOf } from '../access/bearer.ts';
import { answerWith, json, ok, sentence } from '../routing/declaration.ts';
import { HttpError } from '../routing/errors.ts';
import { dropRest } from '../routing/unwanted-body.ts';
import { pieceQuery, pieceUpload, pieceUploadRequest, uploadId } from '../schemas/media.ts';
import { endpoint } from '../steps/endpoint.ts';
import { refusalError, uploaderOf, type MediaDeps } from './media.ts';

const COMMON = { tag: 'Media', caller: 'USER', jobs: 'NONE' } as const;
const PATH = '/rest/media/{id}/pieces';
const params = z.object({ id: uploadId });

const BEGUN = {
  id: 'mhq2x9k0-0123456789abcdef01234567',
  bytes: 5_000_000_000,
  received: 0,
  mediaUri: null,
  expires: '2026-03-02T09:30:00.000Z',
};
const NOT_YOURS = {
  403: sentence('Another user uploads it, and the caller is not ADMIN.'),
  404: sentence('There is no such upload.'),
};

/** Upload of large media in pieces (not in the specification). Received pieces survive a broken connection. */
export const pieceUploadEndpoints = [
  endpoint({
    ...COMMON,
    method: 'post',
    path: '/rest/media/pieces',
    id: 'beginPieceUpload',
    summary: 'Begin an upload in pieces',
    description:
      'Send the pieces one after the other with PUT. After an interruption, GET returns the offset to continue from.',
    body: { schema: pieceUploadRequest, example: { name: 'street.mp4', bytes: BEGUN.bytes } },
    answers: {
      201: json('Space is reserved.', pieceUpload, BEGUN),
      400: sentence('The body is wrong.'),
      413: sentence(
        'The medium is larger than MAX_UPLOAD_BYTES, or the uploads of the user would exceed a quarter of MAX_UPLOADS_BYTES.',
      ),
      507: sentence('The stored uploads leave no space for it (MAX_UPLOADS_BYTES, MAX_UPLOADS).'),
    },
    async handle({ ctx, body: { name = '', bytes } }, { uploads }: MediaDeps) {
      const outcome = await uploads.pieces.begin(name, bytes, uploaderOf(userOf(ctx)));
      if (outcome.kind !== 'pieces') throw refusalError(outcome);
      return answerWith(201, toShown(outcome));
    },
  }),
  endpoint({
    ...COMMON,
    method: 'get',
    path: PATH,
    id: 'getPieceUpload',
    summary: 'Show how much of an upload in pieces is stored',
    params,
    answers: { 200: json('The number of stored bytes.', pieceUpload), ...NOT_YOURS },
    async handle({ params: { id }, ctx }, { uploads }: MediaDeps) {
      return ok(toShown(piecesOf(await uploads.pieces.look(id, ownUser(ctx)), ctx, id)));
    },
  }),
  endpoint({
    ...COMMON,
    method: 'put',
    path: PATH,
    id: 'sendPiece',
    summary: 'Send the next piece of an upload',
    description:
      'The body is the piece. With the last piece, the answer has the mediaUri. Received bytes survive a broken connection. A ' +
      'new request ends an older one that is still open.',
    params,
    query: pieceQuery,
    body: { schema: z.string(), type: '*/*' },
    answers: {
      200: json('The piece is stored.', pieceUpload, { ...BEGUN, received: 8_388_608 }),
      400: sentence('The body is incomplete, or the query is wrong.'),
      ...NOT_YOURS,
      409: sentence('The piece does not begin where the upload ends.'),
      413: sentence('The piece exceeds the announced size.'),
    },
    async handle({ params: { id }, query: { offset }, body, ctx }, { uploads, userLimits }: MediaDeps) {
      try {
        const receive = () => uploads.pieces.receive(id, offset, body, ownUser(ctx));
        return ok(toShown(piecesOf(await userLimits.withinUploads(ctx, receive), ctx, id)));
      } catch (error) {
        dropRest(body);
        throw error;
      }
    },
  }),
];

/** Returns the user whose uploads the caller may see. Returns undefined if the caller may see all uploads. */
const ownUser = (ctx: Context): string | undefined =>
  isAdmin(ctx) ? undefined : uploaderOf(userOf(ctx)).user;

/** Returns the state of an upload in pieces. @throws HttpError if the outcome is no such state */
function piecesOf(outcome: PieceOutcome, ctx: Context, id: string): Pieces {
  switch (outcome.kind) {
    case 'pieces':
      return outcome;
    case 'unknown':
      throw new HttpError(
        'upload-not-found',
        `There is no upload ${id}. It was deleted, or no piece came for a day. Upload the file again.`,
      );
    case 'foreign': {
      const message = `Another user began the upload ${id}. Only that user and an ADMIN can continue it.`;
      noteMissingRole(ctx, message);
      throw new HttpError('role-required', message);
    }
    case 'wrongOffset':
      throw new HttpError(
        'upload-offset-wrong',
        `The upload ${id} has ${outcome.received} bytes. Send the next piece with offset=${outcome.received}.`,
      );
    case 'empty':
    case 'broken':
    case 'tooLarge':
    case 'full':
    case 'noRoom':
      throw refusalError(outcome);
  }
}

const toShown = ({ id, bytes, received, uri, expires }: Pieces) => ({
  ...{ id, bytes, received },
  mediaUri: uri ?? null,
  expires: new Date(expires).toISOString(),
});
