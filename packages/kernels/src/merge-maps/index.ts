export { MERGE_MAPS_ALGORITHMS, planMergeMaps } from './plan.ts';
export { type MapPart, type MergeMapsProblem, makeMergeMapsProblem } from './problem.ts';
