/** Around every test file: files share a process and its modules, each has a shared device of its own. */
import { afterAll } from 'vitest';
import { releaseTestDevice } from './device.ts';

afterAll(releaseTestDevice);
