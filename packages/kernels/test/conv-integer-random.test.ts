/** Random integer convolutions, every algorithm, bit for bit: with the dot product of the adapter too where it has one. */
import { testDevice } from '@onegpu/testing';
import { makeConvIntegerProblem } from '../src/conv-integer/problem.ts';
import { CONV_INTEGER_ALGORITHMS } from '../src/conv-integer/select.ts';
import { checkConvInteger } from './check-conv-integer.ts';
import { convIntegerRequest } from './random-conv-integer.ts';
import { describeSweep } from './sweep.ts';

describeSweep({
  ...{ name: 'conv-integer', algorithms: CONV_INTEGER_ALGORITHMS, runs: 24, seed: 5 },
  problems: convIntegerRequest.map(makeConvIntegerProblem),
  check: async (problem, { name }) => {
    const { packedDotProduct } = (await testDevice()).capabilities;
    await checkConvInteger(problem, name, false);
    if (packedDotProduct) await checkConvInteger(problem, name, true);
  },
});
