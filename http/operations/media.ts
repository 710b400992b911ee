import { z } from 'zod';
import { json, nothing, type Operation } from '../openapi/operation.ts';
import { responseMessage } from '../schemas/common.ts';
import { mediaCheck, mediaCheckRequest, upload, uploadId, uploadQuery } from '../schemas/media.ts';

const TAG = 'Media';

const UPLOADED = {
  id: 'mhq2x9k0-0123456789abcdef01234567',
  mediaUri: 'file:///data/uploads/mhq2x9k0-0123456789abcdef01234567/street.mp4',
  sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  bytes: 1_048_576,
  expires: '2026-03-08T09:30:00.000Z',
};

/** The routes of `http/media.ts`. */
export const mediaOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/rest/media',
    id: 'uploadMedium',
    tag: TAG,
    caller: 'USER',
    summary: 'Upload a medium',
    description:
      'The body is the medium itself, of any content type. When this answers 201, the medium is stored and can be used in jobs.',
    query: uploadQuery,
    body: { schema: z.string(), type: '*/*' },
    answers: {
      201: json('Stored.', upload, UPLOADED),
      400: json('There is no body, it broke off, or the query is wrong.', responseMessage),
      413: json('The medium is larger than MAX_UPLOAD_BYTES.', responseMessage),
      415: json('The body is a form.', responseMessage),
      507: json(
        'The uploads that are kept leave no room for it (MAX_UPLOADS_BYTES, MAX_UPLOADS).',
        responseMessage,
      ),
    },
  },
  {
    method: 'post',
    path: '/rest/media/check',
    id: 'checkMedia',
    tag: TAG,
    caller: 'USER',
    summary: 'Tell which media a job could use',
    description:
      'Says beforehand what the creation of a job says of its media: whether their URIs are well-formed, and whether files lie ' +
      'where the service reads them. A client uploads the others. Nothing is fetched or opened.',
    body: { schema: mediaCheckRequest, example: { mediaUris: [UPLOADED.mediaUri] } },
    answers: {
      200: json('One element for each URI.', mediaCheck, { media: [{ usable: true, message: null }] }),
      400: json('The body is wrong, or names more media than a job may have.', responseMessage),
    },
  },
  {
    method: 'delete',
    path: '/rest/media/{id}',
    id: 'deleteMedium',
    tag: TAG,
    caller: 'USER',
    summary: 'Delete an uploaded medium',
    params: z.object({ id: uploadId }),
    answers: {
      204: nothing('It is gone.'),
      404: json('There is no such upload.', responseMessage),
      409: json('A job that has not ended uses it.', responseMessage),
    },
  },
];
