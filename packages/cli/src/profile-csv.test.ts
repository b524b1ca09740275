/** CSV as RFC 4180 has it: columns, line ends, quotes, and empty cells for what is not known. */
import { expect, it } from 'vitest';
import { sampleReport, sampleRow, unresolvedRow } from '../test/profile-sample.ts';
import { profileCsv } from './profile-csv.ts';

const HEADER =
  'index,nodes,node_operators,fused,operator,algorithm,label,shape,dispatches,begin_ms,median_ms,p90_ms,share,' +
  'flops,bytes,gflops,gbps,below_resolution,ceiling_fraction,ceiling_bound,tuned_from';

it('writes a header and one line a row', () => {
  const row = sampleRow(0, { nodes: ['a', 'b'], ceiling: { fraction: 0.5, bound: 'memory' } });
  expect(profileCsv(sampleReport([row, unresolvedRow(1)]))).toBe(
    `${HEADER}\r\n` +
      '0,a;b,Conv;Relu,bias;relu,conv,implicit-gemm,conv/implicit-gemm/f32/64x64x16/bias+relu,1x256x56x56,1,' +
      '0,12.3456,130.5,0.25,1000000000,1000000,81.02,0.08,false,0.5,memory,\r\n' +
      '1,/backbone/layer1/conv1/Conv;/backbone/layer1/relu/Relu,Conv;Relu,bias;relu,conv,implicit-gemm,' +
      'conv/implicit-gemm/f32/64x64x16/bias+relu,1x256x56x56,1,0,,,,1000000000,1000000,,,true,,,\r\n',
  );
});

it('quotes names with commas, quotes and line ends', () => {
  const [, line] = profileCsv(sampleReport([sampleRow(0, { nodes: ['a,"b"'] })])).split('\r\n');
  expect(line).toContain('0,"a,""b""",Conv;Relu');
});
