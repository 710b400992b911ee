/** The thread that answers queries of the index. */
import { workerData } from 'node:worker_threads';
import { Finder, type FinderOptions } from './finder.ts';
import type { FindReply, FindRequest } from './messages.ts';
import { serveThread } from './serve-thread.ts';

serveThread(
  () => new Finder(workerData as FinderOptions),
  (finder, request: FindRequest): FindReply => {
    if ('find' in request) return finder.find(request.find);
    if ('similar' in request) return finder.similar(request.similar);
    if ('vectorSource' in request) return finder.vectorSource(request.vectorSource);
    if ('vectorModels' in request) return finder.vectorModels(request.vectorModels);
    if ('duplicates' in request) return finder.duplicates(request.duplicates);
    if ('count' in request) return finder.count(request.count);
    return 'media' in request ? finder.media(request.media) : finder.countMedia(request.countMedia);
  },
);
