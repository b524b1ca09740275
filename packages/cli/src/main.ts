#!/usr/bin/env node
/** Entry of the `onegpu` command. The exit code is set, not forced, so that all output reaches a pipe. */
import { endOnClosedPipe } from './output.ts';
import { runProgram } from './program.ts';

endOnClosedPipe();
process.exitCode = await runProgram(process.argv.slice(2));
