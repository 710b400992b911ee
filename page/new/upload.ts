import { messageOf } from '../kit/answer.ts';
import { urlOf } from '../kit/api.ts';

/** Sends a file to the server; `onProgress` how many bytes have left. Answers its URI for jobs. */
export function upload(file: File, onProgress: (sent: number) => void, gone: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    // fetch does not tell how much of a body has left.
    const request = new XMLHttpRequest();
    request.open('POST', urlOf('rest/media', { name: file.name }));
    request.setRequestHeader('Content-Type', file.type === '' ? 'application/octet-stream' : file.type);
    request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded));
    request.addEventListener('error', () => reject(new Error('The connection was interrupted.')));
    request.addEventListener('load', () => {
      const body = parseJson(request.responseText);
      if (request.status === 201) resolve((body as { mediaUri: string }).mediaUri);
      else reject(new Error(messageOf(body) ?? `The service answered ${request.status}.`));
    });
    gone.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
