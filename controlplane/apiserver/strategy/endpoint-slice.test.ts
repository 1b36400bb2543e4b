import test from 'ava';
import { endpointSliceStrategy } from './endpoint-slice.ts';
import type { Draft } from './strategy.ts';

const HOSTNAME = 'kubernetes.io/hostname';
const at = (node: string, more: object = {}): object => ({
	addresses: ['10.0.0.1'],
	deprecatedTopology: { [HOSTNAME]: node, zone: 'z' },
	...more,
});
const slice = (...endpoints: readonly object[]): Draft => ({ metadata: {}, endpoints: structuredClone(endpoints) }) as unknown as Draft;

const bare = { addresses: ['10.0.0.1'] };
for (const [rule, old, object, want] of [
	['go on creation', undefined, [at('n')], [bare]],
	['stay while no endpoint is changed', [at('n')], [at('n', { targetRef: undefined })], [at('n')]],
	['go when one is, but for the node', [at('n')], [at('n', { hostname: 'h' })], [{ ...bare, hostname: 'h', nodeName: 'n' }]],
	['go with a node that was not there', [at('n')], [at('m')], [bare]],
	['go with a node that is named', [at('n')], [at('n', { nodeName: 'x' })], [{ ...bare, nodeName: 'x' }]],
	['go with a node that can be none', [at('N')], [at('N', { hostname: 'h' })], [{ ...bare, hostname: 'h' }]],
] as const)
	test(`labels of endpoints ${rule}`, (t) => {
		const draft = slice(...object);
		if (old === undefined) endpointSliceStrategy.prepareForCreate?.(draft, '', {} as never);
		else endpointSliceStrategy.prepareForUpdate?.(draft, slice(...old), '');
		t.deepEqual(JSON.parse(JSON.stringify(draft['endpoints'])), want);
	});
