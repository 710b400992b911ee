/** The thread that writes the index. It reads and parses documents outside the event loop of the server. */
import { workerData } from 'node:worker_threads';
import type { WriteReply, WriteRequest } from './messages.ts';
import { serveThread } from './serve-thread.ts';
import { facesOf } from './similar/faces.ts';
import { Writer, type WriterOptions } from './writer.ts';

serveThread(
  () => new Writer(workerData as WriterOptions),
  async (writer, request: WriteRequest): Promise<WriteReply> => {
    if ('put' in request) return { taken: await writer.put(request.put) };
    if ('jobs' in request) return { jobs: writer.jobs(request.jobs.after, request.jobs.limit) };
    if ('streams' in request) return { streams: writer.streams() };
    if ('faces' in request) return { faces: await facesOf(request.faces) };
    if ('expire' in request) writer.expire(request.expire);
    else if ('remove' in request) writer.remove(request.remove.job, request.remove.run);
    else if ('setMark' in request) writer.setMark(request.setMark);
    else return { mark: writer.mark() };
    return {};
  },
);
