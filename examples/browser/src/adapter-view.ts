/** What adapter the page runs on: name, features, limits. */
import { describeAdapter, type GpuDevice } from '@onegpu/core';
import { byId, element } from './dom.ts';
import { type Fact, showFacts } from './facts.ts';

export function showAdapter(device: GpuDevice): void {
  const { capabilities } = device;
  const name = describeAdapter(capabilities);
  const chip = byId('adapter-name');
  chip.textContent = capabilities.software ? `${name} (software)` : name;
  chip.hidden = false;
  const yes = (value: boolean): string => (value ? 'yes' : 'no');
  const { subgroupSize } = capabilities;
  const facts: Fact[] = [
    ['adapter', name],
    ['software', yes(capabilities.software)],
    ['float16', yes(capabilities.float16)],
    ['timestamps', yes(capabilities.timestamps)],
    ['subgroups', subgroupSize === undefined ? 'no' : `${subgroupSize.min} to ${subgroupSize.max}`],
    ['packed dot product', yes(capabilities.packedDotProduct)],
    ...Object.entries(capabilities.limits).map(
      ([limit, value]): Fact => [limit, (value as number).toLocaleString('en-US')],
    ),
    ['features', [...device.raw.features].sort().join(', ')],
  ];
  const list = element('dl', 'table');
  showFacts(list, facts);
  byId('adapter').replaceChildren(list);
}
