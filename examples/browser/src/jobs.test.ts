/** The order of jobs, those that give way, and errors. */
import { expect, it } from 'vitest';
import { Jobs } from './jobs.ts';

function recorder(): { readonly log: string[]; readonly jobs: Jobs } {
  const log: string[] = [];
  const jobs = new Jobs({
    onError: (error) => log.push(`error ${(error as Error).message}`),
    onBusy: (busy) => log.push(busy ? 'busy' : 'idle'),
  });
  return { log, jobs };
}

it('runs one after the other, whatever one of them throws', async () => {
  const { log, jobs } = recorder();
  jobs.add('a', async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    log.push('a');
    throw new Error('of a');
  });
  await jobs.add('b', async () => void log.push('b'));
  expect(log).toEqual(['busy', 'a', 'error of a', 'b', 'idle']);
});

it('leaves out a waiting job where a later one has its name', async () => {
  const { log, jobs } = recorder();
  jobs.add('first', async () => void log.push('first'));
  jobs.add('run', async () => void log.push('run 1'));
  jobs.add('other', async () => void log.push('other'));
  await jobs.add('run', async () => void log.push('run 2'));
  expect(log).toEqual(['busy', 'first', 'other', 'run 2', 'idle']);
});
