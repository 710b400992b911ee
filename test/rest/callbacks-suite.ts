/** What tests of notices share: a server that dies at the last commit of a job. */
import type { DeathWish } from '../support/server-main.ts';
import type { JobRequest, Service } from '../support/service.ts';

/** Runs a job at whose last commit the server dies, and starts the next server; answers the id of the job. The server must run in a process of its own. */
export async function lastOfItsServer(
  service: Service,
  when: DeathWish['when'],
  request: JobRequest,
): Promise<string> {
  await service.dieAt({ at: Number.MAX_SAFE_INTEGER, when });
  const id = await service.submit(request);
  await service.ended();
  await service.startHere();
  return id;
}
