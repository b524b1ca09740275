export * from './conv-layer-model.ts';
export * from './fill-weights.ts';
export * from './models.ts';
export * from './overlap.ts';
export * from './peer.ts';
export * from './random.ts';
export * from './seeded-input.ts';
export * from './sign.ts';
